"""`gass generate` against diffusers: the same prompt, seed and settings give the same pixels.

usage: generate_parity_test.py GASS FIXTURES [unittest arguments]

FIXTURES is what tools/reference/pipeline_fixtures.py wrote. With -v each case says how far apart the two are.
PARITY_DEVICE=cuda compares another device's images with the same reference, PARITY_CASES=sd3,ddim takes the cases whose
names hold one of these.
"""

import json
import os
import pathlib
import sys
import unittest

import numpy as np
from PIL import Image
from support import GassTest, run

FIXTURES = pathlib.Path(sys.argv.pop(1)).resolve()
VERBOSE = "-v" in sys.argv
CASES = {case["name"]: case for case in json.loads((FIXTURES / "cases.json").read_text(encoding="utf-8"))}
DEVICE = os.environ.get("PARITY_DEVICE", "cpu")
CHOSEN = os.environ.get("PARITY_CASES", "").split(",")

# Both round the same numbers, computed in another order: now and then to the other of two neighbouring levels.
ROUNDING, ROUNDING_SHARE, LARGEST = 1, 0.999, 3


class Parity(GassTest):
    def pixels(self, case, *more):
        """[N, H, W, 3] of what gass makes of a case."""
        model = FIXTURES / "models" / case["model"]
        model = model if model.exists() else case["model"]
        out = self.folder / f"out{len(list(self.folder.iterdir()))}"
        common = ["--method", "none", "--device", DEVICE, "--dtype", "fp32", "-o", out, "-m", model]
        self.assert_ok(run("generate", *case["arguments"], *common, *more))
        return np.stack([np.asarray(Image.open(out / f"{i:04}.png")) for i in range(case["images"])])

    def compare(self, name, ours, reference, largest=LARGEST):
        self.assertEqual(ours.shape, reference.shape, name)
        difference = np.abs(ours.astype(int) - reference)
        share = (difference <= ROUNDING).mean()
        equal = (difference == 0).mean()
        found = f"{name}: worst difference {difference.max()}, equal {equal:.2%}, within {ROUNDING} level {share:.3%}"
        if VERBOSE:
            print(found, flush=True)
        self.assertTrue(share >= ROUNDING_SHARE and difference.max() <= largest, found)

    def test_images_equal_diffusers(self):
        for name, case in CASES.items():
            if not any(part in name for part in CHOSEN):
                continue
            with self.subTest(name):
                self.compare(name, self.pixels(case), np.load(FIXTURES / f"{name}.npy"))

    def test_images_do_not_depend_on_the_batch(self):
        for name in ("sd1-odd-latents", "sd3-wide", "mini-flow-plain"):
            whole = self.pixels(CASES[name])
            for size in ("1", "2"):
                with self.subTest(name, max_batch=size):
                    self.compare(f"{name} --max-batch {size}", self.pixels(CASES[name], "--max-batch", size), whole, ROUNDING)


if __name__ == "__main__":
    unittest.main()
