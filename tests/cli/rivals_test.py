"""The methods that gass is compared with: off they are plain guidance to the byte, on they do something and are made again."""

import json
import pathlib
import unittest

from generate_test import MODELS, GenerateTest, parameters, pixels
from support import run

OFF = ["cfg", "cfg:scale=4", "interval:low=0,high=1", "ig:low=0,high=1,level=sigma", "interval:low=0,high=1,level=fraction", "cads:scale=0", "cads:tau1=1",
       "pg:coefficient=0", "pg-features:coefficient=0", "spell:radius=0", "dpp:scale=0", "noise:kind=coarse,scale=1",
       "cads:scale=0+pg:coefficient=0+spell:radius=0"]  # fmt: skip
ON = ["cfg:scale=2", "interval", "cads:tau1=0.3,tau2=1,scale=0.5", "pg", "pg-features", "spell", "dpp:from=1", "noise",
      "noise:kind=orthogonal", "noise:kind=coarse", "cads:tau1=0.3,tau2=1+gass:candidates=2"]  # fmt: skip


class Rivals(GenerateTest):
    def images(self, method, *arguments):
        out = self.folder / f"{len(list(self.folder.iterdir()))}"
        (group,) = self.groups("-p", "a car", "-n", "3", "--method", method, *arguments, out=out)
        return [pixels(out / image["file"]).tolist() for image in group["images"]]

    def compared(self, model, methods):
        """The pixels of each method, plain guidance first, made by few processes."""
        plain, result = None, []
        for first in range(0, len(methods), 4):
            out = self.folder / f"{model}-{first}"
            size = ("--steps", "6", "--width", "64", "--height", "64", "--device", "cpu")
            shown = run("compare", "--json", "-m", model, "-p", "a car", "-n", "3", *size, "-o", out,
                        "--methods", ",".join(["none", *methods[first : first + 4]]))  # fmt: skip
            groups = json.loads(self.assert_ok(shown))["prompts"][0]["groups"]
            plain, *others = [[pixels(out / file).tolist() for file in group["files"]] for group in groups]
            result += others
        return [plain, *result]

    def test_off_is_plain(self):
        for model in ("mini-flow", "mini-unet"):
            plain, *others = self.compared(model, OFF)
            for method, images in zip(OFF, others, strict=True):
                with self.subTest(model=model, method=method):
                    self.assertTrue(images == plain)

    def test_on_is_not(self):
        for model in ("mini-flow", "mini-unet"):
            plain, *others = self.compared(model, ON)
            for method, images in zip(ON, others, strict=True):
                with self.subTest(model=model, method=method):
                    self.assertFalse(images == plain)

    def test_made_again(self):
        for method in ("pg+spell", "cads:tau1=0.3,tau2=1,uncond=on+gass:candidates=2", "cfg:scale=3+noise"):
            out = self.folder / method.replace(":", "-")
            self.groups("-p", "a car", "-n", "3", "--method", method, out=out)
            self.assertIn("the same bytes", self.assert_ok(run("reproduce", out / "0002.png")))

    def test_own_scale_needs_no_other(self):
        """--cfg-scale 1 computes no unconditional text, but cfg may ask for it."""
        self.assertTrue(self.images("cfg:scale=4", "--cfg-scale", "1") == self.images("none", "--cfg-scale", "4"))
        (group,) = self.groups("-p", "a car", "-n", "1", "--method", "cfg:scale=2.5")
        self.assertEqual(group["settings"]["cfg_scale"], 2.5)
        self.assertEqual(parameters(self.out / "0000.png")[2]["CFG scale"], "2.5")

    def test_small_groups(self):
        for method in ("pg", "pg-features", "spell", "dpp:from=1", "noise", "noise:kind=orthogonal"):
            for count in ("1", "2"):
                with self.subTest(method=method, count=count):
                    out = self.folder / f"{method}{count}"
                    self.groups("-p", "a car", "-n", count, "--method", method, out=out)
                    if count == "1" or method.startswith("pg"):  # nobody to differ from, or no kernel between two
                        plain = self.folder / f"{method}{count}-plain"
                        self.groups("-p", "a car", "-n", count, out=plain)
                        self.assertTrue((pixels(out / "0000.png") == pixels(plain / "0000.png")).all())

    def test_combinations(self):
        for method, part in {
            "none+gass": "none",
            "gass+gass": "twice",
            "interval+cfg": "first",
            "gass:push=on+spell": "injection",
            "gass+": 'no method ""',
            "noise+gass": "antithetic",
            "gass+cads:x=1": 'cads has no parameter "x"',
        }.items():
            with self.subTest(method):
                self.assert_refused(self.generate("-p", "a car", "--method", method), 2, "--method", part)
        self.assert_refused(self.generate("-p", "a car", "--method", "cads", "--strength", "0.5"), 2, "--strength")
        (group,) = self.groups("-p", "a car", "-n", "2", "--method", "cads+gass", "--strength", "0.25")
        self.assertIn("strength=0.25", group["settings"]["method"])


class Shield(GenerateTest):
    METHOD = ("-n", "2", "--method", "spell:radius=25")

    def test_keeps_away(self):
        (near,) = self.groups("-p", "a car", *self.METHOD, out=self.folder / "first")
        (group,) = self.groups("-p", "a car", *self.METHOD, "--shield", self.folder / "first")
        self.assertEqual(group["shield"], [str(self.folder / "first" / f"000{i}.png") for i in range(2)])
        # The same seeds would have given the same images: they had to move.
        moved = [sum(step["latent_move"]) for step in group["method_steps"]]
        alone = [sum(step["latent_move"]) for step in near["method_steps"]]
        self.assertGreater(sum(moved), sum(alone))
        self.assertIn("the same bytes", self.assert_ok(run("reproduce", self.out / "0000.png")))
        self.assert_ok(run("reproduce", self.out / "0000.png", "--method", "none"))

    def test_sets_below_it_join_later(self):
        """A folder of sets that grows, given by a relative path: what was made stays as it was, and can be made again."""
        self.groups("-p", "a car", *self.METHOD, out=self.folder / "all" / "0")
        two = self.file("a car\na car\n")
        made = self.generate("--json", "--prompt-file", two, *self.METHOD, "--shield", "all", out=self.folder / "all" / "1", cwd=self.folder)
        groups = json.loads(self.assert_ok(made))["groups"]
        self.assertEqual([len(group["shield"]) for group in groups], [2, 2])
        again = run("reproduce", pathlib.Path(groups[1]["folder"]) / "0000.png")
        self.assertIn("the same bytes", self.assert_ok(again))

    def test_one_image_and_other_sizes(self):
        (group,) = self.groups("-p", "a car", "-n", "1", "--method", "spell", "--width", "96",
                               "--shield", MODELS.parent / "docs" / "images" / "demo.png")  # fmt: skip
        self.assertGreater(group["method_steps"][0]["radius"], 0)

    def test_refused(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for shield, status, part in (("absent", 2, "--shield"), (empty, 2, "no PNG, JPEG or WebP")):
            self.assert_refused(self.generate("-p", "a car", *self.METHOD, "--shield", shield), status, part)
        (empty / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 30)
        self.assert_refused(self.generate("-p", "a car", *self.METHOD, "--shield", empty), 3, "broken.png")
        for method in ("cads", "gass:candidates=1"):
            refused = self.generate("-p", "a car", "--method", method, "--shield", empty)
            self.assert_refused(refused, 2, "--shield", "keeps away from no pictures")


if __name__ == "__main__":
    unittest.main()
