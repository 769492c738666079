#!/usr/bin/env python3
"""Writes a pipeline of a published shape with random weights, for speed and memory at full size.

    python3 bench/random_pipeline.py sd3 OUT      Stable Diffusion 3 Medium without T5 (with: --t5)
    python3 bench/random_pipeline.py sd21 OUT     Stable Diffusion 2.1

The tokenizers are those of an embedded model; a random network does not mind.
"""

import argparse
import json
import pathlib
import shutil

import torch
from diffusers import AutoencoderKL, SD3Transformer2DModel, UNet2DConditionModel
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, T5Config, T5EncoderModel

TOKENIZER = pathlib.Path(__file__).resolve().parent.parent / "models/mini-flow/tokenizer"
VAE_TRUNK = dict(
    block_out_channels=(128, 256, 512, 512), layers_per_block=2, sample_size=512,
    down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4)


def clip_text(hidden, intermediate, layers, heads, act, projection):
    config = CLIPTextConfig(
        hidden_size=hidden, intermediate_size=intermediate, num_hidden_layers=layers, num_attention_heads=heads,
        hidden_act=act, projection_dim=projection or hidden, vocab_size=49408)
    return (CLIPTextModelWithProjection if projection else CLIPTextModel)(config)


def sd3(with_t5):
    parts = {
        "transformer": SD3Transformer2DModel(
            sample_size=128, num_layers=24, num_attention_heads=24, caption_projection_dim=1536,
            pos_embed_max_size=192),
        "vae": AutoencoderKL(
            latent_channels=16, scaling_factor=1.5305, shift_factor=0.0609, use_quant_conv=False,
            use_post_quant_conv=False, **VAE_TRUNK),
        "text_encoder": clip_text(768, 3072, 12, 12, "quick_gelu", 768),
        "text_encoder_2": clip_text(1280, 5120, 32, 20, "gelu", 1280),
    }
    if with_t5:
        parts["text_encoder_3"] = T5EncoderModel(T5Config(
            d_model=4096, d_kv=64, d_ff=10240, num_layers=24, num_heads=64, feed_forward_proj="gated-gelu"))
    scheduler = {"_class_name": "FlowMatchEulerDiscreteScheduler", "num_train_timesteps": 1000, "shift": 3.0}
    return "StableDiffusion3Pipeline", parts, ["tokenizer", "tokenizer_2"], scheduler


def sd21():
    parts = {
        "unet": UNet2DConditionModel(
            sample_size=96, block_out_channels=(320, 640, 1280, 1280), attention_head_dim=(5, 10, 20, 20),
            cross_attention_dim=1024, use_linear_projection=True),
        "vae": AutoencoderKL(latent_channels=4, scaling_factor=0.18215, **VAE_TRUNK),
        "text_encoder": clip_text(1024, 4096, 23, 16, "gelu", None),
    }
    scheduler = {
        "_class_name": "DDIMScheduler", "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear",
        "prediction_type": "v_prediction", "set_alpha_to_one": False, "steps_offset": 1, "clip_sample": False}
    return "StableDiffusionPipeline", parts, ["tokenizer"], scheduler


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["sd3", "sd21"])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--t5", action="store_true")
    parser.add_argument("--dtype", default="float16")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with torch.device(device):
        name, parts, tokenizers, scheduler = sd3(arguments.t5) if arguments.kind == "sd3" else sd21()
    index = {"_class_name": name, "_diffusers_version": "0.35.0", "scheduler": ["diffusers", scheduler["_class_name"]]}
    for part, network in parts.items():
        library = "diffusers" if part in ("transformer", "unet", "vae") else "transformers"
        index[part] = [library, type(network).__name__]
        network.to(getattr(torch, arguments.dtype)).save_pretrained(arguments.output / part)
    for tokenizer in tokenizers:
        index[tokenizer] = ["transformers", "CLIPTokenizer"]
        shutil.copytree(TOKENIZER, arguments.output / tokenizer, dirs_exist_ok=True)
        settings = json.loads((TOKENIZER / "tokenizer_config.json").read_text())
        settings["model_max_length"] = 77
        (arguments.output / tokenizer / "tokenizer_config.json").write_text(json.dumps(settings))
    if name == "StableDiffusion3Pipeline" and not arguments.t5:
        index.update({"text_encoder_3": [None, None], "tokenizer_3": [None, None]})
    if name == "StableDiffusionPipeline":
        index.update({"safety_checker": [None, None], "feature_extractor": [None, None],
                      "requires_safety_checker": False})
    (arguments.output / "scheduler").mkdir(parents=True, exist_ok=True)
    (arguments.output / "scheduler/scheduler_config.json").write_text(json.dumps(scheduler))
    (arguments.output / "model_index.json").write_text(json.dumps(index, indent=2))


if __name__ == "__main__":
    main()
