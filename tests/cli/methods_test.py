"""`gass methods`, and `gass generate` with methods: what is refused, what is reported, and that it is made again."""

import json
import pathlib
import re
import shutil
import unittest

from generate_test import MODELS, GenerateTest, parameters
from support import run

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "methods.md"
FEW = "gass-paper:steps=2,iterations=3"


class Methods(GenerateTest):
    def test_list(self):
        text = self.assert_ok(run("methods"))
        for word in ("none:", "gass-paper:", "r_dep", "iterations", "--method NAME:KEY=VALUE"):
            self.assertIn(word, text)
        methods = json.loads(self.assert_ok(run("methods", "--json")))["methods"]
        names = re.findall(r"^\| `([a-z][a-z-]*)`.* \|$", DOCUMENT.read_text().partition("\n\n## ")[0], re.MULTILINE)
        self.assertEqual([method["name"] for method in methods], names)
        self.assertLess({"none", "gass", "gass-paper", "interval", "noise"}, set(names))
        for method in methods:
            self.assertRegex(method["says"], r"^[A-Z].*\.$")
            self.assertIn(method["paper"], text)
        self.assertEqual(methods[0]["parameters"], [])

    def test_one(self):
        (method,) = json.loads(self.assert_ok(run("methods", "gass-paper", "--json")))["methods"]
        knobs = {knob["name"]: knob for knob in method["parameters"]}
        self.assertEqual(knobs["lr"]["default"], 1e-4)
        self.assertEqual(knobs["steps"] | {"help": ""}, {"name": "steps", "type": "integer", "default": 20,
                                                         "minimum": 0, "maximum": 1000, "help": ""})  # fmt: skip
        self.assertNotIn("interval", self.assert_ok(run("methods", "gass-paper")))
        self.assert_error(run("methods", "nonsense"), 2, "--method", "none, gass, gass-paper")

    def test_refused(self):
        for method, part in {
            "gas": "none, gass, gass-paper",
            "none:steps=1": 'no parameter "steps"',
            "gass-paper:": "NAME:KEY=VALUE",
            "gass-paper:steps": "NAME:KEY=VALUE",
            "gass-paper:steps=1,": "NAME:KEY=VALUE",
            "gass-paper:steps=1,steps=2": "twice",
            "gass-paper:step=1": "it has r_dep, r_ind",
            "gass-paper:steps=-1": "0 to 1000",
            "gass-paper:steps=1.5": "whole number",
            "gass-paper:r_dep=nan": "0 to 1",
            "gass-paper:basis=pca": "gass or ip or rd",
            "gass-paper:renormalise=maybe": "on or off",
        }.items():
            with self.subTest(method):
                self.assert_refused(self.generate("-p", "a car", "--method", method), 2, "--method", part)

    def test_guide(self):
        generate = ("-p", "a car", "--method", FEW)
        self.assert_refused(self.generate(*generate, "--guide", "mini-judge"), 3, "CLIPModel")
        self.assert_refused(self.generate(*generate, "--guide", self.folder / "absent"), 3, "absent")
        alone = self.folder / "alone"
        shutil.copytree(MODELS / "mini-flow", alone)
        (alone / "gass.json").unlink()
        size = ("--cfg-scale", "4", "--max-sequence-length", "24")
        self.assert_refused(self.generate(*generate, *size, "-m", alone), 2, "--guide", "gass-paper")
        self.groups("-p", "a car", *size, "-n", "1", "-m", alone)  # others need none
        (group,) = self.groups(*generate, *size, "-n", "1", "-m", alone, "--guide", "mini-clip")
        self.assertEqual(group["settings"]["guide"], "mini-clip")
        twin = run("reproduce", self.out / "0000.png", "--guide", MODELS / "mini-clip", "--json")
        self.assertTrue(json.loads(twin.stdout)["same_pixels"], twin.stderr)  # the same guide by another name


class GassPaper(GenerateTest):
    def test_report_and_record(self):
        (group,) = self.groups("-p", "a red car", "--steps", "4", "-n", "2", "--method", FEW)
        self.assertRegex(group["settings"]["method"], r"^gass-paper:r_dep=0\.02,.*iterations=3,.*steps=2,reencode=difference$")
        self.assertEqual(group["settings"]["guide"], "mini-clip")
        self.assertEqual(parameters(self.out / "0001.png")[2]["Diversity"], "gass-paper")
        steps = group["method_steps"]
        self.assertEqual([step["step"] for step in steps], [0, 2])
        for step in steps:
            self.assertLessEqual(step["iterations"], 3)
            self.assertGreater(step["seconds"], 0)
            self.assertEqual(len(step["latent_move"]), 2)
            for axis in ("dependent", "independent"):
                self.assertEqual({key: len(values) for key, values in step[axis].items()}, {"before": 2, "target": 2, "after": 2})
            for start, end in zip(step["loss"]["start"], step["loss"]["end"], strict=True):
                self.assertLessEqual(end, start)

    def test_reproduced(self):
        self.groups("-p", "a {red|blue} car", "--steps", "4", "-n", "2", "--method", FEW)
        for image in ("0000.png", "0001.png"):
            self.assert_ok(run("reproduce", self.out / image))
        self.assertIn("differ", self.assert_ok(run("reproduce", self.out / "0000.png", "--method", "none")))

    def test_range_zero_is_none(self):
        for method in ("none", "gass-paper:r_dep=0,r_ind=0", "gass-paper:steps=0"):
            self.groups("-p", "a car", "-n", "2", "--disable-image-metadata", "--method", method, out=self.folder / method)
        plain = [(self.folder / "none" / f"000{i}.png").read_bytes() for i in range(2)]
        for method in ("gass-paper:r_dep=0,r_ind=0", "gass-paper:steps=0"):
            self.assertEqual([(self.folder / method / f"000{i}.png").read_bytes() for i in range(2)], plain)

    def test_other_model(self):
        (group,) = self.groups("-m", "mini-unet", "-p", "a car", "-n", "1", "--method", FEW + ",reencode=plain,optimiser=gradient")
        self.assertEqual(len(group["method_steps"]), 2)


class Selecting(GenerateTest):
    METHOD = "gass:candidates=2,select_time=1"

    def test_candidates_have_seeds_of_their_own(self):
        (group,) = self.groups("-p", "a {red|blue} car", "-n", "2", "--method", self.METHOD)
        self.assertEqual(group["seeds"], [42, 43, 44, 45])
        self.assertEqual(len(group["images"]), 2)
        self.assertEqual(group["settings"]["images"], 2)
        for image in group["images"]:
            self.assertIn(image["seed"], group["seeds"])
            self.assertEqual(image["prompt"], "a red car" if (image["seed"] - 42) % 2 == self.red(group) else "a blue car")
        self.assert_ok(run("reproduce", self.out / "0001.png"))
        self.assert_ok(run("reproduce", self.out / "0001.png", "--method", "none"))

    @staticmethod
    def red(group):
        """Which of two images has the red car: the same one among the candidates."""
        return next((image["seed"] - 42 + (image["prompt"] != "a red car")) % 2 for image in group["images"])

    def test_listed(self):
        (group,) = self.groups("-p", "a car", "-n", "2", "--seeds", "5,9,7", "--method", self.METHOD)
        self.assertEqual(group["seeds"], [5, 9, 7])
        self.assertEqual(len(group["images"]), 2)
        shutil.rmtree(self.out)
        refused = self.generate("-p", "a car", "-n", "3", "--seeds", "5,9", "--method", self.METHOD)
        self.assert_refused(refused, 2, "--seeds", "2 seeds for 3 images")
        self.assert_refused(self.generate("-p", "a car", "-n", "1", "--seeds", "5,9"), 2, "--seeds")

    def test_too_many(self):
        self.assert_refused(self.generate("-p", "a car", "-n", "1024", "--method", "gass:candidates=65"), 2, "1 to 64")


if __name__ == "__main__":
    unittest.main()
