"""What `gass generate` does, in Python diffusers: the same model, seeds, steps and files. For `gass bench --reference`.

usage: diffusers_generate.py --model DIR --prompt TEXT --images N --steps N --output DIR […]

The last line on stdout is {"timings": {…}} in seconds: load (from the start of the process, imports included), text,
denoise, decode, write, total.
"""

import os
import time


def process_age() -> float:
    """Seconds since this process was started, by the kernel's clock."""
    with open("/proc/self/stat", encoding="utf-8") as file:
        started = int(file.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started


START = time.perf_counter() - process_age()

import argparse  # noqa: E402  (everything that is imported counts as loading)
import json  # noqa: E402
import pathlib  # noqa: E402

import diffusers  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
PIPELINES = ("StableDiffusion3Pipeline", "StableDiffusionPipeline")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--prompt", required=True)
    parser.add_argument("--images", type=int, default=4)
    parser.add_argument("--steps", type=int, default=28)
    parser.add_argument("--cfg-scale", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--width", type=int)
    parser.add_argument("--height", type=int)
    parser.add_argument("--dtype", choices=DTYPES, default="fp32")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--max-sequence-length", type=int, help="of T5 (default: the model's gass.json, or 256)")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    return parser.parse_args()


class Stopwatch:
    """Times the parts of the work one after another; a GPU has finished a part before the next begins."""

    def __init__(self, device: str) -> None:
        self.device, self.last, self.timings = device, START, {}

    def lap(self, part: str) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()
        now = time.perf_counter()
        self.timings[part] = now - self.last
        self.last = now


def load(options: argparse.Namespace):
    name = json.loads((options.model / "model_index.json").read_text())["_class_name"]
    if name not in PIPELINES:
        raise SystemExit(f"{options.model}: expected one of {', '.join(PIPELINES)}, got {name}")
    diffusers.utils.logging.disable_progress_bar()
    transformers.utils.logging.disable_progress_bar()
    # What SD3 may go without must be said to be absent.
    optional = ("text_encoder_3", "tokenizer_3", "image_encoder", "feature_extractor") if "3" in name else ()
    absent = {part: None for part in optional if not (options.model / part).is_dir()}
    pipeline = getattr(diffusers, name).from_pretrained(options.model, dtype=DTYPES[options.dtype], **absent)
    pipeline.set_progress_bar_config(disable=True)
    return pipeline.to(options.device)


def encode(pipeline, options: argparse.Namespace) -> dict:
    """The embeddings of every image, as the pipeline's own arguments."""
    guided = options.cfg_scale > 1
    if isinstance(pipeline, diffusers.StableDiffusion3Pipeline):
        own = options.model / "gass.json"
        defaults = json.loads(own.read_text()).get("defaults", {}) if own.exists() else {}
        length = options.max_sequence_length or defaults.get("max_sequence_length", 256)
        embeddings = pipeline.encode_prompt(
            options.prompt,
            None,
            None,
            device=options.device,
            num_images_per_prompt=options.images,
            do_classifier_free_guidance=guided,
            max_sequence_length=length,
        )
        names = ("prompt_embeds", "negative_prompt_embeds", "pooled_prompt_embeds", "negative_pooled_prompt_embeds")
    else:
        embeddings = pipeline.encode_prompt(options.prompt, options.device, options.images, guided)
        names = ("prompt_embeds", "negative_prompt_embeds")
    return {name: value for name, value in zip(names, embeddings) if value is not None}


def decode(pipeline, latents: torch.Tensor) -> list:
    shift = getattr(pipeline.vae.config, "shift_factor", None) or 0.0
    pixels = pipeline.vae.decode(latents / pipeline.vae.config.scaling_factor + shift, return_dict=False)[0]
    return pipeline.image_processor.postprocess(pixels)


@torch.inference_mode()
def main() -> None:
    options = arguments()
    watch = Stopwatch(options.device)
    pipeline = load(options)
    watch.lap("load")
    embeddings = encode(pipeline, options)
    watch.lap("text")
    latents = pipeline(
        **embeddings,
        num_inference_steps=options.steps,
        guidance_scale=options.cfg_scale,
        width=options.width,
        height=options.height,
        generator=[torch.Generator().manual_seed(options.seed + i) for i in range(options.images)],
        output_type="latent",
    ).images
    watch.lap("denoise")
    images = decode(pipeline, latents)
    watch.lap("decode")
    options.output.mkdir(parents=True, exist_ok=True)
    for i, image in enumerate(images):
        image.save(options.output / f"{i:05}.png")
    watch.lap("write")
    watch.timings["total"] = watch.last - START
    print(json.dumps({"timings": watch.timings}))


if __name__ == "__main__":
    main()
