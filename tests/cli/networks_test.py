"""Weights that do not fit their network: `gass models verify` names the tensor and ends with status 3, quickly."""

import json
import pathlib
import shutil
import struct
import unittest

from support import GassTest, run, safetensors

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
FILE = "model.safetensors"


def read_safetensors(path):
    """[(name, dtype, shape, bytes)] of a file."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    header.pop("__metadata__", None)
    return [(name, entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])]) for name, entry in header.items()]


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, dtype, shape, content in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    path.write_bytes(safetensors(header, data))


class Networks(GassTest):
    def setUp(self):
        super().setUp()
        self.model_folder = self.folder / "encoder"
        shutil.copytree(MODELS / "mini-flow" / "text_encoder_2", self.model_folder)
        self.tensors = read_safetensors(self.model_folder / FILE)

    def verify(self):
        return run("models", "verify", self.model_folder)

    def set_config(self, **changes):
        path = self.model_folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    def test_the_unchanged_network_passes(self):
        write_safetensors(self.model_folder / FILE, self.tensors)
        self.assert_ok(self.verify())

    def test_a_missing_tensor(self):
        name = self.tensors.pop(3)[0]
        write_safetensors(self.model_folder / FILE, self.tensors)
        self.assert_error(self.verify(), 3, f'1 missing ("{name}")')

    def test_an_unexpected_tensor(self):
        self.tensors.append(("text_model.extra", "U8", [1], b"x"))
        write_safetensors(self.model_folder / FILE, self.tensors)
        self.assert_error(self.verify(), 3, '1 unexpected ("text_model.extra")')

    def test_a_tensor_of_another_shape(self):
        name, dtype, shape, content = self.tensors[0]
        self.tensors[0] = (name, dtype, [1, *shape], content)
        write_safetensors(self.model_folder / FILE, self.tensors)
        self.assert_error(self.verify(), 3, f'"{name}" is [1, ')

    def test_a_value_that_is_no_number(self):
        name, dtype, shape, content = self.tensors[0]
        self.tensors[0] = (name, dtype, shape, b"\x00\x7e" + content[2:])
        write_safetensors(self.model_folder / FILE, self.tensors)
        self.assert_error(self.verify(), 3, f'"{name}": 1 of')

    def test_a_config_that_cannot_be(self):
        for changes, part in [
            ({"num_hidden_layers": 10**9}, '"num_hidden_layers" must be 1 to 512'),
            ({"num_hidden_layers": 500}, "missing"),
            ({"hidden_size": 10**6, "num_attention_heads": 1}, "of another shape"),
            ({"hidden_size": -1}, "hidden_size"),
            ({"num_attention_heads": 7}, "num_attention_heads"),
            ({"hidden_act": "strange"}, "strange"),
        ]:
            with self.subTest(changes):
                before = (self.model_folder / "config.json").read_text()
                self.set_config(**changes)
                self.assert_error(self.verify(), 3, part)
                (self.model_folder / "config.json").write_text(before)

    def test_unknown_fields_are_listed(self):
        self.set_config(surprise=1)
        result = self.verify()
        self.assert_ok(result)
        self.assertIn('"surprise"', result.stderr.decode())


if __name__ == "__main__":
    unittest.main()
