"""`gass generate --method gass` with its dials, and `gass calibrate`: what they do, record and refuse."""

import json
import shutil
import unittest

import numpy as np
from generate_test import MODELS, GenerateTest, parameters, pixels
from support import run

GASS = ("--method", "gass")


class Strength(GenerateTest):
    def test_zero_is_plain(self):
        for model in ("mini-flow", "mini-turbo", "mini-unet"):
            common = ("-m", model, "-p", "a red car", "-n", "3", "--disable-image-metadata")
            shutil.rmtree(self.folder / "plain", ignore_errors=True)
            shutil.rmtree(self.out, ignore_errors=True)
            self.groups(*common, out=self.folder / "plain")
            self.groups(*common, *GASS, "--strength", "0")
            for i in range(3):
                self.assertEqual((self.out / f"000{i}.png").read_bytes(), (self.folder / "plain" / f"000{i}.png").read_bytes())

    def test_is_the_default_method(self):
        (group,) = json.loads(self.assert_ok(run(
            "generate", "-p", "a red car", "-n", "2", "--steps", "4", "--device", "cpu", "-o", self.out, "--json")))["groups"]
        self.assertRegex(group["settings"]["method"], r"^gass:strength=0\.5,interval=0\.\d+,.*candidates=4,")
        self.assertEqual(group["seeds"], list(range(42, 50)))
        self.assertEqual(parameters(self.out / "0000.png")[2]["Diversity"], "gass")
        (step,) = group["method_steps"]
        kept = [candidate["seed"] for candidate in step["candidates"] if candidate["kept"]]
        self.assertEqual(kept, [image["seed"] for image in group["images"]])
        self.assertTrue(all("reason" in candidate for candidate in step["candidates"] if not candidate["kept"]))
        spread = group["spread"]
        self.assertAlmostEqual(spread["spp"], spread["d_dep"] + spread["d_ind"])
        self.assertTrue(1 <= spread["vendi"] <= 2)
        self.assertEqual(len(spread["along"]), 2)
        self.assert_ok(run("reproduce", self.out / "0001.png"))
        self.assert_ok(run("reproduce", self.out / "0001.png", "--method", "none"))  # its twin

    def test_one_image_is_plain(self):
        self.groups("-p", "a red car", "-n", "1", out=self.folder / "plain")
        (group,) = self.groups("-p", "a red car", "-n", "1", *GASS)
        self.assertEqual(group["seeds"], [42])
        np.testing.assert_array_equal(pixels(self.out / "0000.png"), pixels(self.folder / "plain" / "0000.png"))

    def test_two_images_with_every_part(self):
        method = "gass:push=on,targets=amplify,dep=1"
        (group,) = self.groups("-p", "a red car", "-n", "2", "--steps", "6", "--method", method)
        self.assertEqual({step["kind"] for step in group["method_steps"]}, {"select", "push"})
        self.assert_ok(run("reproduce", self.out / "0000.png"))

    def test_listed_seeds_are_the_images(self):
        (group,) = self.groups("-p", "a car", *GASS, "--seeds", "5,9,7")
        self.assertEqual([image["seed"] for image in group["images"]], [5, 9, 7])
        self.assertEqual(group["method_steps"], [])  # nothing to choose from

    def test_a_schedule_that_ends_before_the_choice(self):
        for arguments in (("--steps", "1"), ("--method", "gass:select_time=0")):
            with self.subTest(arguments=arguments):
                method = () if "--method" in arguments else GASS
                (group,) = self.groups("-p", "a car", "-n", "2", *method, *arguments)
                self.assertEqual(len(group["images"]), 2)

    def test_choices_of_the_prompt_stay_balanced(self):
        (group,) = self.groups("-p", "a {red|blue} car", "-n", "4", *GASS)
        self.assertEqual(sorted(image["prompt"] for image in group["images"]), ["a blue car"] * 2 + ["a red car"] * 2)

    def test_variations_stay_near_their_image(self):
        common = ("-p", "a photo of a dog", "-n", "2", "--steps", "4", "--variation-seed", "1", "--variation-strength", "0.05")
        (group,) = self.groups(*common, *GASS)
        self.assertIn("start=0,mean_scale=1,candidates=1", group["settings"]["method"])
        apart = np.abs(pixels(self.out / "0000.png") - pixels(self.out / "0001.png")).mean()
        self.groups("-p", "a photo of a dog", "-n", "2", "--steps", "4", out=self.folder / "plain")
        others = np.abs(pixels(self.folder / "plain" / "0000.png") - pixels(self.folder / "plain" / "0001.png")).mean()
        self.assertLess(apart, 0.7 * others)

    def test_without_a_guide_nothing_is_chosen(self):
        alone = self.folder / "alone"
        shutil.copytree(MODELS / "mini-flow", alone)
        (alone / "gass.json").unlink()
        (group,) = self.groups("-p", "a car", "-n", "2", *GASS, "-m", alone, "--cfg-scale", "4", "--max-sequence-length", "24")
        self.assertIn("candidates=1", group["settings"]["method"])
        self.assertNotIn("spread", group)

    def test_refused(self):
        for arguments, parts in (
            (("--strength", "1.5", *GASS), ("--strength",)),
            (("--strength", "nan", *GASS), ("--strength",)),
            (("--strength", "0.5"), ("--strength", '"none"', "gass has")),
            (("--dep", "1"), ("--dep", '"none"')),
            (("--ind", "-1", *GASS), ("--ind",)),
            (("--vary", "night", *GASS), ("--vary", "at night|at noon")),
            (("--vary", "a|b"), ("--vary", '"none"')),
            (("--target", "fid=3", *GASS), ("--target",)),
            (("--target", "vendi=x1.2"), ("--target", '"none"')),
            (("--target", "vendi=x1.2", *GASS, "-n", "1"), ("--target", "one image")),
            (("--target", "vendi=x1.2", "--strength", "0.5", *GASS), ("--target", "--strength cannot be given as well")),
            (("--target", "vendi=2.5", *GASS), ("--target", 'no set reaches "vendi=2.5": the vendi of 2 images is 1 to 2')),
            (("--target", "vendi=x3", *GASS), ("--target", "no set reaches")),
            (("--target", "vendi=0.5", *GASS), ("--target", "no set reaches")),
            (("--target", "spp=5", *GASS), ("--target", "0 to 4")),
            (("--target", "pairwise=2.5", *GASS), ("--target", "0 to 2")),
        ):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.generate("-p", "a car", *(("-n", "2") if "-n" not in arguments else ()), *arguments), 2, *parts)


class Dials(GenerateTest):
    def test_weights_change_the_choice(self):
        common = ("-p", "a photo of a dog", "-n", "3", "--steps", "4", "--method", "gass:drop=0")
        (across,) = self.groups(*common, "--ind", "1", out=self.folder / "ind")
        (along,) = self.groups(*common, "--dep", "1", "--ind", "0", out=self.folder / "dep")
        self.assertIn("dep=1,ind=0", along["settings"]["method"])
        reach = lambda group: np.ptp([one["along"] for one in group["method_steps"][0]["candidates"] if one["kept"]])
        self.assertGreater(reach(along), reach(across))

    def test_vary_orders_the_set_along_the_axis(self):
        (group,) = self.groups("-p", "a photo of a bird", "-n", "5", "--steps", "8", *GASS, "--strength", "0",
                               "--vary", "on a black background|on a white background")  # fmt: skip
        self.assertEqual(group["settings"]["vary"], "on a black background|on a white background")
        light = sorted(pixels(self.out / image["file"]).mean() for image in group["images"])
        self.groups("-p", "a photo of a bird", "-n", "5", "--steps", "8", out=self.folder / "plain")
        plain = sorted(pixels(self.folder / "plain" / f"000{i}.png").mean() for i in range(5))
        self.assertGreater(light[-1] - light[0], 1.3 * (plain[-1] - plain[0]))
        self.assert_ok(run("reproduce", self.out / "0003.png"))

    def test_target(self):
        (group,) = self.groups("-p", "a photo of a bird", "-n", "3", *GASS, "--target", "vendi=x1.2")
        target = group["spread"]["target"]
        self.assertAlmostEqual(target["wanted"], 1.2 * target["plain"])
        self.assertEqual(target["reached"], group["spread"]["vendi"])
        self.assertLessEqual(target["sets"], 8)
        if target["met"]:
            self.assertLessEqual(abs(target["reached"] - target["wanted"]), 0.01 * target["wanted"])
        self.assertIn(f"strength={target['strength']:g},", group["settings"]["method"].replace(".0,", ","))
        self.assert_ok(run("reproduce", self.out / "0000.png"))

    def test_a_strength_that_is_set_for_good_gives_way_to_a_target(self):
        plan = self.generate("-p", "a car", "-n", "2", *GASS, "--target", "vendi=1.2", "--dry-run", environment={"GASS_STRENGTH": "0.7"})
        self.assert_ok(plan)

    def test_a_target_that_plain_has_costs_one_set(self):
        (group,) = self.groups("-p", "a photo of a bird", "-n", "2", *GASS, "--target", "vendi=x0.8")
        self.assertEqual(group["spread"]["target"]["sets"], 1)
        self.assertEqual(group["spread"]["target"]["strength"], 0)

    def test_a_target_keeps_to_the_listed_seeds(self):
        (group,) = self.groups("-p", "a photo of a bird", "-n", "2", "--seeds", "5,9,7", *GASS, "--target", "vendi=x1.5")
        self.assertIn(group["seeds"], ([5, 9, 7], [5, 9]))

    def test_vary_leaves_one_image_in_the_middle(self):
        self.groups("-p", "a car", "-n", "1", out=self.folder / "plain")
        self.groups("-p", "a car", "-n", "1", *GASS, "--vary", "at night|at noon")
        np.testing.assert_array_equal(pixels(self.out / "0000.png"), pixels(self.folder / "plain" / "0000.png"))

    def test_target_beyond_reach_says_so(self):
        result = self.assert_ok(self.generate("-p", "a photo of a bird", "-n", "2", *GASS, "--target", "vendi=1.99999"))
        self.assertIn("as near as it gets", result)


class Calibrate(GenerateTest):
    def test_writes_a_dial_that_is_used(self):
        model = self.folder / "model"
        shutil.copytree(MODELS / "mini-flow", model)
        before = json.loads((model / "gass.json").read_text())
        text = self.assert_ok(run("calibrate", "-m", model, "--guide", "mini-clip", "-p", "a photo of a bird", "-n", "3",
                                  "--steps", "2", "--width", "64", "--height", "64", "--fall", "0.05"))  # fmt: skip
        self.assertIn("strength → effort", text)
        after = json.loads((model / "gass.json").read_text())
        dial = after.pop("dial")
        before.pop("dial", None)
        self.assertEqual(after, before)  # nothing else changed
        efforts = [effort for _, effort in dial["points"]]
        self.assertEqual(efforts, sorted(set(efforts)))
        self.assertEqual(len(dial["measured"]), 7)
        (group,) = self.groups("-p", "a car", "-n", "2", *GASS, "--strength", "1", "-m", model, "--guide", "mini-clip")
        self.assertIn(f"mean_scale={round(1 + 0.75 * efforts[-1], 6)}", group["settings"]["method"])

    def test_refused(self):
        for arguments, part in (((), "--prompt"), (("-p", "a", "-n", "1"), "--images"), (("-p", "a", "--fall", "0"), "--fall"),
                                (("-p", "a", "--repeats", "0"), "--repeats")):  # fmt: skip
            self.assert_error(run("calibrate", *arguments), 2, part)

    def test_a_damaged_dial_is_refused(self):
        model = self.folder / "model"
        shutil.copytree(MODELS / "mini-flow", model)
        (model / "gass.json").write_text('{"guide": "mini-clip", "dial": {"points": [[0, 0], [1, 9]]}}')
        self.assert_refused(self.generate("-p", "a car", "-n", "2", *GASS, "-m", model), 3, "points", "gass.json")
        self.groups("-p", "a car", "-n", "2", "-m", model)  # other methods do without


if __name__ == "__main__":
    unittest.main()
