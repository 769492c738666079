"""Nobody's files are overwritten, and sets that two processes want to write do not mix."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import support
from PIL import Image
from support import GassTest, run

TINY = ("-m", "mini-turbo", "--width=64", "--height=64", "--device=cpu", "--method=none", "-n", "2")
SUITE = {
    "title": "One group",
    "settings": {"images": 2, "steps": 2, "width": 64, "height": 64, "device": "cpu", "threads": 1},
    "models": {"turbo": {"name": "Turbo", "settings": {"model": "mini-turbo"}}},
    "methods": {"none": {"name": "Plain", "method": "none"}},
    "baseline": "none",
    "prompts": {"list": ["a red car"]},
    "metrics": {"vendi": {"name": "VS", "metric": "vendi", "encoder": "mini-clip"}},
    "samples": 1,
}


class NothingLost(GassTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def generate(self, *more):
        return run("generate", "-p", "a car", *TINY, "-o", self.out, *more)

    def start(self, *arguments):
        return subprocess.Popen([support.GASS, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def files(self):
        """Everything below the output, hidden files too."""
        return {str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob("*") if path.is_file()}

    def test_eval_leaves_the_files_of_others(self):
        suite = self.folder / "suite.json"
        suite.write_text(json.dumps(SUITE))
        names = ("report.html", "report.md", "report.tex", "results.csv", "results.json", "pictures/turbo/none/00000-00/0000.png")
        for name in names:
            with self.subTest(name):
                mine = self.out / name
                mine.parent.mkdir(parents=True)
                mine.write_text("mine")
                result = run("eval", suite, "-o", self.out)
                self.assertIn(result.returncode, (2, 5), result.stderr)
                self.assertIn(mine.name.encode(), result.stderr)
                self.assertEqual(mine.read_text(), "mine")
                shutil.rmtree(self.out)
        self.assert_ok(run("eval", suite, "-o", self.out))
        self.assert_ok(run("eval", suite, "-o", self.out, "--report-only"))  # its own it replaces

    def test_files_that_come_while_a_set_is_made(self):
        process = self.start("generate", "-p", "a car", "-m", "mini-flow", "-n", "2", "--steps", "60", "--device", "cpu", "-o", self.out)
        while not self.out.exists():
            time.sleep(0.01)
        (self.out / "0001.png").write_text("mine")
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 2, errors.decode())
        self.assertIn(b"0001.png", errors)
        self.assertEqual(self.files(), {"0001.png": b"mine"})

    def test_two_sets_for_one_folder(self):
        first = self.start("generate", "-p", "a car", "-m", "mini-flow", "-n", "2", "--steps", "60", "--device", "cpu", "-o", self.out)
        while not self.out.exists():
            time.sleep(0.01)
        self.assert_error(self.generate(), 2, "another process")
        first.communicate(timeout=120)
        self.assertEqual(first.returncode, 0)
        self.assertEqual(json.loads((self.out / "group.json").read_text())["settings"]["model"], "mini-flow")
        self.assert_ok(self.generate())  # now it is free

    def test_a_preview_takes_nobodys_place(self):
        mine = self.folder / "mine.png"
        Image.new("RGB", (4, 4)).save(mine)
        before = mine.read_bytes()
        more = ("--preview", "vae", "--preview-interval", "1")
        self.assert_error(self.generate(*more, "--preview-path", mine), 2, "--preview-path", "mine.png")
        self.assertEqual(mine.read_bytes(), before)
        own = self.folder / "own.png"
        for _ in range(2):
            self.assert_ok(self.generate(*more, "--preview-path", own))
        self.out.joinpath("preview.png").write_bytes(before)
        self.assert_error(self.generate(*more), 2, "preview.png")
        self.assertEqual(self.out.joinpath("preview.png").read_bytes(), before)

    def test_features_take_nobodys_place(self):
        self.assert_ok(self.generate())
        for name in ("f.npy", "f.npz", "f.safetensors"):
            with self.subTest(name):
                mine = self.folder / name
                mine.write_text("mine")
                features = ("features", self.out, "-o", mine, "--encoder", "mini-clip")
                self.assert_error(run(*features), 2, name)
                self.assertEqual(mine.read_text(), "mine")
                mine.unlink()
                for _ in range(2):
                    self.assert_ok(run(*features))

    def test_what_a_killed_set_left_goes(self):
        """In a folder of its own, and below gass-out."""
        for output in (["-o", str(self.out)], []):
            with self.subTest(output):
                process = subprocess.Popen(
                    [support.GASS, "generate", "-p", "a car", "-m", "mini-flow", "-n", "2", "--steps", "200", "--device", "cpu",
                     "--preview", "vae", "--preview-interval", "1", *output],
                    cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                while not list(self.folder.rglob("preview.png")):
                    time.sleep(0.01)
                process.send_signal(signal.SIGKILL)
                process.wait()
                self.assert_ok(run("generate", "-p", "a dog", *TINY, *output, cwd=self.folder))
                left = [path for path in self.folder.rglob("*") if path.name.startswith(".") or path.name == "preview.png"]
                self.assertEqual(left, [])
        self.assertEqual(len(list((self.folder / "gass-out").iterdir())), 1)

    def test_a_killed_comparison_can_be_made_again(self):
        compare = ("compare", "-p", "a car", *[argument for argument in TINY if argument != "--method=none"], "--methods", "none,cads", "-o", self.out)
        self.assert_ok(run(*compare))
        before = self.files()
        process = self.start(*compare, "--steps", "300", "--seed", "7")
        # The first set has been replaced, the second has not.
        while self.files().get("00-none/0000.png") == before["00-none/0000.png"]:
            self.assertIsNone(process.poll(), "it ended too early")
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertNotIn("compare.html", self.files())  # it would speak of sets that are not there any more
        self.assert_ok(run("measure", self.out / "00-none", "--metrics", "vendi"))
        self.assert_ok(run(*compare))
        self.assertEqual(sorted(self.files()), sorted(before))


if __name__ == "__main__":
    unittest.main()
