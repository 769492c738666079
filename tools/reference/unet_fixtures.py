"""Writes parity cases of diffusers' UNet2DConditionModel as Stable Diffusion 1 and 2 use it.

usage: unet_fixtures.py OUT_DIR
"""

import pathlib
import sys

import torch
from common_networks import DTYPES, randomize, write_case
from diffusers import UNet2DConditionModel
from diffusers.utils import logging

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
WITH, WITHOUT = ("CrossAttnDownBlock2D", "CrossAttnUpBlock2D"), ("DownBlock2D", "UpBlock2D")


def write(
    out: pathlib.Path,
    name: str,
    network: UNet2DConditionModel,
    shape: tuple[int, int, int],
    tokens: int = 5,
    dtype: str = "float32",
    timestep: torch.Tensor | None = None,
    config_without: tuple[str, ...] = (),
    differentiate: tuple[str, ...] = ("sample", "context"),
) -> None:
    batch, height, width = shape
    generator = torch.Generator().manual_seed(len(name))
    state = {key: value.clone() for key, value in network.state_dict().items()}
    network = network.to(DTYPES[dtype])
    context_width = network.config.cross_attention_dim
    inputs = {
        "sample": torch.randn(batch, network.config.in_channels, height, width, generator=generator).to(DTYPES[dtype]),
        "context": torch.randn(batch, tokens, context_width, generator=generator).to(DTYPES[dtype]),
        "timestep": torch.linspace(3, 981, batch).round().long() if timestep is None else timestep,
    }

    def run(inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"out": network(inputs["sample"], inputs["timestep"], inputs["context"]).sample}

    config = {key: value for key, value in network.config.items() if key not in config_without}
    write_case(out, name, "unet2d", config, state, inputs, run, list(differentiate), dtype)


def tiny(attention: tuple[bool, ...] = (True, False), **changes) -> UNet2DConditionModel:
    options = dict(block_out_channels=(16, 24), layers_per_block=1, norm_num_groups=4, cross_attention_dim=12, attention_head_dim=2)
    options |= changes
    down = tuple(WITH[0] if on else WITHOUT[0] for on in attention)
    up = tuple(WITH[1] if on else WITHOUT[1] for on in reversed(attention))
    options = dict(down_block_types=down, up_block_types=up) | options
    return randomize(UNet2DConditionModel(**options), seed=len(attention))


def main() -> None:
    torch.set_num_threads(1)
    logging.set_verbosity_error()
    out = pathlib.Path(sys.argv[1])
    sd2 = dict(use_linear_projection=True, upcast_attention=True, attention_head_dim=[2, 3, 4, 4])
    deep = dict(block_out_channels=(8, 12, 16, 16), layers_per_block=2)
    write(out, "convolution-projection", tiny(), (2, 8, 6))
    write(out, "convolution-projection-bf16", tiny(), (2, 8, 6), dtype="bfloat16")
    write(out, "sd2", tiny((True, True, True, False), **deep, **sd2), (2, 16, 8), tokens=7)
    # Without gradients: of this network diffusers' own in bf16 are 10 % from those in fp32.
    deep_sd2 = tiny((True, True, True, False), **deep, **sd2)
    write(out, "sd2-bf16", deep_sd2, (2, 16, 8), tokens=7, dtype="bfloat16", differentiate=())
    write(out, "odd-size", tiny((True, True, True, False), **deep, **sd2), (2, 13, 10))
    write(out, "odd-width", tiny(), (1, 8, 7))
    write(out, "asymmetric-padding", tiny(downsample_padding=0), (2, 9, 6))
    write(out, "one-timestep", tiny(), (3, 4, 4), timestep=torch.tensor(417))
    write(out, "fractional-timestep", tiny(), (2, 4, 4), timestep=torch.tensor([0.25, 730.5]))
    sines_first = dict(flip_sin_to_cos=False, freq_shift=1, act_fn="gelu", norm_eps=1e-3, time_embedding_dim=20)
    write(out, "sines-first", tiny(**sines_first, mid_block_scale_factor=1.5), (2, 4, 6))
    uneven = dict(layers_per_block=(1, 2, 1), transformer_layers_per_block=(1, 2, 3), block_out_channels=(8, 12, 20))
    write(out, "uneven-levels", tiny((False, True, True), **uneven, in_channels=5, out_channels=3), (2, 8, 8))
    down_only = dict(up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"))
    write(out, "attention-differs", tiny(**down_only), (2, 4, 6), config_without=("mid_block_type",))
    write(out, "one-level", tiny((True,), block_out_channels=(16,)), (2, 5, 3))
    mini = UNet2DConditionModel.from_pretrained(str(MODELS / "mini-unet/unet"), torch_dtype=torch.float32).eval()
    write(out, "mini-unet", mini, (2, 8, 12), tokens=24)
    write(out, "mini-unet-bf16", mini, (2, 8, 8), tokens=24, dtype="bfloat16")


if __name__ == "__main__":
    main()
