"""Opening a 10 GB weight file and starting the program, beside Python's safetensors. Both sides run in this one run.

The file is sparse: 1000 tensors of 10 MB, no disk space. Each side opens it and reads the first byte of one tensor.

usage: open_weights.py BIN_DIR   (make bench)
"""

import json
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import torch  # noqa: F401  (its import is not what is measured)
from safetensors import safe_open

COUNT, BYTES, REPEATS = 1000, 10_000_000, 51


def make_file(path: pathlib.Path) -> None:
    header = {
        f"block.{i}.weight": {"dtype": "F16", "shape": [5, 1_000_000], "data_offsets": [i * BYTES, (i + 1) * BYTES]}
        for i in range(COUNT)
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + COUNT * BYTES)


def resident_megabytes() -> float:
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def python_open(path: pathlib.Path, name: str) -> tuple[float, float]:
    times, before, after = [], resident_megabytes(), 0.0
    for _ in range(REPEATS):
        start = time.perf_counter()
        with safe_open(path, framework="pt") as file:
            file.get_slice(name)[0:1, 0:1]
        times.append((time.perf_counter() - start) * 1e3)
        after = max(after, resident_megabytes())
    return statistics.median(times), after - before


def process_time(command: list[str]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main() -> None:
    programs = pathlib.Path(sys.argv[1])
    name = f"block.{COUNT // 2}.weight"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "large.safetensors"
        make_file(path)
        output = subprocess.run([programs / "bench_open_weights", path, name, str(REPEATS)], capture_output=True, check=True)
        ours, our_memory, _ = map(float, output.stdout.split())
        _, their_memory = python_open(path, name)  # only the first use adds memory
        theirs, _ = python_open(path, name)
    inspect = process_time([programs / "gass", "models", "inspect", "mini-flow"])
    libtorch = process_time([programs / "bench_libtorch_start"])
    print(f"open a {COUNT * BYTES / 1e9:.0f} GB file and read one value (median of {REPEATS})")
    print(f"  gass                 {ours:8.3f} ms   {our_memory:6.1f} MB resident added")
    print(f"  Python safetensors   {theirs:8.3f} ms   {their_memory:6.1f} MB resident added")
    print(f"  ratio                {ours / theirs:8.2f}")
    print("whole process")
    print(f"  gass models inspect  {inspect:8.1f} ms   (LibTorch is not loaded)")
    print(f"  a program that loads LibTorch and does nothing  {libtorch:.1f} ms")


if __name__ == "__main__":
    main()
