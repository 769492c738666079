"""Writes the parity cases of Inception-v3, in torchvision's form and in the one for FID.

    inception_fixtures.py OUT_DIR

The network follows torchvision's Inception3 and pytorch-fid's changes to it. torchvision itself needs a build that fits
torch, so its classes are written out here; outputs and gradients were checked to be equal to those of torchvision
0.29.2 and pytorch-fid 0.3.0. The weights are random at the real sizes, stored in fp16 and shared by the cases.
"""

import os
import pathlib
import sys

import torch
from common_networks import DTYPES, randomize, write_case
from resnet_fixtures import steady_pixels
from torch import nn
from torch.nn.functional import avg_pool2d, max_pool2d

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from convert_weights import convert_inception


class ConvNorm(nn.Module):
    def __init__(self, before, after, kernel, stride=1, padding=0):
        super().__init__()
        self.conv = nn.Conv2d(before, after, kernel, stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(after, eps=0.001)

    def forward(self, x):
        return self.bn(self.conv(x)).relu()


class Mixed(nn.Module):
    """Branches side by side, each a list of (name, channels, kernel[, stride]); a list of those at the end forks.

    A string in front of a branch names its pooling.
    """

    def __init__(self, before: int, branches: list, pool):
        super().__init__()
        self.branches, self.pool = branches, pool
        for branch in branches:
            channels = before
            for step in branch:
                steps = step if isinstance(step, list) else [step]
                for name, after, kernel, *stride in (s for s in steps if not isinstance(s, str)):
                    padding = 0 if stride else tuple(k // 2 for k in kernel)
                    setattr(self, name, ConvNorm(channels, after, kernel, *stride, padding=padding))
                    following = after
                channels = channels if isinstance(step, str) else following

    def forward(self, x):
        results = []
        for branch in self.branches:
            y = x
            for step in branch:
                if step == "pool":
                    y = self.pool(y)
                elif step == "halve":
                    y = max_pool2d(y, 3, 2)
                elif isinstance(step, list):
                    y = torch.cat([getattr(self, name)(y) for name, *_ in step], 1)
                else:
                    y = getattr(self, step[0])(y)
            results.append(y)
        return torch.cat(results, 1)


ONE, THREE, FIVE, WIDE7, HIGH7, WIDE3, HIGH3 = (1, 1), (3, 3), (5, 5), (1, 7), (7, 1), (1, 3), (3, 1)


def block_a(before, pool_features, pool):
    return Mixed(before, [[("branch1x1", 64, ONE)], [("branch5x5_1", 48, ONE), ("branch5x5_2", 64, FIVE)],
                          [("branch3x3dbl_1", 64, ONE), ("branch3x3dbl_2", 96, THREE), ("branch3x3dbl_3", 96, THREE)],
                          ["pool", ("branch_pool", pool_features, ONE)]], pool)


def block_b(before, pool):
    return Mixed(before, [[("branch3x3", 384, THREE, 2)],
                          [("branch3x3dbl_1", 64, ONE), ("branch3x3dbl_2", 96, THREE), ("branch3x3dbl_3", 96, THREE, 2)],
                          ["halve"]], pool)


def block_c(before, width, pool):
    return Mixed(before, [[("branch1x1", 192, ONE)],
                          [("branch7x7_1", width, ONE), ("branch7x7_2", width, WIDE7), ("branch7x7_3", 192, HIGH7)],
                          [("branch7x7dbl_1", width, ONE), ("branch7x7dbl_2", width, HIGH7),
                           ("branch7x7dbl_3", width, WIDE7), ("branch7x7dbl_4", width, HIGH7),
                           ("branch7x7dbl_5", 192, WIDE7)],
                          ["pool", ("branch_pool", 192, ONE)]], pool)


def block_d(before, pool):
    return Mixed(before, [[("branch3x3_1", 192, ONE), ("branch3x3_2", 320, THREE, 2)],
                          [("branch7x7x3_1", 192, ONE), ("branch7x7x3_2", 192, WIDE7), ("branch7x7x3_3", 192, HIGH7),
                           ("branch7x7x3_4", 192, THREE, 2)], ["halve"]], pool)


def block_e(before, pool):
    return Mixed(before, [[("branch1x1", 320, ONE)],
                          [("branch3x3_1", 384, ONE), [("branch3x3_2a", 384, WIDE3), ("branch3x3_2b", 384, HIGH3)]],
                          [("branch3x3dbl_1", 448, ONE), ("branch3x3dbl_2", 384, THREE),
                           [("branch3x3dbl_3a", 384, WIDE3), ("branch3x3dbl_3b", 384, HIGH3)]],
                          ["pool", ("branch_pool", 192, ONE)]], pool)


class Auxiliary(nn.Module):
    """Only its names and shapes matter: it is not used."""

    def __init__(self, classes):
        super().__init__()
        self.conv0, self.conv1, self.fc = ConvNorm(768, 128, 1), ConvNorm(128, 768, 5), nn.Linear(768, classes)


class Inception(nn.Module):
    def __init__(self, config: dict):
        super().__init__()
        self.transform_input = config["transform_input"]
        fid, classes = config["form"] == "fid", config["num_classes"]
        mean = lambda x: avg_pool2d(x, 3, 1, 1, count_include_pad=not fid)
        self.Conv2d_1a_3x3 = ConvNorm(3, 32, 3, 2)
        self.Conv2d_2a_3x3 = ConvNorm(32, 32, 3)
        self.Conv2d_2b_3x3 = ConvNorm(32, 64, 3, padding=1)
        self.Conv2d_3b_1x1 = ConvNorm(64, 80, 1)
        self.Conv2d_4a_3x3 = ConvNorm(80, 192, 3)
        self.Mixed_5b, self.Mixed_5c = block_a(192, 32, mean), block_a(256, 64, mean)
        self.Mixed_5d, self.Mixed_6a = block_a(288, 64, mean), block_b(288, mean)
        self.Mixed_6b, self.Mixed_6c = block_c(768, 128, mean), block_c(768, 160, mean)
        self.Mixed_6d, self.Mixed_6e = block_c(768, 160, mean), block_c(768, 192, mean)
        if not fid:
            self.AuxLogits = Auxiliary(classes)
        self.Mixed_7a, self.Mixed_7b = block_d(768, mean), block_e(1280, mean)
        self.Mixed_7c = block_e(2048, (lambda x: max_pool2d(x, 3, 1, 1)) if fid else mean)
        self.fc = nn.Linear(2048, classes)

    def forward(self, x):
        if self.transform_input:
            colour = lambda values: torch.tensor(values, dtype=x.dtype).view(3, 1, 1)
            x = x * colour([0.458, 0.448, 0.45]) + colour([-0.03, -0.088, -0.188])
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))
        x = self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(max_pool2d(x, 3, 2)))
        x = max_pool2d(x, 3, 2)
        for name in ("5b", "5c", "5d", "6a", "6b", "6c", "6d", "6e", "7a", "7b", "7c"):
            x = getattr(self, f"Mixed_{name}")(x)
        features = x.mean((-2, -1))
        # TensorFlow's network has no bias; torch-fidelity calls what it gives logits_unbiased.
        return {"features": features, "logits": self.fc(features), "unbiased": features.mm(self.fc.weight.T)}


def random_network(config: dict, seed: int) -> Inception:
    network = randomize(Inception(config), seed, scale=1.4)
    for name, tensor in network.state_dict().items():
        if name.endswith("running_var"):
            tensor.copy_(tensor.abs() + 0.1)
        if tensor.is_floating_point():
            tensor.copy_(tensor.half())
    return network


def make_case(out, name, config, network, size, dtype="float32", gradient=True, weights_of=None, seed=0):
    halves = {key: value.half() if value.is_floating_point() else value for key, value in network.state_dict().items()}
    pixels = torch.randn(size, generator=torch.Generator().manual_seed(seed))
    pixels = steady_pixels(network, size, seed) if gradient else pixels
    network = network.to(DTYPES[dtype])
    with torch.set_grad_enabled(gradient):
        write_case(out, name, "inception", config, halves, {"pixels": pixels.to(DTYPES[dtype])},
                   lambda inputs: network(inputs["pixels"]), ["pixels"] if gradient else [], dtype, seed=seed)
    if weights_of:
        (out / name / "model.safetensors").unlink()
        os.link(out / weights_of / "model.safetensors", out / name / "model.safetensors")


def main():
    out = pathlib.Path(sys.argv[1])
    plain = {"form": "torchvision", "num_classes": 10, "transform_input": False}
    transforming, fid = plain | {"transform_input": True}, plain | {"form": "fid", "num_classes": 1008}
    make_case(out, "torchvision", plain, random_network(plain, 1), (2, 3, 91, 107), seed=1)
    make_case(out, "transform-input", transforming, random_network(transforming, 1), (2, 3, 75, 99),
              weights_of="torchvision", seed=2)
    make_case(out, "bf16", transforming, random_network(transforming, 1), (2, 3, 128, 128), "bfloat16",
              gradient=False, weights_of="torchvision", seed=3)
    network = random_network(fid, 4)
    converted, _ = convert_inception(network.state_dict(), "fid")
    make_case(out, "fid", converted, network, (2, 3, 97, 83), seed=4)
    # At the real size some value always meets a kink: see steady_pixels.
    make_case(out, "fid-299", converted, network, (2, 3, 299, 299), gradient=False, weights_of="fid", seed=5)


if __name__ == "__main__":
    main()
