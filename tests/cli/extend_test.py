"""Sets that grow: --extend, --keep, --away-from, --sets and --memory."""

import hashlib
import json
import pathlib
import unittest

from support import GassTest, run

TINY = ("-m", "mini-turbo", "--width=64", "--height=64", "--device=cpu", "--progress=none")


def bytes_of(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(pathlib.Path(folder).iterdir())}


class Extend(GassTest):
    def setUp(self):
        super().setUp()
        self.set = self.folder / "set"
        self.assert_ok(run("generate", "-p", "a car", "-n", "4", "-s", "3", *TINY, "-o", self.set))
        self.out = self.folder / "more"

    def group(self, folder=None):
        return json.loads(((folder or self.out) / "group.json").read_text())

    def pictures(self, *indices):
        return [str((self.set / f"{index:04}.png").resolve()) for index in indices]

    def test_adds_images_that_keep_away_from_the_sets(self):
        before = bytes_of(self.set)
        self.assert_ok(run("generate", "--extend", self.set, "-n", "2", "--device=cpu", "-o", self.out))
        self.assertEqual(bytes_of(self.set), before)
        group, first = self.group(), self.group(self.set)
        self.assertEqual(group["prompt"], "a car")
        self.assertEqual(len(group["images"]), 2)
        self.assertEqual(group["shield"], self.pictures(0, 1, 2, 3))
        self.assertEqual(min(group["seeds"]), max(first["seeds"]) + 1)
        self.assertEqual(group["settings"]["method"], first["settings"]["method"])
        again = self.folder / "again"
        self.assert_ok(run("reproduce", self.out / "0000.png", "-o", again))
        self.assertEqual((again / "0001.png").read_bytes(), (self.out / "0001.png").read_bytes())

    def test_grows_on(self):
        self.assert_ok(run("generate", "--extend", self.set, "-n", "2", "--device=cpu", "-o", self.out))
        self.assert_ok(run("generate", "--extend", self.out, "--device=cpu", "-o", self.folder / "third"))
        third = self.group(self.folder / "third")
        self.assertEqual(len(third["shield"]), 6)
        self.assertEqual(len(third["images"]), 2)  # as many as the set has

    def test_makes_again_what_is_not_kept(self):
        self.assert_ok(run("generate", "--extend", self.set / "group.json", "--keep", "0,2-3", "--device=cpu", "-o", self.out))
        self.assertEqual(len(self.group()["images"]), 1)
        self.assertEqual(self.group()["shield"], self.pictures(0, 2, 3))

    def test_a_set_of_another_method_gets_one_that_can(self):
        plain = self.folder / "plain"
        self.assert_ok(run("generate", "-p", "a car", "-n", "2", "--method=none", *TINY, "-o", plain))
        self.assert_ok(run("generate", "--extend", plain, "--device=cpu", "-o", self.out))
        self.assertTrue(self.group()["settings"]["method"].startswith("gass:"))

    def test_what_is_kept_away_from_matters(self):
        for images in ("1", "4"):
            with self.subTest(images):
                alone, beside = self.folder / f"alone-{images}", self.folder / f"beside-{images}"
                words = ("generate", "-m", "mini-turbo", "--device=cpu", "--progress=none", "-p", "a car", "-n", images, "-s", "50")
                self.assert_ok(run(*words, "-o", alone))
                self.assert_ok(run(*words, "--away-from", alone, "-o", beside))
                kept = [{image["seed"] for image in self.group(folder)["images"]} for folder in (alone, beside)]
                self.assertNotEqual(kept[0], kept[1])
        self.assertEqual(len(self.group(self.folder / "alone-1")["seeds"]), 1)  # nobody to differ from
        self.assertEqual(len(self.group(self.folder / "beside-1")["seeds"]), 2)

    def test_several_sets_of_a_prompt_go_on(self):
        self.assert_ok(run("generate", "-p", "a car", "-n", "2", "-s", "9", "--sets", "3", "--memory", *TINY, "-o", self.out))
        groups = [json.loads(path.read_text()) for path in sorted(self.out.glob("*/group.json"))]
        self.assertEqual([group["seeds"] for group in groups], [[9, 10, 11, 12], [13, 14, 15, 16], [17, 18, 19, 20]])
        self.assertEqual([len(group.get("shield", [])) for group in groups], [0, 2, 4])
        folder = str(self.out.resolve())
        self.assertTrue(all(file.startswith(folder) for group in groups for file in group.get("shield", [])))

    def test_prompts_remember_their_own_sets_alone(self):
        prompts = self.folder / "prompts.txt"
        prompts.write_text("a car\na dog\n")
        self.assert_ok(run("generate", "--prompt-file", prompts, "-n", "2", "--sets", "2", "--memory", *TINY, "-o", self.out))
        groups = [json.loads(path.read_text()) for path in sorted(self.out.glob("*/group.json"))]
        self.assertEqual([(group["prompt"], len(group.get("shield", []))) for group in groups],
                         [("a car", 0), ("a car", 2), ("a dog", 0), ("a dog", 2)])

    def test_refusals(self):
        def refused(part, *words):
            with self.subTest(part):
                self.assert_error(run("generate", *words, "-o", self.out), 2, *part.split("|"))
        refused("--keep|--extend is missing", "-p", "a car", "--keep", "1")
        refused("--keep|4 images|got 4", "--extend", self.set, "--keep", "1,4")
        refused("--keep|given twice", "--extend", self.set, "--keep", "1,1")
        refused("--extend|--like", "--extend", self.set, "--like", self.set)
        refused("--memory|--sets", "-p", "a car", "--memory")
        refused("--sets|0", "-p", "a car", "--sets", "0")
        refused("--sets|seeds", "-p", "a car", "--sets", "2", "--seeds", "1,2")
        refused("--memory|cads", "-p", "a car", "--sets", "2", "--memory", "--method=cads")
        refused("--keep|-n", "--extend", self.set, "--keep", "0-3")  # nothing is left to be made
        refused("--shield|keeps away from no pictures", "-p", "a car", "--method=cads", "--away-from", self.set)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
