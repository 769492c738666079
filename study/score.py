"""Judges the images that `generate` made: {model: {config: {prompt: {seed: {metric: value}}}}}."""

import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import time

import numpy as np

from pictures import read_group


def find_groups(out: pathlib.Path) -> dict[tuple[str, str], list[dict]]:
    """The group of each prompt and seed, by (model, config). Runs that are not complete are named and left out."""
    found = {}
    for record in sorted(out.glob("*/*/*.json")):
        run = json.loads(record.read_text())
        if not run["complete"]:
            print(f"left out, not complete: {record}")
            continue
        for path in sorted(record.with_suffix("").rglob("group.json")):
            group = json.loads(path.read_text())
            found.setdefault((run["model"], run["config"]), []).append({
                "prompt": group["prompt"], "seed": run["seed"],
                "files": [str(path.parent / image["file"]) for image in group["images"]]})
    return found


class Scorer:
    def __init__(self, models: pathlib.Path, device: str):
        from encoders import Clip, Judge

        self.judge, self.clip = Judge(models / "mini-judge", device), Clip(models / "mini-clip", device)
        self.texts: dict[str, np.ndarray] = {}
        self.references: dict[int, object] = {}

    def text(self, prompt: str) -> np.ndarray:
        if prompt not in self.texts:
            self.texts[prompt] = self.clip.read(prompt)
        return self.texts[prompt]

    def references_of(self, named: int):
        """None for a class of which too few real pictures are known."""
        from metrics import FEWEST_REFERENCES, References

        if named not in self.references:
            rows = self.judge.reference[self.judge.reference_class == named]
            self.references[named] = References(rows) if len(rows) >= FEWEST_REFERENCES else None
        return self.references[named]

    def score_group(self, group: dict, seen: np.ndarray, classes: np.ndarray, clip: np.ndarray) -> dict:
        from metrics import class_in, vendi

        values = {"images": len(seen), "vendi": vendi(seen), "vendi_clip": vendi(clip),
                  "clip": float((clip @ self.text(group["prompt"])).mean()),
                  "accuracy": None, "density": None, "coverage": None}
        named = class_in(group["prompt"], self.judge.classes)
        if named is not None:
            values["accuracy"] = float((classes == named).mean())
            if (references := self.references_of(named)) is not None:
                values["density"], values["coverage"] = references.density_and_coverage(seen)
        return values

    def score_config(self, groups: list[dict], images: list[np.ndarray]) -> dict:
        """All groups of a configuration in a few network calls."""
        together = np.concatenate(images)
        (seen, classes), clip = self.judge.look(together), self.clip.look(together)
        scores, start = {}, 0
        for group, own in zip(groups, images):
            part = slice(start, start := start + len(own))
            values = self.score_group(group, seen[part], classes[part], clip[part])
            scores.setdefault(group["prompt"], {})[str(group["seed"])] = values
        return scores


def write_scores(path: pathlib.Path, scores: dict) -> None:
    """Five digits, sorted, a line for each prompt: what a change did can be read from the diff."""
    rounded = lambda value: float(f"{value:.5g}") if isinstance(value, float) else value

    def nested(values: dict, depth: int) -> str:
        if depth == 0:
            return json.dumps({seed: {key: rounded(value) for key, value in sorted(metrics.items())}
                               for seed, metrics in sorted(values.items(), key=lambda item: int(item[0]))})
        pad = " " * (4 - depth)
        rows = [f"{pad}{json.dumps(key)}: {nested(value, depth - 1)}" for key, value in sorted(values.items())]
        return "{\n" + ",\n".join(rows) + f"\n{pad[1:]}}}"

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nested(scores, 3) + "\n")


def score(options: argparse.Namespace) -> None:
    found = find_groups(options.out)
    if not found:
        raise SystemExit(f"{options.out} holds no complete run")
    scores = json.loads(options.scores.read_text()) if options.add and options.scores.exists() else {}
    scorer = Scorer(options.models_dir, options.device)
    workers = min(16, len(os.sched_getaffinity(0)))
    # Processes are started afresh: a fork of one that uses CUDA cannot.
    with concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        everything = [group["files"] for groups in found.values() for group in groups]
        pictures = pool.map(read_group, everything, chunksize=8)
        for (model, config), groups in found.items():
            start = time.monotonic()
            images = [next(pictures) for _ in groups]
            scores.setdefault(model, {})[config] = scorer.score_config(groups, images)
            print(f"{model} {config}: {len(groups)} groups, {time.monotonic() - start:.1f} s", flush=True)
    write_scores(options.scores, scores)
