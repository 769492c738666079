"""gass bench, with small scripts in place of what it measures."""

import json
import os
import pathlib
import signal
import subprocess
import textwrap
import time
import unittest

import support
from support import GassTest, run

FAKE_GASS = """
    #!/usr/bin/env python3
    import json, pathlib, sys
    log = pathlib.Path(__file__).with_name("log")
    log.open("a").write(json.dumps(["gass"] + sys.argv[1:]) + "\\n")
    folder = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
    folder.mkdir()  # fails if the last run's is still there
    runs = len(log.read_text().splitlines())
    print(json.dumps({"groups": [{"timings": {"load": runs, "denoise": 2}}, {"timings": {"denoise": 1, "other": 9}}]}))
"""


class Bench(GassTest):
    def script(self, name, text):
        path = self.folder / name
        path.write_text(textwrap.dedent(text).lstrip())
        path.chmod(0o755)
        return path

    def bench(self, *arguments, program=FAKE_GASS, **options):
        return run("bench", "--program", self.script("gass", program), *arguments, **options)

    def log(self):
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]

    def test_runs_in_turn_and_passes_the_arguments_on(self):
        reference = self.script("reference", f"echo '[\"reference\"]' >> {self.folder}/log; echo done")
        words = ["-m", "mini-flow", "-p", "a red; car", "-n", "8", "--json", "--rounds", "tokens", ""]
        text = self.assert_ok(self.bench("--rounds", 2, "--reference", f"sh {reference}", "--", *words))
        self.assertEqual([entry[0] for entry in self.log()], ["gass", "reference"] * 3)
        for entry in self.log()[::2]:
            self.assertEqual(entry[1 : len(words) + 2], ["generate", *words])
            self.assertEqual(entry[-3:], ["--json", "--progress", "none"])
        rows = [line.split("  ")[0] for line in text.splitlines()]
        self.assertEqual(rows, ["PART", "whole process", "load", "denoise", "peak memory"])
        self.assertRegex(text, r"denoise +3\.000 +- +-")
        self.assertRegex(text, r"whole process +\d+\.\d{3} +\d+\.\d{3} +\d+\.\d\d")
        self.assertRegex(text, r"peak memory +\d+.* MB")

    def test_json_with_the_parts_of_both(self):
        reference = "echo starting; echo '{\"timings\": {\"denoise\": 6, \"text\": \"x\"}}'; echo"
        output = self.assert_ok(self.bench("--json", "--rounds", 3, "--reference", reference, "--", "-p", "x"))
        result = json.loads(output)
        self.assertEqual((result["rounds"], result["arguments"]), (3, ["-p", "x"]))
        self.assertEqual([entry["timings"]["load"] for entry in result["gass"]["runs"]], [2, 3, 4])  # the first warms up
        self.assertEqual(result["gass"]["median"]["timings"], {"load": 3, "denoise": 3})
        self.assertEqual(result["gass"]["least"]["timings"], {"load": 2, "denoise": 3})
        self.assertEqual(result["reference"]["median"]["timings"], {"denoise": 6})
        for side in ("gass", "reference"):
            for entry in result[side]["runs"]:
                self.assertGreater(entry["process"], 0)
                self.assertGreater(entry["peak_bytes"], 100_000)

    def test_without_a_reference(self):
        text = self.assert_ok(self.bench("--rounds", 1, "--", "-p", "x"))
        self.assertNotIn("RATIO", text)
        self.assertEqual(len(self.log()), 2)

    def test_a_failing_child_is_shown(self):
        result = self.bench("--", "-p", "x", program="#!/bin/sh\necho 'no \x1b[2J memory' >&2; exit 4\n")
        self.assert_error(result, 1, "gass generate", "status 4", "memory")
        result = self.bench("--reference", "echo no diffusers >&2; exit 3", "--", "-p", "x")
        self.assert_error(result, 1, "the reference", "status 3", "no diffusers")
        self.assert_error(self.bench("--reference", "kill -SEGV $$", "--", "-p", "x"), 1, "status 139")
        self.assert_error(self.bench("--", "-p", "x", program="#!/bin/sh\necho '{\"groups\": []}'\n"), 1, "no timings")
        self.assert_error(run("bench", "--program", self.folder / "absent", "--", "-p", "x"), 1, "absent")

    def test_wrong_usage(self):
        self.assert_error(run("bench"), 2, "ARGUMENTS")
        self.assert_error(run("bench", "--rounds", 0, "--", "-p", "x"), 2, "--rounds")

    def test_an_interrupt_ends_the_children_and_leaves_nothing(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        program = self.script("gass", f"#!/bin/sh\nsleep 100 &\necho $! > {self.folder}/pid\nwait\n")
        command = [support.GASS, "bench", "--program", str(program), "--", "-p", "x"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temporary)}) as process:
            pid_file = self.folder / "pid"
            for _ in range(500):
                if pid_file.exists() and pid_file.read_text():
                    break
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(20), 130)
        stat = pathlib.Path(f"/proc/{pid_file.read_text().strip()}/stat")
        for _ in range(500):
            if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
                break
            time.sleep(0.02)
        else:
            self.fail("the child still runs")
        self.assertEqual(list(temporary.iterdir()), [])


class Methods(GassTest):
    ARGUMENTS = ("-p", "a car", "-n", "2", "--steps", "6", "--width", "64", "--height", "64", "--device", "cpu")

    def test_in_turn(self):
        result = run("bench", "--rounds", "1", "--methods", "none,interval:low=0,high=0,gass:candidates=2", "--json", "--",
                     *self.ARGUMENTS)  # fmt: skip
        rows = json.loads(self.assert_ok(result))["methods"]
        self.assertEqual([row["method"] for row in rows], ["none", "interval:low=0,high=0", "gass:candidates=2"])
        for row in rows:
            self.assertGreater(row["seconds_per_step"], 0)
        self.assertEqual(rows[0]["median"]["timings"]["method"] < rows[2]["median"]["timings"]["method"], True)

    def test_text_and_errors(self):
        text = self.assert_ok(run("bench", "--rounds", "1", "--methods", "none", "--", *self.ARGUMENTS))
        for word in ("STEP MS", "ADDED MS", "none", "1.00"):
            self.assertIn(word, text)
        refused = run("bench", "--methods", "none", "--reference", "true", "--", *self.ARGUMENTS)
        self.assert_error(refused, 2, "--methods")


if __name__ == "__main__":
    unittest.main()
