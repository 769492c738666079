"""What the command-line tests share: running gass, and making small model folders."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import schemas

GASS = str(pathlib.Path(sys.argv.pop(1)).resolve())  # the program under test is the first argument
os.environ["XDG_CONFIG_HOME"] = os.path.join(tempfile.gettempdir(), "no-settings-of-the-caller")


def run(*arguments, stdin=None, environment=None, **options):
    """Runs gass; a run that takes ten minutes counts as hanging. Variables of the caller's gass do not leak in."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GASS_")}
    clean.update(environment or {})
    arguments = [*map(str, arguments)]
    result = subprocess.run([GASS, *arguments], input=stdin, capture_output=True, timeout=600, env=clean, **options)
    # Whatever is printed for programs is what docs/json.md says, in every test.
    own = arguments[:arguments.index("--")] if "--" in arguments else arguments
    if "--json" in own and "--print-config" not in own and result.stdout:
        schemas.check(result.stdout)
    return result


def safetensors(header, data=b""):
    """The bytes of a safetensors file; the header may be text, bytes or a dict, right or wrong."""
    if isinstance(header, dict):
        header = json.dumps(header)
    if isinstance(header, str):
        header = header.encode()
    return struct.pack("<Q", len(header)) + header + data


def one_tensor(name="w", dtype="F32", shape=(2,), offsets=(0, 8)):
    return {name: {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}}


class GassTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self._temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._temporary.name).resolve()
        self.addCleanup(self._temporary.cleanup)

    def model(self, weights=None):
        """A folder with one small network; its weights as given."""
        folder = self.folder / "model"
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text('{"architectures": ["SomebodysNetwork"]}')
        if weights is None:
            weights = safetensors(one_tensor(), struct.pack("<2f", 1.0, 2.0))
        (folder / "model.safetensors").write_bytes(weights)
        return folder

    def assert_ok(self, result):
        self.assertEqual(result.returncode, 0, result.stderr.decode(errors="replace"))
        return result.stdout.decode()

    def assert_error(self, result, status, *parts):
        """It ended with this status, said why on stderr in a clean line, and left stdout to results."""
        message = result.stderr.decode()
        self.assertEqual(result.returncode, status, message)
        self.assertRegex(message, r"(?m)^gass: error: ")
        for part in parts:
            self.assertIn(part, message)
        self.assertNotRegex(message, r"[\x00-\x08\x0b-\x1f\x7f]")
