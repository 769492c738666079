"""Writes what transformers' Dinov2Model computes.

usage: dinov2_fixtures.py OUT_DIR
"""

import json
import pathlib
import sys
import tempfile

import torch
from common_networks import DTYPES, randomize, write_case
from safetensors.torch import load_file
from transformers import Dinov2Config, Dinov2Model

SMALL = dict(hidden_size=36, num_hidden_layers=2, num_attention_heads=3, mlp_ratio=3, image_size=30, patch_size=6)


def saved(network: Dinov2Model) -> tuple[dict, dict]:
    """config.json and tensors as the library's own files have them."""
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder)
        config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        return config, load_file(pathlib.Path(folder) / "model.safetensors")


def run(network: Dinov2Model, leaves: dict) -> dict:
    result = network(leaves["pixels"])
    return {"last": result.last_hidden_state, "pooled": result.pooler_output}


def main(out: pathlib.Path) -> None:
    cases = {
        "own-size": (dict(), (30, 30)),
        "larger": (dict(), (54, 66)),
        "smaller": (dict(), (12, 23)),
        "same-count": (dict(image_size=24), (48, 12)),  # as many patches as the table has, in another shape
        "swiglu": (dict(use_swiglu_ffn=True, mlp_ratio=4), (31, 30)),
        "no-qkv-bias": (dict(qkv_bias=False, use_mask_token=False, hidden_act="relu", layer_norm_eps=1e-3), (30, 42)),
    }
    for dtype in DTYPES:
        for name, (change, size) in cases.items():
            network = randomize(Dinov2Model(Dinov2Config(**SMALL | change)), seed=1).to(DTYPES[dtype])
            pixels = torch.randn(2, 3, *size, generator=torch.Generator().manual_seed(2)).to(DTYPES[dtype])
            files = saved(network)
            reference = lambda leaves, network=network: run(network, leaves)  # noqa: E731
            write_case(out, f"{name}-{dtype}", "dinov2", *files, {"pixels": pixels}, reference, ["pixels"], dtype)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
