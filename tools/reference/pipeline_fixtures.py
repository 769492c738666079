"""Images that diffusers' Stable Diffusion pipelines make, for tests/cli/generate_parity_test.py.

usage: pipeline_fixtures.py OUT_DIR

OUT_DIR/models holds small random pipelines, OUT_DIR/NAME.npy a case's images [N, H, W, 3], OUT_DIR/cases.json
[{"name", "model": a folder in models or an embedded model's name, "arguments": of `gass generate`, "images": N}].
"""

import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import warnings

import diffusers
import numpy as np
import torch
import transformers
from common_networks import randomize
from diffusers import AutoencoderKL, DiffusionPipeline, SD3Transformer2DModel, UNet2DConditionModel
from tokenizer_fixtures import train_sentencepiece
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer
from transformers import T5Config, T5EncoderModel, T5Tokenizer

EMBEDDED = pathlib.Path(__file__).resolve().parents[2] / "models"
VOCABULARY, END = 3514, 3513  # of the embedded tokenizer

# The schedulers as the published models' files have them; what a file leaves out is a default of its class.
BETAS = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "num_train_timesteps": 1000}
COMMON = BETAS | {"clip_sample": False, "set_alpha_to_one": False, "skip_prk_steps": True, "steps_offset": 1}
SD1 = COMMON | {"_class_name": "PNDMScheduler"}
SD2 = COMMON | {"_class_name": "DDIMScheduler", "prediction_type": "v_prediction"}
FLOW = {"_class_name": "FlowMatchEulerDiscreteScheduler", "num_train_timesteps": 1000, "shift": 3.0}
DDIM, EULER, DPM = (COMMON | {"_class_name": f"{name}Scheduler"} for name in ("DDIM", "EulerDiscrete", "DPMSolverMultistep"))
METHODS = {
    "ddim": diffusers.DDIMScheduler,
    "euler": diffusers.EulerDiscreteScheduler,
    "dpm++2m": diffusers.DPMSolverMultistepScheduler,
    "plms": diffusers.PNDMScheduler,
}

PROMPT = "a photo of a red car"
NEGATIVE = "blurry, low quality"
LONG = "a painting of a small house by the sea with a blue door and many white flowers, " * 12
UNICODE = "ein Käfer im Schnee, 雪の中の猫 🐈‍⬛, naïve café"


# --- models ---


def clip_text(seed: int, width: int, projection: int | None = None, **changes: object) -> transformers.PreTrainedModel:
    settings = {"vocab_size": VOCABULARY, "hidden_size": width, "intermediate_size": 2 * width, "num_hidden_layers": 4,
                "num_attention_heads": 4, "max_position_embeddings": 77, "bos_token_id": END - 1, "eos_token_id": END,
                "pad_token_id": END, "projection_dim": projection or width}  # fmt: skip
    kind = CLIPTextModelWithProjection if projection else CLIPTextModel
    return randomize(kind(CLIPTextConfig(**settings | changes)), seed, 2.0)


def clip_tokenizer(pad: str = "<|endoftext|>") -> CLIPTokenizer:
    return CLIPTokenizer.from_pretrained(EMBEDDED / "mini-unet" / "tokenizer", model_max_length=77, pad_token=pad)


def autoencoder(seed: int, blocks: int = 4, **changes: object) -> AutoencoderKL:
    """Its last layer is scaled so that pictures use most of the range and leave it rarely."""
    channels = (16, 16, 32, 32)[-blocks:]
    network = AutoencoderKL(
        block_out_channels=channels, down_block_types=("DownEncoderBlock2D",) * blocks,
        up_block_types=("UpDecoderBlock2D",) * blocks, layers_per_block=1, latent_channels=4, norm_num_groups=8,
        sample_size=64, **changes,
    )  # fmt: skip
    randomize(network, seed)
    with torch.no_grad():
        noise = torch.randn(8, 4, 12, 12, generator=torch.Generator().manual_seed(seed))
        picture = network.decode(noise).sample
        last = network.decoder.conv_out
        last.weight.mul_(0.27 / picture.std())
        last.bias.mul_(0.1)
    return network


def unet(seed: int, **changes: object) -> UNet2DConditionModel:
    settings = {"sample_size": 8, "block_out_channels": (32, 64), "layers_per_block": 1, "norm_num_groups": 16,
                "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"), "cross_attention_dim": 32,
                "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D"), "attention_head_dim": 4}  # fmt: skip
    # Large weights inside, so that prompt, time and every detail of the way matter; an output of unit size.
    network = randomize(UNet2DConditionModel(**settings | changes), seed, 3.0)
    network.conv_out.weight.data.div_(3.0)
    return network


def mmdit(seed: int, **changes: object) -> SD3Transformer2DModel:
    settings = {"sample_size": 8, "patch_size": 2, "in_channels": 4, "out_channels": 4, "num_layers": 3,
                "attention_head_dim": 16, "num_attention_heads": 2, "joint_attention_dim": 64, "caption_projection_dim": 32,
                "pooled_projection_dim": 36, "pos_embed_max_size": 16}  # fmt: skip
    network = randomize(SD3Transformer2DModel(**settings | changes), seed)
    network.proj_out.weight.data.mul_(0.4)  # else the image depends on the prompt alone, hardly on the noise
    return network


def sd(seed: int, scheduler: dict, pad: str, activation: str, linear: bool, blocks: int = 4) -> DiffusionPipeline:
    """Like Stable Diffusion 1 or 2."""
    return diffusers.StableDiffusionPipeline(
        vae=autoencoder(seed, blocks), text_encoder=clip_text(seed + 1, 32, hidden_act=activation), tokenizer=clip_tokenizer(pad),
        unet=unet(seed + 2, use_linear_projection=linear, attention_head_dim=(2, 4) if linear else 4),
        scheduler=getattr(diffusers, scheduler["_class_name"]).from_config(scheduler), safety_checker=None,
        feature_extractor=None, requires_safety_checker=False,
    )  # fmt: skip


def sd3(seed: int, t5_tokenizer: T5Tokenizer | None, **changes: object) -> DiffusionPipeline:
    """Like Stable Diffusion 3 or 3.5, with T5 or without."""
    t5 = None
    if t5_tokenizer:
        t5 = T5Config(vocab_size=len(t5_tokenizer), d_model=64, d_kv=16, d_ff=96, num_layers=2, num_heads=4,
                      feed_forward_proj="gated-gelu")  # fmt: skip
        t5 = randomize(T5EncoderModel(t5), seed + 3)
    published_ids = {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1}  # wrong, as in the published files
    return diffusers.StableDiffusion3Pipeline(
        vae=autoencoder(seed, scaling_factor=1.5305, shift_factor=0.0609, use_quant_conv=False, use_post_quant_conv=False),
        text_encoder=clip_text(seed + 1, 24, 20, hidden_act="quick_gelu", **published_ids), tokenizer=clip_tokenizer(),
        text_encoder_2=clip_text(seed + 2, 32, 16, hidden_act="gelu"), tokenizer_2=clip_tokenizer("!"), text_encoder_3=t5,
        tokenizer_3=t5_tokenizer, transformer=mmdit(seed + 4, **changes),
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler.from_config(FLOW),
    )  # fmt: skip


def set_scheduler(folder: pathlib.Path, config: dict) -> None:
    index = json.loads((folder / "model_index.json").read_text())
    index["scheduler"] = ["diffusers", config["_class_name"]]
    for file, content in ((folder / "model_index.json", index), (folder / "scheduler" / "scheduler_config.json", config)):
        file.unlink()  # it may be a hard link to another model's
        file.write_text(json.dumps(content, indent=1))


class Models:
    """Makes the model folders and opens each once."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.opened = {}

    def save(self, name: str, pipeline: DiffusionPipeline, scheduler: dict, **options: object) -> None:
        pipeline.save_pretrained(self.folder / name, **options)
        set_scheduler(self.folder / name, scheduler)

    def derive(self, name: str, base: str, scheduler: dict) -> str:
        """The same model with another scheduler. Hard links, since gass refuses symbolic ones out of the folder."""
        shutil.copytree(self.folder / base, self.folder / name, copy_function=os.link)
        set_scheduler(self.folder / name, scheduler)
        return name

    def open(self, name: str, without_t5: bool, variant: str | None) -> DiffusionPipeline:
        key = (name, without_t5, variant)
        if key not in self.opened:
            folder = self.folder / name if (self.folder / name).exists() else EMBEDDED / name
            without_t5 = without_t5 or json.loads((folder / "model_index.json").read_text()).get("tokenizer_3") == [None, None]
            options = {"text_encoder_3": None, "tokenizer_3": None} if without_t5 else {}
            pipeline = DiffusionPipeline.from_pretrained(folder, dtype=torch.float32, variant=variant, **options)
            pipeline.set_progress_bar_config(disable=True)
            if isinstance(pipeline, diffusers.StableDiffusionPipeline):
                # diffusers' clip_skip wants this name, which transformers 5 no longer has.
                vars(pipeline.text_encoder)["text_model"] = pipeline.text_encoder
            self.opened[key] = pipeline
        return self.opened[key]


def make_models(models: Models) -> None:
    with tempfile.TemporaryDirectory() as folder:
        spiece = train_sentencepiece(pathlib.Path(folder) / "t5", random.Random(7), vocab_size=400)
        t5 = T5Tokenizer.from_pretrained(spiece, model_max_length=512)
        models.save("sd3", sd3(30, t5), FLOW)
        sd35 = sd3(50, t5, qk_norm="rms_norm", dual_attention_layers=(0, 1))
        models.save("sd35", sd35, FLOW)
        models.save("sd35-sharded", sd35, FLOW, max_shard_size="60KB")
    models.save("sd3-without-t5", sd3(40, None), FLOW)
    models.save("sd1", sd(10, SD1, "<|endoftext|>", "quick_gelu", linear=False), SD1)
    sd2 = sd(20, SD2, "!", "gelu", linear=True)
    models.save("sd2", sd2, SD2)
    models.save("sd2-three-blocks", sd(60, SD2, "!", "gelu", linear=True, blocks=3), SD2)
    models.save("sd2-fp16", sd2.to(torch.float16), SD2)
    models.save("sd2-variant", sd2, SD2, variant="fp16")
    models.save("sd2-bf16", sd2.to(torch.bfloat16), SD2)


# --- cases ---


class Cases:
    """Runs diffusers and writes what it makes, with the arguments that ask gass for the same."""

    def __init__(self, out: pathlib.Path, models: Models):
        self.out, self.models = out, models
        self.cases, self.first_images = [], {}

    def add(self, name: str, model: str, prompt: str = PROMPT, *, size: tuple[int, int] = (64, 64), steps: int = 4,
            cfg: float = 4.0, images: int = 2, seed: int = 42, negative: str | None = None, method: str | None = None,
            karras: bool = False, clip_skip: int | None = None, tokens: int | None = None, tiling: bool = False,
            slicing: bool = False, no_t5: bool = False, variant: str | None = None) -> None:  # fmt: skip
        arguments = ["-p", prompt, "-W", size[0], "-H", size[1], "--steps", steps, "--cfg-scale", cfg, "-n", images, "-s", seed]
        for flag, value in (("-N", negative), ("--sampling-method", method), ("--clip-skip", clip_skip),
                            ("--max-sequence-length", tokens), ("--variant", variant)):  # fmt: skip
            arguments += [] if value is None else [flag, value]
        arguments += ["--scheduler", "karras"] * karras + ["--no-t5"] * no_t5
        arguments += ["--vae-tiling"] * tiling + ["--vae-slicing"] * slicing

        pipeline = self.models.open(model, no_t5, variant)
        own_scheduler = pipeline.scheduler
        if method or karras:
            kind = METHODS[method] if method else type(own_scheduler)
            changes = {"use_karras_sigmas": True} if karras else {"skip_prk_steps": True} if method == "plms" else {}
            pipeline.scheduler = kind.from_config(own_scheduler.config, **changes)
        pipeline.vae.use_tiling, pipeline.vae.use_slicing = tiling, slicing
        result = pipeline(
            prompt, width=size[0], height=size[1], num_inference_steps=steps, guidance_scale=cfg, negative_prompt=negative,
            num_images_per_prompt=images, generator=[torch.Generator().manual_seed(seed + i) for i in range(images)],
            clip_skip=clip_skip, output_type="np", **({"max_sequence_length": tokens} if tokens else {}),
        ).images  # fmt: skip
        pipeline.scheduler = own_scheduler
        pictures = (result * 255).round().astype(np.uint8)
        self.check(name, pictures)
        np.save(self.out / f"{name}.npy", pictures)
        self.cases.append({"name": name, "model": model, "arguments": list(map(str, arguments)), "images": images})

    def check(self, name: str, pictures: np.ndarray) -> None:
        """A case whose picture is flat, clipped, or like another's would pass whatever gass does with its arguments."""
        for picture in pictures:
            assert picture.std() > 10, f"{name}: flat, {picture.std()}"
            clipped = np.isin(picture, (0, 255)).mean()
            assert clipped < 0.05, f"{name}: {clipped:.1%} clipped"
        for other, picture in self.first_images.items():
            if name.startswith("stored-") or picture.shape != pictures[0].shape:  # the same model in other files
                continue
            difference = np.abs(picture.astype(int) - pictures[0]).mean()
            assert difference > 1, f"{name} is like {other}: {difference}"
        self.first_images[name] = pictures[0]


def text_cases(cases: Cases) -> None:
    cases.add("sd3-without-t5-plain", "sd3-without-t5", steps=6)
    for model in ("sd1", "sd2", "sd3", "sd35"):
        cases.add(f"{model}-plain", model, steps=6)
        cases.add(f"{model}-negative", model, negative=NEGATIVE, cfg=7.5, size=(96, 64))
        cases.add(f"{model}-clip-skip", model, clip_skip=1, negative=NEGATIVE)
    for model in ("sd1", "sd3"):
        cases.add(f"{model}-empty-prompt", model, "", size=(64, 80))
        cases.add(f"{model}-unicode", model, UNICODE, images=1)
        cases.add(f"{model}-long-prompt", model, LONG, images=1)
        cases.add(f"{model}-long-negative", model, negative=LONG, images=1)
    cases.add("sd2-long-prompt", "sd2", LONG, images=1)
    cases.add("sd1-clip-skip-2", "sd1", clip_skip=2, images=1)
    cases.add("sd3-tokens-5", "sd3", LONG, tokens=5, images=1)
    cases.add("sd3-tokens-77", "sd3", LONG, tokens=77, images=1, negative="a")
    cases.add("sd35-tokens-512", "sd35", LONG, tokens=512, images=1)
    cases.add("sd3-without-t5-tokens-16", "sd3-without-t5", tokens=16, images=1)
    cases.add("sd3-no-t5", "sd3", no_t5=True)


def size_cases(cases: Cases) -> None:
    cases.add("sd1-odd-latents", "sd1", size=(72, 56), images=3, seed=7)
    cases.add("sd2-tall", "sd2", size=(40, 136), steps=5)
    cases.add("sd2-smallest", "sd2", size=(16, 16), images=3)
    cases.add("sd2-three-blocks-wide", "sd2-three-blocks", size=(88, 40))
    cases.add("sd3-wide", "sd3", size=(144, 48), images=3, seed=2**31)
    cases.add("sd35-tall", "sd35", size=(48, 112), images=1, seed=2**32 - 1)
    for model in ("sd1", "sd3"):
        cases.add(f"{model}-tiling", model, size=(128, 96), tiling=True, images=2)
        cases.add(f"{model}-no-tiling", model, size=(128, 96), images=1)
    cases.add("sd1-tiling-not-needed", "sd1", size=(48, 64), tiling=True, images=1)
    cases.add("sd2-slicing", "sd2", size=(56, 64), slicing=True, images=3)


def guidance_cases(cases: Cases) -> None:
    for model in ("sd2", "sd3"):
        cases.add(f"{model}-cfg-1", model, cfg=1.0, negative="ignored")
        cases.add(f"{model}-cfg-0", model, "a green bird", cfg=0.0, images=1)
        cases.add(f"{model}-one-step", model, steps=1)
        cases.add(f"{model}-28-steps", model, steps=28, images=1)
    cases.add("sd1-cfg-1.5", "sd1", cfg=1.5, steps=10)


def scheduler_cases(cases: Cases) -> None:
    trailing, leading, linspace = ({"timestep_spacing": spacing} for spacing in ("trailing", "leading", "linspace"))
    v, karras = {"prediction_type": "v_prediction"}, {"use_karras_sigmas": True}
    outdated = BETAS | {"_class_name": "DDIMScheduler", "steps_offset": 0, "clip_sample": True, "set_alpha_to_one": False}
    for name, base, config, steps in [
        ("ddim-leading", "sd1", DDIM | leading, 7),
        ("ddim-trailing", "sd1", DDIM | trailing, 7),
        ("ddim-linspace", "sd1", DDIM | linspace, 7),
        ("ddim-last-alpha-one", "sd1", DDIM | {"set_alpha_to_one": True}, 3),
        ("ddim-zero-snr", "sd2", DDIM | v | trailing | {"rescale_betas_zero_snr": True}, 6),
        ("ddim-sample", "sd2", DDIM | {"prediction_type": "sample"}, 5),
        ("ddim-linear-betas", "sd1", DDIM | {"beta_schedule": "linear"}, 5),
        ("ddim-cosine-betas", "sd2", DDIM | v | {"beta_schedule": "squaredcos_cap_v2"}, 5),
        ("ddim-outdated-file", "sd1", outdated, 6),
        ("euler-linspace", "sd1", EULER, 7),
        ("euler-leading", "sd1", EULER | leading, 5),
        ("euler-trailing-v", "sd2", EULER | v | trailing, 7),
        ("euler-karras", "sd1", EULER | karras, 6),
        ("dpm", "sd1", DPM, 20),
        ("dpm-karras-v", "sd2", DPM | v | karras, 6),
        ("dpm-trailing", "sd1", DPM | trailing, 5),
        ("dpm-heun", "sd1", DPM | {"solver_type": "heun"}, 6),
        ("dpm-two-steps", "sd1", DPM, 2),
        ("pndm-one-step", "sd1", SD1, 1),
        ("pndm-two-steps", "sd1", SD1, 2),
        ("pndm-three-steps", "sd1", SD1, 3),
        ("pndm-v", "sd2", SD1 | v, 8),
        ("pndm-trailing", "sd1", SD1 | trailing | {"set_alpha_to_one": True}, 8),
    ]:
        cases.add(f"folder-{name}", cases.models.derive(f"{base}-{name}", base, config), steps=steps)
    dynamic = FLOW | {"use_dynamic_shifting": True, "base_shift": 0.5, "max_shift": 1.15}
    few_tokens = {"base_image_seq_len": 16, "max_image_seq_len": 64, "max_shift": 3.0}
    for name, base, config, size in [
        ("flow-shift-1", "sd3", FLOW | {"shift": 1.0}, (64, 64)),
        ("flow-dynamic", "sd3", dynamic, (64, 64)),
        ("flow-dynamic-small", "sd3", dynamic | few_tokens, (96, 80)),
        ("flow-dynamic-linear", "sd3", dynamic | {"time_shift_type": "linear", "shift_terminal": 0.1}, (80, 48)),
        ("flow-dynamic-35", "sd35", dynamic, (64, 96)),
    ]:
        cases.add(f"folder-{name}", cases.models.derive(f"{base}-{name}", base, config), size=size, steps=7)

    for model in ("sd1", "sd2"):
        for method in METHODS:
            if (model, method) not in (("sd1", "plms"), ("sd2", "ddim")):  # their own
                cases.add(f"{model}-{method}", model, method=method, steps=9, images=1)
        for method in ("euler", "dpm++2m"):
            cases.add(f"{model}-{method}-karras", model, method=method, karras=True, steps=8, images=1)
    cases.add("sd3-karras", "sd3", karras=True, steps=8, images=1)
    cases.add("karras-over-euler", "sd1-euler-leading", karras=True, steps=5, images=1)


def storage_cases(cases: Cases) -> None:
    cases.add("stored-fp16", "sd2-fp16")
    cases.add("stored-bf16", "sd2-bf16")
    cases.add("stored-variant", "sd2-variant", variant="fp16")
    cases.add("stored-sharded", "sd35-sharded", steps=6)


def embedded_cases(cases: Cases) -> None:
    cases.add("mini-flow-plain", "mini-flow", size=(128, 128), steps=6, tokens=24, cfg=2.0)
    flower = "a yellow flower"
    cases.add("mini-flow-wide", "mini-flow", flower, size=(160, 96), steps=4, tokens=24, negative=NEGATIVE, cfg=1.5, images=1)
    cases.add("mini-turbo", "mini-turbo", "a painting of a house", size=(128, 128), steps=4, tokens=24, cfg=1.0, images=3)
    cases.add("mini-turbo-guided", "mini-turbo", "a grey cat", size=(96, 160), steps=2, tokens=24, cfg=1.5, images=1)
    cases.add("mini-unet-plain", "mini-unet", size=(128, 128), steps=6)
    cases.add("mini-unet-dpm", "mini-unet", flower, size=(96, 128), steps=5, method="dpm++2m", karras=True, images=1)
    cases.add("mini-unet-plms", "mini-unet", "a white dog", size=(128, 96), steps=5, method="plms", images=1)


def main() -> None:
    transformers.logging.set_verbosity_error()
    diffusers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    diffusers.logging.disable_progress_bar()
    warnings.simplefilter("ignore", FutureWarning)  # one case has an outdated scheduler file on purpose
    torch.set_num_threads(1)  # small networks gain nothing from more
    out = pathlib.Path(sys.argv[1])
    models = Models(out / "models")
    make_models(models)
    cases = Cases(out, models)
    for group in (text_cases, size_cases, guidance_cases, scheduler_cases, storage_cases, embedded_cases):
        group(cases)
    (out / "cases.json").write_text(json.dumps(cases.cases, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
