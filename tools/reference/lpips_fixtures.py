"""Writes the parity cases of LPIPS on AlexNet.

    lpips_fixtures.py OUT_DIR

The network follows lpips 0.1.4 (version 0.1, net="alex") and torchvision's AlexNet, whose classes are written out here: the
package would download weights. Its distances were checked to be equal to those of lpips 0.1.4. The weights are random at the
real sizes, stored in fp16; those of channels are positive, as the published ones are.
"""

import pathlib
import sys

import torch
from common_networks import randomize, write_case
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from convert_weights import convert_lpips

CHANNELS = (64, 192, 384, 256, 256)


class Lin(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.model = nn.Sequential(nn.Dropout(), nn.Conv2d(channels, 1, 1, bias=False))

    def forward(self, x):
        return self.model(x)


class Lpips(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
            nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(), nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(),
            nn.Conv2d(256, 256, 3, padding=1), nn.ReLU())  # fmt: skip
        for i, channels in enumerate(CHANNELS):
            setattr(self, f"lin{i}", Lin(channels))

    def layers(self, pixels):
        colours = lambda values: torch.tensor(values).view(3, 1, 1)
        x, found = (pixels - colours([-0.030, -0.088, -0.188])) / colours([0.458, 0.448, 0.450]), []
        for module in self.features:
            x = module(x)
            if isinstance(module, nn.ReLU):
                found.append(x / (torch.sqrt(torch.sum(x**2, dim=1, keepdim=True)) + 1e-10))
        return found

    def distance(self, first, second):
        """Of pictures [B, 3, H, W] in -1..1, [B]."""
        total = 0
        for i, (a, b) in enumerate(zip(self.layers(first), self.layers(second), strict=True)):
            total = total + getattr(self, f"lin{i}")((a - b) ** 2).mean([2, 3])
        return total.squeeze(1)

    def distances(self, pixels):
        """Of each picture from each, [B, B]."""
        return torch.stack([self.distance(pixels, one.expand_as(pixels)) for one in pixels])


def random_network(seed: int) -> Lpips:
    network = randomize(Lpips(), seed, scale=1.4)
    for name, tensor in network.state_dict().items():
        if name.startswith("lin"):
            tensor.abs_()
        tensor.copy_(tensor.half())
    return network


def main():
    out = pathlib.Path(sys.argv[1])
    network = random_network(1)
    config, state = convert_lpips({name: value.half() for name, value in network.state_dict().items()})
    for name, size in (("smallest", (3, 3, 31, 31)), ("oblong", (4, 3, 64, 90)), ("usual", (3, 3, 256, 256))):
        pixels = torch.rand(size, generator=torch.Generator().manual_seed(size[-1])) * 2 - 1
        pixels[1] = 0.9 * pixels[0] + 0.1 * pixels[1]  # that look alike
        with torch.no_grad():
            write_case(out, name, "lpips", config, state, {"pixels": pixels}, lambda inputs: {"distances": network.distances(inputs["pixels"])}, [])


if __name__ == "__main__":
    main()
