#!/usr/bin/env python3
"""What is gained when new images keep away from those that are there, as the judge sees it: `--extend` beside fresh images,
and sets of a prompt with `--memory` beside sets without. Both halves of a pair use the same seeds.

    growing_sets.py [--model mini-turbo] [--sets 6] [--repeats 4] [--device cpu]
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy as np

from encoders import Clip, Judge
from metrics import class_in, vendi
from pictures import read_group
from plan import prompts_of

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Sets:
    """Makes sets and looks at them together."""

    def __init__(self, options: argparse.Namespace, folder: pathlib.Path):
        self.options, self.folder, self.count = options, folder, 0
        self.judge = Judge(ROOT / "models" / "mini-judge", options.device)
        self.clip = Clip(ROOT / "models" / "mini-clip", options.device)

    def make(self, *words: object) -> pathlib.Path:
        self.count += 1
        out = self.folder / str(self.count)
        command = [self.options.gass, "generate", "-m", self.options.model, "--device", self.options.device, "--progress", "none",
                   "-o", out, *words]
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
        return out

    def scores(self, prompt: str, *folders: pathlib.Path) -> tuple[float, float, float]:
        files = sorted(str(path) for folder in folders for path in folder.rglob("0*.png"))
        images = read_group(files)
        (seen, classes), clip = self.judge.look(images), self.clip.look(images)
        accuracy = float((classes == class_in(prompt, self.judge.classes)).mean())
        return vendi(seen), float((clip @ self.clip.read(prompt)).mean()), accuracy


def said(name: str, pairs: list[tuple]) -> None:
    """Ratio of Vendi and differences of the rest, with 95 % bootstrap intervals over prompts."""
    rows = np.array([[new[0] / old[0], new[1] - old[1], new[2] - old[2]] for new, old in pairs])
    by_prompt = rows.reshape(len(prompts_of("report")), -1, 3).mean(1)
    drawn = by_prompt[np.random.default_rng(0).integers(0, len(by_prompt), (10000, len(by_prompt)))].mean(1)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    words = [f"{value:{sign}.4f} [{a:{sign}.4f}, {b:{sign}.4f}]"
             for value, a, b, sign in zip(by_prompt.mean(0), low, high, ("", "+", "+"))]
    print(f"{name}: Vendi x {words[0]}, CLIPScore {words[1]}, accuracy {words[2]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gass", type=pathlib.Path, default=ROOT / "build" / "bin" / "gass")
    parser.add_argument("--model", default="mini-turbo")
    parser.add_argument("--sets", type=int, default=6, help="of 8 images, with memory and without (default: 6)")
    parser.add_argument("--repeats", type=int, default=4, help="sets of each prompt that are extended (default: 4)")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sets = Sets(options, pathlib.Path(folder))
        extended, remembered = [], []
        for prompt in prompts_of("report"):
            for repeat in range(options.repeats):
                first = sets.make("-p", prompt, "-n", 8, "-s", 1000 * (repeat + 1))
                pair = [sets.make(*words, "-n", 4, "-s", 1000 * (repeat + 1) + 500) for words in (("--extend", first), ("-p", prompt))]
                extended.append(tuple(sets.scores(prompt, first, more) for more in pair))
            pair = [sets.make("-p", prompt, "-n", 8, "-s", 9000, "--sets", options.sets, *words) for words in (("--memory",), ())]
            remembered.append(tuple(sets.scores(prompt, made) for made in pair))
        said("8 images and 4 by --extend, beside 4 fresh ones", extended)
        said(f"{options.sets} sets of 8 with --memory, beside as many without", remembered)


if __name__ == "__main__":
    main()
