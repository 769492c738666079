"""tools/convert_weights.py on made-up weights with the published names; gass must find the result sound.

    convert_weights_test.py GASS
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import torch
from safetensors import safe_open

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tools"), str(ROOT / "tools" / "reference")]

import convert_weights
import image_reward_fixtures
import inception_fixtures
import lpips_fixtures
import resnet_fixtures

GASS = sys.argv.pop(1)


class ConvertWeights(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.out = self.folder / "out"

    def run_tool(self, kind, source, *more):
        command = [sys.executable, ROOT / "tools" / "convert_weights.py", kind, source, self.out, *more]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)

    def convert(self, kind, state, *more):
        """Converts a state dict, has gass check the result, and gives the config and the names."""
        source = self.folder / "weights.pt"
        torch.save(state, source)
        result = self.run_tool(kind, source, *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.check()

    def check(self):
        verified = subprocess.run([GASS, "models", "verify", str(self.out)], capture_output=True, text=True, timeout=60)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        with safe_open(self.out / "model.safetensors", "pt") as weights:
            return json.loads((self.out / "config.json").read_text()), set(weights.keys())

    def resnet(self):
        config = {"block": "bottleneck", "layers": [3, 1, 2, 1], "width": 8, "embedding_dim": 16, "gem_p": 3.0}
        return config, resnet_fixtures.random_network(config, 1)

    def test_sscd(self):
        wanted, network = self.resnet()
        state = {f"backbone.{name}": value for name, value in network.state_dict().items()}
        config, names = self.convert("sscd", state)
        self.assertEqual({key: config[key] for key in wanted}, wanted)
        self.assertEqual(config["image_size"], 288)
        self.assertEqual(names, set(network.state_dict()))

    def test_sscd_torchscript(self):
        wanted, network = self.resnet()

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.backbone = network

            def forward(self, pixels):
                return self.backbone(pixels)["embeddings"]

        source = self.folder / "sscd.torchscript.pt"
        torch.jit.trace(Model().eval(), torch.zeros(1, 3, 64, 64)).save(str(source))
        result = self.run_tool("sscd", source)
        self.assertEqual(result.returncode, 0, result.stderr)
        config, names = self.check()
        self.assertEqual({key: config[key] for key in wanted}, wanted)
        self.assertEqual(names, set(network.state_dict()))

    def test_inception(self):
        for form, transform_input in (("torchvision", True), ("fid", False)):
            network = inception_fixtures.Inception({"form": form, "num_classes": 7, "transform_input": False}).half()
            config, names = self.convert(f"inception-{form}", network.state_dict())
            self.assertEqual(config["form"], form)
            self.assertEqual(config["num_classes"], 7)
            self.assertEqual(config["transform_input"], transform_input)
            self.assertEqual(names, {name for name in network.state_dict() if not name.startswith("AuxLogits.")})

    def test_lpips(self):
        """From the files of torchvision and lpips, and from what lpips.LPIPS itself would save."""
        state = lpips_fixtures.random_network(1).state_dict()
        lin = {name: value for name, value in state.items() if name.startswith("lin")}
        alexnet = {name: value for name, value in state.items() if name not in lin}
        torch.save(lin, self.folder / "alex.pth")
        config, names = self.convert("lpips", alexnet | {"classifier.1.weight": torch.zeros(2)}, "--lin", self.folder / "alex.pth")
        self.assertEqual(config, {"architectures": ["LPIPS"], "net": "alex", "image_size": 256})
        self.assertEqual(names, set(state))
        slices = {"0": 1, "3": 2, "6": 3, "8": 4, "10": 5}
        own = {f"net.slice{slices[name.split('.')[1]]}.{name.removeprefix('features.')}": value for name, value in alexnet.items()}
        own |= lin | {f"lins.{name[3]}.{name[5:]}": value for name, value in lin.items()} | {"scaling_layer.shift": torch.zeros(1, 3, 1, 1)}
        self.assertEqual(self.convert("lpips", own)[1], set(state))

    def test_image_reward(self):
        wanted = image_reward_fixtures.make_config(32, 8, 128, 64, (2, 1), (2, 3)) | {"text_length": 35}
        wanted["text_config"]["max_position_embeddings"] = 35
        vocabulary = self.folder / "words.txt"
        vocabulary.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
        state = image_reward_fixtures.ImageReward(wanted).published()
        config, names = self.convert("image-reward", state, "--vocab", vocabulary)
        self.assertEqual(config, wanted)
        unused = {name for name in state if "_proj." in name or name.endswith("position_ids")}
        self.assertEqual(names, set(state) - unused)
        self.assertEqual((self.out / "vocab.txt").read_bytes(), vocabulary.read_bytes())
        self.assertEqual(json.loads((self.out / "tokenizer_config.json").read_text())["bos_token"], "[DEC]")

    def test_other_weights_are_refused(self):
        state = {"some.weight": torch.zeros(2)}
        for convert in convert_weights.KINDS.values():
            self.assertRaises(KeyError, convert, state)
        source = self.folder / "weights.pt"
        torch.save(state, source)
        result = self.run_tool("sscd", source)
        self.assertEqual(result.returncode, 1)
        self.assertIn("not the published weights", result.stderr)
        self.assertFalse(self.out.exists())

    def test_pickles_with_code_are_not_run(self):
        class Harmful:
            def __reduce__(self):
                return (pathlib.Path.touch, (pathlib.Path("harm"),))

        source = self.folder / "weights.pt"
        torch.save({"conv1.weight": Harmful()}, source)
        result = self.run_tool("sscd", source)
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse((pathlib.Path.cwd() / "harm").exists())


if __name__ == "__main__":
    unittest.main()
