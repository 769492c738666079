"""Files and texts from outside: they can neither drive the terminal, nor take memory and time without end, nor give wrong results."""

import io
import json
import os
import pathlib
import re
import resource
import shutil
import struct
import unittest
import zlib

import numpy as np
from PIL import Image, PngImagePlugin
from support import GassTest, run

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
TINY = ("-m", "mini-turbo", "--width=64", "--height=64", "--device=cpu", "-n", "2")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
EVIL = "\x1b]0;owned\x07\x9b31m\x7f"


def chunk(name, content=b""):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def picture(path, **text):
    info = PngImagePlugin.PngInfo()
    for key, value in text.items():
        info.add_itxt(key, value)
    Image.new("RGB", (8, 8)).save(path, pnginfo=info)
    return path


def at_most(memory):
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


class HostileTest(GassTest):
    def assert_clean(self, result):
        for stream in (result.stdout, result.stderr):
            self.assertNotRegex(stream.decode(), CONTROL)
        return result

    def set_of(self, *arguments):
        out = self.folder / "set"
        self.assert_ok(run("generate", "-p", "a car", *TINY, "-o", out, *arguments))
        return out

    def changed_record(self, path, change):
        """The picture again with another record inside."""
        with Image.open(path) as image:
            image.load()
            text = dict(image.text)
            record = json.loads(text["gass"])
            change(record)
            info = PngImagePlugin.PngInfo()
            for key, value in {**text, "gass": json.dumps(record)}.items():
                info.add_itxt(key, value)
            out = path.with_name("changed.png")
            image.save(out, pnginfo=info)
        return out

    def model(self, of="mini-turbo"):
        folder = self.folder / "model"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(MODELS / of, folder)
        return folder

    def change(self, file, **changes):
        file.write_text(json.dumps(json.loads(file.read_text()) | changes))


class Terminal(HostileTest):
    def test_a_pictures_record(self):
        path = self.set_of("--method", "none") / "0000.png"
        for key in ("gass", "machine", "fingerprint"):
            with self.subTest(key):
                changed = self.changed_record(path, lambda record: record.update({key: EVIL}))
                result = self.assert_clean(run("reproduce", changed))
                self.assertIn(rb"\x1b]0;owned\x07", result.stdout)
                json.loads(self.assert_clean(run("reproduce", changed, "--json")).stdout)

    def test_what_inspect_shows(self):
        text = self.folder / "x.json"
        text.write_text(json.dumps({"a": EVIL}, ensure_ascii=False))
        result = self.assert_clean(run("inspect", text))
        self.assertEqual(json.loads(result.stdout), {"a": EVIL})
        png = picture(self.folder / "x.png", parameters=EVIL, other=EVIL)
        self.assert_clean(run("inspect", png))
        self.assertEqual(json.loads(self.assert_clean(run("inspect", png, "--json")).stdout)["text"]["other"], EVIL)

    def test_names_of_an_evaluation(self):
        suite = {
            "title": "t", "models": {"m": {"name": "M" + EVIL, "settings": {"model": "mini-turbo", "steps": 2, "images": 2, "width": 64, "height": 64}}},
            "methods": {"none": {"name": "N" + EVIL, "method": "none"}}, "baseline": "none", "prompts": {"list": ["a car"]},
            "metrics": {"v": {"name": "V" + EVIL, "metric": "vendi", "encoder": "mini-clip"}},
            "tables": {"t": {"title": "T" + EVIL, "layout": "methods", "models": ["m"], "methods": ["none"], "metrics": ["v"]}},
        }
        file = self.folder / "suite.json"
        file.write_text(json.dumps(suite))
        self.assert_clean(run("eval", file, "-o", self.folder / "run"))

    def test_a_file_name_cannot_pass_for_a_message(self):
        name = "x\ngass: error: [disk] it is full"
        (self.folder / name).write_text("no picture")
        result = run("inspect", self.folder / name)
        self.assertEqual(result.returncode, 3)
        lines = result.stderr.decode().splitlines()
        self.assertEqual([line for line in lines[1:] if not line.startswith(" ")], [])

    def test_names_that_are_not_utf_8(self):
        folder = self.folder / os.fsdecode(b"caf\xe9")
        folder.mkdir()
        picture(folder / "a.png")
        picture(folder / "b.png")
        json.loads(self.assert_ok(run("measure", folder, "--metrics", "vendi", "--encoder", "pixels", "--json")))
        self.assert_error(run("generate", "--print-config", "-m", os.fsdecode(b"caf\xe9")), 2, "UTF-8")


class MemoryAndTime(HostileTest):
    def test_a_picture_of_enormous_chunks(self):
        """8 GB of them, without a byte on the disk."""
        path = self.folder / "a.png"
        size = 2**31 - 1
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)))
            for _ in range(4):
                file.write(struct.pack(">I", size) + b"juNk")
                file.seek(size + 4, os.SEEK_CUR)
            file.write(chunk(b"IDAT", zlib.compress(b"\0\0\0\0")) + chunk(b"IEND"))
        for command in (("measure", path, "--metrics", "vendi", "--encoder", "pixels", "--no-cache"), ("inspect", path)):
            result = run(*command, preexec_fn=at_most(600_000_000))
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertNotIn(b"memory", result.stderr)

    def test_many_pieces_of_text(self):
        path = self.folder / "a.png"
        text = chunk(b"tEXt", b"k\0v") * 100_000
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) + text +
                         chunk(b"IDAT", zlib.compress(b"\0\0\0\0")) + chunk(b"IEND"))
        self.assert_error(run("measure", path, "--metrics", "vendi", "--encoder", "pixels"), 3, "a.png")

    def test_a_terabyte_that_is_no_picture(self):
        path = self.folder / "a.png"
        with open(path, "wb") as file:
            file.truncate(2**40)
        # Who reads it is ended as one that hangs.
        self.assert_error(run("measure", path, "--metrics", "vendi", "--encoder", "pixels"), 3, "a.png")
        with open(path, "r+b") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
        self.assert_error(run("measure", path, "--metrics", "vendi", "--encoder", "pixels"), 3, "bytes; at most")

    def test_many_fields(self):
        fields = ", ".join(f"Key {i}: v" for i in range(80_000))
        path = picture(self.folder / "a.png", parameters="a prompt\n" + fields)
        shown = json.loads(self.assert_ok(run("inspect", path, "--json")))
        self.assertEqual(len(shown["parameters"]["fields"]), 80_000)

    def test_statistics_that_unpack_to_gigabytes(self):
        path = self.folder / "s.npz"
        with open(path, "wb") as file:
            np.savez_compressed(file, mu=np.zeros(13_000), sigma=np.zeros((13_000, 13_000)))
        picture(self.folder / "a.png")
        result = run("measure", self.folder / "a.png", "--metrics", "fid", "--reference", path, preexec_fn=at_most(900_000_000))
        self.assert_error(result, 3, "the arrays claim more than")

    def test_a_config_of_many_unknown_keys(self):
        folder = self.model()
        self.change(folder / "transformer" / "config.json", **{f"unknown_{i}": 0 for i in range(50_000)})
        result = run("generate", "-p", "a car", "-m", folder, *TINY[2:], "--method", "none", "-o", self.folder / "out")
        self.assert_ok(result)
        self.assertIn(b"and 49990 more", result.stderr)
        self.assertLess(len(result.stderr), 2000)


class WrongResults(HostileTest):
    def test_pictures_of_numbers_that_are_none(self):
        folder = self.model()
        self.change(folder / "vae" / "config.json", scaling_factor=1e-300)
        out = self.folder / "out"
        self.assert_error(run("generate", "-p", "a car", "-m", folder, *TINY[2:], "--method", "none", "-o", out), 1, "autoencoder", "not finite")
        self.assertFalse(out.exists())

    def test_a_token_that_the_encoder_does_not_know(self):
        folder = self.model("mini-unet")
        vocabulary = json.loads((folder / "tokenizer" / "vocab.json").read_text())
        token = next(iter(vocabulary))
        (folder / "tokenizer" / "vocab.json").write_text(json.dumps(vocabulary | {token: 999_999}))
        self.assert_error(run("models", "verify", folder), 3, "999999")
        self.assert_error(run("generate", "-p", "a car", "-m", folder, *TINY[2:], "-o", self.folder / "out"), 3, "999999")

    def test_volumes_of_rows_of_any_length(self):
        rows = np.random.default_rng(1).normal(size=(6, 12))
        values = []
        for scale in (1.0, 1e-300, 1e155):
            np.save(self.folder / "f.npy", rows * scale)
            shown = json.loads(self.assert_ok(run("measure", "--features", self.folder / "f.npy", "--metrics", "hypervolume", "--json")))
            values.append(shown["results"][0]["value"])
        np.testing.assert_allclose(values, values[0], rtol=1e-9)


class NamesFromOutside(HostileTest):
    def test_a_suite_takes_nothing_from_outside_of_its_folder(self):
        (self.folder / "secret.txt").write_text("a secret prompt")
        (self.folder / "suites").mkdir()
        suite = self.folder / "suites" / "s.json"
        for name in ("../secret.txt", str(self.folder / "secret.txt")):
            with self.subTest(name):
                suite.write_text(json.dumps({
                    "title": "t", "models": {"m": {"name": "M", "settings": {"model": "mini-turbo"}}},
                    "methods": {"none": {"name": "N", "method": "none"}}, "baseline": "none", "prompts": {"file": name},
                    "metrics": {"v": {"name": "V", "metric": "vendi", "encoder": "mini-clip"}}}))
                result = run("eval", suite, "--dry-run")
                self.assert_error(result, 3, "prompts.file", "leads out")
                self.assertNotIn(b"a secret", result.stderr)

    def test_a_record_opens_pictures_only(self):
        path = self.set_of("--method", "none") / "0000.png"
        secret = self.folder / "secret"
        secret.write_text("do not show this")
        for name in (str(secret), "/dev/zero", "/etc/passwd"):
            with self.subTest(name):
                changed = self.changed_record(path, lambda record: (record.update(shield=[name]), record["settings"].update(method="spell")))
                result = run("reproduce", changed)
                self.assert_error(result, 3, "changed.png, gass", name)
                self.assertNotIn(b"do not show", result.stderr)

    def test_a_record_that_asks_for_the_impossible(self):
        path = self.set_of("--method", "none") / "0000.png"
        for settings in ({"method": "nothing"}, {"width": 65536}, {"width": 12}, {"vary": "a|b"}, {"dtype": "fp16"}, {"sampling_method": "no"}):
            with self.subTest(settings):
                changed = self.changed_record(path, lambda record: record["settings"].update(settings))
                self.assert_error(run("reproduce", changed), 3, "changed.png, gass")
        # What the user asks for is the user's own affair.
        self.assert_error(run("reproduce", path, "--method", "nothing"), 2, "nothing")


if __name__ == "__main__":
    unittest.main()
