"""The JSON that gass prints, held to docs/schemas."""

import json
import pathlib

import jsonschema
import referencing

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schemas"
SCHEMAS = {path.name: json.loads(path.read_text()) for path in FOLDER.glob("*.json")}
REGISTRY = referencing.Registry().with_resources(
    (name, referencing.Resource.from_contents(schema)) for name, schema in SCHEMAS.items())


def file_of(name):
    """"generate-1.json" of "gass.generate/1"."""
    return name.removeprefix("gass.").replace("/", "-") + ".json"


def check(text):
    """One JSON object that names its schema, which has no complaint."""
    value = json.loads(text)
    assert next(iter(value)) == "schema", f"the first key is {next(iter(value))}"
    schema = SCHEMAS[file_of(value["schema"])]
    jsonschema.Draft202012Validator(schema, registry=REGISTRY).validate(value)
    return value
