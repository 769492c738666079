"""Metrics from given features beside the packages that define them: time, peak memory, and whether they agree.

usage: metrics.py BIN_DIR [--only TEXT OF TITLE] [--rounds 2] [--threads 2] [--python-only]

Both sides read the same random features and run in turn in this one run, each case in a process of its own that has
read its input before the clock starts and then computes it three times; the best one counts. Prints a Markdown table.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

REPEATS = 3  # as gass_bench_metrics does
TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools" / "reference"


@dataclass(frozen=True)
class Case:
    name: str  # on the command line of gass_bench_metrics and in the table
    package: str
    title: str
    sets: tuple[tuple[int, int], ...]  # images and features: the real ones first


CASES = [
    Case("vendi", "score_dual", "Vendi, 5,000 × 768 (`vendi_score.score_dual`)", ((5000, 768),)),
    Case("vendi", "score_X", "Vendi, 5,000 × 768 (`vendi_score.score_X`)", ((5000, 768),)),
    Case("prdc", "prdc", "PRDC, 10,000 × 10,000 × 1,000, k = 5 (`prdc`)", ((10000, 1000), (10000, 1000))),
    Case("statistics", "statistics", "FID statistics, 10,000 × 2,048 (`np.mean`, `np.cov`)", ((10000, 2048),)),
    Case("fid", "fid", "FID, 10,000 and 10,000 × 2,048 (`pytorch-fid`)", ((10000, 2048), (10000, 2048))),
    Case("kid", "kid", "KID, 100 subsets of 1,000 × 2,048 (`torch-fidelity`)", ((10000, 2048), (10000, 2048))),
]


def write_features(case: Case, folder: pathlib.Path) -> list[str]:
    """Files for both sides, nothing but fp32 numbers."""
    import numpy as np

    paths = []
    for i, shape in enumerate(case.sets):
        path = folder / f"{i}-{shape[0]}x{shape[1]}"
        if not path.exists():
            rows = np.random.default_rng(i).standard_normal(shape, dtype=np.float32)
            (rows + np.float32(0.05 * i)).tofile(path)
        paths.append(str(path))
    return paths


def peak_megabytes() -> float:
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM:"))


def functions() -> dict:
    """The packages' own, on arrays as they come from disk."""
    sys.path.insert(0, str(TOOLS))
    import common_metrics  # noqa: F401  before the packages
    import numpy as np
    import torch
    from prdc import compute_prdc
    from pytorch_fid.fid_score import calculate_frechet_distance
    from torch_fidelity.metric_kid import kid_features_to_metric
    from vendi_score import vendi

    statistics = lambda rows: (np.mean(rows, axis=0), np.cov(rows, rowvar=False))
    return {
        "score_dual": lambda rows: vendi.score_dual(rows),
        "score_X": lambda rows: vendi.score_X(rows),
        "prdc": lambda real, generated: list(map(float, compute_prdc(real, generated, 5).values())),
        "statistics": lambda rows: np.trace(statistics(rows)[1]),
        "fid": lambda real, generated: calculate_frechet_distance(*statistics(generated), *statistics(real)),
        "kid": lambda real, generated: kid_features_to_metric(
            torch.from_numpy(generated), torch.from_numpy(real), kid_subsets=100, kid_subset_size=1000, kid_kernel="poly",
            kid_kernel_poly_degree=3, kid_kernel_poly_gamma=None, kid_kernel_poly_coef0=1, rng_seed=2020,
            verbose=False)["kernel_inception_distance_mean"],
    }  # fmt: skip


def worker(case: Case, files: list[str]) -> None:
    """The Python side: reads, runs as often as ours does, says how it went."""
    import contextlib

    import numpy as np

    run = functions()[case.package]
    rows = [np.fromfile(file, np.float32).reshape(shape) for file, shape in zip(files, case.sets, strict=True)]
    if case.package in ("statistics", "fid"):  # pytorch-fid keeps its activations in fp64
        rows = [each.astype(np.float64) for each in rows]
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    times = []
    with contextlib.redirect_stdout(sys.stderr):
        for _ in range(REPEATS):
            start = time.perf_counter()
            value = run(*rows)
            times.append(time.perf_counter() - start)
    print(json.dumps({"seconds": min(times), "peak_megabytes": peak_megabytes(), "value": np.asarray(value, float).tolist()}))


def measured(command: list[str], threads: int) -> dict:
    limits = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ | limits)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {result.stderr.strip()}")
    return json.loads(result.stdout.strip().splitlines()[-1])


def ours_of(case: Case, program: pathlib.Path, files: list[str], threads: int) -> dict:
    words = [word for file, shape in zip(files, case.sets, strict=True) for word in (case.name, *map(str, shape), file)]
    return measured([str(program), *words], threads)[case.name]


def apart(ours: float | list[float], theirs: float | list[float]) -> float:
    pairs = zip(*(value if isinstance(value, list) else [value] for value in (ours, theirs)), strict=True)
    return max(abs(a - b) / max(abs(b), 1e-12) for a, b in pairs)


def best(rounds: list[dict]) -> dict:
    return min(rounds, key=lambda one: one["seconds"])


def table(rows: list[tuple[Case, dict, dict | None]]) -> str:
    lines = ["| metric | package | ours | faster | package's memory | ours | less | apart |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for case, theirs, ours in rows:
        cells = [case.title, f"{theirs['seconds']:.2f} s"]
        if ours is None:
            cells += ["", "", f"{theirs['peak_megabytes']:.0f} MB", "", "", ""]
        else:
            cells += [f"{ours['seconds']:.2f} s", f"{theirs['seconds'] / ours['seconds']:.1f}×", f"{theirs['peak_megabytes']:.0f} MB",
                      f"{ours['peak_megabytes']:.0f} MB", f"{theirs['peak_megabytes'] / ours['peak_megabytes']:.1f}×", f"{apart(ours['value'], theirs['value']):.0e}"]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        worker(next(case for case in CASES if case.package == sys.argv[2]), sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--python-only", action="store_true")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for case in (case for case in CASES if arguments.only in case.title):
            files = write_features(case, pathlib.Path(temporary))
            theirs, ours = [], []
            for _ in range(arguments.rounds):
                theirs.append(measured([sys.executable, "-W", "ignore", __file__, "--worker", case.package, *files], arguments.threads))
                if not arguments.python_only:
                    ours.append(ours_of(case, arguments.programs / "gass_bench_metrics", files, arguments.threads))
            rows.append((case, best(theirs), best(ours) if ours else None))
            print(f"{case.title}: {theirs} {ours}", file=sys.stderr, flush=True)
    print(table(rows))


if __name__ == "__main__":
    main()
