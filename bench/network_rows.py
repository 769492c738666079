"""The networks that networks.py measures: how the reference makes each kind, and at which sizes it is run."""

import dataclasses
import importlib
import importlib.machinery
import json
import pathlib
import sys
import types
from collections.abc import Callable

import torch
import transformers
from safetensors.torch import load_file, save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"
sys.path.append(str(ROOT / "tools" / "reference"))


class StandIn(type):
    """A class whose attributes are such classes again."""

    def __getattr__(cls, name: str) -> "StandIn":
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(name, (), {})


def import_diffusers() -> types.ModuleType:
    """diffusers imports packages that the networks do not use; stand-ins take the place of absent ones."""
    for name in ("PIL", "PIL.Image", "PIL.ImageOps", "PIL.ImageFilter", "requests", "importlib_metadata"):
        try:
            importlib.import_module(name)
        except ImportError:
            module = types.ModuleType(name)
            module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
            module.__path__, module.__version__ = [], "10.0.0"
            module.__getattr__ = lambda attribute: getattr(StandIn("StandIn", (), {}), attribute)
            sys.modules[name] = module
            parent, _, child = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)
    return importlib.import_module("diffusers")


@dataclasses.dataclass
class Kind:
    """`build` and `open` give the reference from a config and from a folder; `run` is what is measured."""

    open: Callable[[pathlib.Path], torch.nn.Module]
    build: Callable[[dict], torch.nn.Module]
    run: Callable[[torch.nn.Module, dict], torch.Tensor]


@dataclasses.dataclass
class Row:
    """A network to measure: one of models/, or (`config`) a full-size one with random weights.

    `inputs`: shapes; integers below `tokens` for "ids". `tiny` replaces parts of the config to try the program out.
    """

    name: str
    kind: str
    inputs: dict[str, tuple[int, ...]]
    folder: str = ""
    config: dict | None = None
    tiny: dict | None = None
    tokens: int = 0


def of_diffusers(name: str, run: Callable) -> Kind:
    def network_class():
        return getattr(import_diffusers(), name)

    return Kind(
        lambda folder: network_class().from_pretrained(folder, torch_dtype=torch.float32),
        lambda config: network_class()(**config),
        run,
    )


def of_transformers(name: str, config_name: str, run: Callable) -> Kind:
    network_class, config_class = getattr(transformers, name), getattr(transformers, config_name)
    return Kind(
        lambda folder: network_class.from_pretrained(folder, dtype=torch.float32),
        lambda config: network_class(config_class(**config)),
        run,
    )


def of_fixtures(module: str, name: str, run: Callable) -> Kind:
    """Networks whose reference is written out in tools/reference."""

    def build(config: dict) -> torch.nn.Module:
        network = getattr(importlib.import_module(module), name)(config)

        def save_pretrained(folder: str) -> None:
            (pathlib.Path(folder) / "config.json").write_text(json.dumps(config))
            save_file(network.state_dict(), pathlib.Path(folder) / "model.safetensors")

        network.save_pretrained = save_pretrained
        return network

    def open_folder(folder: pathlib.Path) -> torch.nn.Module:
        network = build(json.loads((folder / "config.json").read_text()))
        network.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
        return network.float()

    return Kind(open_folder, build, run)


def image_embeds(network: torch.nn.Module, x: dict) -> torch.Tensor:
    return network.visual_projection(network.vision_model(x["pixels"]).pooler_output)


KINDS = {
    "mmdit": of_diffusers(
        "SD3Transformer2DModel",
        lambda n, x: n(x["latents"], x["context"], x["pooled"], x["timestep"], return_dict=False)[0],
    ),
    "unet2d": of_diffusers(
        "UNet2DConditionModel", lambda n, x: n(x["latents"], x["timestep"], x["context"], return_dict=False)[0]
    ),
    "vae_decode": of_diffusers("AutoencoderKL", lambda n, x: n.decode(x["codes"], return_dict=False)[0]),
    "vae_encode": of_diffusers("AutoencoderKL", lambda n, x: n.encode(x["pixels"], return_dict=False)[0].mean),
    "clip_text": of_transformers("CLIPTextModel", "CLIPTextConfig", lambda n, x: n(x["ids"]).last_hidden_state),
    "clip_text_projected": of_transformers(
        "CLIPTextModelWithProjection", "CLIPTextConfig", lambda n, x: n(x["ids"]).last_hidden_state
    ),
    "clip_image": of_transformers("CLIPModel", "CLIPConfig", image_embeds),
    "t5": of_transformers("T5EncoderModel", "T5Config", lambda n, x: n(x["ids"]).last_hidden_state),
    "dinov2": of_transformers("Dinov2Model", "Dinov2Config", lambda n, x: n(x["pixels"]).pooler_output),
    "resnet": of_fixtures("resnet_fixtures", "ResNet", lambda n, x: n(x["pixels"])["embeddings"]),
    "inception": of_fixtures("inception_fixtures", "Inception", lambda n, x: n(x["pixels"])["features"]),
}

# Denoisers with 16: guidance doubles 8 images.
MINI_TEXT = {"ids": (2, 24)}
EMBEDDED = [
    Row(
        "mini-flow transformer", "mmdit", folder="mini-flow/transformer",
        inputs={"latents": (16, 8, 16, 16), "timestep": (16,), "context": (16, 24, 384), "pooled": (16, 512)},
    ),
    Row(
        "mini-unet U-Net", "unet2d", folder="mini-unet/unet",
        inputs={"latents": (16, 8, 16, 16), "timestep": (16,), "context": (16, 24, 256)},
    ),
    Row("mini VAE decode", "vae_decode", {"codes": (8, 8, 16, 16)}, "mini-flow/vae"),
    Row("mini VAE encode", "vae_encode", {"pixels": (8, 3, 128, 128)}, "mini-flow/vae"),
    Row("mini-clip image", "clip_image", {"pixels": (8, 3, 64, 64)}, "mini-clip"),
    Row("mini-judge", "resnet", {"pixels": (8, 3, 128, 128)}, "mini-judge"),
    Row("mini-flow text 1", "clip_text_projected", MINI_TEXT, "mini-flow/text_encoder", tokens=3512),
    Row("mini-flow text 2", "clip_text_projected", MINI_TEXT, "mini-flow/text_encoder_2", tokens=3512),
    Row("mini-unet text", "clip_text", MINI_TEXT, "mini-unet/text_encoder", tokens=3512),
]  # fmt: skip

SD3 = dict(
    sample_size=128, patch_size=2, in_channels=16, out_channels=16, num_layers=24, attention_head_dim=64,
    num_attention_heads=24, joint_attention_dim=4096, caption_projection_dim=1536, pooled_projection_dim=2048,
    pos_embed_max_size=192, dual_attention_layers=(), qk_norm=None,
)  # fmt: skip
SD3_INPUTS = {"latents": (2, 16, 64, 64), "timestep": (2,), "context": (2, 333, 4096), "pooled": (2, 2048)}
VAE = dict(
    down_block_types=["DownEncoderBlock2D"] * 4, up_block_types=["UpDecoderBlock2D"] * 4,
    block_out_channels=[128, 256, 512, 512], layers_per_block=2, latent_channels=4, sample_size=768,
    scaling_factor=0.18215,
)  # fmt: skip
TINY_VAE = {"block_out_channels": [32] * 4}
CLIP_L = dict(
    hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, projection_dim=768,
    hidden_act="quick_gelu", vocab_size=49408, max_position_embeddings=77, eos_token_id=49407, bos_token_id=49406,
)  # fmt: skip
FULL = [
    Row(
        "SD2.1 U-Net", "unet2d",
        inputs={"latents": (2, 4, 64, 64), "timestep": (2,), "context": (2, 77, 1024)},
        config=dict(
            sample_size=96, in_channels=4, out_channels=4, layers_per_block=2, cross_attention_dim=1024,
            block_out_channels=[320, 640, 1280, 1280], attention_head_dim=[5, 10, 20, 20], use_linear_projection=True,
        ),
        tiny={"block_out_channels": [32, 64, 64, 64], "attention_head_dim": [1, 2, 2, 2]},
    ),
    Row("SD2.1 VAE decode", "vae_decode", {"codes": (2, 4, 64, 64)}, config=VAE, tiny=TINY_VAE),
    Row("SD2.1 VAE encode", "vae_encode", {"pixels": (2, 3, 512, 512)}, config=VAE, tiny=TINY_VAE),
    Row("SD3-M", "mmdit", SD3_INPUTS, config=SD3, tiny={"num_layers": 2}),
    Row(
        "SD3.5-M", "mmdit", SD3_INPUTS,
        config=SD3 | dict(pos_embed_max_size=384, dual_attention_layers=tuple(range(13)), qk_norm="rms_norm"),
        tiny={"num_layers": 2, "dual_attention_layers": (0,), "pos_embed_max_size": 64},
    ),
    Row(
        "CLIP-L text", "clip_text_projected", {"ids": (2, 77)}, config=CLIP_L, tokens=49406,
        tiny={"num_hidden_layers": 2},
    ),
    Row(
        "OpenCLIP bigG text", "clip_text_projected", {"ids": (2, 77)}, tokens=49406,
        config=CLIP_L | dict(
            hidden_size=1280, intermediate_size=5120, num_hidden_layers=32, num_attention_heads=20,
            projection_dim=1280, hidden_act="gelu",
        ),
        tiny={"num_hidden_layers": 2},
    ),
    Row(
        "T5-XXL", "t5", {"ids": (2, 256)}, tokens=32100,
        config=dict(
            vocab_size=32128, d_model=4096, d_kv=64, d_ff=10240, num_layers=24, num_heads=64,
            feed_forward_proj="gated-gelu",
        ),
        tiny={"num_layers": 1, "d_model": 256, "d_ff": 512, "num_heads": 4},
    ),
]  # fmt: skip
