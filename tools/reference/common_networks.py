"""Writes parity cases of networks: a folder a case with what the reference computes, outputs and input gradients.

A case folder holds config.json and model.safetensors, as the network's own library saves them, and
  case.json        {"network": kind, "dtype": "float32", "options": {…}}
  io.safetensors   in.NAME   inputs
                   out.NAME  outputs
                   cot.NAME  a random cotangent for each output
                   grad.NAME the gradient of Σ ⟨out, cot⟩ with respect to each input that is differentiated
tests/support/parity_case.h reads it.
"""

import json
import pathlib
from collections.abc import Callable

import torch
from safetensors.torch import save_file

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def randomize(network: torch.nn.Module, seed: int, scale: float = 1.0) -> torch.nn.Module:
    """Random weights for every tensor, biases and norms too, so that no branch multiplies by 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for tensor in network.state_dict().values():
            if not tensor.is_floating_point():
                continue
            noise = torch.randn(tensor.shape, generator=generator)
            fan_in = max(tensor[0].numel(), 1) if tensor.dim() > 1 else 1
            tensor.copy_(noise * scale / fan_in**0.5 if tensor.dim() > 1 else 1.0 * (tensor != 0) + 0.2 * noise)
    return network.eval()


def write_case(
    out: pathlib.Path,
    name: str,
    kind: str,
    config: dict,
    state: dict[str, torch.Tensor],
    inputs: dict[str, torch.Tensor],
    run: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]],
    differentiate: list[str],
    dtype: str = "float32",
    options: dict | None = None,
    seed: int = 0,
) -> None:
    """Runs the reference on `inputs` and writes the case. `run` must use the network in `dtype` already."""
    folder = out / name
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    save_file({key: value.contiguous() for key, value in state.items()}, folder / "model.safetensors")

    leaves = dict(inputs)
    for key in differentiate:
        leaves[key] = inputs[key].detach().clone().requires_grad_(True)
    outputs = run(leaves)
    generator = torch.Generator().manual_seed(seed + 1)
    cotangents = {key: torch.randn(value.shape, generator=generator).to(value.dtype) for key, value in outputs.items()}
    record = {f"in.{key}": value.detach() for key, value in inputs.items()}
    record |= {f"out.{key}": value.detach() for key, value in outputs.items()}
    record |= {f"cot.{key}": value for key, value in cotangents.items()}
    if differentiate:
        total = sum((value.float() * cotangents[key].float()).sum() for key, value in outputs.items())
        gradients = torch.autograd.grad(total, [leaves[key] for key in differentiate])
        record |= {f"grad.{key}": value for key, value in zip(differentiate, gradients)}
    save_file({key: value.contiguous().clone() for key, value in record.items()}, folder / "io.safetensors")
    case = {"network": kind, "dtype": dtype, "options": options or {}}
    (folder / "case.json").write_text(json.dumps(case, indent=1))
