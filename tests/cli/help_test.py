"""What a user is told who does not know yet what to type, or mistypes it."""

import json
import unittest

from support import GassTest, run, safetensors


class Help(GassTest):
    def test_overview(self):
        text = self.assert_ok(run())
        for part in ("gass generate -p", "gass help", "gass presets"):
            self.assertIn(part, text)
        self.assertLess(len(text.splitlines()), 20)

    def test_help_is_that_of_the_flag(self):
        for words in ((), ("eval",), ("models",), ("models", "inspect"), ("help",)):
            with self.subTest(words):
                self.assertEqual(self.assert_ok(run("help", *words)), self.assert_ok(run(*words, "--help")))
        self.assert_error(run("help", "evil"), 2, 'gass has no command "evil" (did you mean "eval"?)')
        self.assert_error(run("help", "models", "lst"), 2, 'gass models has no command "lst" (did you mean "list"?)')

    def test_every_command_is_in_all_the_lists(self):
        text, manual = self.assert_ok(run("--help")), self.assert_ok(run("manual"))
        for command in ("help", "presets", "suites"):
            self.assertRegex(text, rf"(?m)^  {command} ")
            self.assertIn(f".SS gass {command}\n", manual)
            self.assertIn(f"{command}\t", self.assert_ok(run("complete", command[:3])))
        self.assertEqual(self.assert_ok(run("complete", "help", "models", "ins")).split("\t")[0], "inspect")
        self.assertEqual(self.assert_ok(run("complete", "help", "eval", "")), "")


class DidYouMean(GassTest):
    def meant(self, word, *arguments, status=2, **options):
        """The command is refused, and this word is what was meant."""
        with self.subTest(arguments):
            self.assert_error(run(*arguments, **options), status, f'(did you mean "{word}"?)')

    def test_commands_and_flags(self):
        self.meant("generate", "generat")
        self.meant("compare", "comp", "-p", "a car")
        self.meant("list", "models", "lsit")
        self.meant("--steps", "generate", "-p", "a car", "--stpes", "4")
        self.meant("--steps", "generate", "-p", "a car", "--stpes=4")
        self.meant("--cfg-scale", "generate", "--cfg_scale", "4", "-p", "a car")
        self.meant("--metrics", "measure", "x.png", "--metric", "vendi")

    def test_methods_and_their_parameters(self):
        self.meant("gass", "generate", "-p", "a car", "--method", "gas")
        self.meant("cads", "compare", "-p", "a car", "--methods", "none,cabs")
        self.meant("spell", "methods", "spel")
        self.meant("candidates", "generate", "-p", "a car", "--method", "gass:candidate=4")
        self.meant("none", "eval", "mini-small", "--dry-run", "--only-methods", "non")
        self.meant("vendi_judge", "eval", "mini-small", "--dry-run", "--assert", "gass.vendi_juge > none.vendi_judge")

    def test_other_names(self):
        picture = self.folder / "a.png"
        picture.write_bytes(b"")
        self.meant("clip_score", "measure", picture, "--metrics", "vendi,CLIPScore")
        self.meant("dinov2", "measure", picture, "--metrics", "vendi", "--encoder", "dinov", status=3)
        self.meant("mini-clip", "measure", picture, "--metrics", "vendi", "--encoder", "mini-clp", status=3)
        self.meant("mini-flow", "tokens", "-m", "mini-flwo", "-p", "a car", status=3)
        self.meant("mini-unet", "models", "inspect", "mini-unt", status=3)
        self.meant("paper-sd3-gass", "generate", "-p", "a car", "--preset", "paper-sd3-gas")
        self.meant("drawbench", "eval", "drawbnch", status=3)
        self.meant("euler", "generate", "-p", "a car", "--sampling-method", "eular")
        self.meant("vendi", "generate", "-p", "a car", "--target", "vendy=2")

    def test_nothing_where_nothing_is_near(self):
        for arguments, status in ((("paint",), 2), (("generate", "--zebra", "1"), 2), (("generate", "-p", "a", "--method", "magic"), 2),
                                  (("tokens", "-m", "no/such", "-p", "a"), 3), (("eval", "no-such-suite"), 3)):  # fmt: skip
            with self.subTest(arguments):
                result = run(*arguments)
                self.assert_error(result, status)
                self.assertNotIn(b"did you mean", result.stderr)

    def test_values_that_are_missing_or_wrong(self):
        self.assert_error(run("generate", "-p", "a car", "--seed"), 2, "--seed needs a value; see gass generate --help")
        self.assert_error(run("generate", "-p", "a car", "--variation-strength", "far"), 2, "expected a number, got --variation-strength = far")
        self.assert_error(run("completion", "tcsh"), 2, "tcsh")

    def test_what_a_group_of_commands_expects(self):
        self.assert_error(run("models"), 2, "[gass models] expected a command: list, inspect, verify; see gass models --help")
        self.assert_error(run("cache"), 2, "expected a command: stats, clear")


class Listings(GassTest):
    def test_presets(self):
        text = self.assert_ok(run("presets"))
        self.assertRegex(text, r"(?m)^paper-sd3-drawbench +the paper's .*Stable Diffusion 3.* steps=28 cfg_scale=7.0 width=512 height=512$")
        listed = json.loads(self.assert_ok(run("presets", "--json")))
        self.assertEqual(listed["schema"], "gass.presets/1")
        self.assertEqual(len(listed["presets"]), len(text.splitlines()) - 1)
        for preset in listed["presets"]:
            self.assertTrue(preset["description"] and preset["settings"], preset)
            shown = run("tokens", "--print-config", "--preset", preset["name"])
            self.assertLessEqual(preset["settings"].items(), json.loads(self.assert_ok(shown)).items())

    def test_suites(self):
        text = self.assert_ok(run("suites"))
        self.assertEqual(text, self.assert_ok(run("eval", "--list")))
        listed = json.loads(self.assert_ok(run("suites", "--json")))
        self.assertEqual(listed["schema"], "gass.suites/1")
        self.assertEqual([suite["name"] for suite in listed["suites"]], [line.split()[0] for line in text.splitlines()[1:]])
        self.assertEqual(json.loads(self.assert_ok(run("eval", "--list", "--json"))), listed)


class Counts(GassTest):
    def test_one_is_singular(self):
        file = self.folder / "one.safetensors"
        file.write_bytes(safetensors('{"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'))
        self.assertIn("safetensors: 1 tensor, ", self.assert_ok(run("inspect", file)))
        plan = self.assert_ok(run("generate", "-p", "a car", "-n", "1", "--steps", "1", "--method", "none", "--dry-run"))
        self.assertRegex(plan, r"1 image of 128x128 by none, 1 step: \d+ network evaluations?, up to 1 image at a time;")
        self.assert_error(run("generate", "-p", "a car", "--seeds", "7", "-n", "2"), 2, "1 seed for 2 images")
        cache = {"GASS_CACHE_DIR": str(self.folder / "cache")}
        self.assertIn(": features of 0 pictures", self.assert_ok(run("cache", "stats", environment=cache)))


if __name__ == "__main__":
    unittest.main()
