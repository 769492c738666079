"""`gass generate --like`: prompt, seeds and settings of a set, from whichever of its files."""

import json
import shutil
import unittest

from generate_test import MODELS
from set_page_test import TURBO, SetTest
from support import run


class Like(SetTest):
    """A set that others are to be like; `again` makes one."""

    ARGUMENTS = ("-p", "a {red|blue} car", "-N", "rain", "-n", "3", "-s", "7", "--method=gass", "--strength=0.8")

    def setUp(self):
        super().setUp()
        self.again = self.folder / "again"

    def like(self, *arguments, place=None, **options):
        return run("generate", "--like", place or self.out, "--device=cpu", *arguments, "-o", self.again, **options)

    def group(self, *arguments, **options):
        (group,) = json.loads(self.assert_ok(self.like("--json", *arguments, **options)))["groups"]
        return group


class TakesAll(Like):
    def test_the_same_bytes_from_every_file_of_a_set(self):
        self.groups(*self.ARGUMENTS)
        for place in ("", "group.json", "sheet.png", "0001.png"):
            with self.subTest(place):
                self.assert_ok(self.like(place=self.out / place))
                self.assertEqual(self.images(self.again), self.images())
                shutil.rmtree(self.again)

    def test_the_same_bytes_of_every_kind_of_set(self):
        mine = self.folder / "mine"
        self.groups("-p", "a dog", "-n", "2", out=mine)
        for arguments in (("-n", "2"), ("--seeds", "9,4,7", "-n", "3"), ("-n", "2", "--format", "jpeg", "--quality", "70"),
                          ("-n", "2", "--variation-seed", "7", "--variation-strength", "0.4"),
                          ("--seeds", "3,5", "--variation-seed", "7"), ("-n", "2", "--init-image", mine / "0001.png"),
                          ("-n", "2", "--method=spell", "--shield", mine),
                          ("-n", "3", "--method=gass", "--vary", "at night|at noon")):
            with self.subTest(arguments):
                self.groups("-p", "a car", *arguments)
                self.assert_ok(self.like())
                self.assertEqual(self.images(self.again), self.images())
                shutil.rmtree(self.out)
                shutil.rmtree(self.again)

    def test_a_picture_of_gass_0_1(self):
        old = self.folder / "old.png"
        shutil.copy(MODELS.parent / "tests/record/gass-0.1/0001.png", old)
        self.assertEqual(self.group(place=old)["prompt"], "a {red|blue} car")


class Flags(Like):
    def setUp(self):
        super().setUp()
        self.groups(*self.ARGUMENTS)
        self.before = json.loads((self.out / "group.json").read_text())

    def test_flags_win(self):
        group = self.group("-p", "a dog", "--steps=3", "-N", "fog", "--cfg-scale=1.5", "--format=webp")
        self.assertEqual(group["prompt"], "a dog")
        expected = self.before["settings"] | {"steps": 3, "negative_prompt": "fog", "cfg_scale": 1.5, "format": "webp", "quality": 90}
        self.assertEqual(group["settings"], expected | {key: group["settings"][key] for key in ("method", "max_batch")})
        self.assertEqual(group["seeds"], self.before["seeds"])

    def test_it_wins_over_the_environment(self):
        environment = {"GASS_STEPS": "5", "GASS_NEGATIVE_PROMPT": "snow", "GASS_STRENGTH": "0.1", "GASS_SEED": "1", "GASS_MODEL": "mini-unet",
                       "GASS_METHOD": "cads", "GASS_IMAGES": "2"}  # fmt: skip
        self.assert_ok(self.like(environment=environment))
        self.assertEqual(self.images(self.again), self.images())

    def test_what_the_command_line_names_wins(self):
        config = self.file(json.dumps({"steps": 3, "strength": 0.2}), "config.json")
        for flag in ("--config", "--preset"):
            group = self.group(flag, config, "--negative-prompt", "fog")
            self.assertEqual((group["settings"]["steps"], group["settings"]["negative_prompt"]), (3, "fog"))
            self.assertIn("strength=0.2,", group["settings"]["method"])
            shutil.rmtree(self.again)

    def test_the_machine_is_not_taken(self):
        for key, value in {"threads": 1, "max_batch": 1, "device": "cuda", "dtype": "bf16", "offload_to_cpu": True}.items():
            self.before["settings"][key] = value
        (self.out / "group.json").write_text(json.dumps(self.before))
        settings = self.group("-t", "2")["settings"]
        self.assertEqual({key: settings[key] for key in ("threads", "device", "dtype", "offload_to_cpu")},
                         {"threads": 2, "device": "cpu", "dtype": "fp32", "offload_to_cpu": False})

    def test_a_strength_turns_the_knobs(self):
        for strength in ("0", "0.3", "0.8"):
            with self.subTest(strength):
                group = self.group("--strength", strength)
                fresh = self.folder / "fresh"
                (expected,) = self.groups(*self.ARGUMENTS[:-1], "--strength", strength, out=fresh)
                self.assertEqual(group["settings"]["method"], expected["settings"]["method"])
        self.assertEqual(self.images(self.again), self.images())

    def test_weights_leave_the_strength(self):
        method = self.group("--dep=0.5")["settings"]["method"]
        self.assertEqual(method, self.before["settings"]["method"].replace("dep=0,", "dep=0.5,"))

    def test_a_target_finds_the_strength(self):
        self.assertIn("target", self.group("--target", "vendi=x1.01")["spread"])

    def test_another_method_leaves_out_what_it_does_not_take(self):
        self.groups(*self.ARGUMENTS, "--vary", "at night|at noon")
        group = self.group("--method=none")
        self.assertNotIn("vary", group["settings"])
        self.assertEqual([image["seed"] for image in group["images"]], [7, 8, 9])
        self.assertIn("vary", self.group("--method=gass:candidates=2")["settings"])
        self.assert_error(self.like("--method=none", "--vary", "day|night"), 2, "--vary")

    def test_more_and_fewer_images(self):
        self.assertEqual(self.group("-n", "2", "--method=none")["seeds"], [7, 8])
        self.assertEqual(self.group("-n", "5", "--method=none")["seeds"], [7, 8, 9, 10, 11])
        self.assertEqual(self.group("-n", "4")["seeds"], list(range(7, 15)))
        self.assertEqual(self.group("-s", "100", "--method=none")["seeds"], [100, 101, 102])
        self.assertEqual(self.group("--seeds", "5,9", "--method=none")["seeds"], [5, 9])

    def test_more_of_listed_seeds_go_on_behind_the_largest(self):
        self.groups("-p", "a car", "--seeds", "9,4")
        self.assertEqual(self.group("-n", "4")["seeds"], [9, 4, 10, 11])

    def test_more_variations_are_of_the_same_image(self):
        self.groups("-p", "a car", "-n", "2", "--variation-seed", "7", "--variation-strength", "0.4")
        group = self.group("-n", "3")
        self.assertEqual(group["seeds"], [42, 42, 42])
        self.assertEqual([image["variation_seed"] for image in group["images"]], [7, 8, 9])
        self.assertEqual({name: self.images(self.again)[name] for name in ("0000.png",)}.keys(), {"0000.png"})

    def test_prompts_of_a_file(self):
        file = self.file("a dog\na cat")
        result = self.like("--prompt-file", file, "--json", "-n", "2")
        self.assertEqual([group["prompt"] for group in json.loads(self.assert_ok(result))["groups"]], ["a dog", "a cat"])

    def test_shows_its_settings(self):
        result = self.like("--print-config", "--steps=3")
        shown = json.loads(self.assert_ok(result))
        self.assertEqual((shown["steps"], shown["model"], shown["negative_prompt"]), (3, "mini-turbo", "rain"))
        self.assertIn(str(self.out), result.stderr.decode())  # where they come from

    def test_what_images_begin_with_turns_the_knobs(self):
        for arguments in (("--variation-seed", "3"), ("--init-image", self.out / "0001.png")):
            with self.subTest(arguments):
                method = self.group(*arguments)["settings"]["method"]
                self.assertRegex(method, r"^gass:strength=0.8,.*start=0,mean_scale=1,candidates=1,")
                (fresh,) = self.groups(*self.ARGUMENTS, *arguments, out=self.folder / "fresh")
                self.assertEqual(method, fresh["settings"]["method"])
        self.assertEqual(self.images(self.again), self.images(self.folder / "fresh"))

    def test_a_start_image_can_be_changed(self):
        picture = self.out / "0000.png"
        self.groups("-p", "a car", "-n", "1", "--init-image", picture, "--denoise", "0.4", out=self.folder / "varied")
        varied = self.folder / "varied"
        self.assertEqual(self.group("--denoise", "0.9", place=varied)["start_image"]["strength"], 0.9)
        other = self.group("--init-image", self.out / "0001.png", place=varied)["start_image"]
        self.assertTrue(other["file"].endswith("0001.png"), other)


class Refused(Like):
    def refused(self, status, *parts, place=None, arguments=()):
        result = self.like(*arguments, place=place)
        self.assert_error(result, status, *parts)
        self.assertFalse(self.again.exists())

    def test_what_is_no_set(self):
        self.refused(3, "nowhere", place=self.folder / "nowhere")
        self.assert_error(run("generate", "--like", "", "-o", self.again), 3)
        self.refused(3, "group.json", place=self.folder)
        self.refused(3, "text.png", place=self.file("no picture", "text.png"))
        self.groups("-p", "a car", "-n", "1", "--disable-image-metadata")
        self.refused(3, "no record of gass", place=self.out / "0000.png")
        self.refused(3, "index.html", place=self.out / "index.html")

    def test_hostile_records(self):
        self.groups("-p", "a car", "-n", "1")
        group = json.loads((self.out / "group.json").read_text())
        for changes in ({"settings": {"steps": 0}}, {"settings": {"nothing": 1}}, {"settings": 3}, {"seeds": []}, {"seeds": [-1]},
                        {"prompt": 7}, {"start_image": {"file": "/etc/passwd", "strength": 2, "hash": ""}}):
            with self.subTest(changes):
                (self.out / "group.json").write_text(json.dumps(group | changes))
                self.refused(3, "group.json")

    def test_pictures_that_are_gone(self):
        mine = self.folder / "mine"
        self.groups("-p", "a dog", "-n", "1", out=mine)
        self.groups("-p", "a car", "-n", "1", "--init-image", mine / "0000.png")
        shielded = self.folder / "shielded"
        self.groups("-p", "a car", "-n", "1", "--method=spell", "--shield", mine, out=shielded)
        (mine / "0000.png").unlink()
        self.refused(3, "its set began with", "0000.png")
        self.refused(3, "kept away from", "0000.png", place=shielded)


if __name__ == "__main__":
    unittest.main()
