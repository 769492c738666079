"""Writes the parity cases of ImageReward.

    image_reward_fixtures.py OUT_DIR

The reference is transformers' BLIP with the tensors renamed, and the head of THUDM/ImageReward: linear layers without
activations between, then the score is standardised.
"""

import pathlib
import sys

import torch
from common_networks import DTYPES, randomize, write_case
from torch import nn
from transformers import BlipTextConfig, BlipVisionConfig
from transformers.models.blip.modeling_blip import BlipVisionModel
from transformers.models.blip.modeling_blip_text import BlipTextModel

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from convert_weights import convert_image_reward

MEAN, DEVIATION = 0.16717362830052426, 1.0333394966054072
VISION_NAMES = [("embeddings.class_embedding", "cls_token"), ("embeddings.position_embedding", "pos_embed"),
                ("embeddings.patch_embedding", "patch_embed.proj"), ("post_layernorm", "norm"),
                ("encoder.layers.", "blocks."), ("self_attn.projection", "attn.proj"), ("self_attn", "attn"),
                ("layer_norm", "norm")]


def vision_name(name: str) -> str:
    for theirs, published in VISION_NAMES:
        name = name.replace(theirs, published)
    return f"blip.visual_encoder.{name}"


class ImageReward(nn.Module):
    def __init__(self, config: dict):
        super().__init__()
        vision, text = config["vision_config"], config["text_config"]
        self.vision = BlipVisionModel(BlipVisionConfig(**vision, hidden_act="gelu"))
        self.text = BlipTextModel(
            BlipTextConfig(**text, hidden_act="gelu", encoder_hidden_size=vision["hidden_size"], is_decoder=True),
            add_pooling_layer=False)
        sizes = [text["hidden_size"], *config["head_sizes"], 1]
        linears = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]
        drop = nn.Identity()
        self.mlp = nn.Sequential(linears[0], drop, linears[1], drop, linears[2], drop, linears[3], linears[4])

    def forward(self, inputs):
        image = self.vision(inputs["pixels"]).last_hidden_state
        text = self.text(inputs["ids"], attention_mask=inputs["mask"], encoder_hidden_states=image,
                         encoder_attention_mask=torch.ones(image.shape[:2], dtype=torch.long), is_decoder=False)
        raw = self.mlp(text.last_hidden_state[:, 0]).float()
        return {"scores": (raw.squeeze(-1) - MEAN) / DEVIATION}

    def published(self) -> dict[str, torch.Tensor]:
        """The tensors by their published names, unused ones among them."""
        state = {vision_name(name): value for name, value in self.vision.state_dict().items()}
        state |= {f"blip.text_encoder.{name}": value for name, value in self.text.state_dict().items()}
        state |= {f"mlp.layers.{name}": value for name, value in self.mlp.state_dict().items()}
        positions = self.text.config.max_position_embeddings
        state["blip.text_encoder.embeddings.position_ids"] = torch.arange(positions).unsqueeze(0)
        for name in ("vision_proj", "text_proj"):
            state |= {f"blip.{name}.weight": torch.zeros(4, 8), f"blip.{name}.bias": torch.zeros(4)}
        return state


def make_config(image_size, patch_size, vision_width, text_width, heads, layers):
    return {
        "architectures": ["ImageReward"],
        "vision_config": {"hidden_size": vision_width, "intermediate_size": 3 * vision_width + 1,
                          "num_hidden_layers": layers[0], "num_attention_heads": heads[0], "image_size": image_size,
                          "patch_size": patch_size, "layer_norm_eps": 1e-6},
        "text_config": {"vocab_size": 61, "hidden_size": text_width, "intermediate_size": 2 * text_width + 3,
                        "num_hidden_layers": layers[1], "num_attention_heads": heads[1], "max_position_embeddings": 17,
                        "layer_norm_eps": 1e-12},
        "image_size": image_size, "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711], "head_sizes": [20, 9, 7, 5], "text_length": 13,
        "score_mean": MEAN, "score_std": DEVIATION,
    }


def make_case(out, name, config, lengths, dtype="float32", seed=0):
    generator = torch.Generator().manual_seed(seed)
    network = randomize(ImageReward(config), seed).to(DTYPES[dtype])
    count, size, tokens = len(lengths), config["image_size"], config["text_length"]
    inputs = {
        "pixels": torch.randn((count, 3, size, size), generator=generator).to(DTYPES[dtype]),
        "ids": torch.randint(0, config["text_config"]["vocab_size"], (count, tokens), generator=generator),
        "mask": (torch.arange(tokens) < torch.tensor(lengths).unsqueeze(1)).long(),
    }
    write_case(out, name, "image_reward", config, network.published(), inputs, network, ["pixels"], dtype, seed=seed)


def main():
    out = pathlib.Path(sys.argv[1])
    make_case(out, "small", make_config(32, 8, 24, 18, (3, 2), (2, 3)), [13, 4, 2], seed=1)
    make_case(out, "one-layer", make_config(21, 7, 10, 12, (1, 3), (1, 1)), [9, 13], seed=2)
    full_heads = make_config(32, 8, 128, 64, (2, 1), (1, 2)) | {"text_length": 35}
    full_heads["text_config"]["max_position_embeddings"] = 35
    converted, _ = convert_image_reward(ImageReward(full_heads).published())
    make_case(out, "converted", converted, [35, 6], seed=4)
    make_case(out, "bf16", make_config(32, 8, 32, 24, (4, 3), (2, 2)), [13, 5], "bfloat16", seed=3)


if __name__ == "__main__":
    main()
