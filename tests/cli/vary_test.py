"""`gass vary` and `--init-image`: sets that begin with a picture."""

import json
import unittest

import numpy as np
from generate_test import parameters, pixels, text_of
from PIL import Image
from set_page_test import TURBO, SetTest
from support import run


class VaryTest(SetTest):
    def setUp(self):
        super().setUp()
        self.varied = self.folder / "varied"

    def vary(self, *arguments, **options):
        return run("vary", *arguments, "--device=cpu", "-o", self.varied, **options)

    def group(self, *arguments, **options):
        (group,) = json.loads(self.assert_ok(self.vary("--json", *arguments, **options)))["groups"]
        return group

    def refused(self, status, *parts, arguments):
        self.assert_error(self.vary(*arguments), status, *parts)
        self.assertFalse(self.varied.exists())

    def distance(self, a, b):
        return np.abs(pixels(a) - pixels(b)).mean()


class Vary(VaryTest):
    def setUp(self):
        super().setUp()
        self.groups("-p", "a {red|blue} car", "-N", "rain", "-n", "3", "-s", "7", "--method=gass", "--strength=0.8", "--vary=day|night")
        self.picture = self.out / "0001.png"
        self.before = json.loads((self.out / "group.json").read_text())

    def test_takes_what_the_picture_was_made_with(self):
        group = self.group(self.picture)
        kept = ("model", "negative_prompt", "steps", "cfg_scale", "width", "height", "sampling_method", "max_sequence_length")
        self.assertEqual({key: group["settings"][key] for key in kept}, {key: self.before["settings"][key] for key in kept})
        self.assertEqual(group["prompt"], self.before["images"][1]["prompt"])  # its own
        self.assertEqual((group["settings"]["method"], group["settings"]["images"]), ("none", 4))
        self.assertNotIn("vary", group["settings"])
        first = max(self.before["seeds"]) + 1
        self.assertEqual(group["seeds"], list(range(first, first + 4)))  # others than any of the set
        self.assertEqual(group["start_image"]["file"], str(self.picture))
        self.assertEqual(group["start_image"]["strength"], 0.6)
        self.assertEqual(parameters(self.varied / "0000.png")[2]["Denoising strength"], "0.6")
        self.assertIn("from 0001.png, 60 % made anew", (self.varied / "index.html").read_text())

    def test_flags_win(self):
        group = self.group(self.picture, "-p", "a dog", "-n", "2", "-s", "1", "--steps=4", "--denoise=0.8", "--method=gass", "--cfg-scale=2",
                           "-N", "", "-W", "96")  # fmt: skip
        settings = group["settings"]
        self.assertEqual((group["prompt"], group["seeds"], settings["steps"], settings["cfg_scale"], settings["negative_prompt"], settings["width"]),
                         ("a dog", [1, 2], 4, 2.0, "", 96))
        self.assertEqual(group["start_image"]["strength"], 0.8)
        self.assertRegex(settings["method"], r"^gass:.*start=0,mean_scale=1,candidates=1,")  # the noise is left alone
        self.assertEqual(self.group(self.picture, "--seeds", "4,9")["seeds"], [4, 9])

    def test_says_its_own_defaults(self):
        help_text = self.assert_ok(run("vary", "--help"))
        self.assertRegex(help_text, r"--method TEXT( \[|=)none")  # CLI11 of Ubuntu 24.04, of Debian 12
        self.assertIn("(default: 0.6)", help_text)
        self.assertNotIn("--variation-seed", help_text)

    def test_the_environment_does_not_disturb(self):
        environment = {"GASS_STRENGTH": "0.9", "GASS_METHOD": "gass", "GASS_MODEL": "mini-unet", "GASS_SEED": "3"}
        self.assertEqual(self.group(self.picture, "-n", "1", environment=environment)["settings"]["method"], "none")

    def test_variations_are_nearer_the_less_is_made_anew(self):
        near, far = (self.folder / name for name in ("near", "far"))
        for out, share in ((near, "0.05"), (far, "1")):
            self.assert_ok(run("vary", self.picture, "-n", "2", "--steps=20", "--denoise", share, "-o", out))
        for name in ("0000.png", "0001.png"):
            self.assertLess(3 * self.distance(near / name, self.picture), self.distance(far / name, self.picture))
        self.assertGreater(self.distance(far / "0000.png", far / "0001.png"), 1)

    def test_variations_of_a_variation(self):
        first = self.group(self.picture, "-n", "2")
        (second,) = json.loads(self.assert_ok(run("vary", self.varied / "0001.png", "-n", "1", "--json", "-o", self.folder / "again")))["groups"]
        self.assertEqual(second["seeds"], [max(first["seeds"]) + 1])
        self.assertEqual(second["start_image"]["file"], str(self.varied / "0001.png"))

    def test_other_formats(self):
        webp = self.folder / "webp"
        self.groups("-p", "a car", "-n", "1", "--format=webp", out=webp)
        self.assertEqual(self.group(webp / "0000.webp", "-n", "1")["images"][0]["file"], "0000.webp")
        self.assertEqual(self.group(webp / "0000.webp", "-n", "1", "--format=png")["images"][0]["file"], "0000.png")

    def test_reproduces(self):
        self.group(self.picture, "-n", "2")
        for place in (self.varied / "0001.png", self.varied):
            self.assertIn("0001.png: the same bytes (image 2 of 2", self.assert_ok(run("reproduce", place)))
        # The picture that it began with is known by its bytes.
        with Image.open(self.picture) as image:
            image.load()
            image.putpixel((3, 5), (1, 2, 3))
            image.save(self.picture)
        self.assert_error(run("reproduce", self.varied), 3, "0001.png", "it has changed since the set was made from it")
        self.picture.unlink()
        self.assert_error(run("reproduce", self.varied / "0000.png"), 3, "its set began with", "0001.png")

    def test_refused(self):
        self.refused(3, "it is a set's sheet", arguments=(self.out / "sheet.png",))
        self.refused(3, str(self.out), arguments=(self.out,))
        self.refused(3, "absent.png", arguments=(self.folder / "absent.png",))
        self.refused(3, "text.png", arguments=(self.file("no picture", "text.png"),))
        self.refused(2, "FILE", arguments=())
        self.refused(3, "cannot open", arguments=("", "-p", "a car"))
        for share in ("0", "-0.1", "1.1", "nan", "x"):
            self.refused(2, "--denoise", arguments=(self.picture, f"--denoise={share}"))
        self.refused(2, "--method", "begin as a picture", arguments=(self.picture, "--method=gass:candidates=2"))
        self.refused(2, "--sampling-method", "plms", arguments=(self.picture, "-m", "mini-unet", "--sampling-method=plms"))
        self.refused(2, "--strength", arguments=(self.picture, "--strength=0.5"))
        self.refused(2, "--variation-seed", arguments=(self.picture, "--variation-seed=1"))


class PicturesOfOthers(VaryTest):
    def setUp(self):
        super().setUp()
        self.picture = self.folder / "photo.jpg"
        Image.linear_gradient("L").resize((300, 200)).convert("RGB").save(self.picture)

    def test_vary_needs_a_prompt(self):
        self.refused(2, "--prompt", arguments=(self.picture,))
        group = self.group(self.picture, "-p", "a car", *TURBO[:2], "-n", "2", "--steps=2", "-W", "64", "-H", "64")
        self.assertEqual((group["settings"]["method"], group["seeds"]), ("none", [42, 43]))

    def test_generate_begins_with_it(self):
        (group,) = self.groups("-p", "a car", "-n", "2", "--init-image", self.picture, "--steps=20", "--denoise=0.05")
        self.assertEqual(group["start_image"] | {"hash": ""}, {"file": str(self.picture), "strength": 0.05, "hash": ""})
        self.assertRegex(group["start_image"]["hash"], r"^[0-9a-f]{32}$")
        # The middle of the picture, whose gradient it keeps.
        rows = pixels(self.out / "0000.png").mean((1, 2))
        self.assertGreater(rows[-8:].mean() - rows[:8].mean(), 100)
        self.assertEqual(self.assert_ok(run("reproduce", self.out / "0000.png")).count("the same bytes"), 1)
        self.assertEqual(json.loads(text_of(self.out / "0001.png")["gass"])["start_image"], group["start_image"])

    def test_relative_names_are_recorded_whole(self):
        result = run("generate", *TURBO, "-p", "a car", "-n", "1", "-W64", "-H64", "--method=none", "--init-image", "./photo.jpg", "--json", "-o",
                     self.out, cwd=self.folder)  # fmt: skip
        (group,) = json.loads(self.assert_ok(result))["groups"]
        self.assertEqual(group["start_image"]["file"], str(self.picture))

    def test_a_plan_of_it_is_run_later(self):
        asked = ("-p", "a car", "-n", "2", "--init-image", self.picture)
        plan = self.file(self.assert_ok(self.generate(*asked, "--dry-run", "--json")), "plan.json")
        self.assertEqual(json.loads(plan.read_text())["plans"][0]["cost"]["evaluations"], 2)
        self.groups(*asked)
        self.assert_ok(run("generate", "--plan", plan, "-o", self.varied))
        self.assertEqual(self.images(self.varied), self.images())

    def test_every_sampler_begins_with_it(self):
        for arguments in (("-m", "mini-flow"), ("-m", "mini-unet", "--sampling-method=ddim"), ("-m", "mini-unet", "--sampling-method=euler"),
                          ("-m", "mini-unet", "--sampling-method=euler", "--scheduler=karras"),
                          ("-m", "mini-unet", "--sampling-method=dpm++2m"),
                          ("-m", "mini-unet", "--sampling-method=dpm++2m", "--scheduler=karras")):  # fmt: skip
            with self.subTest(arguments):
                self.groups(*arguments, "-p", "a car", "-n", "1", "--init-image", self.picture, "--steps=20", "--denoise=0.05")
                rows = pixels(self.out / "0000.png").mean((1, 2))
                self.assertGreater(rows[-8:].mean() - rows[:8].mean(), 100)

    def test_refused(self):
        self.assert_refused(self.generate("-p", "a car", "--denoise=0.5"), 2, "--denoise", "--init-image is missing")
        for place in (self.folder / "absent.png", self.folder, self.file("x", "text.txt"), ""):
            self.assert_refused(self.generate("-p", "a car", "--init-image", place), 2, "--init-image", "no PNG, JPEG or WebP")
        self.assert_refused(self.generate("-p", "a car", "--init-image", self.file("x", "text.png")), 3, "text.png")
        self.assert_refused(self.generate("-p", "a car", "--init-image", self.picture, "--method=gass:candidates=4"), 2, "--method")


if __name__ == "__main__":
    unittest.main()
