"""`gass measure` against the packages that define the metrics: the same files give the same numbers.

usage: measure_parity_test.py GASS [unittest arguments]

Encoders are random ones at small sizes, saved by transformers or converted by tools/convert_weights.py from the state of
pytorch-fid's and torchvision's own classes, beside the embedded ones. With -v each comparison says how far apart the two are.
"""

import contextlib
import io
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tools"), str(ROOT / "tools" / "reference")]

import common_metrics  # noqa: F401  before the packages
import numpy as np
import torch
from measure_support import MeasureTest, picture, save_pictures
from PIL import Image

sys.modules.setdefault("matplotlib", types.ModuleType("matplotlib"))  # vendi_score plots with it
sys.modules["matplotlib"].pyplot = types.ModuleType("pyplot")
sys.modules.setdefault("matplotlib.pyplot", sys.modules["matplotlib"].pyplot)

import pytorch_fid.inception
import torchvision
from cleanfid.fid import frechet_distance as clean_frechet
from cleanfid.fid import kernel_distance as clean_kernel_distance
from cleanfid.resize import build_resizer
from common_networks import randomize
from image_reward_fixtures import ImageReward, make_config
from lpips_fixtures import random_network as random_lpips
from metrics_fixtures import scendi_by_covariances, unit
from prdc import compute_prdc
from pytorch_fid.fid_score import get_activations
from resnet_fixtures import ResNet
from safetensors.torch import load_file
from torch_fidelity.metric_isc import isc_features_to_metric
from torch_fidelity.metric_kid import kid_features_to_metric
from transformers import (
    BertTokenizer,
    BitImageProcessorPil,
    CLIPConfig,
    CLIPImageProcessor,
    CLIPImageProcessorPil,
    CLIPModel,
    CLIPTokenizer,
    Dinov2Config,
    Dinov2Model,
)
from vendi_score import image_utils, vendi

VERBOSE = "-v" in sys.argv
MODELS = ROOT / "models"
TOLERANCE = 1e-3
COUNT, REFERENCE_COUNT = 14, 18
PROMPT = "a red car"


def open_rgb(file):
    return Image.open(file).convert("RGB")


# The encoders: each makes a folder for gass, and features of files with its own library.


class Clip:
    """A CLIP by transformers."""

    def __init__(self, folder, processor=CLIPImageProcessorPil):
        self.folder = folder
        self.model = CLIPModel.from_pretrained(folder, dtype=torch.float32).eval()
        self.processor = processor.from_pretrained(folder)
        self.tokenizer = CLIPTokenizer.from_pretrained(folder)

    @torch.no_grad()
    def features(self, files):
        pixels = self.processor(images=[open_rgb(file) for file in files], return_tensors="pt").pixel_values
        return self.model.get_image_features(pixels).pooler_output.numpy().astype(float)

    @torch.no_grad()
    def text(self, prompt):
        length = self.model.config.text_config.max_position_embeddings
        tokens = self.tokenizer(prompt, padding="max_length", max_length=length, truncation=True, return_tensors="pt")
        return self.model.get_text_features(**tokens).pooler_output.numpy().astype(float)[0]


def random_clip(folder):
    """Wider pictures than ViT-B/32's patches, so that cropping counts."""
    config = CLIPConfig(
        text_config=dict(vocab_size=3514, hidden_size=48, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
                         max_position_embeddings=24, bos_token_id=3512, eos_token_id=3513, pad_token_id=3513),
        vision_config=dict(hidden_size=96, intermediate_size=192, num_hidden_layers=3, num_attention_heads=3, image_size=224,
                           patch_size=32),
        projection_dim=40,
    )  # fmt: skip
    CLIPModel(config).save_pretrained(folder)
    CLIPImageProcessorPil().save_pretrained(folder)
    for name in ("merges.txt", "special_tokens_map.json", "tokenizer_config.json", "vocab.json"):
        shutil.copy(MODELS / "mini-clip" / name, folder / name)
    return Clip(folder)


class Dinov2:
    def __init__(self, folder):
        self.folder = folder
        config = Dinov2Config(hidden_size=72, num_hidden_layers=3, num_attention_heads=3, mlp_ratio=2, image_size=98, patch_size=14)
        self.model = Dinov2Model(config).eval()
        self.model.save_pretrained(folder)
        self.processor = BitImageProcessorPil(
            do_resize=True, size={"shortest_edge": 112}, resample=3, do_center_crop=True, crop_size={"height": 98, "width": 98},
            image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225])  # fmt: skip
        self.processor.save_pretrained(folder)

    @torch.no_grad()
    def features(self, files):
        pixels = self.processor(images=[open_rgb(file) for file in files], return_tensors="pt").pixel_values
        return self.model(pixels).pooler_output.numpy().astype(float)


class Sscd:
    """The embedded judge, which is of SSCD's kind: the shorter side resized, bilinear, nothing cut off."""

    def __init__(self, folder):
        self.folder = folder
        self.config = json.loads((folder / "config.json").read_text())
        self.network = ResNet(self.config)
        self.network.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
        self.network.float().eval()
        self.transform = torchvision.transforms.Compose([
            torchvision.transforms.Resize(self.config["image_size"]), torchvision.transforms.ToTensor(),
            torchvision.transforms.Normalize(self.config["image_mean"], self.config["image_std"])])  # fmt: skip

    @torch.no_grad()
    def features(self, files):
        rows = [self.network(self.transform(open_rgb(file))[None])["embeddings"] for file in files]
        return torch.cat(rows).numpy().astype(float)


def sane_state(network, transform):
    """Random weights whose batch norms know the values that pictures give."""
    generator = torch.Generator().manual_seed(5)
    norms = [module for module in network.modules() if isinstance(module, torch.nn.BatchNorm2d)]
    with torch.no_grad():
        for name, tensor in network.state_dict().items():
            noise = torch.randn(tensor.shape, generator=generator)
            if tensor.dim() > 1:
                tensor.copy_(noise * (2 / tensor[0].numel()) ** 0.5)
            elif name.endswith(("bn.weight", "bn.bias")):
                tensor.copy_(0.2 * noise + (1.0 if name.endswith("weight") else 0.0))
        for norm in norms:
            norm.momentum = 1.0
        network.train()
        network(torch.stack([transform(picture(i, 120, 100)) for i in range(4)]))
    return network.eval().state_dict()


def convert(kind, state, folder, *more):
    with tempfile.TemporaryDirectory() as temporary:
        source = pathlib.Path(temporary) / "weights.pth"
        torch.save(state, source)
        command = [sys.executable, ROOT / "tools" / "convert_weights.py", kind, source, folder, *more]
        subprocess.run(list(map(str, command)), check=True, capture_output=True)


class TorchvisionInception:
    """As vendi_score uses it."""

    def __init__(self, folder):
        self.folder = folder
        self.network = torchvision.models.inception_v3(weights=None, transform_input=True, init_weights=False)
        state = sane_state(self.network, image_utils.inception_transforms())
        convert("inception-torchvision", state, folder)
        self.network.fc = torch.nn.Identity()

    def images_features(self, images):
        return image_utils.get_embeddings(images, model=self.network, transform=image_utils.inception_transforms()).astype(float)

    def features(self, files):
        return self.images_features([open_rgb(file) for file in files])


class FidInception:
    """As pytorch-fid uses it, and with clean-fid's resizing in front."""

    def __init__(self, folder):
        self.folder = folder
        network = pytorch_fid.inception._inception_v3(num_classes=1008, aux_logits=False, weights=None)
        resize = torchvision.transforms.Compose([
            torchvision.transforms.Resize((299, 299)), torchvision.transforms.ToTensor(), lambda x: 2 * x - 1])  # fmt: skip
        state = sane_state(network, resize)
        self.classifier = state["fc.weight"]
        convert("inception-fid", state, folder)
        download = pytorch_fid.inception.load_state_dict_from_url
        pytorch_fid.inception.load_state_dict_from_url = lambda *_, **__: state
        self.network = pytorch_fid.inception.InceptionV3([3]).eval()
        self.unresized = pytorch_fid.inception.InceptionV3([3], resize_input=False, normalize_input=False).eval()
        pytorch_fid.inception.load_state_dict_from_url = download

    def features(self, files):
        with contextlib.redirect_stderr(io.StringIO()):
            return get_activations(files, self.network, batch_size=1, num_workers=0)  # they differ in size

    @torch.no_grad()
    def clean(self, files):
        resize = build_resizer("clean")
        pixels = np.stack([resize(np.array(open_rgb(file))) for file in files]).transpose(0, 3, 1, 2)
        normalised = (torch.from_numpy(pixels) - 128) / 128
        return self.unresized(normalised)[0].flatten(1).numpy().astype(float)


class Pixels:
    folder = "pixels"

    def features(self, files):
        return image_utils.get_pixel_vectors([open_rgb(file) for file in files]).astype(float)


class Reward:
    """A small ImageReward with a vocabulary of its own."""

    def __init__(self, folder):
        self.folder = folder
        config = make_config(32, 8, 128, 64, (2, 1), (2, 3)) | {"text_length": 35}
        config["text_config"]["max_position_embeddings"] = 35
        self.network = randomize(ImageReward(config), seed=3)
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "abcdefghijklmnopqrstuv"),
                 "red", "car", "dog", "the", "tree", "."]  # fmt: skip
        assert len(words) + 2 == config["text_config"]["vocab_size"]  # [DEC] and [ENC] come behind them
        vocabulary = folder.with_suffix(".txt")
        vocabulary.write_text("\n".join(words) + "\n")
        convert("image-reward", self.network.published(), folder, "--vocab", vocabulary)
        self.tokenizer = BertTokenizer.from_pretrained(folder)
        self.transform = torchvision.transforms.Compose([
            torchvision.transforms.Resize(32, torchvision.transforms.InterpolationMode.BICUBIC), torchvision.transforms.CenterCrop(32),
            torchvision.transforms.ToTensor(), torchvision.transforms.Normalize(config["image_mean"], config["image_std"])])  # fmt: skip

    @torch.no_grad()
    def scores(self, files, prompt):
        pixels = torch.stack([self.transform(open_rgb(file)) for file in files])
        tokens = self.tokenizer(prompt, padding="max_length", truncation=True, max_length=35, return_tensors="pt")
        inputs = {"pixels": pixels, "ids": tokens.input_ids.expand(len(files), -1), "mask": tokens.attention_mask.expand(len(files), -1)}
        return self.network(inputs)["scores"].numpy().astype(float)


class Lpips:
    """As the lpips package computes it, of pictures resized to one size."""

    SIDE = 96

    def __init__(self, folder):
        self.folder = folder
        self.network = random_lpips(7)
        lin = {name: value for name, value in self.network.state_dict().items() if name.startswith("lin")}
        alexnet = {name: value for name, value in self.network.state_dict().items() if name not in lin}
        with tempfile.TemporaryDirectory() as temporary:
            torch.save(lin, pathlib.Path(temporary) / "alex.pth")
            convert("lpips", alexnet | {"classifier.1.weight": torch.zeros(1)}, folder, "--lin", pathlib.Path(temporary) / "alex.pth")
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"image_size": self.SIDE}))

    @torch.no_grad()
    def distances(self, files):
        images = [open_rgb(file).resize((self.SIDE, self.SIDE), Image.BILINEAR) for file in files]
        pixels = torch.stack([torchvision.transforms.functional.to_tensor(image) for image in images]) * 2 - 1
        return self.network.distances(pixels).numpy().astype(float)


class Made:
    """What the tests share: made once, when first asked for."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name).resolve()
        self.known = {}
        torch.manual_seed(0)

    def encoder(self, name):
        if name not in self.known:
            make = {"mini-clip": lambda folder: Clip(MODELS / "mini-clip"), "random-clip": random_clip, "dinov2": Dinov2,
                    "mini-judge": lambda folder: Sscd(MODELS / "mini-judge"), "inception-torchvision": TorchvisionInception,
                    "inception-fid": FidInception, "reward": Reward, "lpips": Lpips, "pixels": lambda folder: Pixels()}[name]  # fmt: skip
            self.known[name] = make(self.folder / name)
        return self.known[name]

    def features(self, name, files, form="features"):
        """What the encoder's own library gives."""
        key = (name, form, *files)
        if key not in self.known:
            self.known[key] = getattr(self.encoder(name), form)(files)
        return self.known[key]

    def pictures(self, name, count, seed):
        """Of several sizes and both kinds of file."""
        folder = self.folder / name
        if not folder.exists():
            folder.mkdir()
            sizes = ((96, 96), (150, 110), (64, 200), (320, 240))
            for i in range(count):
                kind = "jpg" if i % 3 == 2 else "png"
                picture(1000 * seed + i, *sizes[i % len(sizes)]).save(folder / f"{i:03}.{kind}")
        return folder, sorted(folder.iterdir())


MADE = Made()
unittest.addModuleCleanup(MADE.temporary.cleanup)
EVERY_ENCODER = ("mini-clip", "random-clip", "dinov2", "mini-judge", "inception-torchvision", "inception-fid", "pixels")


def best_vendi(rows, order=1):
    """The package's, by the form that keeps the digits and heeds the order."""
    rows = unit(rows)
    order = "inf" if order == math.inf else order
    return vendi.score_K(rows @ rows.T, q=order) if len(rows) < rows.shape[1] else vendi.score_dual(rows, q=order)


def prdc(real, generated, k=5):
    with contextlib.redirect_stdout(io.StringIO()):
        return compute_prdc(real, generated, k)


def frechet(first, second):
    """The distance by features: for fewer images than features the packages' square root of a matrix is slow and inexact."""
    centred = [(rows - rows.mean(0)) / math.sqrt(len(rows) - 1) for rows in (first, second)]
    trace = np.linalg.svd(centred[0] @ centred[1].T, compute_uv=False).sum()
    return ((first.mean(0) - second.mean(0)) ** 2).sum() + sum((rows**2).sum() for rows in centred) - 2 * trace


def kid(generated, real, size, subsets=100):
    return kid_features_to_metric(torch.from_numpy(generated), torch.from_numpy(real), kid_subsets=subsets, kid_subset_size=size,
                                  kid_kernel="poly", kid_kernel_poly_degree=3, kid_kernel_poly_gamma=None, kid_kernel_poly_coef0=1,
                                  rng_seed=2020, verbose=False)["kernel_inception_distance_mean"]  # fmt: skip


class Parity(MeasureTest):
    def setUp(self):
        super().setUp()
        self.cache = MADE.folder / "cache"
        self.generated, self.files = MADE.pictures("generated", COUNT, seed=1)
        self.real, self.real_files = MADE.pictures("real", REFERENCE_COUNT, seed=2)

    def compare(self, what, ours, wanted, tolerance=TOLERANCE):
        self.assertIsNotNone(ours, what)
        error = abs(ours - wanted) / max(abs(wanted), 1e-9)
        if VERBOSE:
            print(f"{what}: {ours:.6g}, reference {wanted:.6g}, {error:.1e}", flush=True)
        self.assertLessEqual(error, tolerance, f"{what}: {ours}, reference {wanted}")

    def of(self, encoder, *arguments, images=None, **options):
        """By metric."""
        results = self.measured(images or self.generated, "--encoder", encoder.folder, *arguments, **options)["results"]
        return {one["metric"]: one["value"] for one in results}

    def features_of(self, encoder, folder, *arguments):
        out = self.folder / "features.npy"
        self.assert_ok(self.gass("features", folder, "--encoder", encoder.folder, "-o", out, *arguments))
        return np.load(out).astype(float)


class Encoders(Parity):
    def test_features(self):
        for name in EVERY_ENCODER:
            with self.subTest(name):
                encoder = MADE.encoder(name)
                ours, wanted = self.features_of(encoder, self.generated), MADE.features(name, self.files)
                self.assertEqual(ours.shape, wanted.shape)
                error = np.abs(ours - wanted).max() / np.abs(wanted).max()
                if VERBOSE:
                    print(f"features of {name}: {error:.1e}", flush=True)
                self.assertLessEqual(error, TOLERANCE)

    def test_the_other_image_processor(self):
        """transformers' own two do not agree to the last digit: ours is Pillow's."""
        for name in ("mini-clip", "random-clip"):
            folder = MADE.encoder(name).folder
            pillow, other = Clip(folder), Clip(folder, CLIPImageProcessor)
            ours = self.features_of(pillow, self.generated)
            apart = np.abs(pillow.features(self.files) - other.features(self.files)).max()
            scale = np.abs(ours).max()
            self.assertLessEqual(np.abs(ours - other.features(self.files)).max(), apart + TOLERANCE * scale)
            self.assertLessEqual(np.abs(ours - pillow.features(self.files)).max(), TOLERANCE * scale)

    def test_resized_first(self):
        resized = self.folder / "resized"
        resized.mkdir()
        for file in self.files:
            open_rgb(file).resize((256, 256), Image.LANCZOS).save(resized / f"{file.stem}.png")
        for name in ("mini-judge", "inception-torchvision"):
            encoder = MADE.encoder(name)
            wanted = encoder.features(sorted(resized.iterdir()))
            ours = self.features_of(encoder, self.generated, "--resize-first", "256")
            self.assertLessEqual(np.abs(ours - wanted).max(), TOLERANCE * np.abs(wanted).max(), name)


class Metrics(Parity):
    def test_diversity(self):
        for name in EVERY_ENCODER:
            with self.subTest(name):
                encoder = MADE.encoder(name)
                rows = unit(MADE.features(name, self.files))
                ours = self.of(encoder, "--metrics", "vendi,pairwise,mss,hypervolume")
                cosines = rows @ rows.T
                edges = np.linalg.svd(rows[1:] - rows[0], compute_uv=False)
                wanted = {"vendi": best_vendi(rows), "mss": cosines.mean(), "pairwise": (cosines.sum() - COUNT) / (COUNT * (COUNT - 1)),
                          "hypervolume": np.log(edges).sum() - math.lgamma(COUNT)}  # fmt: skip
                for metric, value in wanted.items():
                    self.compare(f"{metric} {name}", ours[metric], value)

    def test_orders(self):
        encoder = MADE.encoder("mini-clip")
        rows = encoder.features(self.files)
        results = self.measured(self.generated, "--encoder", "mini-clip", "--metrics", "vendi", "--order", "0.5,1,2,10,inf")["results"]
        for one, order in zip(results, (0.5, 1, 2, 10, math.inf), strict=True):
            self.compare(f"vendi of order {order}", one["value"], best_vendi(rows, order))

    def test_the_packages_own_vendi_of_pictures(self):
        images = [open_rgb(file) for file in self.files]
        self.compare("pixel_vendi_score", self.of(MADE.encoder("pixels"), "--metrics", "vendi")["vendi"], image_utils.pixel_vendi_score(images))
        inception = MADE.encoder("inception-torchvision")
        wanted = image_utils.embedding_vendi_score(images, model=inception.network, transform=image_utils.inception_transforms())
        self.compare("embedding_vendi_score", self.of(inception, "--metrics", "vendi")["vendi"], wanted)

    def test_neighbourhoods(self):
        for name in EVERY_ENCODER:
            encoder = MADE.encoder(name)
            real, generated = MADE.features(name, self.real_files), MADE.features(name, self.files)
            for k in (3, 5):
                with self.subTest(name, k=k):
                    ours = self.of(encoder, "--reference", self.real, "--metrics", "prdc", "--k", str(k))
                    for metric, value in prdc(real, generated, k).items():
                        self.compare(f"{metric} {name} k={k}", ours[metric], value)

    def test_distances(self):
        encoder = MADE.encoder("inception-fid")
        generated, real = (MADE.features("inception-fid", files) for files in (self.files, self.real_files))
        size = ("--kid-subset-size", str(COUNT), "--kid-subsets", "3")
        ours = self.of(encoder, "--reference", self.real, "--metrics", "fid,kid", *size)
        self.compare("fid", ours["fid"], frechet(generated, real))
        self.compare("kid", ours["kid"], kid(generated, real, COUNT, 3))
        generated, real = (MADE.features("inception-fid", files, "clean") for files in (self.files, self.real_files))
        ours = self.of(encoder, "--reference", self.real, "--metrics", "clean_fid,clean_kid", *size)
        self.compare("clean_fid", ours["clean_fid"], frechet(generated, real))
        self.compare("clean_kid", ours["clean_kid"], kid(generated, real, COUNT, 3))

    def test_lpips(self):
        """The mean over pairs, and of each picture to the others; over several folders the mean of theirs."""
        encoder = MADE.encoder("lpips")
        distances = encoder.distances(self.files)
        one = self.result(self.generated, "--encoder", encoder.folder, "--metrics", "lpips")
        self.compare("lpips", one["value"], distances.sum() / (COUNT * (COUNT - 1)))
        for image, wanted in zip(one["per_image"], distances.sum(1) / (COUNT - 1), strict=True):
            self.compare(image["file"], image["value"], wanted)
        self.assertLess(one["interval"][0], one["value"])
        two = self.result(self.generated, self.real, "--encoder", encoder.folder, "--metrics", "lpips")
        real = encoder.distances(self.real_files).sum() / (REFERENCE_COUNT * (REFERENCE_COUNT - 1))
        self.compare("lpips of the other", two["groups"][1]["value"], real)
        self.compare("lpips of two", two["value"], (one["value"] + real) / 2)
        self.assertEqual(two["groups"][0]["value"], one["value"])
        (self.folder / "set").mkdir()
        for i, file in enumerate(self.files[:3]):
            shutil.copy(file, self.folder / "set" / f"{i}{file.suffix}")
        (self.folder / "set" / "bad.png").write_text("no")
        (self.folder / "set" / "bad.gif").write_text("no")
        (self.folder / "set" / "below").mkdir()
        (self.folder / "set" / "below" / "bad.png").write_text("no")
        some = self.measured(self.folder / "set", "--encoder", encoder.folder, "--metrics", "lpips", status=5)
        self.compare("lpips of three", some["results"][0]["value"], distances[:3, :3].sum() / 6)
        self.assertEqual(len(some["unreadable"]), 3)
        self.assertEqual(some["from_cache"], 0)
        both = self.measured(self.generated, "--encoder", f"{encoder.folder},mini-clip", "--metrics", "lpips,vendi")["results"]
        self.assertEqual([(each["metric"], each["encoder"]) for each in both], [("lpips", str(encoder.folder)), ("vendi", "mini-clip")])
        self.assert_error(self.measure(self.generated, "--encoder", encoder.folder, "--metrics", "vendi"), 2, "--encoder", "a CLIP for instance")
        self.assert_error(self.measure(self.generated, "--encoder", "mini-clip", "--metrics", "lpips"), 2, "--encoder", "an LPIPS network")
        told = self.measure(self.generated, self.real, "--encoder", encoder.folder, "--metrics", "lpips", "--max-batch", "5", "--progress", "json")
        done = [line["done"] for line in map(json.loads, told.stderr.splitlines()) if "done" in line]
        self.assertEqual((done, done[-1:]), (sorted(done), [COUNT + REFERENCE_COUNT]))
        suite = {"title": "One", "models": {"m": {"name": "M", "settings": {"model": "mini-turbo"}}},
                 "methods": {"none": {"name": "Plain", "method": "none"}}, "baseline": "none", "prompts": {"list": ["a car"]},
                 "metrics": {"look": {"name": "LPIPS", "metric": "lpips", "encoder": str(encoder.folder)}}, "samples": 1}  # fmt: skip
        (self.folder / "suite.json").write_text(json.dumps(suite))
        self.assert_error(self.gass("eval", self.folder / "suite.json", "-o", self.folder / "run"), 2, "look", "too many to be kept", "gass measure")

    def test_inception_score(self):
        """Of the network's logits without bias, as torch-fidelity has them; the features of the same pictures are another thing."""
        encoder = MADE.encoder("inception-fid")
        logits = torch.from_numpy(MADE.features("inception-fid", self.files)) @ encoder.classifier.double().T
        for splits in (10, 3):
            wanted = isc_features_to_metric(logits, splits, True, 2020)
            one = self.result(self.generated, "--encoder", encoder.folder, "--metrics", "inception_score", "--inception-splits", str(splits))
            self.compare("inception_score", one["value"], wanted["inception_score_mean"])
            self.compare("split_std", one["split_std"], wanted["inception_score_std"], 0.01)
        self.assertLess(one["interval"][0], one["value"])
        both = self.of(encoder, "--reference", self.real, "--metrics", "fid,inception_score", "--inception-splits", "3")
        self.compare("inception_score beside fid", both["inception_score"], wanted["inception_score_mean"])
        self.assertEqual(set(both), {"fid", "inception_score"})

    def test_subsets_are_those_of_torch_fidelity(self):
        encoder = MADE.encoder("inception-fid")
        generated, real = (MADE.features("inception-fid", files) for files in (self.files, self.real_files))
        ours = self.of(encoder, "--reference", self.real, "--metrics", "kid", "--kid-subset-size", "8", "--kid-subsets", "25")
        self.compare("kid of subsets", ours["kid"], kid(generated, real, 8, 25))

    def test_distance_by_the_packages(self):
        """Of fewer features than images, where their square root is exact: 40 numbers of 60 pictures."""
        encoder = MADE.encoder("random-clip")
        folders = [MADE.pictures(f"many-{seed}", 60, seed) for seed in (3, 4)]
        generated, real = (encoder.features(files) for _, files in folders)
        rows = [(rows.mean(0), np.cov(rows, rowvar=False)) for rows in (generated, real)]
        self.compare("formula", frechet(generated, real), clean_frechet(*rows[0], *rows[1]), 1e-6)
        arrays = [self.array(rows.astype(np.float32), f"{i}.npy") for i, rows in enumerate((generated, real))]
        ours = self.value("--features", arrays[0], "--reference-features", arrays[1], "--metrics", "fid")
        self.compare("fid of 60 pictures", ours, clean_frechet(*rows[0], *rows[1]), 1e-4)
        ours = self.value("--features", arrays[0], "--reference-features", arrays[1], "--metrics", "kid", "--kid-subset-size", "60")
        self.compare("kid of 60 pictures", ours, clean_kernel_distance(real, generated, 1, 60), 1e-4)

    def test_text(self):
        for name in ("mini-clip", "random-clip"):
            encoder = MADE.encoder(name)
            rows, text = unit(encoder.features(self.files)), unit(encoder.text(PROMPT)[None])[0]
            cosines = rows @ text
            ours = self.of(encoder, "--prompt", PROMPT, "--metrics", "clip_score,clip_score_w,spp_pca")
            self.compare(f"clip_score {name}", ours["clip_score"], cosines.mean())
            self.compare(f"clip_score_w {name}", ours["clip_score_w"], 2.5 * cosines.clip(0).mean())
            spread = lambda scores: scores.max() - scores.min()
            residuals = rows - np.outer(cosines, text)
            axis = np.linalg.svd(residuals - residuals.mean(0), full_matrices=False)[2][0]
            self.compare(f"spp_pca {name}", ours["spp_pca"], spread(cosines) + spread(rows @ axis))
            spp = self.result(self.generated, "--encoder", encoder.folder, "--prompt", PROMPT, "--metrics", "spp")
            self.compare(f"d_dep {name}", spp["d_dep"], spread(cosines))

    def test_spp_along_random_axes(self):
        """The axis is the best of ten random ones: its range is, on average, what simulation says."""
        encoder = MADE.encoder("mini-clip")
        rows, text = unit(encoder.features(self.files)), unit(encoder.text(PROMPT)[None])[0]
        random = np.random.RandomState(0)
        ranges = []
        for _ in range(2000):
            axes = np.linalg.qr(np.concatenate([text[None], random.randn(10, len(text))]).T)[0].T[1:]
            along = rows @ axes[np.abs(rows @ axes.T).mean(0).argmax()]
            ranges.append(along.max() - along.min())
        spp = self.result(self.generated, "--encoder", "mini-clip", "--prompt", PROMPT, "--metrics", "spp", "--draws", "512")
        self.compare("d_ind", spp["d_ind"], np.mean(ranges), 4 * np.std(ranges) / math.sqrt(512) / np.mean(ranges))

    def test_reward(self):
        encoder = MADE.encoder("reward")
        for prompt in (PROMPT, "The dog, a tree. zzz qqq " + "car " * 40):
            ours = self.of(encoder, "--prompt", prompt, "--metrics", "image_reward")
            self.compare("image_reward", ours["image_reward"], encoder.scores(self.files, prompt).mean())

    def test_reward_of_many_prompts(self):
        """Each picture for its own prompt, in one batch; one that cannot be read costs nobody else anything."""
        encoder = MADE.encoder("reward")
        prompts = {file: text for file, text in zip(self.files, ("a red car", "the dog", "a tree", "dog dog"))}
        (self.folder / "bad.png").write_text("no")
        lines = [*prompts.items(), (self.folder / "bad.png", "a bad one")]
        listed = self.folder / "listed.jsonl"
        listed.write_text("".join(json.dumps({"file_name": str(file), "text": text}) + "\n" for file, text in lines))
        answer = self.measured(listed, "--encoder", encoder.folder, "--metrics", "image_reward", status=5)
        wanted = [encoder.scores([file], text)[0] for file, text in prompts.items()]
        self.compare("image_reward", answer["results"][0]["value"], np.mean(wanted))
        self.assertEqual(len(answer["unreadable"]), 1)

    def test_retrieval(self):
        encoder = MADE.encoder("dinov2")
        real, generated = encoder.features(self.real_files), encoder.features(self.files)
        hits = len(set(((generated[:, None] - real[None]) ** 2).sum(-1).argmin(1)))
        likelihood = lambda s: math.lgamma(s + 1) - math.lgamma(s - hits + 1) - COUNT * math.log(s)
        learned = max(range(hits, REFERENCE_COUNT + 1), key=likelihood)
        self.compare("irs", self.of(encoder, "--reference", self.real, "--metrics", "irs")["irs"], learned / REFERENCE_COUNT)

    def test_scendi(self):
        """Its frequencies are drawn: as many as the method asks for make the score nearly independent of them."""
        encoder = MADE.encoder("mini-clip")
        rows, text = encoder.features(self.files), encoder.text(PROMPT)
        random = np.random.RandomState(0)
        texts = np.repeat(text[None], COUNT, 0)
        scores = [scendi_by_covariances(rows, texts, random.randn(rows.shape[1], 500) / 3.5) for _ in range(4)]
        ours = self.of(encoder, "--prompt", PROMPT, "--metrics", "scendi")["scendi"]
        self.compare("scendi", ours, np.mean(scores), 0.05)

    def test_classes(self):
        """Neighbourhoods within each class, then the mean, as in the paper."""
        encoder = MADE.encoder("mini-clip")
        wanted = []
        for i, name in enumerate(("cat", "dog")):
            generated, real = (save_pictures(self.folder / kind / name, 9, seed=10 * i + j) for j, kind in enumerate(("generated", "real")))
            wanted.append(prdc(encoder.features(real), encoder.features(generated)))
        ours = self.measured(self.folder / "generated", "--encoder", "mini-clip", "--reference", self.folder / "real", "--metrics", "prdc")
        for one in ours["results"]:
            self.compare(f"{one['metric']} by class", one["value"], np.mean([each[one["metric"]] for each in wanted]))
            self.assertEqual({group["name"] for group in one["groups"]}, {"cat", "dog"})


class Pitfalls(Parity):
    """What went wrong in other evaluation toolkits."""

    def rows(self, name, rows):
        return self.array(np.asarray(rows, np.float32), f"{name}.npy")

    def neighbourhoods(self, generated, real, *arguments):
        results = self.measured("--features", self.rows("generated", generated), "--reference-features", self.rows("real", real),
                                "--metrics", "prdc", *arguments)["results"]  # fmt: skip
        return {one["metric"]: one for one in results}

    def test_precision_and_recall_are_not_swapped(self):
        """A few kinds made well: all of it is real, little of what is real is made."""
        random = np.random.RandomState(0)
        real = np.concatenate([random.randn(40, 6), random.randn(40, 6) + 30])
        generated = random.randn(40, 6) * 0.5
        found = self.neighbourhoods(generated, real)
        self.assertGreater(found["precision"]["value"], 0.9)
        self.assertLess(found["recall"]["value"], 0.55)
        for metric, value in prdc(real, generated).items():
            self.near(found[metric]["value"], value)

    def test_strict_and_inclusive(self):
        """Every picture there six times: no ball has a radius, and nothing lies strictly inside."""
        rows = np.repeat(np.random.RandomState(0).randint(0, 9, (12, 4)), 6, axis=0)
        strict = self.neighbourhoods(rows, rows)
        self.assertEqual([strict[name]["value"] for name in ("precision", "recall", "density", "coverage")], [0, 0, 0, 0])
        inclusive = self.neighbourhoods(rows, rows, "--inclusive")
        self.assertEqual([inclusive[name]["value"] for name in ("precision", "recall", "coverage")], [1, 1, 1])
        self.assertGreaterEqual(inclusive["density"]["value"], 1.2)

    def test_identical_sets(self):
        rows = np.random.RandomState(1).randn(50, 5)
        strict, inclusive = self.neighbourhoods(rows, rows), self.neighbourhoods(rows, rows, "--inclusive")
        # Of five neighbours and itself, the fifth lies on the edge.
        self.assertEqual([strict[name]["value"] for name in ("precision", "recall", "density", "coverage")], [1, 1, 1, 1])
        self.near(inclusive["density"]["value"], 1.2)

    def test_k_is_five_unless_said(self):
        random = np.random.RandomState(2)
        generated, real = random.randn(60, 4) + 0.3, random.randn(60, 4)
        default = self.neighbourhoods(generated, real)
        self.assertTrue(all(one["k"] == 5 for one in default.values()))
        for metric, value in prdc(real, generated, 5).items():
            self.near(default[metric]["value"], value)
        fewer = self.neighbourhoods(generated, real, "--k", "3")
        self.assertTrue(any(default[name]["value"] != fewer[name]["value"] for name in default))

    def test_resizing_is_not_all_the_same(self):
        """Fine stripes: without a filter in front, shrinking leaves patterns, and the distance sees them."""
        encoder = MADE.encoder("inception-fid")
        folders = []
        for seed, name in ((5, "fine"), (6, "coarse")):
            folder = self.folder / name
            folder.mkdir()
            for i in range(8):
                across = np.arange(700)
                stripes = 127 + 120 * np.sin(across * (2.0 + 0.1 * i if name == "fine" else 0.05 + 0.01 * i))
                levels = np.asarray(picture(10 * seed + i, 700, 500)).astype(float) * 0.4 + 0.6 * stripes[None, :, None]
                Image.fromarray(levels.clip(0, 255).astype(np.uint8)).save(folder / f"{i}.png")
            folders.append((folder, sorted(folder.iterdir())))
        (generated, generated_files), (real, real_files) = folders
        ours = self.of(encoder, "--reference", real, "--metrics", "fid,clean_fid", images=generated)
        plain = frechet(encoder.features(generated_files), encoder.features(real_files))
        clean = frechet(encoder.clean(generated_files), encoder.clean(real_files))
        self.compare("fid of stripes", ours["fid"], plain)
        self.compare("clean_fid of stripes", ours["clean_fid"], clean)
        self.assertGreater(abs(plain - clean), 0.01 * clean)

    def test_jpeg_is_not_png(self):
        encoder = MADE.encoder("mini-clip")
        png, jpeg = self.folder / "png", self.folder / "jpeg"
        for folder, kind, options in ((png, "png", {}), (jpeg, "jpg", {"quality": 60})):
            folder.mkdir()
            for i in range(6):
                picture(i, 96, 96).save(folder / f"{i}.{kind}", **options)
        ours = [self.features_of(encoder, folder) for folder in (png, jpeg)]
        for folder, rows in zip((png, jpeg), ours, strict=True):
            wanted = encoder.features(sorted(folder.iterdir()))
            self.assertLessEqual(np.abs(rows - wanted).max(), TOLERANCE * np.abs(wanted).max())
        self.assertGreater(np.abs(ours[0] - ours[1]).max(), 0.01 * np.abs(ours[0]).max())

    def test_the_order_is_heeded(self):
        """The package's score_X gives order 1 whatever is asked for."""
        rows = np.random.RandomState(3).randn(30, 6)
        values = {one["order"]: one["value"] for one in
                  self.measured("--features", self.rows("a", rows), "--metrics", "vendi", "--order", "1,2")["results"]}  # fmt: skip
        first, second = values.values()
        self.near(first, vendi.score_X(rows, q=1))
        self.assertNotAlmostEqual(second, vendi.score_X(rows, q=2), 2)
        self.near(second, vendi.score_dual(rows, q=2))

    def test_both_forms(self):
        """More images than features: the smaller matrix has the same eigenvalues, and is the one that is affordable."""
        rows = np.random.RandomState(4).randn(6000, 24)
        value = self.value("--features", self.rows("tall", rows), "--metrics", "vendi")
        self.near(value, vendi.score_dual(rows))
        few = np.random.RandomState(4).randn(12, 3000)
        self.near(self.value("--features", self.rows("wide", few), "--metrics", "vendi"), vendi.score_X(few))

    def test_the_encoder_is_part_of_the_result(self):
        names = ("mini-clip", "mini-judge", "pixels")
        results = self.measured(self.generated, "--encoder", ",".join(names), "--metrics", "vendi")["results"]
        for one, name in zip(results, names, strict=True):
            self.assertEqual(one["encoder"], name)
            self.compare(f"vendi {name}", one["value"], best_vendi(MADE.features(name, self.files)))
        self.assertEqual(len({round(one["value"], 3) for one in results}), 3)


if __name__ == "__main__":
    unittest.main()
