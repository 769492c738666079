"""Makes the reference packages for metrics importable: import this before any of them.

They lie in .deps/metrics (scripts/setup test). torchvision's compiled operators need the very torch they were built with;
nothing here uses them, but importing it declares two, which must therefore exist.
"""

import pathlib
import sys

import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / ".deps" / "metrics"))

_DECLARED = torch.library.Library("torchvision", "FRAGMENT")
for _name in ("nms", "qnms"):
    if not hasattr(torch.ops.torchvision, _name):
        _DECLARED.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
