"""Writes parity cases of diffusers' AutoencoderKL.

usage: autoencoder_fixtures.py OUT_DIR
"""

import pathlib
import sys

import torch
from common_networks import DTYPES, randomize, write_case
from diffusers import AutoencoderKL
from diffusers.utils import logging

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
OLD_NAMES = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}


def old_name(name: str) -> str:
    for new, old in OLD_NAMES.items():
        name = name.replace(f"attentions.0.{new}.", f"attentions.0.{old}.")
    return name


def run_with(network: AutoencoderKL):
    scale, shift = network.config.scaling_factor, network.config.shift_factor or 0.0

    def run(inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        posterior = network.encode(inputs["images"]).latent_dist
        return {
            "mean": posterior.mean,
            "logvar": posterior.logvar,
            "latents": (posterior.mean - shift) * scale,
            "decoded": network.decode(inputs["codes"]).sample,
            "from_latents": network.decode(inputs["codes"] / scale + shift).sample,
        }

    return run


def write(out: pathlib.Path, name: str, network: AutoencoderKL, size: tuple, dtype: str, rename=lambda key: key) -> None:
    """`size`: batch, height and width of the latents, and how many rows and columns the images have more than their multiple."""
    batch, height, width, extra = size
    factor = 2 ** (len(network.config.block_out_channels) - 1)
    generator = torch.Generator().manual_seed(len(name))
    images = torch.randn(batch, network.config.in_channels, height * factor + extra, width * factor + extra, generator=generator)
    codes = torch.randn(batch, network.config.latent_channels, height, width, generator=generator)
    state = {rename(key): value.clone() for key, value in network.state_dict().items()}
    network = network.to(DTYPES[dtype])
    inputs = {"images": images.to(DTYPES[dtype]), "codes": codes.to(DTYPES[dtype])}
    write_case(out, name, "autoencoder", dict(network.config), state, inputs, run_with(network), ["images", "codes"], dtype)


def tiny(**changes) -> AutoencoderKL:
    options = dict(block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, latent_channels=4, sample_size=16)
    options |= changes
    blocks = len(options["block_out_channels"])
    network = AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * blocks, up_block_types=("UpDecoderBlock2D",) * blocks, **options
    )
    return randomize(network, seed=blocks)


def main() -> None:
    torch.set_num_threads(1)
    logging.set_verbosity_error()
    out = pathlib.Path(sys.argv[1])
    write(out, "plain", tiny(), (2, 5, 7, 0), "float32")
    write(out, "plain-bf16", tiny(), (2, 5, 7, 0), "bfloat16")
    write(out, "odd-size", tiny(block_out_channels=(8, 8, 16, 16)), (2, 3, 4, 5), "float32")
    write(out, "old-names", tiny(), (3, 4, 4, 0), "float32", old_name)
    write(out, "no-attention", tiny(mid_block_add_attention=False, act_fn="gelu"), (2, 4, 3, 1), "float32")
    sd3 = dict(use_quant_conv=False, use_post_quant_conv=False, scaling_factor=1.5, shift_factor=0.06)
    write(out, "no-quant-conv", tiny(**sd3, layers_per_block=2, in_channels=4, out_channels=5), (2, 4, 6, 0), "float32")
    write(out, "no-quant-conv-bf16", tiny(**sd3, block_out_channels=(8, 16, 24)), (1, 4, 6, 0), "bfloat16")
    write(out, "one-block", tiny(block_out_channels=(12,), layers_per_block=3), (2, 9, 5, 0), "float32")
    for model in ("mini-flow", "mini-unet"):
        network = AutoencoderKL.from_pretrained(str(MODELS / model / "vae"), torch_dtype=torch.float32)
        write(out, model, network.eval(), (2, 5, 4, 0), "float32")
    write(out, "mini-flow-bf16", AutoencoderKL.from_pretrained(str(MODELS / "mini-flow/vae")).eval(), (2, 4, 4, 0), "bfloat16")


if __name__ == "__main__":
    main()
