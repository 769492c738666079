"""What diffusers' SD3Transformer2DModel computes, for tests/models/mmdit_test.cpp.

usage: mmdit_fixtures.py OUT_DIR
"""

import pathlib
import sys

import torch
from diffusers import SD3Transformer2DModel

from common_networks import DTYPES, randomize, write_case

MODELS = pathlib.Path(__file__).resolve().parent.parent.parent / "models"
SMALL = {
    "sample_size": 16,
    "patch_size": 2,
    "in_channels": 4,
    "out_channels": 4,
    "num_layers": 3,
    "attention_head_dim": 16,
    "num_attention_heads": 2,
    "joint_attention_dim": 24,
    "caption_projection_dim": 32,
    "pooled_projection_dim": 20,
    "pos_embed_max_size": 12,
    "dual_attention_layers": (),
    "qk_norm": None,
}
NORMED = {"qk_norm": "rms_norm"}


def write(
    out: pathlib.Path,
    name: str,
    network: torch.nn.Module,
    size: tuple[int, int],
    tokens: int,
    dtype: str = "float32",
    batch: int = 2,
    table: bool = True,
    stored: torch.dtype | None = None,
) -> None:
    """A case at latents of `size` with `tokens` of text.

    `table`: whether the file holds the position table. `stored`: the type of the tensors in the file, if not `dtype`.
    """
    state = {key: value.to(stored) for key, value in network.state_dict().items()} if stored else None
    network = network.to(DTYPES[dtype])
    config = {key: value for key, value in network.config.items() if not key.startswith("_")}
    generator = torch.Generator().manual_seed(7)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator).to(DTYPES[dtype])

    inputs = {
        "latents": random(batch, config["in_channels"], *size),
        "timestep": torch.rand(batch, generator=generator) * 1000,
        "context": random(batch, tokens, config["joint_attention_dim"]),
        "pooled": random(batch, config["pooled_projection_dim"]),
    }

    def run(x: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"sample": network(x["latents"], x["context"], x["pooled"], x["timestep"], return_dict=False)[0]}

    state = state or network.state_dict()
    if not table:
        del state["pos_embed.pos_embed"]
    write_case(out, name, "mmdit", config, state, inputs, run, ["latents", "context", "pooled"], dtype)


def small(seed: int, table: bool = True, scale: float = 1.0, **changes: object) -> torch.nn.Module:
    """Random weights for everything; the position table too, unless it is to be the computed one."""
    network = SD3Transformer2DModel(**(SMALL | changes))
    computed = network.pos_embed.pos_embed.clone()
    randomize(network, seed, scale)
    if not table:
        network.pos_embed.pos_embed.copy_(computed)
    return network


def main() -> None:
    torch.set_num_threads(1)  # the networks are too small to share
    out = pathlib.Path(sys.argv[1])
    write(out, "sd3", small(1), (16, 16), 5)
    write(out, "qk_norm", small(2, **NORMED), (16, 16), 5, batch=3)
    write(out, "dual_some", small(3, dual_attention_layers=(0, 1), **NORMED), (16, 16), 5)
    write(out, "dual_all", small(4, dual_attention_layers=(0, 1, 2), **NORMED), (12, 20), 9)
    write(out, "dual_without_norm", small(5, dual_attention_layers=(1,)), (10, 14), 1)
    write(out, "one_layer", small(6, num_layers=1, **NORMED), (16, 16), 5)
    write(out, "one_dual_layer", small(7, num_layers=1, dual_attention_layers=(0,)), (6, 10), 3)
    write(out, "patch_1", small(8, patch_size=1), (7, 5), 4)
    write(out, "patch_3", small(9, patch_size=3, sample_size=18, **NORMED), (9, 21), 4)
    write(out, "largest", small(10, **NORMED), (24, 24), 2)
    write(out, "smallest", small(11, **NORMED), (2, 2), 2, batch=1)
    wide_heads = {"attention_head_dim": 40, "num_attention_heads": 3, "caption_projection_dim": 120}
    write(out, "wide_heads", small(12, out_channels=6, **wide_heads, **NORMED), (14, 10), 11)
    for name, changes in {"computed": {}, "computed_odd": {"pos_embed_max_size": 11, "sample_size": 10}}.items():
        network = small(13, table=False, **changes, **NORMED)
        write(out, f"{name}_positions", network, (10, 16), 5, table=False)
    # Without norms of queries and keys larger weights make attention so sharp that bf16 itself is far from fp32.
    write(out, "sd3_bf16", small(14, scale=0.5), (16, 12), 7, "bfloat16")
    write(out, "sd35_bf16", small(15, dual_attention_layers=(0, 1), **NORMED), (12, 16), 7, "bfloat16")
    write(out, "computed_positions_bf16", small(16, table=False, scale=0.5), (10, 16), 5, "bfloat16", table=False)

    for name, model, size, tokens, dtype in (
        ("mini_flow", "mini-flow", (16, 16), 24, "float32"),
        ("mini_flow_wide", "mini-flow", (10, 32), 48, "float32"),
        ("mini_flow_bf16", "mini-flow", (16, 16), 24, "bfloat16"),
        ("mini_turbo", "mini-turbo", (16, 16), 24, "float32"),
        ("mini_turbo_bf16", "mini-turbo", (16, 16), 24, "bfloat16"),
    ):
        network = SD3Transformer2DModel.from_pretrained(MODELS / model / "transformer", torch_dtype=torch.float32).eval()
        write(out, name, network, size, tokens, dtype, stored=torch.float16)


if __name__ == "__main__":
    main()
