"""`gass compare`: what it writes, that its groups are those of `gass generate`, and what it refuses."""

import csv
import json
import shutil
import signal
import subprocess
import time
import unittest

import support
from generate_test import MODELS, GenerateTest, files_below, pixels, small
from support import run

FILES = {"compare.html", "compare.json", "compare.csv", "sheet.png"}


class CompareTest(GenerateTest):
    def compare(self, *arguments, **options):
        said = [argument for argument in small(*arguments) if not str(argument).startswith("--method=")]
        return run("compare", *said, "-o", self.out, **options)

    def comparison(self, *arguments):
        return json.loads(self.assert_ok(self.compare("--json", *arguments)))


class Writes(CompareTest):
    def test_one_prompt(self):
        shown = self.comparison("-p", "a car", "-n", "2", "--seed", "7", "--methods", "none,gass:candidates=2,ig")
        self.assertEqual({path.name for path in self.out.iterdir() if path.is_file()}, FILES)
        (prompt,) = shown["prompts"]
        self.assertEqual([group["method"] for group in prompt["groups"]], ["none", "gass:candidates=2", "ig"])
        self.assertEqual(prompt["seeds"], [7, 8])
        for group in prompt["groups"]:
            self.assertEqual(len(group["files"]), 2)
            self.assertGreater(group["seconds"], 0)
            for measure in ("spp", "vendi", "clip_score", "pairwise"):
                self.assertIsInstance(group["spread"][measure], float)
        self.assertEqual(prompt["groups"][0]["seeds"], [7, 8])
        self.assertLessEqual(set(prompt["groups"][1]["seeds"]), {7, 8, 9, 10})  # chosen from the candidates
        self.assertEqual(json.loads((self.out / "compare.json").read_text()), {k: v for k, v in shown.items() if k not in ("folder", "schema")})
        with (self.out / "compare.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["method"] for row in rows], ["none", "gass:candidates=2", "ig"])
        self.assertEqual(float(rows[0]["vendi"]), prompt["groups"][0]["spread"]["vendi"])
        page = (self.out / "compare.html").read_text()
        self.assertEqual(page.count("data:image/png;base64,"), 6)

    def test_groups_are_those_of_generate(self):
        shown = self.comparison("-p", "a car", "-n", "2", "--seed", "7", "--methods", "none,cads:tau1=0.3,tau2=1")
        for group in shown["prompts"][0]["groups"]:
            twin = self.folder / "twin"
            self.groups("-p", "a car", "-n", "2", "--seed", "7", "--method", group["settings"], out=twin)
            for place, file in enumerate(group["files"]):
                self.assertTrue((pixels(self.out / file) == pixels(twin / f"000{place}.png")).all())
            shutil.rmtree(twin)
            self.assertIn("the same bytes", self.assert_ok(run("reproduce", self.out / group["files"][1])))

    def test_prompts_and_grid(self):
        prompts = self.file("a car\na <b>red</b> cat\n")
        shown = self.comparison("--prompt-file", prompts, "--seeds", "3,9", "--methods", "none,interval", "--grid", "high=0.5,0.9")
        self.assertEqual([prompt["prompt"] for prompt in shown["prompts"]], ["a car", "a <b>red</b> cat"])
        for prompt in shown["prompts"]:
            self.assertEqual([group["method"] for group in prompt["groups"]], ["none", "interval:high=0.5", "interval:high=0.9"])
            self.assertEqual(prompt["groups"][2]["seeds"], [3, 9])
        self.assertEqual(sum(name.endswith("/sheet.png") for name in files_below(self.out)), 2 * 4)
        self.assertNotIn("<b>", (self.out / "compare.html").read_text())

    def test_table(self):
        text = self.assert_ok(self.compare("-p", "a car", "-n", "2", "--methods", "none,gass:strength=0"))
        for word in ("VENDI", "CLIPSCORE", "none", "gass:strength=0", "compare.html"):
            self.assertIn(word, text)
        again = self.compare("-p", "a car", "-n", "2", "--methods", "none")  # one of ours is replaced
        self.assert_ok(again)

    def test_without_a_guide(self):
        alone = self.folder / "alone"
        shutil.copytree(MODELS / "mini-flow", alone)
        (alone / "gass.json").unlink()
        result = self.compare("-p", "a car", "-n", "2", "-m", alone, "--max-sequence-length", "24", "--methods", "none,interval")
        self.assertIn("–", self.assert_ok(result))  # no numbers, but pictures and times
        self.assertIn(b"--guide", result.stderr)


class Refuses(CompareTest):
    def check(self, part, *arguments):
        with self.subTest(arguments=arguments):
            self.assert_refused(self.compare(*arguments), 2, part)

    def test_lists(self):
        for methods in ("", ",", "none,", "strength=1", "nonsense", "none,gass:candidates=0", "none+gass", ",".join(["none"] * 65)):
            self.check("--method", "-p", "a car", "--methods", methods)
        for grid in ("strength", "strength=", "=1", "nonsense=1", "low=0.1"):
            self.check("--grid", "-p", "a car", "--methods", "none,gass", "--grid=" + grid)
        self.check("--grid", "-p", "a car", "--methods", "interval,gass,interval:low=0", "--grid", "low=0.1")
        self.check("--seeds", "-p", "a car", "-n", "3", "--seeds", "1,2")
        self.check("--prompt")

    def test_folder_of_others(self):
        self.out.mkdir()
        (self.out / "mine.txt").write_text("mine")
        self.assert_error(self.compare("-p", "a car", "-n", "2", "--methods", "none"), 2, "--output")
        self.assertEqual(files_below(self.out), ["mine.txt"])
        (self.out / "compare.json").write_text("{}")  # nor one of ours
        self.assert_error(self.compare("-p", "a car", "-n", "2", "--methods", "none"), 2, "--output")

    def test_one_that_fails(self):
        """A method that cannot work leaves the others alone."""
        self.out.mkdir()
        blocked = self.out / "01-interval"
        blocked.mkdir()
        (blocked / "0000.png").write_text("somebody's")
        (self.out / "compare.json").write_text('{"gass": "0.1.0", "methods": []}')
        result = self.compare("--json", "-p", "a car", "-n", "2", "--methods", "none,interval")
        self.assertEqual(result.returncode, 5, result.stderr)
        groups = json.loads(result.stdout)["prompts"][0]["groups"]
        self.assertIn("0000.png", groups[1]["error"])
        self.assertEqual(len(groups[0]["files"]), 2)
        self.assertEqual((blocked / "0000.png").read_text(), "somebody's")

    def test_interrupted(self):
        command = [support.GASS, "compare", "-p", "a car", "-n", "4", "--methods", "none,gass,interval,cads", "-o", self.out]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(600):
            if (self.out / "00-none" / "group.json").exists():
                break
            time.sleep(0.1)
        else:
            self.fail("no set within a minute")
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, errors)
        self.assertIn(b"interrupted; what was made", errors)
        groups = json.loads((self.out / "compare.json").read_text())["prompts"][0]["groups"]
        self.assertEqual(len(groups[0]["files"]), 4)
        self.assertIn("not made", groups[3]["error"])
        self.assert_ok(self.compare("-p", "a car", "-n", "2", "--methods", "none"))  # the folder is still good

    def test_broken_shield(self):
        """One method's trouble is its own."""
        shield = self.folder / "shield"
        shield.mkdir()
        (shield / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 30)
        result = self.compare("--json", "-p", "a car", "-n", "2", "--methods", "none,spell,interval", "--shield", shield)
        self.assertEqual(result.returncode, 5, result.stderr)
        groups = json.loads(result.stdout)["prompts"][0]["groups"]
        self.assertIn("broken.png", groups[1]["error"])
        self.assertEqual([len(group["files"]) for group in groups], [2, 0, 2])

    def test_method_of_a_preset(self):
        shown = self.comparison("-p", "a car", "-n", "2", "--preset", "paper-sd3-cads")
        self.assertEqual([g["method"].partition(":")[0] for g in shown["prompts"][0]["groups"]], ["none", "cads"])


if __name__ == "__main__":
    unittest.main()
