"""What README and docs show of a terminal is what happens.

The commands of every ```console block run, in the order of the document, in one folder of its own; where output is shown below a
command, it has to be that output. Numbers may be a little off, since processors round differently, and seconds are anybody's; "…"
stands for anything in a line, and alone for any lines. A block after <!-- not run: why --> is only looked at, like those marked
```sh: their commands and flags have to be there.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"(?:<!-- not run: (?P<why>[^>]+) -->\n)?```(?P<kind>console|sh)\n(?P<text>.*?)```", re.S)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
SECONDS = re.compile(r"(\d+(?:\.\d+)? s\b|(?:denoise|decode) \d+\.\d+)")
CLOSE = 0.05  # as a share


def blocks(document, runs):
    for found in FENCE.finditer(document.read_text()):
        if (found["kind"] == "console" and found["why"] is None) == runs:
            yield found["text"]


def steps(text):
    """The commands of a block, each with the output that is shown below it."""
    result = []
    for line in text.splitlines():
        if line.startswith("$ "):
            result.append((line.removeprefix("$ "), []))
        elif result and (line.strip() or result[-1][1]):
            result[-1][1].append(line.rstrip())
    for _, shown in result:
        while shown and not shown[-1]:
            shown.pop()
    return result


def is_like(shown, real):
    """One line against another."""
    shown, real = (SECONDS.sub("T", text.rstrip()) for text in (shown, real))
    expression = ".*".join("(-?[0-9.e-]+)".join(map(re.escape, NUMBER.split(part))) for part in shown.split("…"))
    match = re.fullmatch(expression, real)
    if match is None:
        return False
    wanted = [float(number) for number in NUMBER.findall(shown)]
    return all(abs(float(got) - want) <= CLOSE * abs(want) for got, want in zip(match.groups(), wanted, strict=True))


def differs_at(shown, real):
    """The first line that is shown and does not come; None if all do."""
    at = 0
    for i, line in enumerate(shown):
        if line == "…":
            rest = shown[i + 1:]
            return None if any(differs_at(rest, real[j:]) is None for j in range(at, len(real) + 1)) else line
        if at >= len(real) or not is_like(line, real[at]):
            return line
        at += 1
    return None if at == len(real) else f"nothing, but there is: {real[at]}"


class Comparison(unittest.TestCase):
    def test_lines(self):
        self.assertTrue(is_like("vendi  1.95  in 6.3 s", "vendi  1.94  in 80.1 s"))
        self.assertTrue(is_like("a … b", "a 17 b"))
        self.assertFalse(is_like("vendi  1.95", "vendi  2.95"))
        self.assertFalse(is_like("seed 45", "seed 55"))
        self.assertFalse(is_like("cars: 8 images", "cars: 8 pictures"))
        self.assertIsNone(differs_at(["a", "…", "z"], ["a", "b", "c", "z"]))
        self.assertEqual(differs_at(["a", "z"], ["a", "b", "z"]), "z")
        self.assertEqual(differs_at(["a"], ["a", "b"]), "nothing, but there is: b")

    def test_steps(self):
        self.assertEqual(steps("$ one\nout\n\n$ two  # why\n"), [("one", ["out"]), ("two  # why", [])])


def environment(folder):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GASS_")}
    return clean | {"PATH": f"{PROGRAM.parent}:{clean['PATH']}", "GASS_CACHE_DIR": str(folder / "cache"), "COLUMNS": "200",
                    "XDG_CONFIG_HOME": str(folder / "config")}


class Commands(unittest.TestCase):
    def test_run_as_shown(self):
        for document in DOCUMENTS:
            with self.subTest(document.name), tempfile.TemporaryDirectory() as folder:
                self.check(document, pathlib.Path(folder))

    def check(self, document, folder):
        (work := folder / "work").mkdir()
        for text in blocks(document, runs=True):
            for command, shown in steps(text):
                result = subprocess.run(["bash", "-c", command], cwd=work, env=environment(folder), capture_output=True, timeout=900,
                                        text=True, check=False)
                said = (result.stdout + result.stderr).splitlines()
                if not any(line.startswith("gass: error:") for line in shown):
                    self.assertEqual(result.returncode, 0, f"{command}\n{result.stderr}")
                if shown:
                    self.assertIsNone(differs_at(shown, said), f"$ {command}\n" + "\n".join(said))

    def test_name_what_there_is(self):
        helps = {}

        def flags_of(*command):
            if command not in helps:
                result = subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, check=False)
                helps[command] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", result.stdout)) if result.returncode == 0 else None
            return helps[command]

        for document in DOCUMENTS:
            for text in [text for runs in (False, True) for text in blocks(document, runs)]:
                for line in re.sub(r"\\\n", " ", text).splitlines():
                    found = re.search(r"(?:^\$ |^|[;&|(] *|podman run .* |mpirun -n \d+ )gass (?P<rest>[a-z-]+.*)$", line)
                    if found is None or line.startswith("cars"):
                        continue
                    with self.subTest(f"{document.name}: {line}"):
                        words = shlex.split(found["rest"], comments=True)
                        name = words[:2] if words[0] in ("models", "cache") else words[:1]
                        known = flags_of(*name)
                        self.assertIsNotNone(known, "no such command")
                        more = flags_of("generate") if name == ["bench"] else set()
                        for word in words:
                            if re.match(r"--?[a-zA-Z]", word) and not word.startswith("-W") and not word.startswith("-H"):
                                self.assertIn(word.split("=")[0], known | more | {"-W", "-H", "-N"})


if __name__ == "__main__":
    unittest.main()
