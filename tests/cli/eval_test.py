"""`gass eval`: what it makes and measures, and that neither kill -9, a full disk, a second runner nor a lost rank costs a group."""

import csv
import hashlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time
import unittest

import support
from support import GassTest, run

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
# No times among the metrics, so that two runs of the suite have the same results to the byte.
SUITE = {
    "title": "A small one",
    "settings": {"images": 2, "steps": 2, "width": 64, "height": 64, "device": "cpu", "threads": 1},
    "models": {
        "flow": {"name": "Flow", "settings": {"model": "mini-flow"}},
        "unet": {"name": "U-Net", "settings": {"model": "mini-unet"}},
    },
    "methods": {
        "none": {"name": "Plain", "method": "none"},
        "ig": {"name": "Interval", "method": {"flow": "ig:high=0.8", "unet": "ig:high=0.9"}},
        "gass": {"name": "GASS", "method": "gass:candidates=2"},
    },
    "baseline": "none",
    "prompts": {"list": ["a red car", {"prompt": "a photo of a dog", "class": "dog"}, "a bird"]},
    "metrics": {
        "vendi": {"name": "VS", "metric": "vendi", "encoder": "mini-clip"},
        "clip_score": {"name": "ClipScore", "metric": "clip_score", "encoder": "mini-clip"},
        "spp": {"name": "SPP", "metric": "spp", "encoder": "mini-clip"},
        "judged": {"name": "VS, judge", "metric": "vendi", "encoder": "mini-judge"},
    },
    "plots": [{"x": "clip_score", "y": "vendi"}],
    "samples": 1,
}
GROUPS = 2 * 3 * 3
REPORTS = ("report.html", "report.md", "report.tex", "results.csv", "results.json")


def changed(**parts):
    return {**SUITE, **parts}


def tree_hash(folder):
    """Of all pictures and results of a run; group.json has times in it, and the store its own order."""
    files = sorted(path for path in folder.rglob("*") if path.suffix == ".png" or path.name in REPORTS)
    digest = hashlib.sha256()
    for path in files:
        digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return digest.hexdigest(), len(files)


class EvalTest(GassTest):
    @classmethod
    def setUpClass(cls):
        """One undisturbed run, that others are compared with."""
        cls.shared = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.shared.name)
        cls.suite_file = root / "small.json"
        cls.suite_file.write_text(json.dumps(SUITE))
        cls.whole = root / "whole"
        result = run("eval", cls.suite_file, "-o", cls.whole)
        if result.returncode != 0:
            raise RuntimeError(result.stderr.decode())
        cls.stdout = result.stdout.decode()
        cls.expected = tree_hash(cls.whole)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def suite(self, content):
        path = self.folder / "suite.json"
        path.write_text(json.dumps(content))
        return path

    def start(self, *arguments, command=(), **options):
        return subprocess.Popen([*command, support.GASS, "eval", self.suite_file, "-o", self.out, *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def assert_same_run(self):
        self.assertEqual(tree_hash(self.out), self.expected)
        results = json.loads((self.out / "results.json").read_text())
        self.assertEqual(results["groups"], {"planned": GROUPS, "done": GROUPS, "failed": 0, "missing": 0})


class Makes(EvalTest):
    def test_reports_and_pictures(self):
        for name in REPORTS:
            self.assertGreater((self.whole / name).stat().st_size, 500)
        self.assertEqual(len(list(self.whole.glob("pictures/*/*/*/0001.png"))), GROUPS)
        for word in ("Plain", "Interval", "GASS", "FLOW", "U-NET", "VS", "18 of 18 groups", "report.html"):
            self.assertIn(word, self.stdout)
        self.assertFalse(list(self.whole.glob("runners/*")))

    def test_methods_start_from_the_same_seeds(self):
        for group in self.whole.glob("pictures/*/none/*/group.json"):
            seeds = json.loads(group.read_text())["seeds"]
            ig, gass = (json.loads((group.parents[2] / method / group.parent.name / "group.json").read_text())
                        for method in ("ig", "gass"))
            self.assertEqual(ig["seeds"], seeds)
            self.assertEqual(gass["seeds"][:2], seeds)
            self.assertEqual(len(gass["seeds"]), 4)
            self.assertLessEqual({image["seed"] for image in gass["images"]}, set(gass["seeds"]))

    def test_values_are_those_of_gass_measure(self):
        with (self.whole / "results.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2 * 3 * 4 * 3)
        for model, method in (("flow", "gass"), ("unet", "none")):
            folder = self.whole / "pictures" / model / method
            measured = json.loads(self.assert_ok(run("measure", folder, "--metrics", "vendi,clip_score,spp", "--no-cache",
                                                     "--bootstrap", "0", "--json")))
            for result in measured["results"]:
                own = [float(row["value"]) for row in rows
                       if (row["model"], row["method"], row["metric"]) == (model, method, result["metric"])]
                for one, group in zip(own, result["groups"], strict=True):
                    self.assertAlmostEqual(one, group["value"], delta=2e-5)

    def test_a_group_can_be_reproduced(self):
        self.assertIn("the same bytes", self.assert_ok(run("reproduce", self.whole / "pictures/flow/gass/00001-00/0001.png")))

    def test_going_on_changes_nothing_and_makes_what_is_new(self):
        shutil.copytree(self.whole, self.out)
        self.assert_ok(run("eval", self.suite_file, "-o", self.out, "--resume"))
        self.assert_same_run()
        before = (self.out / "pictures/flow/none/00000-00/0000.png").stat().st_mtime_ns
        more = changed(prompts={"list": [*SUITE["prompts"]["list"], "a white cat"]},
                       metrics={**SUITE["metrics"], "pairs": {"name": "P", "metric": "pairwise", "encoder": "pixels"}})
        results = json.loads(self.assert_ok(run("eval", self.suite(more), "-o", self.out, "--resume", "--json")))
        self.assertEqual(results["groups"]["done"], 24)
        self.assertEqual((self.out / "pictures/flow/none/00000-00/0000.png").stat().st_mtime_ns, before)

    def test_without_pictures_only_those_that_are_shown_stay(self):
        self.assert_ok(run("eval", self.suite(changed(keep_pictures=False)), "-o", self.out))
        self.assertEqual(len(list(self.out.glob("pictures/*/*/*"))), 6)  # of one prompt
        self.assertEqual((self.out / "results.csv").read_bytes(), (self.whole / "results.csv").read_bytes())

    def test_reports_what_is_there(self):
        shutil.copytree(self.whole, self.out)
        result = run("eval", self.suite(changed(prompts={"list": [*SUITE["prompts"]["list"], "a white cat"]})),
                     "-o", self.out, "--report-only", "--json")
        self.assertEqual(result.returncode, 5)  # six groups are missing
        results = json.loads(result.stdout)
        self.assertEqual(results["groups"], {"planned": 24, "done": 18, "failed": 0, "missing": 6})

    def test_says_what_it_would_do(self):
        said = self.assert_ok(run("eval", self.suite_file, "-o", self.out, "--dry-run", "--limit", "2", "--only-methods", "none,gass"))
        self.assertIn("2 models, 2 methods, 2 prompts", said)
        self.assertIn("8 groups, 16 images\nstill to make: 8 groups, 16 images", said)
        self.assertFalse(self.out.exists())
        said = self.assert_ok(run("eval", self.suite_file, "-o", self.whole, "--dry-run"))
        self.assertIn("18 groups, 36 images\nstill to make: 0 groups, 0 images", said)

    def test_checks(self):
        again = ["eval", self.suite_file, "-o", self.whole, "--resume"]
        self.assert_ok(run(*again, "--assert", "gass.vendi >= 1", "--assert", "flow/none.clip_score < 1"))
        result = run(*again, "--assert", "none.vendi > 2.5")
        self.assertEqual(result.returncode, 6)
        self.assertIn(b"FAILS", result.stderr)
        for wrong in ("none.vendi", "none.nothing > 1", "nobody.vendi > 1", "none.vendi > > 1"):
            self.assert_error(run(*again, "--assert", wrong), 2)


class Refuses(EvalTest):
    def test_a_folder_that_holds_a_run(self):
        self.assert_error(run("eval", self.suite_file, "-o", self.whole), 2, "--resume")

    def test_what_cannot_be_run_before_anything_is_made(self):
        for change, status, part in (
            ({"models": {**SUITE["models"], "flow": {"name": "F", "settings": {"model": "no-such-model"}}}}, 3, "no-such-model"),
            ({"methods": {"none": {"name": "n", "method": "none"}, "x": {"name": "x", "method": "gass:nonsense=1"}}}, 2, "nonsense"),
            ({"metrics": {"v": {"name": "v", "metric": "vendi", "encoder": "no-such-encoder"}}, "plots": []}, 3, "no-such-encoder"),
            ({"metrics": {"v": {"name": "v", "metric": "clip_score", "encoder": "mini-judge"}}, "plots": []}, 2, "mini-judge"),
            ({"reference": {"images": "/no/such/folder"}}, 3, "/no/such/folder"),
        ):
            with self.subTest(part=part):
                self.assert_error(run("eval", self.suite(changed(**change)), "-o", self.out), status, part)
                self.assertFalse(self.out.exists())
        self.assert_error(run("eval", self.suite_file, "-o", self.out, environment={"GASS_MODEL": "mini-flow"}), 2, "GASS_MODEL")
        self.assert_error(run("eval", "no-such-suite"), 3, "mini")
        self.assert_error(run("eval", self.suite_file, "-o", self.out, "--report-only"), 3)

    def test_a_store_that_is_none(self):
        self.out.mkdir()
        (self.out / "eval.sqlite").write_bytes(b"x" * 4096)
        self.assert_error(run("eval", self.suite_file, "-o", self.out, "--resume"), 3, "eval.sqlite")


class Remembers(EvalTest):
    FEW = ("--limit", "2", "-n", "1", "--steps", "1", "--only-methods", "none,gass")

    def begin(self):
        """A run whose flags change what the suite says, and whose suite is gone."""
        suite = self.suite(SUITE)
        self.assert_ok(run("eval", suite, "-o", self.out, *self.FEW))
        suite.unlink()
        return tree_hash(self.out)

    def again(self, *arguments):
        return run("eval", "-o", "out", *arguments, cwd=self.folder)

    def test_goes_on_and_reports_without_a_flag(self):
        made = self.begin()
        for arguments in (["--resume"], ["--report-only"]):
            self.assertIn("8 of 8 groups made", self.assert_ok(self.again(*arguments)))
            self.assertEqual(tree_hash(self.out), made)
        # Nor does the suite, named without the flags, put an emptier report in the place of the good one.
        self.assert_ok(run("eval", self.suite(SUITE), "-o", self.out, "--report-only"))
        self.assertEqual(tree_hash(self.out), made)

    def test_the_report_is_of_what_was_made(self):
        self.begin()
        self.assertIn("2 prompts (the first of 3) × 1 group × 1 image, 1 step each.", (self.out / "report.md").read_text())
        suite = json.loads((self.out / "results.json").read_text())["suite"]
        self.assertEqual((suite["settings"]["images"], suite["settings"]["steps"], suite["further_prompts"]), (1, 1, 1))

    def test_flags_that_agree_or_make_nothing_else(self):
        made = self.begin()
        self.assert_ok(self.again("--resume", *self.FEW, "--threads", "2", "--device", "cpu", "--progress", "none", "--max-batch", "1"))
        self.assertEqual(tree_hash(self.out), made)

    def test_more_is_made_and_remembered(self):
        self.begin()
        self.assertIn("18 groups, 18 images\nstill to make: 10 groups, 10 images",
                      self.assert_ok(self.again("--dry-run", "--limit", "3", "--only-methods", "none,ig,gass")))
        self.assertIn("18 of 18", self.assert_ok(self.again("--resume", "--limit", "3", "--only-methods", "none,ig,gass")))
        self.assertIn("18 of 18", self.assert_ok(self.again("--report-only")))

    def test_what_the_run_is_not_is_refused(self):
        made = self.begin()
        (self.folder / "mine.json").write_text('{"steps": 2}')
        for arguments, parts in (
            ([], ["--output", "out holds a run already: --resume continues it"]),
            (["--resume", "--steps", "2"], ["--steps", "was made with --steps 1 on flow, not 2"]),
            (["--report-only", "-n", "2"], ["--images", "was made with --images 1 on flow, not 2"]),
            (["--resume", "--limit", "1"], ["--limit", "has 2 prompts: give it as many or more"]),
            (["--report-only", "--only-methods", "none"], ["--only-methods", "has none,gass, and its report would lose gass"]),
            (["--resume", "--model", "flow=mini-unet"], ["its model flow has other weights"]),
            (["--dry-run", "--config", "mine.json"], ["mine.json", "was made with --steps 1 on flow, not 2"]),
        ):
            with self.subTest(arguments=arguments):
                self.assert_error(self.again(*arguments), 2, *parts)
        self.assert_error(run("eval", "mini-small", "-o", self.out, "--resume"), 2, "holds another run")
        self.assert_error(run("eval", "-o", self.out, "--resume", environment={"GASS_STEPS": "2"}), 2, "GASS_STEPS", "1 on flow")
        self.assert_error(run("eval", self.suite(changed(settings={**SUITE["settings"], "width": 32})), "-o", self.out, "--resume"), 2,
                          "suite suite, model flow", "was made with --width 64 on flow, not 32")
        self.assertEqual(tree_hash(self.out), made)

    def test_there_must_be_a_run_to_know_anything(self):
        self.assert_error(run("eval", "-o", self.out, "--resume"), 2, "which suite?")
        self.assert_error(run("eval", "--resume"), 2, "which suite, or --output of which run?")
        self.assert_error(run("eval", "-o", self.out, "--report-only"), 3, "there is no run in")

    def test_a_store_of_before(self):
        made = self.begin()
        with sqlite3.connect(self.out / "eval.sqlite") as database:
            database.execute("DROP TABLE remembered")
        database.close()
        self.assert_error(self.again("--report-only"), 2, "which suite?")
        self.assert_error(run("eval", self.suite(SUITE), "-o", self.out, "--report-only"), 2, "none of the 8 groups")
        fewer = (*self.FEW[:-1], "none")
        self.assert_error(run("eval", self.suite_file, "-o", self.out, "--report-only", *fewer), 2, "of 8 groups", "of 4 only", "stays as it is")
        self.assertEqual(tree_hash(self.out), made)
        self.assert_ok(run("eval", self.suite(SUITE), "-o", self.out, "--resume", *self.FEW))
        self.assert_ok(self.again("--report-only"))
        self.assertEqual(tree_hash(self.out), made)

    def test_a_killed_run_goes_on(self):
        process = self.start()
        while not list(self.out.glob("pictures/*/*/*/group.json")):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assert_ok(self.again("--resume"))
        self.assert_same_run()

    def test_shards_and_ranks(self):
        for shard in range(2):
            self.assert_ok(run("eval", self.suite_file, "-o", self.out, "--limit", "1", "--shard", f"{shard}/2"))
        self.assertIn("6 of 6 groups", self.assert_ok(self.again()))
        command = [*ScalesOut.MPIRUN, "-n", "2", support.GASS, "eval", "-o", self.out, "--resume", "--limit", "3"]
        process = subprocess.run(command, capture_output=True, timeout=180)
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        self.assertIn("18 of 18 groups", process.stdout.decode())


class SpeaksJson(EvalTest):
    def json_of(self, *arguments):
        result = json.loads(self.assert_ok(run("eval", *arguments, "--json")))
        return next(iter(result)), result

    def test_in_every_mode(self):
        first, suites = self.json_of("--list")
        self.assertEqual((first, suites["schema"]), ("schema", "gass.suites/1"))
        small = next(suite for suite in suites["suites"] if suite["name"] == "mini-small")
        self.assertEqual(sorted(small), ["description", "file", "name", "title"])
        first, plan = self.json_of(self.suite_file, "-o", self.out, "--dry-run", "--limit", "1")
        self.assertEqual((first, plan["schema"]), ("schema", "gass.eval-plan/1"))
        self.assertEqual((plan["groups"], plan["images"], plan["groups_left"], plan["images_left"]), (6, 12, 6, 12))
        first, shard = self.json_of(self.suite_file, "-o", self.out, "--limit", "1", "--only-methods", "none", "--shard", "0/1")
        self.assertEqual((first, shard["schema"], shard["groups"]), ("schema", "gass.eval-shard/1", 2))
        for arguments in (["-o", self.out], ["-o", self.out, "--resume"], ["-o", self.out, "--report-only"]):
            first, results = self.json_of(*arguments)
            self.assertEqual((first, results["schema"]), ("schema", "gass.eval/1"))
            self.assertEqual(results, json.loads((self.out / "results.json").read_text()))


class Fails(EvalTest):
    def test_a_model_that_gives_nonsense_is_recorded(self):
        broken = self.folder / "broken"
        shutil.copytree(MODELS / "mini-flow", broken)
        file = next((broken / "transformer").glob("*.safetensors"))
        data = bytearray(file.read_bytes())
        (head,) = struct.unpack("<Q", data[:8])
        tensors = json.loads(data[8 : 8 + head])
        begin, end = next(tensors[name]["data_offsets"] for name in sorted(tensors) if name.endswith("weight"))
        data[8 + head + begin : 8 + head + end] = b"\xff\x7f" * ((end - begin) // 2)  # NaN in half precision
        file.write_bytes(data)
        result = run("eval", self.suite_file, "-o", self.out, "--model", f"flow={broken}", "--json")
        self.assertEqual(result.returncode, 5, result.stderr.decode())
        results = json.loads(result.stdout)
        self.assertEqual(results["groups"], {"planned": GROUPS, "done": 9, "failed": 9, "missing": 0})
        self.assertIn("not finite", results["failures"][0]["reason"])
        self.assertIn(b"not finite", result.stderr)
        # The other model has what it would have had.
        self.assertEqual((self.out / "pictures/unet/gass/00002-00/0000.png").read_bytes(),
                         (self.whole / "pictures/unet/gass/00002-00/0000.png").read_bytes())

    def test_killed_at_random_and_resumed(self):
        dice = random.Random(11)
        groups = lambda: len(list(self.out.glob("pictures/*/*/*/group.json")))
        kills = 0
        while True:
            process = self.start("--resume")
            enough = groups() + dice.randint(0, 3)
            while process.poll() is None and groups() < enough:
                time.sleep(0.005)
            time.sleep(dice.uniform(0, 0.3))
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
        self.assertGreaterEqual(kills, 3)
        self.assertEqual(process.wait(), 0)
        self.assert_same_run()

    def test_two_runners_on_one_store(self):
        processes = [self.start("--resume") for _ in range(2)]
        for process in processes:
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, errors.decode())
        self.assert_same_run()

    def test_a_full_disk(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))

        process = self.start(preexec_fn=limit)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, errors.decode())
        self.assertRegex(errors.decode(), r"gass: error: .*")
        self.assert_ok(run("eval", self.suite_file, "-o", self.out, "--resume"))
        self.assert_same_run()

    def test_ctrl_c(self):
        process = self.start()
        while not list(self.out.glob("pictures/*/*/*/group.json")):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors.decode())
        self.assertIn("groups left to make", errors.decode())
        self.assert_ok(run("eval", self.suite_file, "-o", self.out, "--resume"))
        self.assert_same_run()


class ScalesOut(EvalTest):
    MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none")

    def test_shards(self):
        for shard in range(3):
            self.assertIn("of this shard", self.assert_ok(run("eval", self.suite_file, "-o", self.out, "--shard", f"{shard}/3")))
        made = {path.stat().st_mtime_ns for path in self.out.rglob("0000.png")}
        self.assertEqual(len(list(self.out.rglob("0000.png"))), GROUPS)
        self.assert_ok(run("eval", self.suite_file, "-o", self.out))
        self.assertEqual({path.stat().st_mtime_ns for path in self.out.rglob("0000.png")}, made)  # none again
        for name in REPORTS:
            self.assertEqual((self.out / name).read_bytes(), (self.whole / name).read_bytes())

    def test_a_lost_shard_is_made_by_the_gathering_run(self):
        self.assert_ok(run("eval", self.suite_file, "-o", self.out, "--shard", "1/2"))
        self.assert_ok(run("eval", self.suite_file, "-o", self.out))
        self.assertEqual((self.out / "results.csv").read_bytes(), (self.whole / "results.csv").read_bytes())

    def test_ranks(self):
        process = self.start(command=(*self.MPIRUN, "-n", "3"))
        output, errors = process.communicate(timeout=180)
        self.assertEqual(process.returncode, 0, errors.decode())
        self.assertEqual(output.decode().count("18 of 18 groups"), 1)  # one rank speaks
        self.assert_same_run()

    def test_a_lost_rank(self):
        process = self.start("--progress", "none", command=(*self.MPIRUN, "-n", "2"))
        while len(list(self.out.glob("pictures/*/*/*/group.json"))) < 4:
            time.sleep(0.05)
        self.kill_rank(1)
        process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        kept = {path: path.stat().st_mtime_ns for path in self.out.rglob("group.json")}
        self.assertGreaterEqual(len(kept), 4)
        self.assertLess(len(kept), GROUPS)
        process = self.start("--resume", command=(*self.MPIRUN, "-n", "3"))
        _, errors = process.communicate(timeout=180)
        self.assertEqual(process.returncode, 0, errors.decode())
        self.assert_same_run()
        # What was finished is not made again. At most one group had its files but not its row yet.
        again = [path for path, time_ns in kept.items() if path.stat().st_mtime_ns != time_ns]
        self.assertLessEqual(len(again), 1)

    def kill_rank(self, rank):
        wanted = f"OMPI_COMM_WORLD_RANK={rank}".encode()
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if str(self.out).encode() in (entry / "cmdline").read_bytes() and \
                        wanted in (entry / "environ").read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue

    def test_a_wrong_suite_under_mpirun(self):
        result = subprocess.run([*self.MPIRUN, "-n", "2", support.GASS, "eval", "no-such-suite"], capture_output=True, timeout=60)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(b"no-such-suite", result.stderr)


if __name__ == "__main__":
    unittest.main()
