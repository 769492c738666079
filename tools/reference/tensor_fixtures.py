"""Writes what PyTorch and the safetensors package say: noise of known seeds, every element type, a sharded network.

usage: tensor_fixtures.py OUT_DIR
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import CLIPTextConfig, CLIPTextModel

SEEDS = [0, 1, 42, 1234567890, 2**32 - 1, 2**32 + 7, 2**63 + 11]
SHAPES = [(1,), (15,), (16,), (17,), (1, 4, 8, 8), (1, 16, 64, 64), (3, 5, 7)]


def write_noise(out: pathlib.Path) -> None:
    """Shapes under 16 elements take another path in PyTorch's normal kernel; both are here."""
    noise = {}
    for seed in SEEDS:
        for shape in SHAPES:
            generator = torch.Generator().manual_seed(seed)
            noise[f"{seed}/{'x'.join(map(str, shape))}"] = torch.randn(shape, generator=generator)
    save_file(noise, out / "noise.safetensors")


def write_every_type(out: pathlib.Path) -> None:
    values = torch.tensor([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
    whole = torch.tensor([0, 1, 2, 3, 100, 127])
    tensors = {
        "F64": values.double(),
        "F32": values,
        "F16": values.half(),
        "BF16": values.bfloat16(),
        "F8_E4M3": values.to(torch.float8_e4m3fn),
        "F8_E5M2": values.to(torch.float8_e5m2),
        "C64": torch.complex(values, -values),
        "BOOL": values > 0,
        "scalar": torch.tensor(7.0),
        "empty": torch.zeros(0, 3),
    }
    for bits in (8, 16, 32, 64):
        tensors[f"I{bits}"] = whole.to(getattr(torch, f"int{bits}"))
        tensors[f"U{bits}"] = whole.to(getattr(torch, f"uint{bits}"))
    save_file(tensors, out / "types.safetensors", metadata={"format": "pt", "note": "é"})


def write_sharded(out: pathlib.Path) -> None:
    torch.manual_seed(0)
    config = CLIPTextConfig(vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=4, num_attention_heads=2)
    model = CLIPTextModel(config).eval()
    model.save_pretrained(out / "sharded", max_shard_size="20KB")
    model.half().save_pretrained(out / "sharded", max_shard_size="20KB", variant="fp16")
    model.save_pretrained(out / "single")
    names = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
    (out / "sharded_tensors.json").write_text(json.dumps(names))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_noise(folder)
    write_every_type(folder)
    write_sharded(folder)
