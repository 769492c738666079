"""Tests of the study's arithmetic on cases with known answers: python study/test_metrics.py"""

import pathlib
import sys
import unittest
import xml.dom.minidom

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from metrics import References, class_in, vendi
from plan import prompts_of
from plot import Curve, Point, draw, ticks
from report import Model
from resample import by_prompt, difference, draws_of, gain_at_equal, interpolate, means, ratio


def unit_rows(count: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, 16))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Vendi(unittest.TestCase):
    def test_identical_images_count_as_one(self):
        self.assertAlmostEqual(vendi(np.repeat(unit_rows(1, 0), 8, axis=0)), 1.0, places=6)

    def test_orthonormal_images_count_each(self):
        self.assertAlmostEqual(vendi(np.eye(16)[:8]), 8.0, places=6)

    def test_two_pairs_count_as_two(self):
        self.assertAlmostEqual(vendi(np.eye(16)[[0, 0, 5, 5]]), 2.0, places=6)


class DensityAndCoverage(unittest.TestCase):
    def test_equal_sets(self):
        rows = unit_rows(100, 1)
        density, coverage = References(rows).density_and_coverage(rows)
        # Each ball holds its own picture and the 4 that are strictly nearer than the 5th: k of them.
        self.assertAlmostEqual(density, 1.0)
        self.assertEqual(coverage, 1.0)

    def test_far_away(self):
        rows = unit_rows(100, 1)
        self.assertEqual(References(rows).density_and_coverage(rows + 100), (0.0, 0.0))

    def test_only_the_first_references_count(self):
        self.assertEqual(len(References(unit_rows(400, 2)).radii), 300)


class Classes(unittest.TestCase):
    def test_longest_whole_word(self):
        classes = ["horse", "sea", "sea horse", "car", "building", "buildings"]
        self.assertEqual(class_in("a photo of a sea horse", classes), 2)
        self.assertEqual(class_in("A photo of buildings", classes), 5)
        self.assertIsNone(class_in("a cartoon", classes))

    def test_halves_share_no_prompt(self):
        self.assertFalse(set(prompts_of("tune")) & set(prompts_of("report")))
        self.assertEqual(prompts_of("report")[0], "a photo of a cat")


class Resampling(unittest.TestCase):
    def setUp(self):
        self.plain = np.random.default_rng(3).uniform(1, 4, 12)
        self.draws = draws_of(12)

    def test_constant_ratio_has_no_spread(self):
        estimate = ratio(1.4 * self.plain, self.plain, self.draws)
        for value in (estimate.value, estimate.low, estimate.high):
            self.assertAlmostEqual(value, 1.4)

    def test_interval_holds_the_truth(self):
        noisy = 1.4 * self.plain * np.random.default_rng(4).normal(1, 0.05, 12)
        estimate = ratio(noisy, self.plain, self.draws)
        self.assertLess(estimate.low, 1.4)
        self.assertGreater(estimate.high, 1.4)
        self.assertLess(estimate.low, estimate.high)

    def test_nulls_leave_their_prompt_out_on_both_sides(self):
        own = 2 * self.plain
        own[3] = np.nan
        self.assertAlmostEqual(ratio(own, self.plain, self.draws).value, 2.0)
        self.assertAlmostEqual(difference(own, own - 1, self.draws).low, 1.0)

    def test_seeds_are_averaged_inside_a_prompt(self):
        scores = {"a": {"1": {"m": 1.0}, "2": {"m": 3.0}}, "b": {"1": {"m": None}, "2": {"m": None}}}
        np.testing.assert_equal(by_prompt(scores, ["a", "b"], "m"), [2.0, np.nan])

    def test_mean_of_row_zero_is_the_mean(self):
        self.assertAlmostEqual(means(self.plain, self.draws)[0], self.plain.mean())


class UnequalGroups(unittest.TestCase):
    """Plain sampling has two groups of each prompt, of which the second is easy; a rival has the first alone."""

    def setUp(self):
        group = lambda vendi: {"vendi": vendi, "clip": vendi / 10, "accuracy": None, "images": 8}
        of = lambda **groups: {prompt: {seed[1:]: group(vendi) for seed, vendi in groups.items()} for prompt in ("a", "b")}
        scores = {"plain": of(_1=2.0, _2=6.0), "rival": of(_1=3.0), "own": of(_1=2.5, _2=7.5, _3=100.0), "empty": {}}
        configs = [{"name": name, "label": name, "role": name} for name in scores]
        self.model = Model("m", scores, configs, ["a", "b", "c"])
        self.configs = {config["name"]: config for config in configs}

    def test_are_compared_over_the_common_ones(self):
        self.assertAlmostEqual(self.model.against_plain(self.configs["rival"], "vendi", ratio).value, 1.5)
        self.assertAlmostEqual(self.model.against_plain(self.configs["own"], "vendi", ratio).value, 1.25)
        # At the rival's one group: own (.25, 2.5), on a line from plain (.2, 2) to the rival (.3, 3).
        self.assertAlmostEqual(self.model.gain(self.configs["own"], "rival", "clip").value, 0.0)

    def test_stand_in_one_plot(self):
        self.assertAlmostEqual(self.model.mean(self.configs["plain"], "vendi"), 4.0)
        self.assertAlmostEqual(self.model.mean(self.configs["own"], "vendi"), 5.0)
        self.assertAlmostEqual(self.model.mean(self.configs["rival"], "vendi"), 5.0)  # 4 and the difference of 1

    def test_what_has_none_is_said_to_be_absent(self):
        self.assertEqual(self.model.absent, ["empty"])


class EqualScore(unittest.TestCase):
    def test_interpolation(self):
        x, y = np.array([0.4, 0.2, 0.3]), np.array([1.0, 3.0, 2.5])
        self.assertAlmostEqual(interpolate(0.35, x, y), 1.75)
        self.assertTrue(np.isnan(interpolate(0.19, x, y)))

    def test_known_gain(self):
        """A rival on the line y = 4 − 5x in every prompt, and a method that lies a fifth above it."""
        prompts = np.linspace(-0.02, 0.02, 10)
        line = lambda x: 4 - 5 * x
        rival = [(x + prompts, line(x + prompts)) for x in (0.2, 0.3, 0.4)]
        own = (0.33 + prompts, 1.2 * line(0.33 + prompts))
        estimate = gain_at_equal(own, rival, draws_of(10))
        for value in (estimate.value, estimate.low, estimate.high):
            self.assertAlmostEqual(value, 0.2)
        self.assertEqual(estimate.inside, 1.0)

    def test_outside_is_not_extrapolated(self):
        flat = np.ones(10)
        estimate = gain_at_equal((0.1 * flat, flat), [(0.2 * flat, flat), (0.3 * flat, flat)], draws_of(10))
        self.assertTrue(np.isnan(estimate.value))
        self.assertEqual(estimate.inside, 0.0)


class Plot(unittest.TestCase):
    def test_ticks_are_round_and_enclose(self):
        self.assertEqual(ticks(0.31, 0.39, 5), [0.3, 0.32, 0.34, 0.36, 0.38, 0.4])

    def test_is_well_formed(self):
        curve = Curve("a < b & c", "gass", [Point(0.3, 2, "<0>"), Point(0.3, 2, "1")], line=True)
        xml.dom.minidom.parseString(draw("t", "x", "y", [curve]))


if __name__ == "__main__":
    unittest.main()
