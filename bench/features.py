"""Images per second of `gass features` beside the usual Python pipelines with the same network.

usage: features.py BIN_DIR [--images 256] [--size 512] [--rounds 2] [--only TEXT] [--python-only]

A folder of PNGs and random networks are made first: a CLIP of ViT-B/32's size (transformers) and pytorch-fid's Inception;
the embedded mini-clip is the third.
Python's time is that of its loop over the files, with imports and loading left out; ours is that of the whole program, and,
beside it, the rate that it reports for the extraction. Both run in turn with all cores; the best of the rounds counts.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tools"), str(ROOT / "tools" / "reference")]


def make_pictures(folder: pathlib.Path, count: int, size: int) -> None:
    """Soft shapes with some noise, which PNG packs about as well as photographs."""
    import numpy as np
    from PIL import Image

    folder.mkdir()
    random = np.random.default_rng(0)
    down, across = np.mgrid[0:size, 0:size] / size
    for i in range(count):
        waves = random.uniform(1, 25, (3, 3))
        levels = [127 + 90 * np.sin(a * down + b * across + c) for a, b, c in waves]
        noisy = np.stack(levels, -1) + random.normal(0, 4, (size, size, 3))
        Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(folder / f"{i:04}.png")


def make_clip(folder: pathlib.Path) -> None:
    import shutil

    import torch
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel

    torch.manual_seed(0)
    CLIPModel(CLIPConfig()).save_pretrained(folder)  # its defaults are ViT-B/32
    CLIPImageProcessorPil().save_pretrained(folder)
    for name in ("merges.txt", "special_tokens_map.json", "tokenizer_config.json", "vocab.json"):
        shutil.copy(ROOT / "models" / "mini-clip" / name, folder / name)


def fid_network(state: dict | None = None):
    import common_metrics  # noqa: F401  before the packages
    import pytorch_fid.inception as package
    import torch

    torch.manual_seed(0)
    if state is None:
        state = package._inception_v3(num_classes=1008, aux_logits=False, weights=None).state_dict()
    package.load_state_dict_from_url = lambda *_, **__: state
    return package.InceptionV3([3]).eval(), state


def make_inception(folder: pathlib.Path) -> None:
    from convert_weights import convert_inception, write_folder

    _, state = fid_network()
    write_folder(folder, *convert_inception(state, "fid"))


def clip_loop(files: list[str], folder: pathlib.Path, _: int) -> float:
    import torch
    from PIL import Image
    from transformers import CLIPImageProcessor, CLIPModel

    model, processor = CLIPModel.from_pretrained(folder).eval(), CLIPImageProcessor.from_pretrained(folder)
    start = time.perf_counter()
    rows = []
    with torch.no_grad():
        for first in range(0, len(files), 32):
            images = [Image.open(file).convert("RGB") for file in files[first : first + 32]]
            rows.append(model.get_image_features(**processor(images=images, return_tensors="pt")).pooler_output)
    assert len(torch.cat(rows)) == len(files)
    return time.perf_counter() - start


def inception_loop(files: list[str], folder: pathlib.Path, workers: int) -> float:
    from safetensors.torch import load_file

    network, _ = fid_network(load_file(folder / "model.safetensors"))
    from pytorch_fid.fid_score import get_activations

    start = time.perf_counter()
    rows = get_activations(files, network, batch_size=50, num_workers=workers)
    assert len(rows) == len(files)
    return time.perf_counter() - start


def copy_mini_clip(folder: pathlib.Path) -> None:
    import shutil

    shutil.copytree(ROOT / "models" / "mini-clip", folder)


LOOPS = {"clip": clip_loop, "inception": inception_loop, "mini-clip": clip_loop}
MAKERS = {"clip": make_clip, "inception": make_inception, "mini-clip": copy_mini_clip}
CASES = [  # network, processes that read files, what it is
    ("mini-clip", 0, "mini-clip (`transformers`, batches of 32)"),
    ("clip", 0, "CLIP ViT-B/32 (`transformers`, batches of 32)"),
    ("inception", 0, "FID Inception (`pytorch-fid`, num_workers 0)"),
    ("inception", 2, "FID Inception (`pytorch-fid`, num_workers 2)"),
]


def worker(kind: str, workers: int, pictures: pathlib.Path, model: pathlib.Path) -> None:
    files = [str(file) for file in sorted(pictures.iterdir())]
    seconds = LOOPS[kind](files, model, workers)
    print(json.dumps({"seconds": seconds}))


def python_seconds(kind: str, workers: int, pictures: pathlib.Path, model: pathlib.Path) -> float:
    command = [sys.executable, "-W", "ignore", __file__, "--worker", kind, str(workers), str(pictures), str(model)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    return json.loads(result.stdout.strip().splitlines()[-1])["seconds"]


def our_seconds(programs: pathlib.Path, pictures: pathlib.Path, model: pathlib.Path, out: pathlib.Path) -> tuple[float, float | None]:
    """Of the whole program, and the images per second that it reports itself."""
    command = [str(programs / "gass"), "features", str(pictures), "--encoder", str(model), "--no-cache", "--progress", "plain", "-o", str(out)]
    start = time.perf_counter()
    result = subprocess.run(command, capture_output=True, text=True, env={k: v for k, v in os.environ.items() if not k.startswith("GASS_")})
    seconds = time.perf_counter() - start
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    rates = re.findall(r"([0-9.]+) (?:images|pictures)/s", result.stderr + result.stdout)
    return seconds, float(rates[-1]) if rates else None


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4]), pathlib.Path(sys.argv[5]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--python-only", action="store_true")
    arguments = parser.parse_args()
    print(f"{arguments.images} PNGs of {arguments.size}×{arguments.size}\n")
    print("| network | Python, images/s | ours, whole program | ours, extraction alone | faster |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        make_pictures(folder / "pictures", arguments.images, arguments.size)
        for kind, workers, title in (case for case in CASES if arguments.only in case[2]):
            model = folder / kind
            if not model.exists():
                MAKERS[kind](model)
            theirs, ours = [], []
            for _ in range(arguments.rounds):
                theirs.append(python_seconds(kind, workers, folder / "pictures", model))
                if not arguments.python_only:
                    ours.append(our_seconds(arguments.programs, folder / "pictures", model, folder / "out.npy"))
            rate = arguments.images / min(theirs)
            cells = [title, f"{rate:.1f}", "", "", ""]
            if ours:
                whole = arguments.images / min(seconds for seconds, _ in ours)
                own = max((reported for _, reported in ours if reported is not None), default=None)
                cells[2:] = [f"{whole:.1f}", "" if own is None else f"{own:.1f}", f"{whole / rate:.2f}×"]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
