"""What README and docs show of a terminal is what happens.

The commands of every ```console block run, in the order of the document, in one folder of its own, on the CPU; where output is shown
below a command, it has to be that output. Numbers with decimals may be a little off, since processors round differently, and seconds
are anybody's; "…" stands for anything in a line, and alone for any lines. A block after <!-- not run: why --> is only looked at, like
those marked ```sh and what the text names in `backquotes`: commands and their flags have to be there.
"""

import functools
import json
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
FLAG = re.compile(r"--?[a-zA-Z][\w-]*")
AS_ON_A_TERMINAL = 'ls() { command ls -C -T 0 "$@"; }; '
OF_OTHERS = {"--index-url", "--gpus", "-f"}  # of pip and docker


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
    return all(is_near(got, want) for got, want in zip(match.groups(), NUMBER.findall(shown), strict=True))


def is_near(got, want):
    if want.removeprefix("-").isdigit():
        return got == want
    return abs(float(got) - float(want)) <= CLOSE * abs(float(want))


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


def invocations(text):
    """What stands behind each `gass` of a shell's text: its words, up to the end of the command."""
    result = []
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
        for i, word in enumerate(words):
            if pathlib.PurePath(word).name != "gass" or i + 1 == len(words):
                continue
            if re.fullmatch("[a-z]+" if i > 0 else "[a-z-]+", words[i + 1]):
                end = next((k for k in range(i, len(words)) if re.fullmatch("[;|&()<>]+", words[k])), len(words))
                result.append(words[i + 1:end])
    return result


def shell_texts(document):
    """What people may type: the commands of all blocks, and those that stand in the text."""
    for text in blocks(document, runs=True):
        yield "\n".join(command for command, _ in steps(text))
    for text in blocks(document, runs=False):
        yield "\n".join(command for command, _ in steps(text)) or text
    yield from spans(document)


def spans(document):
    """Of the text outside of blocks, what stands in backquotes."""
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.S)
    return [span.replace(r"\|", "|").replace("\n", " ") for span in re.findall(r"`([^`]+)`", text)]


class Comparison(unittest.TestCase):
    def test_lines(self):
        self.assertTrue(is_like("vendi  1.95  in 6.3 s", "vendi  1.94  in 80.1 s"))
        self.assertTrue(is_like("a … b", "a 17 b"))
        self.assertFalse(is_like("vendi  1.95", "vendi  2.95"))
        self.assertFalse(is_like("seed 45", "seed 46"))
        self.assertFalse(is_like("cars: 8 images", "cars: 8 pictures"))
        self.assertIsNone(differs_at(["a", "…", "z"], ["a", "b", "c", "z"]))
        self.assertEqual(differs_at(["a", "z"], ["a", "b", "z"]), "z")
        self.assertEqual(differs_at(["a"], ["a", "b"]), "nothing, but there is: b")

    def test_steps(self):
        self.assertEqual(steps("$ one\nout\n\n$ two  # why\n"), [("one", ["out"]), ("two  # why", [])])


@functools.cache
def flags_of(*command):
    """Those that its help names; None if there is no such command."""
    result = subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, check=False)
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", result.stdout)) if result.returncode == 0 else None


def flags_in(words):
    return {found[0] for word in words if (found := FLAG.match(word))}


def environment(folder):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GASS_")}
    return clean | {"PATH": f"{PROGRAM.parent}:{clean['PATH']}", "GASS_CACHE_DIR": str(folder / "cache"), "COLUMNS": "200",
                    "XDG_CONFIG_HOME": str(folder / "config"), "CUDA_VISIBLE_DEVICES": ""}


    def test_invocations(self):
        self.assertEqual(invocations("gass explain a | less\nmpirun -n 2 build/bin/gass eval x \\\n  -o run # why\npodman build -t gass ."),
                         [["explain", "a"], ["eval", "x", "-o", "run"]])


class Commands(unittest.TestCase):
    def test_blocks_say_what_they_are(self):
        for document in DOCUMENTS:
            self.assertNotIn("", re.findall(r"(?m)^```(\w*)\n(?:.*\n)*?```$", document.read_text()), document.name)

    def test_documents_show_many(self):
        """So that nothing passes because it was not found."""
        ran = {document.name: sum(len(steps(text)) for text in blocks(document, runs=True)) for document in DOCUMENTS}
        for name, least in (("README.md", 5), ("eval.md", 3), ("gass.md", 3), ("generate.md", 3), ("measure.md", 1), ("methods.md", 3)):
            self.assertGreaterEqual(ran[name], least, name)
        self.assertGreaterEqual(sum(len(invocations(text)) for document in DOCUMENTS for text in shell_texts(document)), 100)

    def test_run_as_shown(self):
        for document in DOCUMENTS:
            with self.subTest(document.name), tempfile.TemporaryDirectory() as folder:
                self.check(document, pathlib.Path(folder))

    def check(self, document, folder):
        (work := folder / "work").mkdir()
        for text in blocks(document, runs=True):
            for command, shown in steps(text):
                result = subprocess.run(["bash", "-c", AS_ON_A_TERMINAL + command], cwd=work, env=environment(folder), capture_output=True, timeout=900,
                                        text=True, check=False)
                said = (result.stdout + result.stderr).splitlines()
                if not any(line.startswith("gass: error:") for line in shown):
                    self.assertEqual(result.returncode, 0, f"{command}\n{result.stderr}")
                if shown:
                    self.assertIsNone(differs_at(shown, said), f"$ {command}\n" + "\n".join(said))

    def test_name_what_there_is(self):
        for document in DOCUMENTS:
            for words in [words for text in shell_texts(document) for words in invocations(text)]:
                with self.subTest(f"{document.name}: gass {' '.join(words)}"):
                    at = words.index("--") if "--" in words else len(words)  # what follows is for gass generate
                    name = words[:2] if words[0] in ("models", "cache") else words[:1]
                    known = flags_of(*name if not words[0].startswith("-") else ())
                    self.assertIsNotNone(known, "no such command")
                    self.assertLessEqual(flags_in(words[:at]), known)
                    self.assertLessEqual(flags_in(words[at:]), flags_of("generate"))

    def test_name_flags_that_there_are(self):
        commands = re.findall(r"(?m)^  ([a-z]+) ", subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout)
        self.assertGreater(len(commands), 10)
        known = set.union(*(flags_of(name) for name in commands), *(flags_of("models", name) for name in ("list", "inspect", "verify")))
        for document in DOCUMENTS:
            for span in spans(document):
                if FLAG.match(span):
                    with self.subTest(f"{document.name}: {span}"):
                        self.assertIn(FLAG.match(span)[0], known | OF_OTHERS)


class Files(unittest.TestCase):
    def test_json_is_json(self):
        for document in DOCUMENTS:
            for text in re.findall(r"```json\n(.*?)```", document.read_text(), re.S):
                if "…" not in text:
                    json.loads(text)

    def test_the_suite_that_is_shown_can_be_run(self):
        with tempfile.TemporaryDirectory() as folder:
            shown = re.search(r"```json\n(.*?)```", (ROOT / "docs" / "suites.md").read_text(), re.S)
            (pathlib.Path(folder) / "cats.json").write_text(shown[1])
            result = subprocess.run([PROGRAM, "eval", "cats.json", "--dry-run"], cwd=folder, env=environment(pathlib.Path(folder)),
                                    capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("2 models, 3 methods, 2 prompts, 3 groups of each", result.stdout)


if __name__ == "__main__":
    unittest.main()
