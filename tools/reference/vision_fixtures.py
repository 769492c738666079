"""Writes what a method's gradients must be: diffusers' autoencoder and transformers' CLIP, one behind the other.

usage: vision_fixtures.py OUT_DIR

A case folder holds, where the models are not embedded ones, vae/ and clip/ as their libraries save them, and
  case.json        {"vae": folder, "clip": folder}; relative ones lie in the models folder of the repository
  io.safetensors   latents, targets   unit vectors
                   pixels             the decoded latents, in −1…1
                   embeddings         unit vectors, of these
                   pixels_gradient    of Σ (1 − ⟨embedding, target⟩) with respect to the pixels
                   latents_gradient   and to the latents
                   levels             an 8-bit image [H, W, 3]
                   levels_embedding   what CLIPImageProcessor and CLIPModel make of it
"""

import json
import pathlib
import shutil
import sys

import torch
from common_networks import randomize
from diffusers import AutoencoderKL
from diffusers.utils import logging
from PIL import Image
from safetensors.torch import save_file
from torch.nn.functional import interpolate, normalize
from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
TOKENIZER = ("merges.txt", "special_tokens_map.json", "tokenizer_config.json", "vocab.json")


def preprocess(images: torch.Tensor, processor: CLIPImageProcessor) -> torch.Tensor:
    """[B, 3, H, W] in −1…1, as CLIPImageProcessor treats 8-bit images, but differentiable and without rounding."""
    height, width = images.shape[2:]
    edge, crop = processor.size["shortest_edge"], processor.crop_size["height"]
    size = [int(edge * side / min(height, width)) for side in (height, width)]
    resized = interpolate((images + 1) / 2, size, mode="bicubic", antialias=True)
    top, left = ((side - crop) // 2 for side in size)
    cut = resized[:, :, top : top + crop, left : left + crop]
    mean, std = (torch.tensor(values).view(1, 3, 1, 1) for values in (processor.image_mean, processor.image_std))
    return (cut - mean) / std


def image_vectors(clip: CLIPModel, pixels: torch.Tensor) -> torch.Tensor:
    return normalize(clip.get_image_features(pixels).pooler_output, dim=-1)


def write(out: pathlib.Path, vae_folder, clip_folder, size: tuple[int, int], seed: int) -> None:
    """`size` is that of the latents."""
    vae = AutoencoderKL.from_pretrained(str(MODELS / vae_folder), torch_dtype=torch.float32).eval()
    clip = CLIPModel.from_pretrained(MODELS / clip_folder, dtype=torch.float32).eval()
    processor = CLIPImageProcessor.from_pretrained(MODELS / clip_folder)
    generator = torch.Generator().manual_seed(seed)
    latents = torch.randn(2, vae.config.latent_channels, *size, generator=generator).requires_grad_(True)
    targets = normalize(torch.randn(2, clip.config.projection_dim, generator=generator), dim=-1)

    pixels = vae.decode(latents / vae.config.scaling_factor + (vae.config.shift_factor or 0.0)).sample
    embeddings = image_vectors(clip, preprocess(pixels, processor))
    loss = (1 - (embeddings * targets).sum(-1)).sum()
    pixels_gradient, latents_gradient = torch.autograd.grad(loss, [pixels, latents])

    levels = ((pixels[0].detach().clamp(-1, 1) + 1) * 127.5).round().to(torch.uint8).permute(1, 2, 0).contiguous()
    processed = processor(images=Image.fromarray(levels.numpy()), return_tensors="pt").pixel_values
    with torch.no_grad():
        levels_embedding = image_vectors(clip, processed)[0]
    record = dict(
        latents=latents, targets=targets, pixels=pixels, embeddings=embeddings, pixels_gradient=pixels_gradient,
        latents_gradient=latents_gradient, levels=levels, levels_embedding=levels_embedding,
    )  # fmt: skip
    out.mkdir(exist_ok=True)
    save_file({key: value.detach().contiguous().clone() for key, value in record.items()}, out / "io.safetensors")
    (out / "case.json").write_text(json.dumps({"vae": str(vae_folder), "clip": str(clip_folder)}))


def random_models(folder: pathlib.Path) -> None:
    """Stable Diffusion's autoencoder, narrower, and a CLIP of ViT-B/32's depth and image size."""
    widths = (32, 64, 128, 128)
    vae = AutoencoderKL(
        block_out_channels=widths, layers_per_block=2, latent_channels=4, norm_num_groups=32, sample_size=256,
        down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4,
    )  # fmt: skip
    randomize(vae, seed=1).save_pretrained(folder / "vae")
    config = CLIPConfig(
        text_config=dict(vocab_size=3514, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
                         num_attention_heads=4, max_position_embeddings=24, bos_token_id=3512, eos_token_id=3513,
                         pad_token_id=3513),
        vision_config=dict(hidden_size=192, intermediate_size=768, num_hidden_layers=12, num_attention_heads=3,
                           image_size=224, patch_size=32),
        projection_dim=128,
    )  # fmt: skip
    CLIPModel(config).eval().save_pretrained(folder / "clip")
    CLIPImageProcessor().save_pretrained(folder / "clip")
    for name in TOKENIZER:
        shutil.copy(MODELS / "mini-clip" / name, folder / "clip" / name)


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)  # for CLIP, which starts itself
    logging.set_verbosity_error()
    out = pathlib.Path(sys.argv[1]).resolve()
    write(out / "mini", "mini-flow/vae", "mini-clip", (16, 16), seed=1)
    write(out / "mini-wide", "mini-unet/vae", "mini-clip", (12, 20), seed=2)
    (out / "random").mkdir()
    random_models(out / "random")
    write(out / "random", out / "random" / "vae", out / "random" / "clip", (32, 40), seed=3)


if __name__ == "__main__":
    main()
