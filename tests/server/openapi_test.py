"""docs/openapi.json is true: schemathesis asks the server everything that it describes, and much that it does not allow."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import ServerTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEY = "the-key-of-the-tests"

CONFIG = f"""
[auth.openapi.bearer]
bearer = "{KEY}"
[generation]
database = "none"
allow-extra-parameters = false

[checks]
# A method, a model or a target is text whose grammar no schema holds: 400 and 422 say what is wrong with it. A picture that was
# made up is none. The queue may be full.
positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "409", "422", "429", "503"]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "429", "503"]
"""


class OpenApi(ServerTest):
    # Small sets, so that those that are waited for are made in a moment.
    arguments = ("--api-key", KEY, "--max-images", "2", "--max-side", "64", "--max-steps", "2", "--queue", "1000")

    def test_it_is_the_file_that_the_server_has(self):
        self.assertEqual(self.server.get("/api/v1/openapi.json").json, json.loads((ROOT / "docs/openapi.json").read_text()))

    def test_schemathesis(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "schemathesis.toml"
            config.write_text(CONFIG)
            command = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "--config-file", str(config), "run",
                       str(ROOT / "docs/openapi.json"), "--url", f"http://127.0.0.1:{self.server.port}", "--checks", "all", "--max-examples", os.environ.get("GASS_SCHEMATHESIS_EXAMPLES", "15"), "--seed", "1", "--request-timeout", "60",
                       "--continue-on-failure", "--no-color"]  # fmt: skip
            result = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=1500)
        self.assertEqual(result.returncode, 0, result.stdout[-20000:] + result.stderr[-2000:])
        self.assertEqual([entry for entry in self.server.log() if entry["event"] == "request" and entry["status"] == 500], [])
        self.assertIsNone(self.server.process.poll())


if __name__ == "__main__":
    unittest.main()
