"""Makes the reference packages for metrics importable: import this before any of them.

They lie in .deps/metrics (scripts/setup test). torchvision's compiled operators need the very torch they were built with.
Nothing here uses them, but importing torchvision asks for two, which must therefore exist where they cannot be loaded.
"""

import pathlib
import sys

import torch

_METRICS = pathlib.Path(__file__).resolve().parents[2] / ".deps" / "metrics"
sys.path.append(str(_METRICS))

try:
    torch.ops.load_library(_METRICS / "torchvision" / "_C.so")
except OSError:
    _DECLARED = torch.library.Library("torchvision", "FRAGMENT")
    for _name in ("nms", "qnms"):
        _DECLARED.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
