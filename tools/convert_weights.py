"""Converts published weights of metric networks into the folders that gass reads.

    convert_weights.py KIND INPUT OUT_DIR [--vocab vocab.txt] [--lin alex.pth]

KIND                    INPUT
  sscd                  sscd_disc_mixup.torchvision.pt, or a TorchScript file that keeps torchvision's names
  inception-torchvision inception_v3_google-0cc3c7bd.pth
  inception-fid         pt_inception-2015-12-05-6726825d.pth
  lpips                 alexnet-owt-7be5be79.pth; --lin names the lpips package's weights/v0.1/alex.pth. Or the whole
                        state_dict() of lpips.LPIPS(net="alex"), saved by torch.save
  image-reward          ImageReward.pt; --vocab names bert-base-uncased's vocab.txt, which the prompts need

OUT_DIR gets model.safetensors and config.json. Sizes are taken from the tensors. Needs torch and safetensors.
"""

import argparse
import json
import pathlib
import re
import shutil
import sys
import zipfile

import torch
from safetensors.torch import save_file

IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
CLIP = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
HEAD_SIZE = 64  # of every attention head in BLIP
State = dict[str, torch.Tensor]


def count(state: State, pattern: str) -> int:
    """How many layers there are whose number `pattern` captures."""
    return len({found[1] for name in state if (found := re.match(pattern, name))})


def without_prefix(state: State, prefix: str) -> State:
    """Removes a prefix that stands in front of every name."""
    if not all(name.startswith(prefix) for name in state):
        return state
    return {name.removeprefix(prefix): value for name, value in state.items()}


def convert_sscd(state: State) -> tuple[dict, State]:
    state = without_prefix(state, "backbone.")
    state = {name: value for name, value in state.items() if not name.startswith("avgpool.")}
    config = {
        "architectures": ["SSCDResNet"],
        "block": "bottleneck" if "layer1.0.conv3.weight" in state else "basic",
        "layers": [count(state, rf"layer{stage}\.(\d+)\.") for stage in range(1, 5)],
        "width": state["conv1.weight"].shape[0],
        "embedding_dim": state["fc.weight"].shape[0],
        "gem_p": 3.0,
        "image_size": 288,
    }
    return config | IMAGENET, state


def convert_inception(state: State, form: str) -> tuple[dict, State]:
    state = {name: value for name, value in state.items() if not name.startswith("AuxLogits.")}
    config = {
        "architectures": ["InceptionV3"],
        "form": form,
        "num_classes": state["fc.weight"].shape[0],
        "transform_input": form == "torchvision",
        "image_size": 299,
    }
    return config, state


def convert_lpips(state: State) -> tuple[dict, State]:
    state = {re.sub(r"^net\.slice\d\.", "features.", name): value for name, value in state.items()}  # lpips.LPIPS's own names
    wanted = [f"features.{layer}.{part}" for layer in (0, 3, 6, 8, 10) for part in ("weight", "bias")]
    wanted += [f"lin{layer}.model.1.weight" for layer in range(5)]
    return {"architectures": ["LPIPS"], "net": "alex", "image_size": 256}, {name: state[name] for name in wanted}


def convert_image_reward(state: State) -> tuple[dict, State]:
    state = without_prefix(state, "module.")
    vision, text = "blip.visual_encoder.", "blip.text_encoder."
    patch = state[f"{vision}patch_embed.proj.weight"]  # [width, 3, size, size]
    tokens = state[f"{vision}pos_embed"].shape[1]
    words = state[f"{text}embeddings.word_embeddings.weight"]
    image_size = round((tokens - 1) ** 0.5) * patch.shape[-1]
    config = {
        "architectures": ["ImageReward"],
        "vision_config": {
            "hidden_size": patch.shape[0],
            "intermediate_size": state[f"{vision}blocks.0.mlp.fc1.weight"].shape[0],
            "num_hidden_layers": count(state, re.escape(vision) + r"blocks\.(\d+)\."),
            "num_attention_heads": patch.shape[0] // HEAD_SIZE,
            "image_size": image_size,
            "patch_size": patch.shape[-1],
            "layer_norm_eps": 1e-6,
        },
        "text_config": {
            "vocab_size": words.shape[0],
            "hidden_size": words.shape[1],
            "intermediate_size": state[f"{text}encoder.layer.0.intermediate.dense.weight"].shape[0],
            "num_hidden_layers": count(state, re.escape(text) + r"encoder\.layer\.(\d+)\."),
            "num_attention_heads": words.shape[1] // HEAD_SIZE,
            "max_position_embeddings": state[f"{text}embeddings.position_embeddings.weight"].shape[0],
            "layer_norm_eps": 1e-12,
        },
        "image_size": image_size,
        "head_sizes": [state[f"mlp.layers.{i}.weight"].shape[0] for i in (0, 2, 4, 6)],
        "text_length": 35,
        "score_mean": 0.16717362830052426,
        "score_std": 1.0333394966054072,
    }
    used = (vision, f"{text}embeddings.", f"{text}encoder.", "mlp.layers.")
    state = {name: value for name, value in state.items() if name.startswith(used) and not name.endswith("position_ids")}
    return config | CLIP, state


KINDS = {
    "sscd": convert_sscd,
    "inception-torchvision": lambda state: convert_inception(state, "torchvision"),
    "inception-fid": lambda state: convert_inception(state, "fid"),
    "lpips": convert_lpips,
    "image-reward": convert_image_reward,
}


def is_torchscript(path: pathlib.Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("/constants.pkl") for name in archive.namelist())


def load_state(path: pathlib.Path) -> State:
    if is_torchscript(path):
        state = torch.jit.load(str(path), map_location="cpu").state_dict()
    else:
        state = torch.load(path, map_location="cpu", weights_only=True)
    for key in ("state_dict", "model"):
        state = state[key] if isinstance(state.get(key), dict) else state
    return {name: value for name, value in state.items() if isinstance(value, torch.Tensor)}


def write_folder(out: pathlib.Path, config: dict, state: State) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    # Cloned: tensors of a checkpoint may share memory, which the format does not know.
    tensors = {name: value.detach().clone().contiguous() for name, value in state.items()}
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})


def write_tokenizer(out: pathlib.Path, vocabulary: pathlib.Path) -> None:
    shutil.copyfile(vocabulary, out / "vocab.txt")
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512, "bos_token": "[DEC]",
              "additional_special_tokens": ["[ENC]"]}
    (out / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--vocab", type=pathlib.Path)
    parser.add_argument("--lin", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        published = load_state(arguments.input) | (load_state(arguments.lin) if arguments.lin else {})
        config, state = KINDS[arguments.kind](published)
    except KeyError as error:
        print(f"{arguments.input}: not the published weights of {arguments.kind}: no tensor {error}", file=sys.stderr)
        return 1
    write_folder(arguments.out, config, state)
    if arguments.vocab:
        write_tokenizer(arguments.out, arguments.vocab)
    print(f"{arguments.out}: {len(state)} tensors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
