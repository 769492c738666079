"""Writes what transformers' T5EncoderModel computes.

usage: t5_fixtures.py OUT_DIR
"""

import json
import pathlib
import sys
import tempfile

import torch
from common_networks import DTYPES, randomize, write_case
from safetensors.torch import load_file
from transformers import T5Config, T5EncoderModel

SMALL = dict(
    vocab_size=67, d_model=40, d_kv=12, d_ff=56, num_layers=3, num_heads=3, relative_attention_num_buckets=8,
    relative_attention_max_distance=20,
)  # fmt: skip


def run(network: T5EncoderModel, leaves: dict) -> dict:
    result = network(inputs_embeds=leaves["embeddings"], attention_mask=leaves.get("mask"))
    return {"embedded": network.shared(leaves["ids"]), "last": result.last_hidden_state}


def saved(network: T5EncoderModel) -> tuple[dict, dict]:
    """config.json and tensors as the library's own files have them."""
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder)
        config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        return config, load_file(pathlib.Path(folder) / "model.safetensors")


def case(out, name, network, files, length, mask=None, dtype="float32", kind="t5"):
    ids = torch.randint(0, 67, (2, length), generator=torch.Generator().manual_seed(2))
    # A position bias with a gradient would make PyTorch choose another attention kernel, with other rounding in bf16.
    network.requires_grad_(False)
    inputs = {"ids": ids, "embeddings": network.shared(ids)}
    if mask is not None:
        inputs["mask"] = mask
    write_case(out, name, kind, *files, inputs, lambda leaves: run(network, leaves), ["embeddings"], dtype)


def main(out: pathlib.Path) -> None:
    right_padded = (torch.arange(33) < torch.tensor([[33], [5]])).long()
    left_padded = (torch.arange(33) >= torch.tensor([[2], [30]])).long()
    for dtype in DTYPES:
        for form in ["gated-gelu", "relu", "gated-silu"]:
            network = randomize(T5EncoderModel(T5Config(**SMALL, feed_forward_proj=form)), 1).to(DTYPES[dtype])
            case(out, f"{form}-{dtype}", network, saved(network), 33, dtype=dtype)
            case(out, f"{form}-padded-{dtype}", network, saved(network), 33, right_padded, dtype)

    network = randomize(T5EncoderModel(T5Config(**SMALL | dict(num_layers=1, layer_norm_epsilon=1e-3))), 3)
    config, state = saved(network)
    case(out, "left-padded", network, (config, state), 33, left_padded)
    # The embeddings are one tensor under two names, and a file may have either or both.
    embeddings = state.pop("shared.weight")
    other_name = state | {"encoder.embed_tokens.weight": embeddings}
    case(out, "embed-tokens", network, (config, other_name), 7)
    both_names = other_name | {"shared.weight": embeddings.clone()}
    case(out, "both-names", network, (config, both_names), 1)
    # Older files give the form in feed_forward_proj alone, or override it in the two other fields.
    for key in ["dense_act_fn", "is_gated_act"]:
        del config[key]
    case(out, "form-only", network, (config, both_names), 200)
    overridden = T5EncoderModel(T5Config(**SMALL, feed_forward_proj="relu", dense_act_fn="gelu", is_gated_act=True))
    randomize(overridden, 4)
    case(out, "form-overridden", overridden, saved(overridden), 9)

    # fp16, with a feed-forward so large that fp16 alone would overflow.
    with tempfile.TemporaryDirectory() as folder:
        network = randomize(T5EncoderModel(T5Config(**SMALL, feed_forward_proj="gated-gelu")), 5)
        with torch.no_grad():
            network.encoder.block[0].layer[1].DenseReluDense.wo.weight.mul_(60000)
        network.half().save_pretrained(folder)
        files = saved(network)
        network = T5EncoderModel.from_pretrained(folder, dtype=torch.float16).eval()
    assert network.encoder.block[0].layer[1].DenseReluDense.wo.weight.dtype == torch.float32
    case(out, "half", network, files, 11, dtype="float16", kind="t5-half")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
