#!/usr/bin/env python3
"""How evaluations scale over ranks, and what their store costs.

    bench/eval.py build/bin/gass [--groups 24]

Runs the same groups under `mpirun -n 1` and `mpirun -n 2`, one thread for each rank, and says how many times as fast two are. Loading is
part of both. The share of the store is what rank 0 spends on claiming and keeping groups.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import time

SUITE = {
    "title": "Scaling", "settings": {"images": 4, "steps": 12, "device": "cpu", "threads": 1},
    "models": {"flow": {"name": "mini-flow", "settings": {"model": "mini-flow"}}},
    "methods": {"none": {"name": "none", "method": "none"}}, "baseline": "none",
    "metrics": {"vendi": {"name": "VS", "metric": "vendi", "encoder": "mini-clip"}},
}


def run(gass: pathlib.Path, folder: pathlib.Path, suite: pathlib.Path, ranks: int) -> tuple[float, float, float]:
    """Seconds of the whole command; of making groups; of those, in the store."""
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), gass, "eval", suite,
               "-o", folder / str(ranks), "--log-level", "info"]
    start = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    making, store = re.search(r"groups in ([\d.]+) s, ([\d.]+) s of them in the store", result.stderr).groups()
    return seconds, float(making), float(store)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("gass", type=pathlib.Path)
    parser.add_argument("--groups", type=int, default=24)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        suite = folder / "scaling.json"
        suite.write_text(json.dumps(SUITE | {"prompts": {"list": [f"a photo of a car {i}" for i in range(options.groups)]}}))
        one, two = (run(options.gass.resolve(), folder, suite, ranks) for ranks in (1, 2))
    print(f"{options.groups} groups, making them: 1 rank {one[1]:.1f} s, 2 ranks {two[1]:.1f} s: {one[1] / two[1]:.2f} times as fast")
    print(f"whole command: {one[0]:.1f} s and {two[0]:.1f} s: {one[0] / two[0]:.2f} times")
    for ranks, times in ((1, one), (2, two)):
        print(f"store, {ranks} rank{'s' if ranks > 1 else ''}: {times[2]:.3f} s, {times[2] / times[1]:.2%} of the run")


if __name__ == "__main__":
    main()
