#!/usr/bin/env python3
"""Compares sampling methods on the embedded models, as an encoder sees them that no method uses.

    gass_study.py generate --configs study/configs.json --out DIR
    gass_study.py score    --out DIR --scores study/scores.json
    gass_study.py report   --scores study/scores.json --configs study/configs.json --markdown docs/gass-study.md

The steps are apart because they need different machines: the first two a fast one, the last none.
"""

import argparse
import pathlib
import sys

# Nothing heavy is imported up here: the processes that `score` starts to read images import this file again.
STUDY = pathlib.Path(__file__).resolve().parent
ROOT = STUDY.parent


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)

    generate = commands.add_parser("generate", help="make the images with gass")
    generate.add_argument("--configs", type=pathlib.Path, default=STUDY / "configs.json")
    generate.add_argument("--out", type=pathlib.Path, required=True, help="folder for MODEL/CONFIG/SEED/…")
    generate.add_argument("--gass", type=pathlib.Path, default=ROOT / "build" / "bin" / "gass")
    generate.add_argument("--half", choices=["report", "tune", "all"], default="report", help="which prompts (default: report)")
    generate.add_argument("--prompts", type=int, help="only the first so many of them, to try it out")
    generate.add_argument("--seeds", type=int, default=4, help="seed groups for each prompt (default: 4)")
    generate.add_argument("--images", type=int, default=8, help="images in a group (default: 8)")
    generate.add_argument("--models", default="mini-flow,mini-unet")
    generate.add_argument("--only", default=".*", metavar="REGEX", help="configs whose whole name matches")
    generate.add_argument("--jobs", type=int, default=1, help="gass processes at a time (default: 1)")
    generate.add_argument("--device", default="auto")
    generate.add_argument("--dtype", default="auto")

    score = commands.add_parser("score", help="judge the images")
    score.add_argument("--out", type=pathlib.Path, required=True, help="the folder that generate filled")
    score.add_argument("--scores", type=pathlib.Path, required=True, metavar="FILE.json")
    score.add_argument("--add", action="store_true", help="keep what FILE.json says of other configs")
    score.add_argument("--models-dir", type=pathlib.Path, default=ROOT / "models")
    score.add_argument("--device", default="cpu", help="cpu or cuda (default: cpu)")

    report = commands.add_parser("report", help="write tables and plots from the scores")
    report.add_argument("--scores", type=pathlib.Path, required=True, metavar="FILE.json")
    report.add_argument("--configs", type=pathlib.Path, default=STUDY / "configs.json")
    report.add_argument("--half", choices=["report", "tune", "all"], default="report", help="which prompts (default: report)")
    report.add_argument("--markdown", type=pathlib.Path, default=ROOT / "docs" / "gass-study.md")
    report.add_argument("--images", type=pathlib.Path, default=ROOT / "docs" / "images", help="folder for the plots")
    return parser.parse_args(words)


def main() -> None:
    options = parse(sys.argv[1:])
    if options.command == "generate":
        from generate import generate as step
    elif options.command == "score":
        from score import score as step
    else:
        from report import report as step
    step(options)


if __name__ == "__main__":
    main()
