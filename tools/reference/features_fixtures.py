"""Writes what the reference pipelines make of picture files before and behind their networks.

    features_fixtures.py OUT_DIR

OUT_DIR/pictures        PNG files
  resizes.safetensors   PICTURE/FILTER/HEIGHTxWIDTH: bytes [H, W, 3] of Pillow's Image.resize
  floats.safetensors    clean/PICTURE, interpolated/PICTURE: [3, 299, 299] of clean-fid's and pytorch-fid's resizing
  processors/NAME.json  files as preprocessor_config.json, and NAME.safetensors with what comes of them:
                        pil/PICTURE by the processor that uses Pillow, torchvision/PICTURE by the other one
  transforms.safetensors  sscd-SIDE/PICTURE, reward-SIDE/PICTURE, inception/PICTURE (bytes): torchvision's transforms
  ENCODER/              folders that gass opens: clip, clip-vision, dinov2, inception-fid, image-reward
  features.safetensors  ENCODER/PICTURE: features, mini-clip and mini-judge (embedded) and pixels among them;
                        mini-clip/text; image-reward/PICTURE: its score
"""

import json
import pathlib
import sys
import unittest.mock

import common_metrics  # noqa: F401  first: it makes the following importable
import numpy as np
import torch
from cleanfid.resize import build_resizer
from common_networks import randomize
from image_reward_fixtures import ImageReward, make_config
from inception_fixtures import random_network
from PIL import Image
from pytorch_fid import inception
from resnet_fixtures import JUDGE, ResNet
from safetensors.torch import load_file, save_file
from torchvision import transforms
from transformers import BertTokenizer, CLIPConfig, CLIPModel, CLIPTokenizer, CLIPVisionModelWithProjection, Dinov2Config, Dinov2Model
from transformers.models.bit.image_processing_bit import BitImageProcessor
from transformers.models.bit.image_processing_pil_bit import BitImageProcessorPil
from transformers.models.clip.image_processing_clip import CLIPImageProcessor
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from wordpiece_fixtures import plain_vocabulary

# vendi-score imports it for drawings, which nothing here makes.
sys.modules["matplotlib"] = unittest.mock.MagicMock()
from vendi_score.image_utils import get_pixel_vectors, inception_transforms

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from convert_weights import CLIP as CLIP_NUMBERS
from convert_weights import IMAGENET, convert_inception, write_folder, write_tokenizer

MODELS = JUDGE.parent
FILTERS = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}
PROMPT = "a red car in front of a house"
Pictures = dict[str, Image.Image]


def make_pictures() -> Pictures:
    rng = np.random.default_rng(1)
    noise = lambda height, width: rng.integers(0, 256, (height, width, 3))
    gray = lambda height, width: np.repeat(rng.integers(0, 256, (height, width, 1)), 3, 2)

    def gradient(height, width):
        y, x = np.mgrid[0:height, 0:width]
        return np.stack([255 * x / width, 255 * y / height, 127 + 127 * np.sin(x / 9 + y / 5)], -1)

    made = {"one": noise(1, 1), "tiny": noise(5, 3), "row": noise(1, 37), "column": noise(41, 1), "odd": noise(49, 65),
            "high": gradient(300, 20), "gray": gray(128, 128), "checks": np.kron(noise(17, 9) > 127, np.ones((7, 11, 1))) * 255,
            "photo": gradient(427, 640) * 0.8 + gray(427, 640) * 0.2}
    return {name: Image.fromarray(pixels.astype(np.uint8)) for name, pixels in made.items()}


def chosen(pictures: Pictures, *names: str) -> Pictures:
    return {name: pictures[name] for name in names}


def small(pictures: Pictures) -> Pictures:
    return {name: picture for name, picture in pictures.items() if name != "photo"}


def write_resizes(out: pathlib.Path, pictures: Pictures) -> None:
    results = {}
    for name, picture in pictures.items():
        width, height = picture.size
        sizes = {(1, 1), (5, 7), (32, 32), (100, 37), (height, 19), (23, width), (2 * height, 3 * width), (height, width)}
        sizes = {(224, 224), (32, 150)} if name == "photo" else sizes
        for filter_name, number in FILTERS.items():
            for size in sizes:
                resized = np.array(picture.resize(size[::-1], number))
                results[f"{name}/{filter_name}/{size[0]}x{size[1]}"] = torch.from_numpy(resized)
    save_file(results, out / "resizes.safetensors")


def write_floats(out: pathlib.Path, pictures: Pictures) -> None:
    clean, results = build_resizer("clean"), {}
    for name, picture in chosen(pictures, "tiny", "photo").items():
        resized = clean(np.array(picture)).transpose(2, 0, 1).copy()
        results[f"clean/{name}"] = (torch.from_numpy(resized) - 128) / 128
    for name, picture in chosen(pictures, "column", "photo").items():
        results[f"interpolated/{name}"] = fid_pixels(picture)[0]
    save_file(results, out / "floats.safetensors")


def fid_pixels(picture: Image.Image) -> torch.Tensor:
    pixels = transforms.ToTensor()(picture).unsqueeze(0)
    return 2 * torch.nn.functional.interpolate(pixels, size=(299, 299), mode="bilinear", align_corners=False) - 1


def torch_has_lanczos() -> bool:
    """torch 2.11 has not."""
    try:
        torch.nn.functional.interpolate(torch.zeros(1, 3, 8, 8), size=(4, 4), mode="lanczos", antialias=True)
    except (NotImplementedError, ValueError):
        return False
    return True


def write_processors(out: pathlib.Path, pictures: Pictures) -> None:
    clip = {"image_processor_type": "CLIPImageProcessor", "size": {"shortest_edge": 40}, "crop_size": {"height": 40, "width": 40}}
    cases = {
        "clip": clip,
        "odd-crop": clip | {"size": 43, "crop_size": 38, "resample": 2, "feature_extractor_type": "CLIPFeatureExtractor"},
        "padded": clip | {"size": 25, "crop_size": {"height": 36, "width": 47}},
        "squeezed": clip | {"size": {"height": 30, "width": 44}, "resample": 1},
        "no-resize": clip | {"do_resize": False},
        "no-crop": clip | {"do_center_crop": False, "size": {"height": 30, "width": 30}},
        "raw": clip | {"do_rescale": False, "do_normalize": False},
        "scaled": clip | {"rescale_factor": 0.01, "image_mean": [0.1, 0.2, 0.3], "image_std": [1, 2, 3]},
        "dinov2": IMAGENET | {"image_processor_type": "BitImageProcessor", "size": {"shortest_edge": 48}, "crop_size": 42,
                              "do_convert_rgb": True, "rescale_factor": 0.00392156862745098},
    }
    (out / "processors").mkdir()
    for name, config in cases.items():
        (out / "processors" / f"{name}.json").write_text(json.dumps(config, indent=1))
        bit = config["image_processor_type"].startswith("Bit")
        backends = {"pil": BitImageProcessorPil if bit else CLIPImageProcessorPil,
                    "torchvision": BitImageProcessor if bit else CLIPImageProcessor}
        values = {}
        for backend, processor in backends.items():
            if backend == "torchvision" and name in ("padded", "no-resize"):
                continue  # it puts the larger border on the other side
            if backend == "torchvision" and config.get("resample") == Image.LANCZOS and not torch_has_lanczos():
                continue
            for picture_name, picture in small(pictures).items():
                made = processor(**config)(picture, return_tensors="pt").pixel_values[0].float()
                values[f"{backend}/{picture_name}"] = made.contiguous()
        save_file(values, out / "processors" / f"{name}.safetensors")


def sscd_transform(side: int) -> transforms.Compose:
    normalize = transforms.Normalize(IMAGENET["image_mean"], IMAGENET["image_std"])
    return transforms.Compose([transforms.Resize(side), transforms.ToTensor(), normalize])


def reward_transform(side: int) -> transforms.Compose:
    return transforms.Compose([transforms.Resize(side, interpolation=transforms.InterpolationMode.BICUBIC),
                               transforms.CenterCrop(side), transforms.ToTensor(),
                               transforms.Normalize(CLIP_NUMBERS["image_mean"], CLIP_NUMBERS["image_std"])])


def write_transforms(out: pathlib.Path, pictures: Pictures) -> None:
    results = {}
    for side in (17, 48):
        for name, picture in chosen(pictures, "one", "tiny", "odd", "gray", "checks").items():
            results[f"sscd-{side}/{name}"] = sscd_transform(side)(picture)
        for name, picture in small(pictures).items():
            results[f"reward-{side}/{name}"] = reward_transform(side)(picture)
    for name, picture in chosen(pictures, "tiny", "checks", "photo").items():
        results[f"inception/{name}"] = (inception_transforms()(picture) * 255).round().byte()
    save_file({name: value.contiguous() for name, value in results.items()}, out / "transforms.safetensors")


def clip_features(out: pathlib.Path, pictures: Pictures) -> dict[str, torch.Tensor]:
    vision = dict(hidden_size=48, intermediate_size=72, num_hidden_layers=2, num_attention_heads=3, image_size=24, patch_size=8)
    text = dict(vocab_size=61, hidden_size=24, intermediate_size=30, num_hidden_layers=1, num_attention_heads=2,
                max_position_embeddings=15, bos_token_id=59, eos_token_id=60)
    tiny = randomize(CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=20)), 1)
    tiny.save_pretrained(out / "clip")
    config = {"size": {"shortest_edge": 27}, "crop_size": {"height": 24, "width": 24}}
    (out / "clip" / "preprocessor_config.json").write_text(json.dumps(config))
    # transformers' own class for the half; without a file for its pictures.
    half = CLIPVisionModelWithProjection(tiny.config.vision_config)
    half.config.projection_dim = 20
    half = CLIPVisionModelWithProjection(half.config).eval()
    randomize(half, 2).save_pretrained(out / "clip-vision")

    embedded = CLIPModel.from_pretrained(MODELS / "mini-clip").float().eval()
    embedded_processor = CLIPImageProcessorPil.from_pretrained(MODELS / "mini-clip")
    plain = CLIPImageProcessorPil(size={"shortest_edge": 24}, crop_size={"height": 24, "width": 24})
    seen = lambda processor, picture: processor(picture, return_tensors="pt").pixel_values
    results = {}
    for name, picture in pictures.items():
        results[f"clip/{name}"] = tiny.get_image_features(seen(CLIPImageProcessorPil(**config), picture)).pooler_output[0]
        results[f"clip-vision/{name}"] = half(seen(plain, picture)).image_embeds[0]
        results[f"mini-clip/{name}"] = embedded.get_image_features(seen(embedded_processor, picture)).pooler_output[0]
    tokens = CLIPTokenizer.from_pretrained(MODELS / "mini-clip")(PROMPT, padding="max_length", max_length=24, return_tensors="pt")
    results["mini-clip/text"] = embedded.get_text_features(input_ids=tokens.input_ids).pooler_output[0]
    return results


def dinov2_features(out: pathlib.Path, pictures: Pictures) -> dict[str, torch.Tensor]:
    config = Dinov2Config(hidden_size=36, num_hidden_layers=2, num_attention_heads=3, mlp_ratio=3, image_size=28, patch_size=14)
    network = randomize(Dinov2Model(config), 3)
    network.save_pretrained(out / "dinov2")
    file = IMAGENET | {"image_processor_type": "BitImageProcessor", "size": {"shortest_edge": 32}, "crop_size": 28}
    (out / "dinov2" / "preprocessor_config.json").write_text(json.dumps(file))
    processor = BitImageProcessorPil.from_pretrained(out / "dinov2")
    return {f"dinov2/{name}": network(processor(picture, return_tensors="pt").pixel_values).pooler_output[0]
            for name, picture in pictures.items()}


def judge_features(pictures: Pictures) -> dict[str, torch.Tensor]:
    network = ResNet(json.loads((JUDGE / "config.json").read_text())).eval()
    network.load_state_dict(load_file(JUDGE / "model.safetensors"), strict=False)
    first = lambda picture: picture.resize((256, 256), Image.LANCZOS)
    few = chosen(pictures, "gray", "odd", "checks", "photo")
    see = lambda picture: network(sscd_transform(128)(picture).unsqueeze(0))["embeddings"][0]
    return {f"mini-judge/{name}": see(picture) for name, picture in few.items()} | {
        f"mini-judge-256/{name}": see(first(picture)) for name, picture in few.items()}


def fid_features(out: pathlib.Path, pictures: Pictures) -> dict[str, torch.Tensor]:
    state = random_network({"form": "fid", "num_classes": 1008, "transform_input": False}, 4).state_dict()
    config, state = convert_inception(state, "fid")
    write_folder(out / "inception-fid", config, {name: value.half() if value.is_floating_point() else value
                                                 for name, value in state.items()})
    inception.load_state_dict_from_url = lambda *_, **__: state
    network = inception.InceptionV3([3]).eval()
    results = {f"inception-fid/{name}": network(transforms.ToTensor()(picture).unsqueeze(0))[0].flatten()
               for name, picture in chosen(pictures, "row", "photo").items()}
    network.resize_input = network.normalize_input = False
    clean = lambda picture: torch.from_numpy(build_resizer("clean")(np.array(picture)).transpose(2, 0, 1).copy())
    see = lambda picture: network((clean(picture).unsqueeze(0) - 128) / 128)[0].flatten()
    return results | {f"inception-fid-clean/{name}": see(picture) for name, picture in chosen(pictures, "odd", "photo").items()}


def reward_scores(out: pathlib.Path, pictures: Pictures) -> dict[str, torch.Tensor]:
    vocabulary = plain_vocabulary()
    (out / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    config = make_config(32, 8, 24, 18, (3, 2), (2, 3))
    config["text_config"]["vocab_size"] = len(vocabulary) + 2
    network = randomize(ImageReward(config), 5)
    write_folder(out / "image-reward", config, network.published())
    write_tokenizer(out / "image-reward", out / "vocab.txt")
    tokens = BertTokenizer.from_pretrained(out / "image-reward")(
        PROMPT, padding="max_length", truncation=True, max_length=config["text_length"], return_tensors="pt")
    text = {"ids": tokens.input_ids, "mask": tokens.attention_mask}
    see = lambda picture: network({"pixels": reward_transform(32)(picture).unsqueeze(0)} | text)["scores"]
    return {f"image-reward/{name}": see(picture) for name, picture in pictures.items()}


@torch.no_grad()
def main() -> None:
    out = pathlib.Path(sys.argv[1])
    pictures = make_pictures()
    (out / "pictures").mkdir(parents=True)
    for name, picture in pictures.items():
        picture.save(out / "pictures" / f"{name}.png")
    write_resizes(out, pictures)
    write_floats(out, pictures)
    write_processors(out, pictures)
    write_transforms(out, pictures)
    features = clip_features(out, pictures) | dinov2_features(out, pictures) | judge_features(pictures)
    features |= fid_features(out, pictures) | reward_scores(out, pictures)
    for name, picture in pictures.items():
        features[f"pixels/{name}"] = torch.from_numpy(get_pixel_vectors([picture])[0]).float()
    save_file({name: value.contiguous().clone() for name, value in features.items()}, out / "features.safetensors")


if __name__ == "__main__":
    main()
