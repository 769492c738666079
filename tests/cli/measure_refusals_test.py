"""What `gass measure` refuses, and how it says so."""

import json
import pathlib
import shutil
import unittest

from measure_support import METRICS, MODELS, MeasureTest, picture, save_pictures


class Refusals(MeasureTest):
    def test_text_named_png(self):
        save_pictures(self.pictures, 3)
        (self.pictures / "broken.png").write_text("not a picture\n")
        result = self.measure(self.pictures, "--metrics", "vendi", "--json")
        self.assertEqual(result.returncode, 5, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["images"], 3)
        (unreadable,) = answer["unreadable"]
        self.assertIn("broken.png", unreadable["file"])
        self.assertTrue(unreadable["reason"])
        self.assertIn(b"broken.png", result.stderr)
        self.assertEqual(answer["results"][0]["n"], 3)
        (self.pictures / "broken.png").unlink()
        self.near(answer["results"][0]["value"], self.value(self.pictures, "--metrics", "vendi"))

    def test_damaged_pictures(self):
        """Cut short, empty, a bomb that says it is huge: named, and the rest is measured."""
        (first, *_) = save_pictures(self.pictures, 3)
        whole = first.read_bytes()
        (self.pictures / "cut.png").write_bytes(whole[: len(whole) // 2])
        (self.pictures / "empty.png").write_bytes(b"")
        (self.pictures / "empty.jpg").write_bytes(b"\xff\xd8\xff")
        (self.pictures / "huge.png").write_bytes(whole[:16] + b"\x7f\xff\xff\xff\x7f\xff\xff\xff" + whole[24:])
        result = self.measure(self.pictures, "--metrics", "vendi", "--json")
        self.assertEqual(result.returncode, 5, result.stderr)
        answer = json.loads(result.stdout)
        names = {pathlib.Path(one["file"]).name for one in answer["unreadable"]}
        self.assertEqual(names, {"cut.png", "empty.png", "empty.jpg", "huge.png"})
        self.assertEqual(answer["images"], 3)

    def test_formats_that_are_not_read(self):
        """Named, and the rest is measured; what is no picture by its name is nobody's loss."""
        save_pictures(self.pictures / "a", 3)
        save_pictures(self.pictures / "b", 3, seed=1, kind="webp")
        others = {"x.gif": "a GIF image", "x.tiff": "a TIFF image", "x.BMP": "a BMP image", "x.avif": "an AVIF", "x.heic": "an AVIF, HEIC"}
        for name in ("x.gif", "x.tiff", "x.BMP"):
            picture(1).save(self.pictures / "a" / name)
        for name in ("x.avif", "x.heic"):
            (self.pictures / "a" / name).write_bytes(b"\0\0\0\x18ftypmif1 and more")
        for name in ("group.txt", "compare.csv", "index.html", "sheet.png", "preview.png", "explain.svg", "notes.json", "model.safetensors"):
            (self.pictures / "a" / name).write_text("none")
        for command in (("--metrics", "vendi,pairwise"), ("--metrics", "coverage", "--k", "2", "--reference", self.pictures / "b")):
            result = self.measure(self.pictures / "a", *command, "--json")
            self.assertEqual(result.returncode, 5, result.stderr)
            answer = json.loads(result.stdout)
            self.assertEqual({pathlib.Path(one["file"]).name for one in answer["unreadable"]}, set(others))
            for name, kind in others.items():
                self.assertRegex(result.stderr.decode(), rf"a/{name}\] expected a PNG, JPEG or WebP image, found {kind}")
            self.assertTrue(all(one["n"] == 3 and one["value"] is not None for one in answer["results"]))
        whole = self.measure(self.pictures, "--json")  # two groups, and the usual metrics of pairs
        self.assertEqual(whole.returncode, 5)
        self.assertEqual([one["metric"] for one in json.loads(whole.stdout)["results"]], ["vendi", "pairwise"])
        reference = self.measured(self.pictures / "b", "--metrics", "coverage", "--k", "2", "--reference", self.pictures / "a", status=5)
        self.assertEqual(len(reference["unreadable"]), 5)
        features = self.gass("features", self.pictures / "a", "-o", self.folder / "a.npy")
        self.assertEqual(features.returncode, 5)
        self.assertIn(b"x.gif", features.stderr)
        named = self.measure(self.pictures / "a" / "000.png", self.pictures / "a" / "x.gif", "--metrics", "vendi")
        self.assertEqual(named.returncode, 5)
        for file in (self.pictures / "a").glob("00*.png"):
            file.unlink()
        self.assert_error(self.measure(self.pictures / "a", "--metrics", "vendi"), 2, "no PNG, JPEG or WebP", "x.BMP")
        self.assertEqual(self.measured(self.pictures / "b", "--metrics", "vendi")["unreadable"], [])

    def test_nothing_readable(self):
        self.pictures.mkdir()
        (self.pictures / "broken.png").write_text("not a picture\n")
        self.assert_error(self.measure(self.pictures, "--metrics", "vendi"), 3, "broken.png")

    def test_missing_and_empty(self):
        self.assert_error(self.measure(self.folder / "absent", "--metrics", "vendi"), 3, "absent")
        self.assert_error(self.measure(self.folder / "absent.png", "--metrics", "vendi"), 3, "absent.png")
        self.pictures.mkdir()
        self.assert_error(self.measure(self.pictures, "--metrics", "vendi"), 2, "pictures")
        result = self.measure(self.pictures / "*.png", "--metrics", "vendi")
        self.assertIn(result.returncode, (2, 3))
        self.assert_error(result, result.returncode, "*.png")
        self.assert_error(self.measure("--metrics", "vendi"), 2)

    def test_names_with_control_characters(self):
        self.pictures.mkdir()
        (self.pictures / "a\nb\x1b[31m.png").write_text("no")
        result = self.measure(self.pictures, "--metrics", "vendi")
        self.assert_error(result, 3)

    def test_unknown_metric(self):
        save_pictures(self.pictures, 2)
        result = self.measure(self.pictures, "--metrics", "vendi,beauty")
        self.assert_error(result, 2, "beauty", *METRICS)
        for metrics in ("", ",", "vendi,,mss", "VENDI "):
            with self.subTest(metrics):
                self.assert_error(self.measure(self.pictures, "--metrics", metrics), 2)

    def test_unknown_encoder(self):
        save_pictures(self.pictures, 2)
        result = self.measure(self.pictures, "--metrics", "vendi", "--encoder", "no-such-encoder")
        self.assertIn(result.returncode, (2, 3))
        self.assert_error(result, result.returncode, "no-such-encoder")
        self.assert_error(self.measure(self.pictures, "--metrics", "vendi", "--encoder", ""), 2)
        other = self.measure(self.pictures, "--metrics", "vendi", "--encoder", MODELS / "mini-flow")
        self.assertIn(other.returncode, (2, 3))
        self.assert_error(other, other.returncode, "mini-flow")

    def test_missing_weights(self):
        """The message names the file and where it comes from."""
        save_pictures(self.pictures, 2)
        for metrics in ("fid", "clean_fid", "inception_score", "lpips", "image_reward"):
            with self.subTest(metrics):
                reference = () if metrics == "image_reward" else ("--reference", self.pictures)
                result = self.gass("measure", self.pictures, "--prompt", "a dog", "--metrics", metrics, *reference)
                self.assert_error(result, 3, "https://", "convert_weights")

    def test_wrong_flags(self):
        save_pictures(self.pictures, 3)
        for flag, value in (("--k", "0"), ("--k", "-1"), ("--k", "x"), ("--draws", "0"), ("--kid-subsets", "0"), ("--kid-subset-size", "1"), ("--inception-splits", "0"),
                            ("--bootstrap", "-3"), ("--resize-first", "0"), ("--resize-first", "99999999"), ("--device", "abacus"),
                            ("--metric-seed", "x"), ("--max-batch", "-1"), ("--threads", "-1")):  # fmt: skip
            with self.subTest(flag=flag, value=value):
                self.assert_error(self.measure(self.pictures, "--metrics", "vendi", flag, value), 2, flag)
        self.assert_error(self.measure(self.pictures, "--metrics", "vendi", "--json", "--csv"), 2)
        self.assert_error(self.measure(self.pictures, "--metrics", "precision"), 2, "--reference")
        features = self.random_rows()
        self.assert_error(self.measure(self.pictures, "--features", features, "--metrics", "vendi"), 2, "--features")

    def impossible(self, *arguments, status):
        result = self.measure(*arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr)
        answer = json.loads(result.stdout) if result.stdout else {"results": []}
        return {one["metric"]: one for one in answer["results"]}

    def test_one_image(self):
        save_pictures(self.pictures, 1)
        found = self.impossible(self.pictures, "--metrics", "vendi,pairwise", status=5)
        self.near(found["vendi"]["value"], 1.0)
        self.assertIsNone(found["pairwise"]["value"])
        self.assertTrue(found["pairwise"]["reason"])
        self.impossible(self.pictures, "--metrics", "pairwise", status=2)

    def test_k_and_the_number_of_images(self):
        save_pictures(self.pictures, 5)
        save_pictures(self.folder / "reference", 9, seed=1)
        reference = ("--reference", self.folder / "reference")
        found = self.impossible(self.pictures, *reference, "--metrics", "vendi,precision,recall,density,coverage", "--k", "5", status=5)
        self.assertIsNone(found["recall"]["value"])  # five images have no fifth neighbour
        self.assertIn("5", found["recall"]["reason"])
        self.assertIsNotNone(found["vendi"]["value"])
        self.impossible(self.pictures, *reference, "--metrics", "prdc", "--k", "9", status=2)
        found = self.impossible(self.pictures, *reference, "--metrics", "prdc", "--k", "4", status=0)
        self.assertEqual(set(found), {"precision", "recall", "density", "coverage"})
        self.assertTrue(all(one["k"] == 4 for one in found.values()))

    def test_volume_beyond_the_dimension(self):
        features = self.random_rows(12, 4)
        found = self.impossible("--features", features, "--metrics", "hypervolume,vendi", status=5)
        self.assertIsNone(found["hypervolume"]["value"])
        self.assertTrue(found["hypervolume"]["reason"])

    def test_the_same_picture_again_and_again(self):
        (first, *_) = save_pictures(self.pictures, 1)
        for i in range(5):
            shutil.copy(first, self.pictures / f"copy{i}.png")
        answer = self.measured(self.pictures, "--metrics", "vendi,pairwise,mss")
        for one in answer["results"]:
            self.near(one["value"], 1.0, 1e-4)
        volume = self.measure(self.pictures, "--metrics", "hypervolume", "--json")
        self.assertIn(volume.returncode, (0, 2, 5))
        for one in json.loads(volume.stdout)["results"] if volume.stdout else ():
            self.assertIsNone(one["value"])  # JSON has no −∞


if __name__ == "__main__":
    unittest.main()
