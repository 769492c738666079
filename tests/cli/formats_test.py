"""JPEG and WebP: `gass generate` and `compare` write them, every command reads them, `gass reproduce` makes the same bytes again."""

import json
import pathlib
import shutil
import unittest

import numpy as np
from generate_test import GenerateTest, files_below, pixels, text_of
from PIL import Image
from support import run


def exif_parameters(path):
    """The text that galleries read, where A1111 puts it in a JPEG or WebP: EXIF's UserComment."""
    with Image.open(path) as image:
        comment = image.getexif().get_ifd(0x8769)[0x9286]
    assert comment.startswith(b"UNICODE\0"), comment
    return comment[8:].decode("utf-16-be")


class FormatsTest(GenerateTest):
    COMMAND = ("-m", "mini-turbo", "-p", "a red car, 猫", "-N", "blurry", "-n", "2")
    ENDINGS = {"jpeg": "jpg", "webp": "webp"}

    def make(self, kind, *arguments, **options):
        (group,) = self.groups(*self.COMMAND, "--format", kind, *arguments, **options)
        return group

    def names(self, kind, count=2):
        return sorted([f"{i:04}.{self.ENDINGS.get(kind, kind)}" for i in range(count)] + ["group.json", "index.html", "sheet.png"])


class Writes(FormatsTest):
    def test_what_is_written(self):
        self.make("png", out=self.folder / "png")
        for kind, ending in self.ENDINGS.items():
            with self.subTest(kind):
                out = self.folder / kind
                group = self.make(kind, out=out)
                self.assertEqual(files_below(out), self.names(kind))
                self.assertEqual([image["file"] for image in group["images"]], [f"0000.{ending}", f"0001.{ending}"])
                self.assertEqual(group["settings"], group["settings"] | {"format": kind, "quality": 90})
                for i in range(2):
                    path, png = out / f"{i:04}.{ending}", self.folder / "png" / f"{i:04}.png"
                    with Image.open(path) as image:
                        self.assertEqual((image.format, image.size, image.mode), (kind.upper(), (64, 64), "RGB"))
                    self.assertEqual(exif_parameters(path), text_of(png)["parameters"])
                    self.assertLess(np.abs(pixels(path) - pixels(png)).mean(), 6)
                    shown = json.loads(self.assert_ok(run("inspect", path, "--json")))
                    self.assertEqual((shown["format"], shown["width"], shown["orientation"]), (kind, 64, 1))
                    self.assertEqual(shown["parameters"]["prompt"], "a red car, 猫")
                    record = json.loads(shown["text"]["gass"])
                    settings = json.loads(text_of(png)["gass"])["settings"] | {"format": kind, "quality": 90}
                    self.assertEqual(record, json.loads(text_of(png)["gass"]) | {"settings": settings})
                with Image.open(out / "sheet.png") as sheet:
                    self.assertEqual(sheet.format, "PNG")
                first = {name: (out / name).read_bytes() for name in self.names(kind) if name != "group.json"}
                self.make(kind, out=out)
                for name, content in first.items():
                    self.assertEqual((out / name).read_bytes(), content, name)

    def test_quality(self):
        for kind, ending in self.ENDINGS.items():
            sizes = []
            for quality in ("10", "80", "100"):
                self.make(kind, "--quality", quality)
                sizes.append((self.out / f"0000.{ending}").stat().st_size)
            self.assertEqual(sizes, sorted(set(sizes)))
        self.make("png", out=self.folder / "png")
        lossless, png = (pixels(path) for path in (self.out / "0000.webp", self.folder / "png" / "0000.png"))
        np.testing.assert_array_equal(lossless, png)

    def test_settings(self):
        config = self.file(json.dumps({"format": "webp", "quality": 100}), "config.json")
        self.groups(*self.COMMAND, "--config", config)
        self.assertEqual(files_below(self.out), self.names("webp"))
        environment = {"GASS_FORMAT": "jpeg", "GASS_QUALITY": "50"}
        (group,) = self.groups(*self.COMMAND, environment=environment)
        self.assertEqual(files_below(self.out), self.names("jpeg"))
        self.assertEqual(group["settings"]["quality"], 50)

    def test_without_metadata(self):
        for kind, ending in self.ENDINGS.items():
            self.make(kind, "--disable-image-metadata")
            with Image.open(self.out / f"0000.{ending}") as image:
                self.assertEqual(len(image.getexif()), 0)
                self.assertNotIn("xmp", image.info)

    def test_another_format_replaces_the_set(self):
        for kind, count in (("png", 3), ("webp", 2), ("jpeg", 3), ("png", 1)):
            self.groups("-m", "mini-turbo", "-p", "a car", "-n", count, "--format", kind)
            self.assertEqual(files_below(self.out), self.names(kind, count))

    def test_more_text_than_there_is_room_for(self):
        """The set is there all the same; what a picture has no room for, group.json has."""
        command = ("-m", "mini-turbo", "-p", "a car", "-N", "é" * 32_760, "-n", "1")
        for kind, ending, left_out in (("jpeg", "jpg", "gass and parameters"), ("webp", "webp", "parameters"), ("png", "png", None)):
            with self.subTest(kind):
                result = self.generate(*command, "--format", kind)
                self.assert_ok(result)
                self.assertEqual(files_below(self.out), self.names(kind, 1))
                if left_out is None:
                    self.assertEqual(result.stderr, b"")
                else:
                    self.assertIn(f"has no room for {left_out}:".encode(), result.stderr)
                self.assertEqual(json.loads((self.out / "group.json").read_text())["settings"]["negative_prompt"], "é" * 32_760)
        self.make("jpeg")  # and the next one goes over it
        self.assertEqual(files_below(self.out), self.names("jpeg"))

    def test_too_large_for_the_format(self):
        wide = self.generate("-m", "mini-unet", "-p", "a car", "--format", "webp", "--width", "16384")
        self.assert_refused(wide, 2, "format", "16383 pixels a side")

    def test_measured_and_explained(self):
        for kind, ending in self.ENDINGS.items():
            with self.subTest(kind):
                self.make(kind, "--method", "gass:candidates=2")
                whole = self.assert_ok(run("measure", self.out, "--metrics", "vendi", "--encoder", "pixels", "--json"))
                named = self.assert_ok(run("measure", self.out / f"*.{ending}", "--metrics", "vendi", "--encoder", "pixels", "--json"))
                self.assertEqual(json.loads(whole)["images"], 2)
                self.assertEqual(json.loads(whole)["results"][0]["value"], json.loads(named)["results"][0]["value"])
                clip = json.loads(self.assert_ok(run("measure", self.out / "group.json", "--metrics", "clip_score", "--json")))["results"][0]
                self.assertEqual([pathlib.Path(one["file"]).name for one in clip["per_image"]], [f"000{i}.{ending}" for i in range(2)])
                against = run("measure", self.out, "--reference", self.out, "--metrics", "coverage", "--k", "1", "--encoder", "pixels", "--json")
                self.assertEqual(json.loads(self.assert_ok(against))["results"][0]["reference_n"], 2)
                self.assert_ok(run("features", self.out, "--encoder", "pixels", "-o", self.folder / "rows.npy"))
                self.assertEqual(np.load(self.folder / "rows.npy").shape, (2, 3072))
                drawn = run("explain", self.out)
                self.assertIn("explain.svg", self.assert_ok(drawn))
                self.assertEqual(drawn.stderr, b"")  # every picture could be read

    def test_a_shield_of_them(self):
        self.make("webp")
        (group,) = self.groups("-m", "mini-turbo", "-p", "a car", "-n", "1", "--method", "spell", "--shield", self.out, out=self.folder / "away")
        self.assertEqual([pathlib.Path(file).name for file in group["shield"]], ["0000.webp", "0001.webp"])

    def test_compare(self):
        arguments = ("-p", "a car", "-n", "1", "--steps", "2", "--methods", "none", "--format", "webp")
        self.assert_ok(run("compare", "-m", "mini-turbo", *arguments, "-o", self.out))
        self.assertEqual(files_below(self.out / "00-none"), self.names("webp", 1))
        self.assertIn("00-none/0000.webp", (self.out / "compare.json").read_text())

    def test_files_of_others_stay_in_every_format(self):
        for kind, name in (("jpeg", "0001.jpg"), ("webp", "0001.webp")):
            with self.subTest(kind):
                self.out.mkdir(exist_ok=True)
                (self.out / name).write_text("mine")
                self.assert_error(self.generate("-p", "a car", "-n", "2", "--format", kind), 2, "--output", name)
                self.groups("-p", "a car", "-n", "2")  # PNGs are in nobody's way
                self.assertEqual((self.out / name).read_text(), "mine")
                shutil.rmtree(self.out)


class Reproduces(FormatsTest):
    def test_the_same_again(self):
        for kind, ending in self.ENDINGS.items():
            for quality in ("70", "100"):
                with self.subTest(kind, quality=quality):
                    self.make(kind, "--quality", quality)
                    image, again = self.out / f"0001.{ending}", self.folder / "again"
                    self.assertIn(": the same bytes (image 2 of 2", self.assert_ok(run("reproduce", image, "-o", again)))
                    self.assertEqual((again / image.name).read_bytes(), image.read_bytes())
                    shown = json.loads(self.assert_ok(run("reproduce", image, "--json")))
                    self.assertEqual((shown["same_bytes"], shown["same_pixels"], shown["changes"]), (True, True, []))

    def test_what_differs(self):
        for kind, ending in self.ENDINGS.items():
            with self.subTest(kind):
                self.make(kind)
                path, copy = self.out / f"0001.{ending}", self.folder / f"copy.{ending}"
                with Image.open(path) as image:
                    kept = {"exif": image.info["exif"], "xmp": image.info["xmp"]}
                    image.save(copy, quality=30, **kept)  # by another encoder, further from what was made
                    image.save(self.folder / "copy.png", **kept)
                result = run("reproduce", copy)
                self.assertEqual(result.returncode, 6, result.stderr)
                self.assertRegex(result.stdout.decode(), rf"% of the values differ.*\n  nothing .* {kind.upper()} encoder rounds".replace("WEBP", "WebP"))
                # What only the encoder did is no difference: one chunk more, the same pixels.
                content = path.read_bytes()
                if kind == "jpeg":
                    content = content[:2] + b"\xff\xfe\x00\x04ab" + content[2:]
                else:
                    size = int.from_bytes(content[4:8], "little") + 10
                    content = content[:4] + size.to_bytes(4, "little") + content[8:] + b"note\x02\0\0\0ab"
                copy.write_bytes(content)
                result = run("reproduce", copy)
                self.assertEqual(result.returncode, 6, result.stderr)
                self.assertIn(b"the same pixels, another file", result.stdout)
                self.assert_error(run("reproduce", self.folder / "copy.png"), 3, "no record of gass")

    def test_hostile_records(self):
        self.make("webp")
        with Image.open(self.out / "0000.webp") as image:
            image.load()
            xmp = image.info["xmp"]
            for change, part in (
                ((b'"format":"webp"', b'"format":"gif"'), "expected one of png, jpeg, webp"),
                ((b'"quality":90', b'"quality":101'), "expected 1 to 100"),
                ((b'"index":0', b'"index":9'), "index"),
                ((b"{", b"&#xD800;{"), "no record of gass"),
            ):
                with self.subTest(part):
                    path = self.folder / "changed.webp"
                    self.assertIn(change[0], xmp)
                    image.save(path, lossless=True, xmp=xmp.replace(*change, 1))
                    self.assert_error(run("reproduce", path), 3, "changed.webp", part)


if __name__ == "__main__":
    unittest.main()
