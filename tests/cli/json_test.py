"""The contract of --json: every object names a schema that is there, valid and documented."""

import json
import pathlib
import re
import unittest

import jsonschema
import schemas
from support import GassTest, run

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "json.md"
# With a table of every layout, the published values of each, real pictures, and plots.
SUITE = {
    "title": "A small one",
    "settings": {"images": 2, "steps": 2, "width": 64, "height": 64, "device": "cpu"},
    "models": {"turbo": {"name": "Turbo", "settings": {"model": "mini-turbo"}}},
    "methods": {"none": {"method": "none"}, "noise": {"method": "noise"}},
    "baseline": "none",
    "prompts": {"list": ["a red car", {"prompt": "a photo of a small dog", "class": "dog"}]},
    "metrics": {
        "vendi": {"metric": "vendi", "encoder": "mini-judge"},
        "fid": {"metric": "fid", "encoder": "mini-judge"},
        "seconds": {"metric": "seconds"},
    },
    "reference": {"encoder": "mini-judge", "row": True},
    "splits": {"short": {"name": "Short", "most_words": 3}, "long": {"name": "Long", "least_words": 4}},
    "tables": {
        "all": {"title": "All", "published": {"turbo": {"none": {"vendi": 2}}}},
        "sources": {"title": "Sources", "layout": "sources", "methods": ["none"], "metrics": ["vendi"],
                    "published": {"turbo": {"vendi": [2, 0.5]}, "real": {"vendi": [3, 0.5]}}},
        "splits": {"title": "Splits", "layout": "splits", "methods": ["noise"], "metrics": ["vendi"],
                   "published": {"short": {"vendi": [2, 3]}, "long": {"vendi": [2, 3]}}},
    },
    "plots": [{"x": "vendi", "y": "seconds"}],
    "published": {"source": "a paper", "prompts": 2, "images": 2, "parameters": {"turbo": 23458848}},
}
SMALL = ("-m", "mini-turbo", "--width=64", "--height=64", "--steps=2", "--device=cpu")


class Schemas(unittest.TestCase):
    def test_each_is_a_schema(self):
        for name, schema in schemas.SCHEMAS.items():
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(schema)
                self.assertEqual(schema["$id"], name)

    def test_each_is_documented_under_its_name(self):
        rows = dict(re.findall(r"\[(gass\.[a-z-]+/\d+)\]\(schemas/([a-z0-9-]+\.json)\)", DOCUMENT.read_text()))
        self.assertEqual({schemas.file_of(name): name for name in rows}, {file: name for name, file in rows.items()})
        self.assertEqual(set(rows.values()) | {"common.json"}, set(schemas.SCHEMAS))
        for name, file in rows.items():
            self.assertEqual(schemas.SCHEMAS[file]["properties"]["schema"], {"const": name})

    def test_a_key_that_is_not_in_its_schema_is_found(self):
        text = '{"schema": "gass.tokens/1", "encoders": [], "more": 1}'
        with self.assertRaises(jsonschema.ValidationError):
            schemas.check(text)


class EveryCommand(GassTest):
    """run() in support.py checks what is printed; here it is that each command prints what it should."""

    def schema_of(self, *arguments, status=0):
        result = run(*arguments, "--json")
        self.assertEqual(result.returncode, status, result.stderr.decode())
        return schemas.check(result.stdout)["schema"]

    def test_names_its_schema(self):
        cars = self.folder / "cars"
        (suite := self.folder / "suite.json").write_text(json.dumps(SUITE))
        expected = [
            ("gass.generate/1", "generate", *SMALL, "-p", "a red car", "-n", 2, "-o", cars),
            ("gass.generate/1", "vary", cars / "0000.png", "-n", 2, "-o", self.folder / "more"),
            ("gass.plans/1", "generate", *SMALL, "-p", "a red car", "--dry-run"),
            ("gass.compare/1", "compare", *SMALL, "-p", "a dog", "-n", 2, "--methods", "none,gass", "-o", self.folder / "both"),
            ("gass.compare-plan/1", "compare", *SMALL, "-p", "a dog", "-n", 2, "--dry-run"),
            ("gass.reproduced/1", "reproduce", cars / "0000.png"),
            ("gass.reproduced-set/1", "reproduce", cars),
            ("gass.explain/1", "explain", cars),
            ("gass.measure/1", "measure", cars, "-p", "a red car"),
            ("gass.features/1", "features", cars, "-o", self.folder / "cars.npz"),
            ("gass.eval-plan/1", "eval", suite, "-o", self.folder / "run", "--dry-run"),
            ("gass.eval-shard/1", "eval", suite, "-o", self.folder / "run", "--shard", "0/2"),
            ("gass.eval/1", "eval", "-o", self.folder / "run"),
            ("gass.suites/1", "eval", "--list"),
            ("gass.suites/1", "suites"),
            ("gass.presets/1", "presets"),
            ("gass.methods/1", "methods"),
            ("gass.models/1", "models", "list"),
            ("gass.model/1", "models", "inspect", "mini-flow"),
            ("gass.model-list/1", "models", "inspect", "mini-flow", "mini-clip"),
            ("gass.verify/1", "models", "verify", "mini-turbo"),
            ("gass.picture/1", "inspect", cars / "0000.png"),
            ("gass.json-file/1", "inspect", cars / "group.json"),
            ("gass.weights/1", "inspect", self.model() / "model.safetensors"),
            ("gass.tokens/1", "tokens", "-p", "a red car"),
            ("gass.cache/1", "cache", "stats"),
        ]
        for schema, *arguments in expected:
            with self.subTest(" ".join(map(str, arguments[:2]))):
                self.assertEqual(self.schema_of(*arguments), schema)
        report = (self.folder / "run" / "results.json").read_text()
        schemas.check(report)
        for key in ("second", "published", "published_std", "published_second"):  # none of the rare ones is missing
            self.assertIn(f'"{key}": ', report)

    def test_bench(self):
        small = ("--", *SMALL, "-p", "a dog", "-n", 1)
        for schema, flags in (("gass.bench/1", ()), ("gass.bench-methods/1", ("--methods", "none,gass"))):
            result = run("bench", "--rounds", 1, *flags, "--json", *small)
            self.assert_ok(result)
            self.assertEqual(schemas.check(result.stdout)["schema"], schema)


if __name__ == "__main__":
    unittest.main()
