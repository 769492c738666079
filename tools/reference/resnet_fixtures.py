"""Writes the parity cases of ResNet encoders.

    resnet_fixtures.py OUT_DIR

The network follows torchvision's ResNet (stride in the 3×3 convolution of a bottleneck) with generalised-mean pooling
and a normalised embedding. torchvision itself needs a build that fits torch, so its classes are written out here;
outputs and gradients were checked to be equal to those of torchvision 0.29.2.
"""

import copy
import json
import pathlib
import sys

import torch
from common_networks import DTYPES, randomize, write_case
from safetensors.torch import load_file
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from convert_weights import convert_sscd

JUDGE = pathlib.Path(__file__).resolve().parents[2] / "models" / "mini-judge"


class Block(nn.Module):
    """A residual block; `shapes` are (in, out, kernel, stride) of its convolutions."""

    def __init__(self, shapes: list[tuple[int, int, int, int]]):
        super().__init__()
        self.count = len(shapes)
        for i, (before, after, kernel, stride) in enumerate(shapes, 1):
            setattr(self, f"conv{i}", nn.Conv2d(before, after, kernel, stride, kernel // 2, bias=False))
            setattr(self, f"bn{i}", nn.BatchNorm2d(after))
        first, last, stride = shapes[0][0], shapes[-1][1], max(shape[3] for shape in shapes)
        self.downsample = None
        if stride != 1 or first != last:
            self.downsample = nn.Sequential(nn.Conv2d(first, last, 1, stride, bias=False), nn.BatchNorm2d(last))

    def forward(self, x):
        y = x
        for i in range(1, self.count + 1):
            y = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(y))
            y = y if i == self.count else y.relu()
        return (y + (x if self.downsample is None else self.downsample(x))).relu()


class ResNet(nn.Module):
    def __init__(self, config: dict):
        super().__init__()
        self.p = config["gem_p"]
        width = channels = config["width"]
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        for stage, count in enumerate(config["layers"]):
            blocks = []
            for i in range(count):
                inner, stride = width << stage, 2 if stage and i == 0 else 1
                if config["block"] == "basic":
                    shapes = [(channels, inner, 3, stride), (inner, inner, 3, 1)]
                else:
                    shapes = [(channels, inner, 1, 1), (inner, inner, 3, stride), (inner, 4 * inner, 1, 1)]
                blocks.append(Block(shapes))
                channels = shapes[-1][1]
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(channels, config["embedding_dim"])
        self.classifier = nn.Linear(channels, len(config["classes"])) if "classes" in config else None

    def forward(self, x):
        x = nn.functional.max_pool2d(self.bn1(self.conv1(x)).relu(), 3, 2, 1)
        for stage in range(1, 5):
            x = getattr(self, f"layer{stage}")(x)
        x = x.clamp(min=1e-6).pow(self.p).mean((-2, -1)).pow(1 / self.p)
        outputs = {"embeddings": nn.functional.normalize(self.fc(x), dim=-1)}
        if self.classifier is not None:
            outputs["logits"] = self.classifier(x)
        return outputs


def random_network(config: dict, seed: int) -> ResNet:
    network = randomize(ResNet(config), seed, scale=1.4)
    for name, tensor in network.state_dict().items():
        if name.endswith("running_var"):
            tensor.copy_(tensor.abs() + 0.1)
    return network


def steady_pixels(network: nn.Module, size: tuple, seed: int) -> torch.Tensor:
    """Random pictures at which the gradient can be compared.

    Where a value lies within rounding of the kink of a ReLU or of a tie in a pool, the reference's own gradient in fp32
    is off by up to 0.5 % of its largest value, and another number of threads changes it. Such pictures are passed over.
    """
    generator = torch.Generator().manual_seed(seed)
    precise = copy.deepcopy(network).double()
    gradient = lambda net, x: torch.autograd.grad(sum(value.sum() for value in net(x).values()), x)[0].double()
    for _ in range(20):
        pixels = torch.randn(size, generator=generator)
        wanted = gradient(precise, pixels.double().requires_grad_())
        error = (gradient(network, pixels.clone().requires_grad_()) - wanted).abs().max() / wanted.abs().max()
        if error < 1e-5:
            return pixels
    raise RuntimeError(f"no steady pictures of size {size} for seed {seed}")


def make_case(out, name, config, network, size, dtype="float32", seed=0):
    # In bf16 kinks are everywhere: the reference's own gradient is off by 30 %, so only outputs are compared.
    fp32 = dtype == "float32"
    pixels = steady_pixels(network, size, seed) if fp32 else torch.randn(size, generator=torch.Generator().manual_seed(seed))
    network = network.to(DTYPES[dtype])
    write_case(out, name, "resnet", config, network.state_dict(), {"pixels": pixels.to(DTYPES[dtype])},
               lambda inputs: network(inputs["pixels"]), ["pixels"] if fp32 else [], dtype, seed=seed)


def main():
    out = pathlib.Path(sys.argv[1])
    common = {"image_size": 64, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
    basic = common | {"block": "basic", "layers": [2, 1, 1, 1], "width": 8, "embedding_dim": 12, "gem_p": 3.0}
    bottleneck = common | {"block": "bottleneck", "layers": [1, 2, 1, 2], "width": 6, "embedding_dim": 16, "gem_p": 2.5}
    named = basic | {"classes": ["a", "b", "c"], "layers": [1, 1, 1, 1], "width": 5, "gem_p": 1.0}
    make_case(out, "basic", basic, random_network(basic, 1), (3, 3, 65, 97), seed=1)
    make_case(out, "bottleneck", bottleneck, random_network(bottleneck, 2), (2, 3, 96, 71), seed=2)
    make_case(out, "classes", named, random_network(named, 3), (2, 3, 33, 64), seed=3)
    make_case(out, "bf16", basic, random_network(basic, 4), (2, 3, 64, 64), "bfloat16", seed=4)

    network = random_network(bottleneck | {"gem_p": 3.0}, 6)
    converted, _ = convert_sscd(network.state_dict())
    make_case(out, "converted", converted, network, (2, 3, 64, 64), seed=6)

    judge = json.loads((JUDGE / "config.json").read_text())
    network = ResNet(judge).eval()
    network.load_state_dict(load_file(JUDGE / "model.safetensors"), strict=False)
    make_case(out, "judge", judge, network, (2, 3, 128, 128), seed=5)


if __name__ == "__main__":
    main()
