"""kill -9 at random moments of generate, compare and eval: afterwards there is the old set or the new one, whole, and the next run
leaves nothing behind. KILLS says how often (default: 200)."""

import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import support  # noqa: E402
from support import GassTest, run  # noqa: E402

KILLS = int(os.environ.get("KILLS", "200"))
SMALL = ("-m", "mini-turbo", "--width=64", "--height=64", "--device=cpu", "-n", "3", "--steps", "2")
SUITE = {
    "title": "Kills",
    "settings": {"images": 2, "steps": 2, "width": 64, "height": 64, "device": "cpu", "threads": 1},
    "models": {"turbo": {"name": "Turbo", "settings": {"model": "mini-turbo"}}},
    "methods": {"none": {"name": "Plain", "method": "none"}, "cads": {"name": "CADS", "method": "cads"}},
    "baseline": "none",
    "prompts": {"list": ["a red car", "a photo of a dog", "a bird"]},
    "metrics": {"vendi": {"name": "VS", "metric": "vendi", "encoder": "mini-clip"}},
    "samples": 1,
}


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class KillTest(GassTest):
    random = random.Random(20)

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def killed(self, *arguments, within, **options):
        """Runs gass and kills it somewhere in that time; more often near the end, where files get their names."""
        process = subprocess.Popen([support.GASS, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True, **options)
        share = self.random.random()
        time.sleep(within * (share if self.random.random() < 0.4 else 0.75 + 0.35 * share))
        process.send_signal(signal.SIGKILL)
        process.wait()

    def seconds_of(self, *arguments):
        start = time.monotonic()
        self.assert_ok(run(*arguments))
        return time.monotonic() - start

    def check_set(self, folder):
        """A whole set: its pictures are those that group.json names, each reproduces, and it can be measured."""
        self.assert_ok(run("measure", folder, "--metrics", "vendi", "--encoder", "pixels", "--no-cache"))
        group = json.loads((folder / "group.json").read_text())
        names = {image["file"] for image in group["images"]}
        self.assertEqual({path.name for path in folder.glob("[0-9]*.png")}, names)
        seed = group["seeds"][0]
        for name in names:
            self.assertIn(f'"seeds":[{seed},', (folder / name).read_bytes().decode("latin-1"), "a picture of another set")
        return seed

    def assert_nothing_is_left(self, folder):
        self.assertEqual([str(path) for path in folder.rglob("*") if path.name.startswith(".") or path.name == "preview.png"], [])

    def test_generate_into_a_new_folder(self):
        command = ("generate", "-p", "a car", *SMALL, "--method", "none", "--preview", "vae", "--preview-interval", "1", "-o", self.out)
        within = self.seconds_of(*command)
        whole = 0
        for _ in range(KILLS // 4):
            shutil.rmtree(self.out, ignore_errors=True)
            self.killed(*command, within=within)
            result = run("measure", self.out, "--metrics", "vendi", "--encoder", "pixels", "--no-cache") if self.out.exists() else None
            if result is not None and result.returncode == 0:
                self.check_set(self.out)
                whole += 1
            within = self.seconds_of(*command)  # again, since a busy machine changes it
            self.check_set(self.out)
            self.assert_nothing_is_left(self.out)
        print(f"generate, new folder: {KILLS // 4} kills, {whole} after the set was there")

    def test_generate_over_an_earlier_set(self):
        def command(seed, images):
            return ("generate", "-p", "a car", *SMALL[:-3], images, "--steps", "2", "--method", "none", "--seed", seed, "-o", self.out)

        within = self.seconds_of(*command(0, 3))
        seeds = []
        for i in range(1, KILLS // 4 + 1):
            images = 2 + i % 3
            self.killed(*command(1000 * i, images), within=within)
            seeds.append(self.check_set(self.out))
            if i % 5 == 0:
                self.assert_ok(run("reproduce", self.out / "0001.png"))
                within = self.seconds_of(*command(1000 * i + 1, images))
        self.assert_ok(run(*command(7, 3)))
        self.assertEqual(self.check_set(self.out), 7)
        self.assert_nothing_is_left(self.out)
        print(f"generate, earlier set: {KILLS // 4} kills, {len(set(seeds))} different sets seen")

    def test_compare(self):
        def command(seed):
            return ("compare", "-p", "a car", *SMALL, "--methods", "none,cads", "--seed", seed, "-o", self.out)

        within = self.seconds_of(*command(0))
        for i in range(1, KILLS // 4 + 1):
            self.killed(*command(1000 * i), within=within)
            for folder in self.out.glob("0*"):
                self.check_set(folder)
            if (self.out / "compare.json").exists():
                seeds = json.loads((self.out / "compare.json").read_text())["prompts"][0]["groups"]
                for group, folder in zip(seeds, sorted(self.out.glob("0*"))):
                    self.assertEqual(group["seeds"], [image["seed"] for image in json.loads((folder / "group.json").read_text())["images"]])
        self.assert_ok(run(*command(7)))
        for folder in self.out.glob("0*"):
            self.assertEqual(self.check_set(folder), 7)
        self.assert_nothing_is_left(self.out)

    def test_eval(self):
        suite = self.folder / "suite.json"
        suite.write_text(json.dumps(SUITE))
        whole = self.folder / "whole"
        within = self.seconds_of("eval", suite, "-o", whole)
        for i in range(KILLS // 4):
            if i % 5 == 0:
                shutil.rmtree(self.out, ignore_errors=True)
            self.killed("eval", suite, "-o", self.out, "--resume", within=within)
            for folder in self.out.glob("pictures/*/*/*"):
                if (folder / "group.json").exists():
                    self.check_set(folder)
            if i % 5 == 4:
                self.assert_ok(run("eval", suite, "-o", self.out, "--resume"))
                self.assertEqual(hash_of(self.out / "results.csv"), hash_of(whole / "results.csv"))
                self.assert_nothing_is_left(self.out)
                self.assertEqual(list((self.out / "runners").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
