"""`gass generate` and `gass reproduce` as a user types them: hostile requests first, then what they write."""

import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np
import support
from PIL import Image, PngImagePlugin
from support import GassTest, run

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
SMALL = {"--steps": "2", "--width": "64", "--height": "64", "--device": "cpu", "--method": "none"}
NOT_UTF8 = os.fsdecode(b"caf\xe9 \xff")
TIMINGS = {"load", "text", "denoise", "method", "decode", "write", "total"}


def small(*arguments):
    """The arguments, behind those of a small image: the last of a repeated flag counts."""
    return [f"{flag}={value}" for flag, value in SMALL.items()] + list(arguments)


def pixels(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def text_of(path):
    """The text chunks of a PNG."""
    with Image.open(path) as image:
        image.load()
        return dict(image.text)


def parameters(path):
    """(prompt, negative prompt, fields) as the A1111 web UI reads them."""
    *text, last = text_of(path)["parameters"].split("\n")
    prompt, _, negative = "\n".join(text).partition("\nNegative prompt: ")
    fields = re.findall(r'\s*(\w[\w \-/]+):\s*("(?:\\.|[^\\"])+"|[^,]*)(?:,|$)', last)
    return prompt, negative, dict(fields)


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


class GenerateTest(GassTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def generate(self, *arguments, out=None, **options):
        return run("generate", *small(*arguments), "-o", out or self.out, **options)

    def groups(self, *arguments, **options):
        return json.loads(self.assert_ok(self.generate("--json", *arguments, **options)))["groups"]

    def file(self, content, name="prompts.txt"):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_refused(self, result, status, *parts):
        """An error of this status that names what is wrong, and nothing written."""
        wrote = self.out.exists()
        shutil.rmtree(self.out, ignore_errors=True)  # the next request starts without it
        self.assert_error(result, status, *parts)
        self.assertEqual(result.stdout, b"")
        self.assertFalse(wrote, "wrote something")


class DryRun(GenerateTest):
    def test_says_what_it_takes_and_makes_nothing(self):
        text = self.assert_ok(self.generate("-p", "a car", "-n", "2", "--dry-run"))
        self.assertIn('"a car": 2 images', text)
        self.assertRegex(text, r"\d+ network evaluations, up to \d+ images at a time")
        self.assertFalse(self.out.exists())
        self.assert_refused(self.generate("-p", "a car", "--width=24", "--dry-run"), 2, "--width")

    def test_a_plan_is_run_later(self):
        plans = self.assert_ok(self.generate("-p", "a {red|blue} car", "-n", "3", "--seed", "5", "--method=gass:strength=0.3", "--dry-run", "--json"))
        self.assertEqual(set(json.loads(plans)["plans"][0]["cost"]),
                         {"evaluations", "images_per_call", "weight_bytes", "activation_bytes", "seconds"})
        plan = self.file(plans, "plan.json")
        self.assert_ok(self.generate("-p", "a {red|blue} car", "-n", "3", "--seed", "5", "--method=gass:strength=0.3"))
        later = self.folder / "later"
        self.assert_ok(run("generate", "--plan", plan, "-o", later))
        for name in ("0000.png", "0001.png", "0002.png"):
            self.assertEqual((later / name).read_bytes(), (self.out / name).read_bytes(), name)

    def test_what_is_no_plan_is_refused(self):
        for text in ("{}", "[]", '{"plans": []}', '{"plans": [{}]}', '{"plans": [1, 2]}', "no JSON"):
            result = run("generate", "--plan", self.file(text, "plan.json"), "-o", self.out)
            self.assert_refused(result, 3, "plan.json")
        self.assert_refused(run("generate", "--plan", self.folder / "absent", "-o", self.out), 3, "absent")
        plan = self.file(self.assert_ok(self.generate("-p", "a car", "-n", "1", "--dry-run", "--json")), "plan.json")
        self.assert_refused(run("generate", "--plan", plan, "-p", "another", "-o", self.out), 2, "--plan")


class BadRequests(GenerateTest):
    def check(self, flag, *arguments, status=2):
        with self.subTest(arguments=[str(argument)[:60] for argument in arguments]):
            self.assert_refused(self.generate(*arguments), status, flag)

    @staticmethod
    def given(flag, value):
        """`--flag=-1`, for a value that looks like a flag; but CLI11 takes the next argument as the value of `--flag=`."""
        return [f"{flag}={value}"] if value else [flag, ""]

    def test_numbers(self):
        for flag, values in {
            "--images": ["0", "-1", "100000", "1.5", "x", ""],
            "--width": ["0", "7", "9", "-64", "72", "512", "16384", "1000000", "9" * 30, "64px"],
            "--height": ["0", "9", "72", "16384", "1e3"],
            "--steps": ["0", "-1", "1001", "2.5", "ten", "", "9" * 30],
            "--cfg-scale": ["nan", "inf", "-inf", "-1", "1e400", "", "4,5", "0x10"],
            "--seed": ["x", "-2", "1.5", "", str(2**64), "9" * 40],
            "--max-batch": ["-1", "x"],
            "--threads": ["-1", "x", "1000000"],
            "--clip-skip": ["-1", "100", "x"],
            "--max-sequence-length": ["0", "513"],
            "--variation-strength": ["-0.1", "1.1", "nan"],
            "--variation-seed": ["x", str(2**64)],
            "--preview-interval": ["0", "-1"],
            "--max-vram": ["-1", "nan", "x"],
            "--quality": ["0", "101", "-1", "80.5", "x", ""],
        }.items():
            for value in values:
                self.check(flag, "-p", "a car", *self.given(flag, value))

    def test_choices(self):
        for flag in ("--method", "--sampling-method", "--scheduler", "--dtype", "--device", "--format", "--preview", "--progress"):
            for value in ("nonsense", ""):
                self.check(flag, "-p", "a car", *self.given(flag, value))
        for device in ("cuda:", "cuda:x", "cuda:-1", "cpu:1", "tpu"):
            self.check("--device", "-p", "a car", "--device", device)
        self.check("--sampling-method", "-p", "a car", "--sampling-method", "ddim")  # mini-flow is a flow model
        self.check("--scheduler", "-p", "a car", "-m", "mini-unet", "--scheduler", "karras")  # its own is DDIM
        self.check("--nonsense", "-p", "a car", "--nonsense")

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a GPU")
    def test_a_gpu_that_is_not_there(self):
        for device in ("cuda", "cuda:0", "cuda:99"):
            self.check("--device", "-p", "a car", "--device", device, status=4)

    def test_seeds(self):
        for seeds in ("", ",", "1,", "1,,2", "1,a", "1;2", "1.5", "9" * 40, f"1,{2**64}"):
            self.check("--seeds", "-p", "a car", *self.given("--seeds", seeds))
        self.check("--seeds", "-p", "a car", "--seeds", "1,2", "-n", "3")
        self.check("--seeds", "-p", "a car", "--seeds", "5,5", "-n", "3")
        self.check("--seeds", "-p", "a car", "--seeds", ",".join(map(str, range(100_000 // 6))))
        for seeds in ("1-", "-4", "1-2-3", "1 - 2", "a-b", f"1-{2**32}", f"1-{2**64}", "0-65536", "1-60000,70000-80000"):
            self.check("--seeds", "-p", "a car", *self.given("--seeds", seeds))
        self.check("4-1 runs backwards; write 1-4".replace("4-1", '"4-1"'), "-p", "a car", "--seeds", "4-1")
        self.check("3 is given twice", "-p", "a car", "--seeds", "1-4,3")

    def test_prompts(self):
        self.check("--prompt")
        self.check("--prompt", "-p", NOT_UTF8)
        self.check("--negative-prompt", "-p", "a car", "-N", NOT_UTF8)
        self.check("--prompt", "-p", "a car " * 20_000)
        self.check("--prompt-file", "-p", "a car", "--prompt-file", self.file("a cat\n"))
        self.check("absent", "--prompt-file", self.folder / "absent", status=3)
        self.check(str(self.folder), "--prompt-file", self.folder, status=3)
        for content in (b"", b"\n \n\t\n", b"# a car\n", b"a" * 2**20, b"\xff\xfe", b"a\0b\n", "a car\n".encode("utf-16")):
            self.check("--prompt-file", "--prompt-file", self.file(content))
        self.check("--prompt-file", "--prompt-file", self.file(b"a cat\n" + b"a dog " * 2**17 + b"\na car\n"))
        self.assert_refused(self.generate("--prompt-file", "-", stdin=b""), 2, "--prompt-file")

    def test_wildcards_without_bound(self):
        """Either refused or drawn from without being spelled out."""
        for prompt in ("{a|b} " * 40, "{" * 5000, "{" * 5000 + "a" + "}" * 5000, "{a|" * 300 + "}" * 300, "}{|", "{}", "{|}"):
            with self.subTest(prompt[:20]):
                result = self.generate("-p", prompt)
                self.assertIn(result.returncode, (0, 2), result.stderr)

    def test_settings(self):
        for content in ('{"stepz": 2}', '{"steps": "many"}', '{"steps": 1e99}', "[" * 10_000, ""):
            self.check("config.json", "-p", "a car", "--config", self.file(content, "config.json"))
        self.assert_refused(run("generate", "-p", "a car", "-o", self.out, environment={"GASS_STEPS": "0"}), 2, "GASS_STEPS")
        result = self.generate("-p", "a car", "--dry-run", environment={"GASS_NONSENSE": "1"})
        self.assert_ok(result)
        self.assertIn(b"warning: [GASS_NONSENSE]", result.stderr)


class BadFolders(GenerateTest):
    def refused(self, out, shown=None):
        result = self.generate("-p", "a car", out=out)
        self.assertIn(result.returncode, (1, 2), result.stderr)
        self.assert_error(result, result.returncode, shown or str(out))

    def test_output_where_none_can_be(self):
        file = self.file("mine")
        self.refused(file)
        self.refused(file / "below", str(file))
        self.assertEqual(file.read_text(), "mine")
        self.refused("/proc/gass-out", "/proc")
        self.refused("/dev/null", "/dev/null")
        self.refused(self.folder / ("x" * 300), "x" * 50)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_output_without_permission(self):
        parent = self.folder / "locked"
        parent.mkdir(mode=0o555)
        self.refused(parent / "out", str(parent))

    def test_files_cannot_grow(self):
        def no_more_than_1000_bytes():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        result = self.generate("-p", "a car", preexec_fn=no_more_than_1000_bytes)
        self.assert_error(result, 1, str(self.out))
        self.assertEqual(files_below(self.folder), [])

    def test_a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        with contextlib.ExitStack() as stack:
            mount = ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(disk)]
            try:
                subprocess.run(mount, check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("cannot mount a small disk")
            stack.callback(subprocess.run, ["umount", str(disk)], check=True)
            self.assert_error(self.generate("-p", "a car", "-n", "8", out=disk / "out"), 1, "No space left")
            self.assertEqual(files_below(disk), [])

    def test_a_full_disk_under_stdout(self):
        with open("/dev/full", "wb") as full:
            command = [support.GASS, "generate", *small("-p", "a car", "--json"), "-o", str(self.out)]
            result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"No space left", result.stderr)


class BadModels(GenerateTest):
    def check(self, model, *parts):
        self.assert_refused(self.generate("-p", "a car", "-m", model), 3, *parts)

    def copy(self, of="mini-flow", without=()):
        """A model to damage; its large files are the original's own."""
        folder = self.folder / "model"
        shutil.rmtree(folder, ignore_errors=True)

        def link_large(source, target):
            (os.link if os.path.getsize(source) > 10**6 else shutil.copy)(source, target)

        try:
            shutil.copytree(MODELS / of, folder, copy_function=link_large, ignore=shutil.ignore_patterns(*without))
        except shutil.Error:  # another file system
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(MODELS / of, folder, ignore=shutil.ignore_patterns(*without))
        return folder

    def change(self, file, **changes):
        file.write_text(json.dumps(json.loads(file.read_text()) | changes))

    def test_what_is_no_pipeline(self):
        self.check(self.folder / "absent", "absent")
        self.check("org/absent", "org/absent")
        self.check("../../../etc", "etc")
        self.check("mini-clip", "mini-clip")
        self.check("mini-judge", "mini-judge")
        self.check(self.model(), "model")
        result = self.generate("-p", "a car", "-m", "")
        self.assertIn(result.returncode, (2, 3), result.stderr)

    def test_another_pipeline(self):
        folder = self.copy()
        self.change(folder / "model_index.json", _class_name="FluxPipeline")
        self.check(folder, "FluxPipeline")
        self.change(folder / "model_index.json", _class_name="\x1b[2J")
        self.check(folder)

    def test_missing_parts(self):
        for of, parts in {
            "mini-flow": ("vae", "scheduler", "transformer", "text_encoder_2", "tokenizer", "tokenizer_2"),
            "mini-unet": ("unet", "text_encoder", "vocab.json", "scheduler_config.json"),
        }.items():
            for part in parts:
                with self.subTest(of, missing=part):
                    self.check(self.copy(of, [part]), part)
        for part in ("vae", "transformer", "scheduler", "tokenizer"):
            with self.subTest(named_null=part):
                folder = self.copy()
                self.change(folder / "model_index.json", **{part: [None, None]})
                self.check(folder, part)

    def test_parts_that_do_not_fit(self):
        for of, file, changes in [
            ("mini-flow", "scheduler/scheduler_config.json", {"_class_name": "LMSDiscreteScheduler"}),
            ("mini-flow", "scheduler/scheduler_config.json", {"_class_name": "DDIMScheduler"}),
            ("mini-unet", "scheduler/scheduler_config.json", {"_class_name": "FlowMatchEulerDiscreteScheduler"}),
            ("mini-unet", "scheduler/scheduler_config.json", {"num_train_timesteps": 10**9}),
            ("mini-unet", "scheduler/scheduler_config.json", {"num_train_timesteps": -1}),
            ("mini-unet", "scheduler/scheduler_config.json", {"beta_start": -5, "beta_end": 1e308}),
            ("mini-unet", "scheduler/scheduler_config.json", {"prediction_type": "\x1b[2J"}),
            ("mini-flow", "scheduler/scheduler_config.json", {"shift": 0}),
            ("mini-flow", "vae/config.json", {"latent_channels": 4}),
            ("mini-flow", "vae/config.json", {"scaling_factor": 0}),
            ("mini-flow", "transformer/config.json", {"joint_attention_dim": 64}),
            ("mini-flow", "tokenizer/tokenizer_config.json", {"model_max_length": 77}),  # its encoder has 24 positions
            ("mini-flow", "gass.json", {"defaults": {"steps": 10**9}}),
        ]:
            with self.subTest(of, file=file, **{key: str(value) for key, value in changes.items()}):
                folder = self.copy(of)
                self.change(folder / file, **changes)
                self.check(folder)

    def test_parts_of_different_models(self):
        """Each part is sound, but the denoiser's latents and text are not those of the rest."""
        folder = self.copy("mini-unet")
        shutil.rmtree(folder / "text_encoder")
        shutil.copytree(MODELS / "mini-flow" / "text_encoder_2", folder / "text_encoder")
        self.check(folder)

    def test_damaged_weights(self):
        folder = self.copy()
        weights = folder / "vae" / "diffusion_pytorch_model.safetensors"
        content = weights.read_bytes()
        weights.unlink()
        weights.write_bytes(content[:-1000])
        self.check(folder, "vae")


class Overwriting(GenerateTest):
    def test_files_of_others_stay(self):
        for name in ("0001.png", "sheet.png", "index.html", "group.json"):
            with self.subTest(name):
                self.out.mkdir(exist_ok=True)
                (self.out / name).write_text("mine")
                self.assert_error(self.generate("-p", "a car", "-n", "2"), 2, "--output", name)
                self.assertEqual((self.out / name).read_text(), "mine")
                shutil.rmtree(self.out)

    def test_a_preview_of_others_stays(self):
        self.out.mkdir()
        (self.out / "preview.png").write_text("mine")
        self.groups("-p", "a car", "-n", "1")
        self.assertEqual((self.out / "preview.png").read_text(), "mine")

    def test_an_earlier_group_is_replaced(self):
        self.groups("-p", "a car", "-n", "3")
        self.groups("-p", "a dog", "-n", "2")
        self.assertEqual(files_below(self.out), ["0000.png", "0001.png", "group.json", "index.html", "sheet.png"])

    def test_names_that_are_not_text(self):
        folder = os.path.join(os.fsencode(self.folder), b"\xff\xfe")
        command = [os.fsencode(support.GASS), b"generate", *map(os.fsencode, small("-p", "a car", "-n", "1", "--json"))]
        result = subprocess.run([*command, b"-o", folder], capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        json.loads(result.stdout)
        result = subprocess.run([*command, b"-m", folder, b"-o", folder], capture_output=True, timeout=60)
        self.assertIn(result.returncode, (2, 3))


class Outputs(GenerateTest):
    @classmethod
    def setUpClass(cls):
        """One ordinary group that several tests look at."""
        cls._common = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._common.cleanup)
        cls.common = pathlib.Path(cls._common.name).resolve() / "group"
        cls.arguments = ["-p", "a red car", "-N", "blurry", "-n", "3", "-s", "42"]
        cls.result = run("generate", *small(*cls.arguments), "-o", cls.common, "--json")

    def setUp(self):
        super().setUp()
        self.assert_ok(self.result)

    def assert_same_pixels(self, a, b, levels=0):
        self.assertLessEqual(np.abs(pixels(a) - pixels(b)).max(), levels)

    def test_files_and_json(self):
        names = ["0000.png", "0001.png", "0002.png"]
        self.assertEqual(files_below(self.common), [*names, "group.json", "index.html", "sheet.png"])
        (group,) = json.loads(self.result.stdout)["groups"]
        self.assertEqual(pathlib.Path(group["folder"]).resolve(), self.common)
        self.assertEqual(group["prompt"], "a red car")
        images = [{"file": name, "seed": 42 + i, "prompt": "a red car"} for i, name in enumerate(names)]
        self.assertEqual(group["images"], [image | expected for image, expected in zip(group["images"], images, strict=True)])
        self.assertGreaterEqual(group["chunk"], 1)
        self.assertEqual(set(group["timings"]), TIMINGS)
        self.assertTrue(all(seconds >= 0 for seconds in group["timings"].values()))
        for name in names:
            self.assertEqual(pixels(self.common / name).shape, (64, 64, 3))
        self.assertGreater(pixels(self.common / "sheet.png").size, pixels(self.common / "0000.png").size)
        self.assertGreater(np.abs(pixels(self.common / "0000.png") - pixels(self.common / "0001.png")).mean(), 1)

    def test_group_json(self):
        group = json.loads((self.common / "group.json").read_text())
        self.assertEqual([image["file"] for image in group["images"]], ["0000.png", "0001.png", "0002.png"])
        self.assertEqual([image["seed"] for image in group["images"]], [42, 43, 44])
        text = json.dumps(group)
        for part in ("a red car", "blurry", "mini-flow"):
            self.assertIn(part, text)

    def test_parameters_in_images(self):
        for i in range(3):
            prompt, negative, fields = parameters(self.common / f"{i:04}.png")
            self.assertEqual((prompt, negative), ("a red car", "blurry"))
            expected = {"Steps": "2", "CFG scale": "4", "Seed": str(42 + i), "Size": "64x64", "Model": "mini-flow"}
            self.assertEqual(fields, fields | expected)
            self.assertTrue({"Sampler", "Version"} <= fields.keys(), fields)
            json.loads(text_of(self.common / f"{i:04}.png")["gass"])

    def test_the_same_command_gives_the_same_bytes(self):
        self.groups(*self.arguments)
        for name in ("0000.png", "0001.png", "0002.png", "sheet.png"):
            self.assertEqual((self.out / name).read_bytes(), (self.common / name).read_bytes(), name)

    def test_one_image_and_its_seed_alone(self):
        self.groups("-p", "a red car", "-N", "blurry", "-n", "1", "-s", "44")
        self.assert_same_pixels(self.out / "0000.png", self.common / "0002.png", levels=1)

    def test_seeds(self):
        (group,) = self.groups("-p", "a red car", "-N", "blurry", "--seeds", "44,7,42")
        self.assertEqual([image["seed"] for image in group["images"]], [44, 7, 42])
        self.assertEqual([parameters(self.out / f"{i:04}.png")[2]["Seed"] for i in range(3)], ["44", "7", "42"])
        self.assert_same_pixels(self.out / "0000.png", self.common / "0002.png", levels=1)
        self.assert_same_pixels(self.out / "0002.png", self.common / "0000.png", levels=1)

    def test_ranges_of_seeds(self):
        (group,) = self.groups("-p", "a red car", "-N", "blurry", "--seeds", "42-43,7")
        self.assertEqual([image["seed"] for image in group["images"]], [42, 43, 7])
        self.assert_same_pixels(self.out / "0000.png", self.common / "0000.png", levels=1)

    def test_a_random_seed_is_recorded(self):
        command = ["-p", "a car", "-n", "2", "-s"]
        first, second = (self.groups(*command, "-1", out=self.folder / name)[0]["images"] for name in "ab")
        self.assertNotEqual(first[0]["seed"], second[0]["seed"])
        self.assertGreaterEqual(first[0]["seed"], 0)
        self.assertEqual(first[1]["seed"], first[0]["seed"] + 1)
        self.groups(*command, first[0]["seed"])
        self.assert_same_pixels(self.out / "0001.png", self.folder / "a" / "0001.png")

    def test_wildcards(self):
        (group,) = self.groups("-p", "a {red|blue} car", "-n", "4")
        prompts = [image["prompt"] for image in group["images"]]
        self.assertEqual(sorted(prompts), ["a blue car"] * 2 + ["a red car"] * 2)
        self.assertEqual([parameters(self.out / f"{i:04}.png")[0] for i in range(4)], prompts)

    def test_several_prompts(self):
        file = self.file("# what there is\na red car\n\n  \na bird\r\n#a cat\n\\#1 flower")
        groups = self.groups("--prompt-file", file)
        self.assertEqual([group["prompt"] for group in groups], ["a red car", "a bird", "#1 flower"])
        folders = sorted(path.name for path in self.out.iterdir() if path.is_dir())
        self.assertEqual([name[:5] for name in folders], ["0000-", "0001-", "0002-"])
        for group, name in zip(groups, folders):
            self.assertEqual(pathlib.Path(group["folder"]).name, name)
            self.assertTrue({"0000.png", "sheet.png", "index.html", "group.json"} <= set(files_below(self.out / name)))
        for group in groups[1:]:
            self.assertLess(group["timings"]["load"], 0.1 * groups[0]["timings"]["load"] + 1e-3)  # loaded once
        from_stdin = self.groups("--prompt-file", "-", stdin=file.read_bytes(), out=self.folder / "stdin")
        self.assertEqual([group["images"] for group in from_stdin], [group["images"] for group in groups])

    def test_prompts_do_not_lead_out_of_the_folder(self):
        prompts = ["../../evil", "/etc/evil", "a" * 400, "🐈‍⬛ 雪", ".", "..", "-rf *", "a/b\\c:d", "CON"]
        self.groups("--prompt-file", self.file("\n".join(prompts)), "-n", "1")
        names = [path.name for path in self.out.iterdir() if path.is_dir()]
        self.assertEqual(len(names), len(prompts))
        for name in names:
            self.assertRegex(name, r"^\d{4}(-[^/\\\s:*]+)?$")
        self.assertEqual([path.name for path in self.folder.iterdir() if "evil" in path.name], [])

    def test_what_has_no_effect_here_is_hinted_at_once(self):
        file = self.file("a (red:1.5) car\na (blue:1.2) {bird|cat\na {dog")
        result = self.generate("--prompt-file", file, "-N", "(fog:1.1), <lora:noir:0.5>", "-n", "1")
        self.assert_ok(result)
        hints = re.findall(r"(?m)^gass: warning: \[(.*?)\] (.*?) is read as plain text", result.stderr.decode())
        self.assertEqual(hints, [("--prompt-file, line 1", '"(red:1.5)"'), ("--prompt-file, line 2", '"a (blue:1.2) {bird|cat"'),
                                 ("--negative-prompt", '"<lora:noir:0.5>"')])  # fmt: skip
        self.assertEqual(len(files_below(self.out)), 3 * 4)

    def test_a_prompt_does_not_drive_the_terminal(self):
        result = self.generate("-p", "a car \x1b[2J\x07", "--progress", "plain")
        self.assertIn(result.returncode, (0, 2))
        self.assertNotRegex((result.stdout + result.stderr).decode(), r"[\x07\x1b]")

    def test_prompts_that_look_like_parameters(self):
        prompt = 'a "car", Steps: 9, Seed: 1\nSteps: 5, Sampler: X, Seed: 6'
        self.groups("-p", prompt, "-n", "1")
        self.assertEqual(parameters(self.out / "0000.png")[0], prompt)
        self.assertEqual(parameters(self.out / "0000.png")[2]["Seed"], "42")

    def test_without_an_output_folder(self):
        for _ in range(2):
            self.assert_ok(run("generate", *small("-p", "a red car", "-n", "1"), cwd=self.folder))
        names = sorted(path.name for path in (self.folder / "gass-out").iterdir())
        self.assertEqual([re.sub(r"^\d{4}-", "", name) for name in names], ["a-red-car"] * 2)

    def test_without_metadata(self):
        self.groups(*self.arguments, "--disable-image-metadata")
        self.assertEqual(text_of(self.out / "0000.png"), {})
        self.assert_same_pixels(self.out / "0001.png", self.common / "0001.png")

    def test_variations(self):
        one = ["-p", "a red car", "-N", "blurry", "-n", "1", "--variation-seed", "43"]
        for strength, twin, levels in (("0", "0000.png", 0), ("1", "0001.png", 1)):
            out = self.folder / strength
            self.groups(*one, "-s", "42", "--variation-strength", strength, out=out)
            alone = self.folder / f"alone-{strength}"
            self.groups(*one[:6], "-s", str(42 + int(strength)), out=alone)
            self.assert_same_pixels(out / "0000.png", alone / "0000.png", levels)
        self.groups(*one, "-s", "42", "--variation-strength", "0.3")
        for other in ("0", "1"):
            self.assertGreater(np.abs(pixels(self.out / "0000.png") - pixels(self.folder / other / "0000.png")).mean(), 1)

    def test_preview(self):
        path = self.folder / "preview.png"
        self.groups("-p", "a car", "--preview", "vae", "--preview-interval", "1", "--preview-path", path)
        self.assertGreater(pixels(path).std(), 1)

    def test_progress(self):
        lines = self.generate("-p", "a car", "--progress", "json").stderr.decode().splitlines()
        self.assertGreaterEqual(len([json.loads(line) for line in lines]), 2)
        plain = self.generate("-p", "a car", "--progress", "plain", out=self.folder / "plain").stderr
        self.assertNotEqual(plain, b"")
        self.assertNotIn(b"\r", plain)
        self.assertEqual(self.generate("-p", "a car", "--progress", "none", out=self.folder / "none").stderr, b"")

    def test_settings(self):
        config = self.file(json.dumps({"steps": 3, "width": 64, "height": 64}), "config.json")
        environment = {"GASS_WIDTH": "80", "GASS_CFG_SCALE": "1.5"}
        command = ["generate", "-p", "a car", "-n", "1", "-H", "48", "--config", config, "-o", self.out]
        self.assert_ok(run(*command, environment=environment))
        fields = parameters(self.out / "0000.png")[2]
        self.assertEqual((fields["Steps"], fields["Size"], fields["CFG scale"]), ("3", "80x48", "1.5"))
        printed = self.generate("-p", "a car", "--print-config", out=self.folder / "printed")
        self.assertEqual(json.loads(self.assert_ok(printed))["steps"], 2)
        self.assertFalse((self.folder / "printed").exists())

    def test_the_other_embedded_model(self):
        self.groups("-p", "a car", "-m", "mini-unet", "-n", "1", "--sampling-method", "dpm++2m", "--scheduler", "karras")
        self.assertEqual(parameters(self.out / "0000.png")[2]["Model"], "mini-unet")


class Interrupted(GenerateTest):
    def start(self, *arguments):
        command = [support.GASS, "generate", *small(*arguments), "-o", str(self.out)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def interrupt(self, process, ready):
        deadline = time.monotonic() + 50
        while not ready() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, message.decode())

    def test_in_the_first_group(self):
        preview = self.folder / "preview.png"
        arguments = ["--preview", "vae", "--preview-interval", "1", "--preview-path", str(preview)]  # says that it is sampling
        self.interrupt(self.start("-p", "a car", "-n", "4", "--steps", "1000", *arguments), preview.exists)
        self.assertEqual([file for file in files_below(self.folder) if file != "preview.png"], [])

    def test_finished_groups_stay(self):
        prompts = self.file("a car\n" * 300)
        process = self.start("--prompt-file", str(prompts), "-n", "2", "--steps", "2")
        self.interrupt(process, ready=lambda: len(list(self.out.glob("*/group.json"))) >= 2)
        whole = [path.parent for path in self.out.glob("*/group.json")]
        self.assertGreaterEqual(len(whole), 2)
        self.assertLess(len(whole), 300)
        for folder in whole:
            self.assertEqual(files_below(folder), ["0000.png", "0001.png", "group.json", "index.html", "sheet.png"])
        for file in files_below(self.out):
            self.assertRegex(file, r"^\d{4}-[\w-]+/(\d{4}\.png|sheet\.png|index\.html|group\.json)$")


class Reproduce(GenerateTest):
    def setUp(self):
        super().setUp()
        self.groups("-p", "a red car", "-N", "blurry", "-n", "2")
        self.image = self.out / "0001.png"

    def with_text(self, text, change=None):
        """The image again, with this text and, if asked for, changed pixels."""
        path = self.folder / "again.png"
        info = PngImagePlugin.PngInfo()
        for key, value in text.items():
            info.add_text(key, value)
        with Image.open(self.image) as image:
            if change:
                image.putpixel((3, 5), tuple(255 - value for value in image.getpixel((3, 5))))
            image.save(path, pnginfo=info)
        return path

    def reproduce(self, path):
        return run("reproduce", path, "--device", "cpu", "-o", self.folder / "deep" / "er" / "again")

    def reproduce_json(self, path):
        """Another CPU may round differently, and the picture then is not quite the same."""
        result = run("reproduce", path, "--json")
        self.assertIn(result.returncode, (0, 6), result.stderr)
        return json.loads(result.stdout)

    def test_never_over_the_original(self):
        before = self.image.read_bytes()
        self.assert_error(run("reproduce", self.image, "-o", self.out), 2, "--output")
        self.assertEqual(self.image.read_bytes(), before)

    def test_the_same_again(self):
        self.assert_ok(self.reproduce(self.image))
        json.loads(self.assert_ok(run("reproduce", self.image, "--json", cwd=self.folder)))

    def test_a_whole_set(self):
        text = self.assert_ok(run("reproduce", self.out))
        for i in range(2):
            self.assertIn(f"{self.out}/{i:04}.png: the same bytes (image {i + 1} of 2, seed {42 + i})", text)
        again = self.folder / "again"
        result = json.loads(self.assert_ok(run("reproduce", self.out, "--json", "-o", again)))
        self.assertEqual(result["folder"], str(self.out))
        self.assertEqual([picture["index"] for picture in result["pictures"]], [0, 1])
        one = json.loads(self.assert_ok(run("reproduce", self.image, "--json")))
        self.assertEqual({"schema": "gass.reproduced/1"} | result["pictures"][1], one)
        for name in ("0000.png", "0001.png", "index.html", "sheet.png"):
            self.assertEqual((again / name).read_bytes(), (self.out / name).read_bytes(), name)

    def test_one_edited_picture_of_a_set(self):
        self.with_text(text_of(self.image), change=True).replace(self.image)
        result = run("reproduce", self.out, "--json")
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertEqual([picture["same_bytes"] for picture in json.loads(result.stdout)["pictures"]], [True, False])
        self.assertIn(b"0000.png: the same bytes", run("reproduce", self.out).stdout)

    def test_sets_that_are_not_whole(self):
        (self.out / "0000.png").rename(self.folder / "kept.png")
        self.assert_error(run("reproduce", self.out), 3, "0000.png")
        other = self.folder / "other"
        self.groups("-p", "a dog", "-n", "2", out=other)
        shutil.copy(other / "0000.png", self.out)
        self.assert_error(run("reproduce", self.out), 3, "0001.png", "of another set")
        shutil.copy(self.folder / "kept.png", self.out / "0000.png")
        self.assert_ok(run("reproduce", self.out))
        self.assert_error(run("reproduce", self.out, "-o", self.out), 2, "--output")
        self.groups("-p", "a dog", "-n", "2", "--disable-image-metadata")
        self.assert_error(run("reproduce", self.out), 3, "no record of gass")
        (self.out / "group.json").unlink()
        self.assert_error(run("reproduce", self.out), 3, "no set of gass with pictures")

    def test_a_picture_of_gass_0_1(self):
        result = self.reproduce_json(MODELS.parent / "tests/record/gass-0.1/0001.png")
        self.assertNotRegex("\n".join(result["changes"]), r"(?m)^\w+ was ")
        self.assertEqual(result["index"], 1)

    def test_changed_pixels(self):
        result = self.reproduce(self.with_text(text_of(self.image), change=True))
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertRegex((result.stdout + result.stderr).decode(), r"(?i)differ|pixel")

    def test_images_of_others(self):
        self.assert_error(self.reproduce(self.with_text({})), 3)
        self.assert_error(self.reproduce(self.with_text({"parameters": "a car\nSteps: 2, Sampler: Euler, Seed: 1"})), 3)
        self.assert_error(self.reproduce(self.file("no image", "text.png")), 3)
        self.assert_error(self.reproduce(self.file(self.image.read_bytes()[:-100], "cut.png")), 3)
        self.assert_error(self.reproduce(self.folder / "absent.png"), 3)
        self.assert_error(self.reproduce(self.folder), 3)
        self.assert_error(run("reproduce"), 2, "FILE")

    def test_records_that_are_no_records(self):
        for record in ("", "null", "[]", "{}", "nonsense", "{", "[" * 100_000, '{"a":' * 1000, '{"a": 1, "a": 2}', "1e999",
                       '"x"', json.dumps({"version": 10**30}), " " * 5_000_000 + "{}"):  # fmt: skip
            with self.subTest(record[:30]):
                result = self.reproduce(self.with_text({"gass": record}))
                self.assertIn(result.returncode, (2, 3), result.stderr)
                self.assert_error(result, result.returncode)

    def test_hostile_records(self):
        """Every value of a real record in turn: refused, or without influence on the images; no crash, hang or escape."""
        record = json.loads(text_of(self.image)["gass"])
        decisive = {"model", "steps", "cfg_scale", "width", "height", "seed", "seeds", "images", "prompt", "dtype"}

        def places(value, path=()):
            yield path
            children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            for key, child in children:
                yield from places(child, (*path, key))

        hostile = [None, -1, 1e9, 2**70, 1e308, "../../../../evil", [], {"a": {}}]
        for number, path in enumerate(path for path in places(record) if path):
            must_be_refused = path[-1] in decisive
            # all values where it decides, else some
            for value in hostile if must_be_refused else (hostile[number % 8], hostile[(number + 3) % 8]):
                if value == "../../../../evil" and path[-1] == "prompt":
                    continue
                with self.subTest(path, value=str(value)):
                    damaged = json.loads(json.dumps(record))
                    target = damaged
                    for key in path[:-1]:
                        target = target[key]
                    target[path[-1]] = value
                    result = self.reproduce(self.with_text({"gass": json.dumps(damaged)}))
                    self.assertIn(result.returncode, (2, 3) if must_be_refused else (0, 2, 3, 6), result.stderr)
        self.assertEqual([file for file in files_below(self.folder) if "evil" in file], [])


if __name__ == "__main__":
    unittest.main()
