"""What the study consists of: its prompts, their two halves, and its configurations."""

import json
import pathlib

PROMPTS = pathlib.Path(__file__).resolve().parent / "prompts.txt"


def prompts_of(half: str) -> list[str]:
    """The odd lines are what methods were tuned on, so only the even ones are reported."""
    lines = PROMPTS.read_text().split("\n")[:-1]
    return {"tune": lines[0::2], "report": lines[1::2], "all": lines}[half]


def read_configs(path: pathlib.Path) -> list[dict]:
    """Checked here, so that a slip of the pen does not end a long run half way."""
    configs = json.loads(path.read_text())
    known = {"name", "label", "role", "method", "cfg_scale", "models", "point", "default"}
    for config in configs:
        missing = {"name", "label", "role", "method"} - config.keys()
        if missing or config.keys() - known:
            raise SystemExit(f"{path}: {config}: missing {sorted(missing)}, unknown {sorted(config.keys() - known)}")
    # A name may stand twice for different models, whose knobs differ.
    names = [(config["name"], model) for config in configs for model in config.get("models", ["all"])]
    twice = sorted({name for name, model in names if names.count((name, model)) > 1})
    if twice:
        raise SystemExit(f"{path}: twice: {', '.join(twice)}")
    return configs


def configs_for(configs: list[dict], model: str) -> list[dict]:
    return [config for config in configs if model in config.get("models", [model])]
