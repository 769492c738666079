"""The commands as a user types them."""

import json
import os
import pathlib
import subprocess
import unittest

import support
from support import GassTest, run, safetensors


class Basics(GassTest):
    def test_help_and_version(self):
        help_text = self.assert_ok(run("--help"))
        for word in ("models", "inspect", "tokens", "completion", "Exit status", "GASS_"):
            self.assertIn(word, help_text)
        self.assertRegex(self.assert_ok(run("--version")), r"^gass \d+\.\d+\.\d+\n$")
        for command in (["models"], ["models", "inspect"], ["inspect"], ["tokens"], ["completion"]):
            self.assertIn("--help", self.assert_ok(run(*command, "--help")))

    def test_wrong_usage(self):
        self.assert_error(run("paint"), 2, 'no command "paint"', "gass --help")
        self.assert_error(run("models", "list", "--nonsense"), 2, "--nonsense")
        self.assert_error(run("inspect"), 2, "FILE")

    def test_a_full_disk_under_stdout(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([support.GASS, "models", "list"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"No space left", result.stderr)


class Models(GassTest):
    def test_list(self):
        models = json.loads(self.assert_ok(run("models", "list", "--json")))["models"]
        embedded = [model["name"] for model in models if model["source"] == "embedded"]
        self.assertEqual(embedded, ["mini-clip", "mini-flow", "mini-judge", "mini-turbo", "mini-unet"])
        self.assertIn("StableDiffusion3Pipeline", self.assert_ok(run("models", "list")))

    def test_inspect_from_any_folder(self):
        text = self.assert_ok(run("models", "inspect", "mini-flow", cwd="/"))
        for part in ("StableDiffusion3Pipeline", "transformer", "text_encoder_2", "steps=28", "guided by mini-clip"):
            self.assertIn(part, text)
        model = json.loads(self.assert_ok(run("models", "inspect", "mini-unet", "--json", cwd="/")))
        self.assertEqual(model["class"], "StableDiffusionPipeline")
        self.assertEqual(model["defaults"]["cfg_scale"], 4.0)
        parts = {part["name"]: part for part in model["components"]}
        self.assertGreater(parts["unet"]["parameters"], 22e6)
        self.assertEqual(parts["unet"]["files"], ["unet/diffusion_pytorch_model.safetensors"])

    def test_a_folder_that_cannot_be_opened_is_still_listed(self):
        repository = self.folder / "models--org--broken"
        snapshot = repository / "snapshots" / ("a" * 40)
        snapshot.mkdir(parents=True)
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text("a" * 40)
        (snapshot / "model_index.json").write_text("{")
        result = run("models", "list", environment={"HF_HUB_CACHE": str(self.folder)})
        self.assertIn("cannot be opened", self.assert_ok(result))
        self.assertIn(b"not valid JSON", result.stderr)

    def test_verify_all_embedded(self):
        result = json.loads(self.assert_ok(run("models", "verify", "--json")))
        self.assertEqual([model["ok"] for model in result["models"]], [True] * 5)


class Inspect(GassTest):
    def test_weights(self):
        folder = self.model()
        file = json.loads(self.assert_ok(run("inspect", "--json", folder / "model.safetensors")))
        self.assertEqual(file["tensors"], [{"name": "w", "dtype": "F32", "shape": [2], "bytes": 8}])
        self.assertEqual(file["parameters"], 2)

    def test_names_cannot_disturb_the_terminal(self):
        folder = self.model(safetensors('{"\\u001b[2J":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'))
        self.assertNotIn("\x1b", self.assert_ok(run("inspect", folder / "model.safetensors")))


class Settings(GassTest):
    def config(self, *arguments, environment=None, file=None):
        extra = []
        if file is not None:
            path = self.folder / "config.json"
            path.write_text(file if isinstance(file, str) else json.dumps(file))
            extra = ["--config", path]
        return run("tokens", "--print-config", *extra, *arguments, environment=environment)

    def value(self, key, *arguments, **options):
        return json.loads(self.assert_ok(self.config(*arguments, **options)))[key]

    def test_precedence(self):
        key, flag = "max_sequence_length", ["--max-sequence-length", "6"]
        environment, file = {"GASS_MAX_SEQUENCE_LENGTH": "5"}, {key: 4}
        preset = self.folder / "preset.json"
        preset.write_text(json.dumps({key: 3}))
        preset_flag = ["--preset", preset]
        self.assertEqual(self.value(key, "-m", "mini-unet"), 256)  # built in
        self.assertEqual(self.value(key), 24)  # mini-flow's own gass.json
        self.assertEqual(self.value(key, *preset_flag), 3)
        self.assertEqual(self.value(key, *preset_flag, file=file), 4)
        self.assertEqual(self.value(key, *preset_flag, file=file, environment=environment), 5)
        self.assertEqual(self.value(key, *preset_flag, *flag, file=file, environment=environment), 6)

    def test_the_printed_config_reads_back_and_says_where_from(self):
        first = self.config("--preset", "paper-sd3-drawbench")
        self.assertRegex(first.stderr.decode(), r"(?m)^steps +28 +preset .*paper-sd3-drawbench\.json$")
        self.assertEqual(self.config(file=first.stdout.decode()).stdout, first.stdout)
        both = json.loads(self.config("--preset", "paper-sd3-drawbench", "--preset", "paper-sd3-cads").stdout)
        self.assertEqual((both["steps"], both["method"]), (28, "cads:tau1=0.9,tau2=1.2,scale=0.1,mix=1"))

    def test_mistakes(self):
        self.assert_error(self.config(file={"stepz": 1}), 2, "config.json", 'unknown setting "stepz"')
        self.assert_error(self.config(file="{"), 2, "config.json", "not valid JSON")
        self.assert_error(self.config("--config", self.folder / "absent"), 2, "absent")
        self.assert_error(self.config("--preset", "absent"), 2, "--preset", "paper-sd3-drawbench")
        unknown = self.config(environment={"GASS_STEPZ": "1"})
        self.assert_ok(unknown)
        self.assertEqual(unknown.stderr.count(b'warning: [GASS_STEPZ] gass knows no such environment variable (did you mean "GASS_STEPS"?)'), 1)
        self.assertNotIn(b"GASS_STEPZ", self.config(environment={"GASS_STEPZ": "1", "GASS_LOG_LEVEL": "error"}).stderr)
        self.assert_error(self.config(environment={"GASS_STEPS": "0"}), 2, "GASS_STEPS", "expected 1 to 1000")
        self.assert_error(self.config("--max-sequence-length", "x"), 2, "--max-sequence-length", "whole number")
        self.assert_error(self.config("-m", "absent"), 3, "no model")


    def test_a_repeated_flag_takes_the_last(self):
        self.assertEqual(self.value("max_sequence_length", "--max-sequence-length", "4", "--max-sequence-length=8"), 8)
        self.assertEqual(self.value("model", "-m", "mini-unet", "--model", "mini-clip", "-m", "mini-flow"), "mini-flow")
        both = self.assert_ok(run("tokens", "--json", "--json", "-p", "a cat", "-p", "a red car"))
        self.assertEqual("".join(json.loads(both)["encoders"][0]["tokens"][1:-1]).strip(), "a red car")
        self.assert_error(run("inspect", "a.png", "b.png"), 2, "b.png")  # what is no flag is no repetition


class UserConfig(GassTest):
    """Settings of the user's own, between a preset and the model's."""

    def setUp(self):
        super().setUp()
        self.file = self.folder / "gass" / "config.json"
        self.file.parent.mkdir()
        self.environment = {"XDG_CONFIG_HOME": str(self.folder)}
        self.file.write_text(json.dumps({"max_sequence_length": 3, "steps": 7}))

    def config(self, *arguments, **environment):
        return run("tokens", "--print-config", *arguments, environment=self.environment | environment)

    def value(self, key, *arguments, **environment):
        return json.loads(self.assert_ok(self.config(*arguments, **environment))).get(key)

    def test_precedence(self):
        key = "max_sequence_length"
        self.assertEqual(self.value(key), 3)  # over mini-flow's own
        preset = self.folder / "preset.json"
        preset.write_text(json.dumps({key: 4, "description": "short prompts"}))
        self.assertEqual(self.value(key, "--preset", preset), 4)
        self.assertEqual(self.value(key, "--config", preset), 4)
        self.assertEqual(self.value(key, GASS_MAX_SEQUENCE_LENGTH="5"), 5)
        self.assertEqual(self.value(key, "--max-sequence-length", "6"), 6)
        self.assertRegex(self.config().stderr.decode(), rf"(?m)^steps +7 +{self.file}$")

    def test_where_it_is(self):
        home = {"XDG_CONFIG_HOME": "", "HOME": str(self.folder)}
        self.assertEqual(self.value("steps", **home), 28)  # none: mini-flow's own
        (self.folder / ".config" / "gass").mkdir(parents=True)
        (self.folder / ".config" / "gass" / "config.json").write_text('{"steps": 9}')
        self.assertEqual(self.value("steps", **home), 9)
        self.assertEqual(self.value("steps", **(home | {"XDG_CONFIG_HOME": "relative"})), 9)
        other = self.folder / "other.json"
        other.write_text('{"steps": 11}')
        self.assertEqual(self.value("steps", GASS_USER_CONFIG=str(other)), 11)
        self.assertEqual(self.value("steps", GASS_USER_CONFIG=""), 28)

    def test_mistakes_name_it(self):
        self.assert_error(self.config(GASS_USER_CONFIG=str(self.folder / "absent.json")), 2, "absent.json")
        for content, part in (('{"stepz": 1}', '(did you mean "steps"?)'), ("{", "not valid JSON"), ('{"steps": 0}', "expected 1 to 1000")):
            self.file.write_text(content)
            self.assert_error(self.config(), 2, str(self.file), part)

    def test_a_suite_and_a_record_decide_alone(self):
        self.file.write_text('{"steps": "broken"}')
        self.assert_ok(run("eval", "mini-small", "--dry-run", environment=self.environment))
        out = self.folder / "out"
        self.assert_ok(run("generate", "-p", "a car", "-m", "mini-turbo", "-n", "2", "-W", "64", "-H", "64", "-o", out))
        self.assert_ok(run("reproduce", out / "0001.png", environment=self.environment))

    def test_it_is_what_generate_takes(self):
        self.file.write_text('{"model": "mini-turbo", "images": 2, "width": 64, "height": 80}')
        plan = self.assert_ok(run("generate", "-p", "a car", "--dry-run", environment=self.environment))
        self.assertIn("2 images of 64x80 by gass, 4 steps", plan)


class Tokens(GassTest):
    def encoders(self, *arguments, **options):
        return json.loads(self.assert_ok(run("tokens", "--json", *arguments, **options)))["encoders"]

    def test_each_encoder(self):
        encoders = self.encoders("-m", "mini-flow", "-p", "a red car")
        self.assertEqual([encoder["name"] for encoder in encoders], ["text_encoder", "text_encoder_2"])
        for encoder in encoders:
            self.assertEqual((encoder["ids"][0], encoder["ids"][-1]), (3512, 3513))
            self.assertEqual((encoder["count"], encoder["limit"], encoder["cut"]), (len(encoder["ids"]), 24, False))
        self.assertEqual(self.encoders("-m", "mini-clip", "-p", "a red car")[0]["ids"], encoders[0]["ids"])
        self.assertIn("of 24 tokens", self.assert_ok(run("tokens", "-p", "a red car")))

    def test_a_long_prompt_says_what_is_cut(self):
        text = self.assert_ok(run("tokens", "-p", "a red car " * 20))
        self.assertIn("the encoder does not see", text)
        prompt = ("a red car " * 100_000).encode()
        self.assertTrue(self.encoders("-p", "-", stdin=prompt)[0]["cut"])

    def test_empty_and_bad_prompts(self):
        self.assertEqual(self.encoders("-p", "")[0]["ids"], [3512, 3513])
        self.assert_error(run("tokens", "-p", b"\xff\xfe".decode(errors="surrogateescape")), 2, "UTF-8")
        self.assert_error(run("tokens"), 2, "--prompt")
        self.assert_error(run("tokens", "-m", "mini-judge", "-p", "x"), 3, "no tokenizer")


class Completion(GassTest):
    """What the program proposes, and each shell's script in that shell."""

    def proposed(self, *words):
        lines = self.assert_ok(run("complete", *words)).splitlines()
        return [line.split("\t")[0] for line in lines]

    def test_commands_and_flags(self):
        self.assertEqual(self.proposed("mo"), ["models"])
        self.assertEqual(sorted(self.proposed("models", "")), ["inspect", "list", "verify"])
        self.assertIn("--json", self.proposed("models", "list", "--"))
        self.assertEqual(self.proposed("tokens", "--pro"), ["--prompt"])
        self.assertIn("generate", self.proposed(""))
        self.assertNotIn("complete", self.proposed(""))
        self.assertEqual(self.proposed("nonsense", "--also", "x"), [])

    def test_values(self):
        for words, expected in (
            (["models", "inspect", "mini-f"], "mini-flow"),
            (["tokens", "-m", "mini-u"], "mini-unet"),
            (["generate", "-p", "a red car", "--method", "ga"], "gass-paper"),
            (["generate", "--method", "cads:scale=0.2+ga"], "cads:scale=0.2+gass"),
            (["generate", "--method", "cads:sc"], "cads:scale="),
            (["generate", "--method", "cads:scale=0.2,ta"], "cads:scale=0.2,tau1="),
            (["compare", "--methods", "none,ig,sp"], "none,ig,spell"),
            (["generate", "--preset", "paper-sd3-ga"], "paper-sd3-gass"),
            (["generate", "--sampling-method", "dp"], "dpm++2m"),
            (["measure", "x.png", "--metrics", "fid,ven"], "fid,vendi"),
            (["eval", "draw"], "drawbench"),
            (["methods", "sp"], "spell"),
            (["completion", "f"], "fish"),
        ):
            self.assertIn(expected, self.proposed(*words), words)
        self.assertIn(":files", self.proposed("inspect", ""))
        self.assertNotIn(":files", self.proposed("generate", "--method", ""))

    def shell(self, *command, **options):
        environment = {**os.environ, "PATH": f"{pathlib.Path(support.GASS).parent}:{os.environ['PATH']}", "HOME": str(self.folder)}
        result = subprocess.run(command, capture_output=True, timeout=60, text=True, cwd=self.folder, env=environment, **options)
        self.assertEqual(result.stderr, "")
        return result.stdout.splitlines()

    def bash(self, *words):
        return self.shell("bash", "-c", f"""
            source <(gass completion bash)
            COMP_WORDS=({' '.join(repr(word) for word in words)}) COMP_CWORD={len(words) - 1}
            _gass; printf '%s\\n' "${{COMPREPLY[@]}}" """)

    def test_bash(self):
        self.assertEqual(self.bash("gass", "mo"), ["models"])
        self.assertEqual(self.bash("gass", "tokens", "-m", "mini-u"), ["mini-unet"])
        # As bash parts it: what is inserted replaces the last part only.
        self.assertEqual(self.bash("gass", "generate", "--method", "cads", ":", "scale", "=", "0.2,ta"), ["0.2,tau1=", "0.2,tau2="])
        (self.folder / "with space.png").touch()
        self.assertEqual(self.bash("gass", "inspect", "wi"), ["with space.png"])

    def test_fish(self):
        (self.folder / "picture.png").touch()
        found = self.shell("fish", "--no-config", "-c", "gass completion fish | source; complete -C 'gass models inspect mini-fl'; complete -C 'gass inspect pict'")
        self.assertIn("mini-flow\tembedded", found)
        self.assertTrue(any(line.startswith("picture.png") for line in found), found)

    def test_zsh(self):
        # Completion needs a terminal: zpty gives it one, and the listing comes back.
        try:
            for terminal in os.openpty():
                os.close(terminal)
        except OSError:
            self.skipTest("there are no pseudo terminals here")
        script = r"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell 'PS1=; autoload -Uz compinit && compinit -u -D; source <(gass completion zsh); echo rea""dy'
            zpty -r -m shell line '*ready*'
            zpty -w -n shell $'gass models inspect mini-fl\t'
            zpty -r -m shell line '*mini-flow*' && print -r -- found
            zpty -w -n shell $'\025gass generate --method cads:sc\t'
            zpty -r -m shell line '*scale=*' && print -r -- found
            zpty -d shell
        """
        self.assertEqual(self.shell("zsh", "-f", "-c", script), ["found", "found"])


class Manual(GassTest):
    def test_is_a_manual_page_of_everything(self):
        page = self.assert_ok(run("manual"))
        self.assertTrue(page.startswith(".TH GASS 1"))
        for part in (".SH NAME", ".SS gass generate", ".SS gass models verify", "\\-\\-cfg\\-scale", "GASS_TORCH", "GASS_USER_CONFIG", ".SH FILES", "Exit status"):
            self.assertIn(part, page)
        shown = subprocess.run(["groff", "-man", "-Kutf8", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, timeout=60)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("gass generate", shown.stdout)


if __name__ == "__main__":
    unittest.main()
