"""Every tensor of every embedded model is what its config asks for: none missing, none left over, shapes equal.

The expectation comes from the reference classes of transformers and diffusers, built without memory from the same
config files; for the judge, which is our own class, from its description in models/README.md.

usage: embedded_tensors_test.py GASS MODELS_DIR
"""

import json
import pathlib
import subprocess
import sys
import unittest

import diffusers
import torch
import transformers

GASS, MODELS = sys.argv[1], pathlib.Path(sys.argv[2])
del sys.argv[1:3]

# component → class, as in model_index.json
NETWORKS = {
    "mini-flow/text_encoder": transformers.CLIPTextModelWithProjection,
    "mini-flow/text_encoder_2": transformers.CLIPTextModelWithProjection,
    "mini-flow/transformer": diffusers.SD3Transformer2DModel,
    "mini-flow/vae": diffusers.AutoencoderKL,
    "mini-turbo/text_encoder": transformers.CLIPTextModelWithProjection,
    "mini-turbo/text_encoder_2": transformers.CLIPTextModelWithProjection,
    "mini-turbo/transformer": diffusers.SD3Transformer2DModel,
    "mini-turbo/vae": diffusers.AutoencoderKL,
    "mini-unet/text_encoder": transformers.CLIPTextModel,
    "mini-unet/unet": diffusers.UNet2DConditionModel,
    "mini-unet/vae": diffusers.AutoencoderKL,
    "mini-clip": transformers.CLIPModel,
}


def tensors(file):
    """name → shape, as gass reads the file."""
    result = subprocess.run([GASS, "inspect", "--json", file], capture_output=True, check=True)
    return {tensor["name"]: tensor["shape"] for tensor in json.loads(result.stdout)["tensors"]}


def expected_of(cls, folder):
    with torch.device("meta"):
        if issubclass(cls, transformers.PreTrainedModel):
            network = cls(cls.config_class.from_pretrained(folder))
        else:
            network = cls.from_config(cls.load_config(folder))
    # transformers 5 dropped the prefix of CLIPTextModel in memory; files keep it.
    prefix = "text_model." if cls is transformers.CLIPTextModel else ""
    return {prefix + name: list(tensor.shape) for name, tensor in network.state_dict().items()}


def batch_norm(name, width):
    return {f"{name}.{part}": [width] for part in ("weight", "bias", "running_mean", "running_var")}


def expected_of_judge(config):
    """torchvision's ResNet of basic blocks by name, with `fc` to the embedding and `classifier` on the pooled features."""
    width = config["width"]
    expected = {"conv1.weight": [width, 3, 7, 7]} | batch_norm("bn1", width)
    before = width
    for stage, blocks in enumerate(config["layers"]):
        out = width * 2**stage
        for block in range(blocks):
            name = f"layer{stage + 1}.{block}"
            expected[f"{name}.conv1.weight"] = [out, before, 3, 3]
            expected[f"{name}.conv2.weight"] = [out, out, 3, 3]
            expected |= batch_norm(f"{name}.bn1", out) | batch_norm(f"{name}.bn2", out)
            if before != out:
                expected[f"{name}.downsample.0.weight"] = [out, before, 1, 1]
                expected |= batch_norm(f"{name}.downsample.1", out)
            before = out
    expected |= {"fc.weight": [config["embedding_dim"], before], "fc.bias": [config["embedding_dim"]]}
    expected |= {"classifier.weight": [len(config["classes"]), before], "classifier.bias": [len(config["classes"])]}
    return expected


class EmbeddedTensors(unittest.TestCase):
    maxDiff = None

    def test_networks(self):
        for folder, cls in NETWORKS.items():
            with self.subTest(folder):
                file = next((MODELS / folder).glob("*.safetensors"))
                self.assertEqual(tensors(file), expected_of(cls, MODELS / folder))

    def test_judge(self):
        config = json.loads((MODELS / "mini-judge/config.json").read_text())
        self.assertEqual(tensors(MODELS / "mini-judge/model.safetensors"), expected_of_judge(config))
        reference = tensors(MODELS / "mini-judge/reference.safetensors")
        self.assertEqual(set(reference), {"embeddings", "class"})
        self.assertEqual(reference["embeddings"], reference["class"] + [config["embedding_dim"]])

    def test_no_weight_file_is_left_out(self):
        known = {MODELS / folder for folder in NETWORKS} | {MODELS / "mini-judge"}
        self.assertEqual({file.parent for file in MODELS.rglob("*.safetensors")}, known)


if __name__ == "__main__":
    unittest.main()
