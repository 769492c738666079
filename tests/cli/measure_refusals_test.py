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
        for metrics in ("fid", "clean_fid", "image_reward"):
            with self.subTest(metrics):
                reference = () if metrics == "image_reward" else ("--reference", self.pictures)
                result = self.gass("measure", self.pictures, "--prompt", "a dog", "--metrics", metrics, *reference)
                self.assert_error(result, 3, "https://", "convert_weights")

    def test_wrong_flags(self):
        save_pictures(self.pictures, 3)
        for flag, value in (("--k", "0"), ("--k", "-1"), ("--k", "x"), ("--draws", "0"), ("--kid-subsets", "0"), ("--kid-subset-size", "1"),
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
