"""Writes what transformers' CLIP computes: text and image encoders, alone and together.

usage: clip_fixtures.py OUT_DIR
"""

import json
import pathlib
import sys
import tempfile

import torch
from common_networks import DTYPES, randomize, write_case
from safetensors.torch import load_file
from transformers import (
    CLIPConfig,
    CLIPModel,
    CLIPTextConfig,
    CLIPTextModel,
    CLIPTextModelWithProjection,
    CLIPVisionConfig,
    CLIPVisionModel,
    CLIPVisionModelWithProjection,
)

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
EOS = 60
SMALL_TEXT = dict(
    vocab_size=61, hidden_size=48, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4,
    max_position_embeddings=15, projection_dim=24, bos_token_id=59, eos_token_id=EOS, pad_token_id=0,
)  # fmt: skip
SMALL_VISION = dict(
    hidden_size=48, intermediate_size=72, num_hidden_layers=2, num_attention_heads=3, image_size=24, patch_size=8,
    projection_dim=20,
)  # fmt: skip


def saved(network: torch.nn.Module) -> tuple[dict, dict]:
    """config.json and tensors as the library's own files have them."""
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder)
        config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        return config, load_file(pathlib.Path(folder) / "model.safetensors")


def embedded(folder: pathlib.Path) -> tuple[dict, dict]:
    return json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")


def token_ids(lengths: list[int], total: int, eos: int, pad: int, seed: int) -> torch.Tensor:
    """Texts of these lengths with their end, padded to `total`."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.full((len(lengths), total), pad)
    for row, length in zip(ids, lengths):
        row[:length] = torch.randint(3, eos - 2, (length,), generator=generator)
        row[length] = eos
    return ids


def run_text(network, half: CLIPTextModel, leaves: dict) -> dict:
    """Differentiable in the token embeddings: transformers has no way in for them, so they replace the look-up."""
    ids = leaves["ids"]
    embedded = half.embeddings.token_embedding(ids).detach()
    hook = half.embeddings.token_embedding.register_forward_hook(lambda *_: leaves["embeddings"])
    result = network(ids, attention_mask=leaves.get("mask"), output_hidden_states=True)
    hook.remove()
    outputs = {"embedded": embedded, "last": result.last_hidden_state}
    outputs |= {f"hidden-{k}": result.hidden_states[-k] for k in range(1, len(result.hidden_states) + 1)}
    if "pooler_output" in result:
        outputs["pooled"] = result.pooler_output
    if "text_embeds" in result:
        outputs["text_embeds"] = result.text_embeds
    return outputs


def text_case(out, name, network, files, ids, mask=None, dtype="float32"):
    half = network.text_model if hasattr(network, "text_model") else network
    inputs = {"ids": ids, "embeddings": half.embeddings.token_embedding(ids).detach()}
    if mask is not None:
        inputs["mask"] = mask
    write_case(out, name, "text", *files, inputs, lambda leaves: run_text(network, half, leaves), ["embeddings"], dtype)


def write_text(out: pathlib.Path) -> None:
    ids = token_ids([4, 12, 1], 15, EOS, 0, seed=3)
    legacy_ids = token_ids([5, 11], 13, EOS, EOS, seed=4)
    right_padded = (torch.arange(15) <= torch.tensor([[4], [12], [1]])).long()
    left_padded = (torch.arange(15) >= torch.tensor([[3], [0], [1]])).long()

    for dtype in DTYPES:
        plain = randomize(CLIPTextModel(CLIPTextConfig(**SMALL_TEXT)), seed=10).to(DTYPES[dtype])
        text_case(out, f"text-quick-gelu-{dtype}", plain, saved(plain), ids, dtype=dtype)
        config = CLIPTextConfig(**SMALL_TEXT | dict(eos_token_id=2, hidden_act="gelu", layer_norm_eps=1e-3))
        projected = randomize(CLIPTextModelWithProjection(config), seed=11).to(DTYPES[dtype])
        text_case(out, f"text-legacy-eos-{dtype}", projected, saved(projected), legacy_ids, dtype=dtype)
        text_case(out, f"text-right-padded-{dtype}", plain, saved(plain), ids, right_padded, dtype)
    text_case(out, "text-left-padded", plain.float(), saved(plain), ids, left_padded)

    # As it was published before transformers 5, and with the table of positions that older versions saved.
    config, state = saved(plain)
    state = {f"text_model.{key}": value for key, value in state.items()}
    state["text_model.embeddings.position_ids"] = torch.arange(15).unsqueeze(0)
    text_case(out, "text-published-names", plain, (config, state), ids[:, :7])

    for name, kind in {
        "mini-flow/text_encoder": CLIPTextModelWithProjection,
        "mini-flow/text_encoder_2": CLIPTextModelWithProjection,
        "mini-unet/text_encoder": CLIPTextModel,
    }.items():
        network = kind.from_pretrained(MODELS / name, dtype=torch.float32).eval()
        ids = token_ids([9, 20], 24, 3513, 3513, seed=5)
        text_case(out, "text-" + name.replace("/", "-"), network, embedded(MODELS / name), ids)


def run_vision(network, leaves: dict) -> dict:
    result = network(leaves["pixels"])
    outputs = {"last": result.last_hidden_state}
    if "pooler_output" in result:
        outputs["pooled"] = result.pooler_output
    if "image_embeds" in result:
        outputs["image_embeds"] = result.image_embeds
    return outputs


def write_vision(out: pathlib.Path) -> None:
    for dtype in DTYPES:
        for name, kind, change, size in [
            ("projected", CLIPVisionModelWithProjection, dict(), 24),
            ("plain-gelu", CLIPVisionModel, dict(hidden_act="gelu", num_attention_heads=6), 24),
            ("cut-patches", CLIPVisionModelWithProjection, dict(image_size=27, patch_size=6, num_hidden_layers=1), 27),
        ]:
            network = randomize(kind(CLIPVisionConfig(**SMALL_VISION | change)), seed=20).to(DTYPES[dtype])
            pixels = torch.randn(3, 3, size, size, generator=torch.Generator().manual_seed(21)).to(DTYPES[dtype])
            run = lambda leaves, network=network: run_vision(network, leaves)  # noqa: E731
            write_case(out, f"vision-{name}-{dtype}", "vision", *saved(network), {"pixels": pixels}, run, ["pixels"], dtype)


def run_both(network: CLIPModel, leaves: dict) -> dict:
    half = network.text_model.embeddings.token_embedding
    hook = half.register_forward_hook(lambda *_: leaves["embeddings"])
    text_embeds = network.get_text_features(leaves["ids"]).pooler_output
    image_embeds = network.get_image_features(leaves["pixels"]).pooler_output
    logits = network(leaves["ids"], leaves["pixels"]).logits_per_text
    hook.remove()
    return {"text_embeds": text_embeds, "image_embeds": image_embeds, "logits": logits}


def both_case(out, name, network, files, ids, dtype="float32"):
    size = network.config.vision_config.image_size
    pixels = torch.randn(2, 3, size, size, generator=torch.Generator().manual_seed(31)).to(DTYPES[dtype])
    embeddings = network.text_model.embeddings.token_embedding(ids).detach()
    inputs = {"ids": ids, "embeddings": embeddings, "pixels": pixels}
    run = lambda leaves: run_both(network, leaves)  # noqa: E731
    write_case(out, name, "clip", *files, inputs, run, ["embeddings", "pixels"], dtype)


def write_both(out: pathlib.Path) -> None:
    ids = token_ids([4, 12, 1], 15, EOS, 0, seed=3)
    config = CLIPConfig(text_config=SMALL_TEXT, vision_config=SMALL_VISION, projection_dim=16)
    for dtype in DTYPES:
        network = randomize(CLIPModel(config), seed=30).to(DTYPES[dtype])
        both_case(out, f"clip-{dtype}", network, saved(network), ids, dtype)

    # Published OpenCLIP exports say it again in "…_config_dict", which then is what counts.
    network = network.float()
    written, state = saved(network)
    written |= {"text_config_dict": SMALL_TEXT, "vision_config_dict": SMALL_VISION}
    written["text_config"] = written["text_config"] | {"num_hidden_layers": 99}
    both_case(out, "clip-config-dict", network, (written, state), ids)

    network = CLIPModel.from_pretrained(MODELS / "mini-clip", dtype=torch.float32).eval()
    ids = token_ids([7, 22, 13], 24, 3513, 3513, seed=6)
    both_case(out, "clip-mini", network, embedded(MODELS / "mini-clip"), ids)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder)
    write_vision(folder)
    write_both(folder)
