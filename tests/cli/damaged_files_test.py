"""Damaged files: `gass inspect FILE` and `gass models verify DIR` both end with status 3 and say what is wrong."""

import os
import struct
import unittest

from support import GassTest, one_tensor, run, safetensors

DATA = struct.pack("<2f", 1.0, 2.0)
GOOD = safetensors(one_tensor(), DATA)

DAMAGED = {
    "empty file": (b"", "too short"),
    "cut in the length": (GOOD[:5], "too short"),
    "cut in the header": (GOOD[:20], "perhaps an incomplete download"),
    "cut before the data": (GOOD[:-8], "perhaps an incomplete download"),
    "cut in the data": (GOOD[:-3], "perhaps an incomplete download"),
    "a byte too many": (GOOD + b"x", "goes on for 1 byte after the last tensor"),
    "header length 2^63": (struct.pack("<Q", 2**63) + GOOD[8:], "claims 9223372036854775808 bytes"),
    "header length 2^64-1": (b"\xff" * 8 + GOOD[8:], "claims"),
    "header over the limit": (struct.pack("<Q", 100_000_001) + b"{" * 64, "more than the 100000000"),
    "overlapping offsets": (safetensors(one_tensor("a") | one_tensor("b", offsets=(4, 12)), DATA + DATA[:4]), "overlap"),
    "gap between tensors": (safetensors(one_tensor("a") | one_tensor("b", offsets=(12, 20)), DATA * 2 + b"1234"), "gap"),
    "offsets out of range": (safetensors(one_tensor(offsets=(8, 16)), DATA), "but the file holds 8"),
    "offsets backwards": (safetensors(one_tensor(offsets=(8, 0)), DATA), "run backwards"),
    "offsets near 2^64": (safetensors(one_tensor(offsets=(2**64 - 8, 2**64 - 1)), DATA), "hold 7"),
    "wrong dtype size": (safetensors(one_tensor(dtype="F16"), DATA), "has 4 bytes"),
    "unknown dtype": (safetensors(one_tensor(dtype="F33"), DATA), 'unknown element type "F33"'),
    "negative size": (safetensors(one_tensor(shape=(-2,)), DATA), "expected a whole number of 0 or more"),
    "overflowing shape": (safetensors(one_tensor(shape=(2**40, 2**40)), DATA), "overflows"),
    "duplicate tensor": (safetensors("{" + ",".join(['"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'] * 2) + "}"), "occurs twice"),
    "header no JSON": (safetensors('{"a": nonsense}'), "expected an object"),
    "header an array": (safetensors("[1, 2]"), "must begin with"),
    "header not UTF-8": (safetensors(b'{"\xff\xfe":{}}'), "not UTF-8"),
    "deeply nested header": (safetensors('{"a":' + "[" * 1_000_000), "expected an object"),
    "deeply nested metadata": (safetensors('{"__metadata__":{"a":' + '{"a":' * 100_000), "expected a string"),
    "terminal codes in a name": (safetensors('{"\\u001b[2J\\u0007":1}'), "\\x1b[2J"),
    "pickle": (b"\x80\x02}q\x00X\x01\x00\x00\x00aq\x01K\x01s.", "a Python pickle"),
    "zipped pickle": (b"PK\x03\x04" + b"\0" * 60, "PyTorch checkpoint"),
    "zeros": (b"\0" * 4096, "must begin with"),
    "text": (b"this is not a model at all, but a text file\n", "claims"),
}


class DamagedFiles(GassTest):
    def check(self, folder, *parts, file="model.safetensors"):
        self.assert_error(run("inspect", folder / file), 3, *parts)
        self.assert_error(run("models", "verify", folder), 3, *parts)

    def test_the_sound_file_passes(self):
        folder = self.model(GOOD)
        self.assertIn("1 tensor, ", self.assert_ok(run("inspect", folder / "model.safetensors")))
        self.assertIn("ok (2 files", self.assert_ok(run("models", "verify", folder)))

    def test_damaged_weights(self):
        for name, (content, part) in DAMAGED.items():
            with self.subTest(name):
                self.check(self.model(content), part)

    def test_every_cut_of_a_small_file(self):
        for length in range(0, len(GOOD), 7):
            with self.subTest(length=length):
                folder = self.model(GOOD[:length])
                self.assert_error(run("inspect", folder / "model.safetensors"), 3)

    def test_values_that_are_no_numbers(self):
        folder = self.model(safetensors(one_tensor(), struct.pack("<2f", 1.0, float("nan"))))
        self.assert_error(run("models", "verify", folder), 3, '"w": 1 of 2 values are NaN or infinite')
        self.assert_ok(run("inspect", folder / "model.safetensors"))  # it reads the head, not the weights

    def test_something_else_in_a_files_place(self):
        for make, part in ((os.mkfifo, "a pipe"), (os.mkdir, "a folder")):
            with self.subTest(part):
                folder = self.model()
                (folder / "model.safetensors").unlink()
                make(folder / "model.safetensors")
                self.check(folder, part)
                (os.unlink if make is os.mkfifo else os.rmdir)(folder / "model.safetensors")

    def test_a_link_out_of_the_folder(self):
        folder = self.model()
        (self.folder / "outside.safetensors").write_bytes(GOOD)
        (folder / "model.safetensors").unlink()
        (folder / "model.safetensors").symlink_to("../outside.safetensors")
        self.check(folder, "leads out of the model folder")
        (folder / "model.safetensors").unlink()
        (folder / "model.safetensors").symlink_to("nowhere")
        self.check(folder, "leads nowhere")

    def test_links_into_the_caches_blobs_are_followed(self):
        commit = "0123456789" * 4
        repository = self.folder / "models--org--name"
        snapshot = repository / "snapshots" / commit
        snapshot.mkdir(parents=True)
        (repository / "blobs").mkdir()
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text(commit)
        (repository / "blobs" / "w").write_bytes(GOOD)
        (repository / "blobs" / "c").write_text('{"architectures": ["SomebodysNetwork"]}')
        (snapshot / "model.safetensors").symlink_to("../../blobs/w")
        (snapshot / "config.json").symlink_to("../../blobs/c")
        cache = {"HF_HUB_CACHE": str(self.folder)}
        self.assertIn("ok (2 files", self.assert_ok(run("models", "verify", "org/name", environment=cache)))
        self.assertIn("org/name", self.assert_ok(run("models", "list", environment=cache)))
        self.assertIn(commit, self.assert_ok(run("models", "inspect", "org/name", environment=cache)))
        self.assert_ok(run("inspect", snapshot / "model.safetensors"))

    def test_damaged_json(self):
        for name, (content, part) in {
            "empty": (b"", "not valid JSON"),
            "cut": (b'{"a": [1, 2', "not valid JSON"),
            "not UTF-8": (b'{"a": "\xff"}', "not valid JSON"),
            "deeply nested": (b"[" * 100_000, "nested deeper"),
            "duplicate keys": (b'{"a": 1, "a": 2}', "occurs twice"),
            "too large": (b'"' + b" " * (17 << 20) + b'"', "at most"),
        }.items():
            with self.subTest(name):
                folder = self.model()
                (folder / "config.json").write_bytes(content)
                self.check(folder, part, file="config.json")

    def test_a_missing_shard(self):
        folder = self.model()
        (folder / "model.safetensors").unlink()
        (folder / "model.safetensors.index.json").write_text('{"weight_map": {"w": "model-1.safetensors"}}')
        self.check(folder, '"model-1.safetensors" is missing', file="model.safetensors.index.json")

    def test_what_is_not_there(self):
        self.assert_error(run("inspect", self.folder / "absent"), 3, "No such file")
        self.assert_error(run("models", "verify", self.folder / "absent"), 3, "no model")
        self.assert_error(run("models", "inspect", "org/absent"), 3, "has no snapshot")


if __name__ == "__main__":
    unittest.main()
