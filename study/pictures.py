"""Reads image files. Apart from score.py because it runs in many processes, which need not load torch."""

import numpy as np
from PIL import Image


def read_group(files: list[str]) -> np.ndarray:
    """[N,H,W,3] bytes."""
    return np.stack([np.asarray(Image.open(file).convert("RGB")) for file in files])
