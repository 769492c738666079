"""The two encoders that look at the images: the judge, which no method sees, and the CLIP that they are guided by."""

import json
import pathlib
import sys

import numpy as np
import torch
from safetensors.torch import load_file
from torch.nn import functional as F

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools" / "reference"))
from resnet_fixtures import ResNet

BATCH = 512
torch.backends.cudnn.allow_tf32 = False  # a GPU's scores are then a CPU's, to the digits that are kept


def pixels_of(images: np.ndarray, mean: list[float], std: list[float], device: str, size: int | None = None) -> torch.Tensor:
    """[N,H,W,3] bytes as [N,3,H,W], normalised as the encoder was trained."""
    pixels = torch.from_numpy(images).to(device).permute(0, 3, 1, 2).float() / 255
    if size is not None and pixels.shape[-2:] != (size, size):
        pixels = F.interpolate(pixels, (size, size), mode="bicubic", antialias=True, align_corners=False).clamp(0, 1)
    shaped = lambda values: torch.tensor(values, device=device).view(3, 1, 1)
    return (pixels - shaped(mean)) / shaped(std)


class Judge:
    def __init__(self, folder: pathlib.Path, device: str):
        self.device = device
        self.config = json.loads((folder / "config.json").read_text())
        self.classes = self.config["classes"]
        network = ResNet(self.config)
        rest = network.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
        # Published weights leave out the batch norms' counters, which only training reads.
        if rest.unexpected_keys or not all(key.endswith("num_batches_tracked") for key in rest.missing_keys):
            raise SystemExit(f"{folder}: not this network's weights: {rest}")
        self.network = network.float().eval().to(device)
        reference = load_file(folder / "reference.safetensors")
        self.reference = reference["embeddings"].float().numpy()
        self.reference_class = reference["class"].numpy()

    @torch.inference_mode()
    def look(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Embeddings of length 1, and the most likely class."""
        rows = []
        for start in range(0, len(images), BATCH):
            pixels = pixels_of(images[start : start + BATCH], self.config["image_mean"], self.config["image_std"], self.device)
            out = self.network(pixels)
            rows.append((out["embeddings"].cpu(), out["logits"].argmax(-1).cpu()))
        return tuple(torch.cat(part).numpy() for part in zip(*rows))


class Clip:
    def __init__(self, folder: pathlib.Path, device: str):
        from transformers import CLIPModel, CLIPTokenizer

        self.device = device
        self.model = CLIPModel.from_pretrained(folder).float().eval().to(device)
        self.tokenizer = CLIPTokenizer.from_pretrained(folder)
        self.processor = json.loads((folder / "preprocessor_config.json").read_text())

    @torch.inference_mode()
    def look(self, images: np.ndarray) -> np.ndarray:
        rows = []
        for start in range(0, len(images), BATCH):
            pixels = pixels_of(images[start : start + BATCH], self.processor["image_mean"], self.processor["image_std"],
                               self.device, self.model.config.vision_config.image_size)
            pooled = self.model.vision_model(pixel_values=pixels).pooler_output
            rows.append(F.normalize(self.model.visual_projection(pooled), dim=-1).cpu())
        return torch.cat(rows).numpy()

    @torch.inference_mode()
    def read(self, prompt: str) -> np.ndarray:
        length = self.model.config.text_config.max_position_embeddings
        tokens = self.tokenizer(prompt, padding="max_length", max_length=length, truncation=True, return_tensors="pt")
        pooled = self.model.text_model(input_ids=tokens["input_ids"].to(self.device)).pooler_output
        return F.normalize(self.model.text_projection(pooled), dim=-1)[0].cpu().numpy()
