"""What a set tells of itself: the line about its spread, index.html with the command that makes it again, places on named axes."""

import hashlib
import html
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

import support
from generate_test import MODELS, GenerateTest, files_below, pixels
from support import run

TURBO = ("-m", "mini-turbo", "--device=cpu")
SPREAD = r"(?m)^  SPP \d\.\d{3} \(along \d\.\d{3}, across \d\.\d{3}\) · Vendi \d\.\d\d of \d · pairwise \d\.\d{3} · CLIPScore \d\.\d{3}$"


class SetTest(GenerateTest):
    def generate(self, *arguments, out=None, **options):
        """Of small pictures by the fastest model."""
        return super().generate(*(() if "-m" in arguments else TURBO), *arguments, out=out, **options)

    def images(self, folder=None):
        """Hashes of a set's pictures, by name."""
        folder = folder or self.out
        return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files_below(folder) if name[:4].isdigit()}

    def command(self, folder=None):
        """What the page says to type, as one would copy it."""
        page = ((folder or self.out) / "index.html").read_text()
        return html.unescape(re.sub(r"<[^>]*>", "", re.search(r"<pre>(.*?)</pre>", page, re.S).group(1)))


class SpreadLine(SetTest):
    def test_stands_under_the_summary(self):
        for method in (("--method=none",), ("--method=gass", "--strength=0"), ("--method=gass:candidates=2",), ("--method=cads",),
                       ("--method=none", "--variation-seed=7", "--variation-strength=0.4")):
            with self.subTest(method):
                text = self.assert_ok(self.generate("-p", "a car", "-n", "3", *method))
                self.assertRegex(text, r"^.*: 3 images, sheet\.png and index\.html in \d+\.\d s \(denoise ")
                self.assertRegex(text, SPREAD)
                self.assertIn("of 3 ·", text)

    def test_is_in_json(self):
        (group,) = self.groups("-p", "a car", "-n", "2")
        self.assertGreater(group["spread"]["vendi"], 1)
        self.assertEqual(json.loads((self.out / "group.json").read_text())["spread"], group["spread"])
        self.assertNotIn("guide", group["settings"])  # it looked on, and decided nothing

    def test_one_image_has_none(self):
        text = self.assert_ok(self.generate("-p", "a car", "-n", "1"))
        self.assertRegex(text, r"^.*: 1 image, sheet\.png and index\.html in ")
        self.assertNotIn("Vendi", text)

    def test_without_a_guide(self):
        model = self.folder / "model"
        shutil.copytree(MODELS / "mini-turbo", model)
        for content in ({"guide": "org/absent"}, {}):
            with self.subTest(content):
                (model / "gass.json").write_text(json.dumps(content))
                text = self.assert_ok(self.generate("-p", "a car", "-n", "2", "-m", model, "--cfg-scale=1"))
                self.assertNotIn("Vendi", text)
                self.assertNotIn("How far it spreads", (self.out / "index.html").read_text())
                self.assert_error(self.generate("-p", "a car", "-m", model, "--guide", "org/other"), 3, "org/other")


class Page(SetTest):
    def test_tells_of_the_set(self):
        self.groups("-p", "a {red|blue} car", "-N", "rain", "-n", "2", "--format", "webp")
        page = (self.out / "index.html").read_text()
        for part in ("<title>a {red|blue} car – gass generate</title>", "mini-turbo · 2 steps · CFG 1 · 64x64 · method none",
                     "without: rain", 'src="0001.webp"', "seed 43: a ", "Vendi", "Make it again", "gass generate"):
            self.assertIn(part, page)
        self.assertEqual(json.loads((self.out / "group.json").read_text())["page"], "index.html")
        self.assertNotRegex(page, r"(src|href)=\"(?!000[01]\.webp\")")

    def test_markup_in_a_prompt_stays_text(self):
        prompt = "<script>alert(1)</script> & \"it's\" <b>"
        self.groups("-p", prompt, "-N", prompt, "-n", "1")
        page = (self.out / "index.html").read_text()
        self.assertEqual(page.count("<script>"), 1)
        self.assertIn("<script>alert(1)</script> & \"it's\" <b>", html.unescape(page))
        self.assertEqual(shlex.split(self.command())[3], prompt)

    def test_is_the_same_every_time(self):
        pages = []
        for name in "ab":
            self.groups("-p", "a car", "-n", "2", out=self.folder / name)
            pages.append((self.folder / name / "index.html").read_bytes())
        self.assertEqual(*pages)

    def test_pages_of_others_stay(self):
        self.groups("-p", "a car", "-n", "2")
        self.groups("-p", "a dog", "-n", "1")  # its own it replaces
        self.assertIn("a dog", (self.out / "index.html").read_text())
        group = json.loads((self.out / "group.json").read_text())
        del group["page"]  # as an earlier version wrote it
        (self.out / "group.json").write_text(json.dumps(group))
        (self.out / "index.html").write_text("mine")
        self.assert_error(self.generate("-p", "a car", "-n", "1"), 2, "--output", "index.html")
        self.assertEqual((self.out / "index.html").read_text(), "mine")
        (self.out / "index.html").unlink()
        self.groups("-p", "a car", "-n", "1")

    def test_is_no_picture(self):
        self.groups("-p", "a car", "-n", "2")
        (self.out / "group.json").unlink()
        result = run("measure", *sorted(self.out.iterdir()), "--metrics", "vendi", "--encoder", "pixels", "--json")
        self.assertEqual(json.loads(self.assert_ok(result))["images"], 2)

    def test_sets_of_a_prompt_file_and_of_a_comparison_have_one(self):
        self.groups("--prompt-file", self.file("a car\na dog"), "-n", "1")
        self.assertEqual(len(list(self.out.glob("*/index.html"))), 2)
        compared = self.folder / "compared"
        self.assert_ok(run("compare", *TURBO, "-p", "a car", "-n", "1", "--steps", "2", "--methods", "none,cads", "-o", compared))
        self.assertEqual(len(list(compared.glob("*/index.html"))), 2)


class Command(SetTest):
    def run_copied(self, folder=None):
        """In a shell, as it stands on the page but for the folder that the set goes to."""
        command = self.command(folder)
        self.assertTrue(command.startswith("gass generate -p "), command)
        again = self.folder / "again"
        script = f"gass() {{ {shlex.quote(support.GASS)} \"$@\"; }}\n{command} -o {shlex.quote(str(again))}"
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GASS_")}
        result = subprocess.run(["sh", "-c", script], capture_output=True, timeout=600, env=clean, cwd=self.folder)
        self.assert_ok(result)
        return again

    def test_makes_the_same_bytes(self):
        mine = self.folder / "mine's"
        self.groups("-p", "a dog", "-n", "2", out=mine)
        for number, arguments in enumerate((
            ("-p", "a red car", "-n", "2"),
            ("-p", "it's a {red|\\{blue} \"car\" $HOME `id` \\ !", "-N", "rain; 'fog' & *", "-n", "2"),
            ("-p", "-5 degrees", "--seeds", "9,4,7", "-n", "3", "--format", "webp", "--quality", "80"),
            ("-p", "a bird", "-n", "3", "--method=gass", "--strength=0.8", "--vary", "on green|on black; red|blue"),
            ("-p", "a bird", "--seeds", "5,8,1,3", "-n", "2", "--method=cads:scale=0.2+gass"),
            ("-p", "a car", "-n", "2", "--variation-seed", "7", "--variation-strength", "0.4"),
            ("-p", "a car", "--seeds", "3,5", "--variation-seed", "7", "--variation-strength", "0.4"),
            ("-p", "a car", "-n", "2", "--init-image", mine / "0001.png", "--denoise", "0.7"),
            ("-p", "a car", "-n", "2", "--method=spell", "--shield", mine),
            ("-p", "a car", "-n", "2", "--method=spell", "--shield", mine / "0000.png"),
            ("-p", "", "-n", "1", "--max-sequence-length", "8"),
            ("-m", "mini-unet", "-p", "a car", "-n", "2", "--sampling-method=dpm++2m", "--scheduler=karras", "--clip-skip=1"),
        )):
            with self.subTest(arguments):
                out = self.folder / f"set-{number}"
                self.groups(*arguments, out=out)
                self.assertEqual(self.images(self.run_copied(out)), self.images(out))

    def test_says_what_the_environment_says_otherwise(self):
        self.groups("-p", "a car", "-n", "2")
        flags = shlex.split(self.command())
        for flag in ("--images", "--steps", "--cfg-scale", "--width", "--height", "--method", "--sampling-method", "--scheduler",
                     "--clip-skip", "--max-sequence-length", "--seed", "--model"):
            self.assertEqual(flags.count(flag), 1, flag)


class Axes(SetTest):
    def test_places_stand_with_the_images(self):
        (group,) = self.groups("-p", "a bird", "-n", "3", "--method=gass", "--vary", "on green|on black; red|blue")
        for axis in range(2):
            self.assertEqual(sorted(image["axis_places"][axis] for image in group["images"]), [-1, 0, 1])
        page = (self.out / "index.html").read_text()
        self.assertIn("varied from “on green” to “on black”", page)
        names = {-1: "on green", 0: "on black 50 %", 1: "on black"}
        for image in group["images"]:
            self.assertRegex(page, rf'alt="{image["file"]}, seed {image["seed"]}, {names[image["axis_places"][0]]}, ')
        # The sheet has two lines more under its pictures and in its header.
        plain = self.folder / "plain"
        self.groups("-p", "a bird", "-n", "3", "--method=gass", out=plain)
        self.assertGreater(pixels(self.out / "sheet.png").shape[0], pixels(plain / "sheet.png").shape[0] + 50)

    def test_sets_without_axes_have_none(self):
        (group,) = self.groups("-p", "a bird", "-n", "2", "--method=gass")
        self.assertTrue(all("axis_places" not in image for image in group["images"]))


class Explain(SetTest):
    def test_takes_a_picture_of_the_set(self):
        self.groups("-p", "a car", "-n", "2", "--method=gass:candidates=2")
        whole = self.assert_ok(run("explain", self.out))
        for name in ("0001.png", "sheet.png", "group.json"):
            self.assertEqual(self.assert_ok(run("explain", self.out / name)), whole)
        self.assert_error(run("explain", self.out / "index.html"), 3, "index.html")
        (self.out / "group.json").unlink()
        self.assert_error(run("explain", self.out / "0001.png"), 3, "group.json")


if __name__ == "__main__":
    unittest.main()
