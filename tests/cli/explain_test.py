"""gass explain, on small records made by hand."""

import json
import random
import struct
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

from support import GassTest, run

SVG = "{http://www.w3.org/2000/svg}"


def png(color, side=8):
    """A small picture of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes(color) * side) * side
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def candidate(seed, along, across, reason=None):
    entry = {"seed": seed, "along": along, "across": across, "kept": reason is None}
    return entry if reason is None else {**entry, "reason": reason}


def push(step, **changes):
    return {"step": step, "time": 0.9, "kind": "push", "energies": [0.07, 0.05], "along": [0.27, 0.25],
            "target_along": [0.28, 0.25], "before": [[0.1, 0.4], [0.2, 0]], "target": [[0.15, 0.4], [0.2, 0]],
            "latent_move": [0.06, 0.0], "unmoved": [{"image": 1, "reason": "it stands at or beyond its place already"}],
            "seconds": 0.25, **changes}


def group(**changes):
    return {"prompt": "a red car", "settings": {"model": "mini-flow", "method": "gass:strength=0.5,push=on"},
            "images": [{"file": "0000.png", "seed": 42, "prompt": "a red car"},
                       {"file": "0001.png", "seed": 45, "prompt": "a red car"}],
            "spread": {"vendi": 1.9, "pairwise": 0.5, "spp": 0.12, "d_dep": 0.02, "d_ind": 0.1, "clip_score": 0.38,
                       "along": [0.39, 0.38], "across": [-0.25, 0.2]},
            "method_steps": [
                {"kind": "select", "step": 11, "time": 0.74, "seconds": 0.6, "candidates": [
                    candidate(42, 0.31, -0.1), candidate(43, 0.34, -0.4, "adds less volume than others"),
                    candidate(44, 0.29, 0.3, "matches the prompt less than others"), candidate(45, 0.33, None)]},
                push(0), push(1)], **changes}


class Explain(GassTest):
    def setUp(self):
        super().setUp()
        for index, color in enumerate([(200, 30, 30), (30, 30, 200)]):
            (self.folder / f"{index:04}.png").write_bytes(png(color))

    def write(self, content):
        path = self.folder / "group.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def texts(self, path):
        return [element.text for element in ElementTree.parse(path).iter(SVG + "text")]

    def test_summary_and_drawing(self):
        self.write(group())
        text = self.assert_ok(run("explain", self.folder))
        for part in ("SPP 0.120", "Vendi 1.90 of 2", "2 of 4 candidates kept", "1: adds less volume than others",
                     "1: matches the prompt less than others", "1 of 2",
                     "image 1 (seed 45) did not move at steps 0–1: it stands at or beyond its place already",
                     str(self.folder / "explain.svg")):
            self.assertIn(part, text)
        texts = self.texts(self.folder / "explain.svg")
        for part in ("a red car", "mini-flow · method gass, strength 0.5", "Selection at step 11: 2 of 4 kept",
                     "Push at step 0, the first of 2", "Push at step 1, the last", "The 2 finished images"):
            self.assertIn(part, texts)
        images = list(ElementTree.parse(self.folder / "explain.svg").iter(SVG + "image"))
        self.assertEqual(len(images), 2)
        self.assertTrue(images[0].get("href").startswith("data:image/png;base64,"))

    def test_json(self):
        summary = json.loads(self.assert_ok(run("explain", "--json", self.write(group()))))
        self.assertEqual(summary["selections"][0]["kept"], 2)
        self.assertEqual(summary["steps"][0]["latent_move"], {"mean": 0.03, "max": 0.06})
        self.assertEqual(summary["steps"][1]["unmoved"][0]["seed"], 45)
        self.assertEqual(summary["file"], str(self.folder / "explain.svg"))

    def test_png(self):
        output = self.folder / "drawing.png"
        self.write(group())
        for _ in range(2):  # ours may be replaced
            self.assert_ok(run("explain", self.folder, "-o", output))
        info = json.loads(self.assert_ok(run("inspect", "--json", output)))
        self.assertEqual(info["text"], {"Software": "gass explain"})
        self.assertGreater(info["width"], 1000)

    def test_the_paper_s_method(self):
        axis = {"before": [0.4, None], "target": [0.41, None], "after": [0.405, None]}
        step = {"step": 6, "dependent": axis, "independent": axis, "latent_move": [0.001, 0], "iterations": 4,
                "unmoved": [{"image": 1, "reason": "its embedding was not finite"}], "seconds": 0.6}
        text = self.assert_ok(run("explain", self.write(group(method_steps=[step]))))
        self.assertRegex(text, r"expansion +6")
        self.assertIn("Expansion at step 6", self.texts(self.folder / "explain.svg"))

    def test_files_of_others_stay(self):
        self.write(group())
        for name in ("mine.svg", "mine.png"):
            (self.folder / name).write_text("<svg>mine</svg>")
            self.assert_error(run("explain", self.folder, "-o", self.folder / name), 2, "choose another name")
            self.assertEqual((self.folder / name).read_text(), "<svg>mine</svg>")
        self.assert_error(run("explain", self.folder, "-o", self.folder / "0000.png"), 2, "choose another name")
        self.assert_error(run("explain", self.folder, "-o", self.folder / "x.pdf"), 2, ".svg or .png")
        (self.folder / "link.svg").symlink_to(self.folder / "nowhere")
        self.assert_error(run("explain", self.folder, "-o", self.folder / "link.svg"), 2, "choose another name")
        self.assert_error(run("explain", self.folder, "-o", self.folder / "no" / "x.svg"), 1)

    def test_nothing_to_explain(self):
        plain = group()
        del plain["spread"], plain["method_steps"]
        self.assert_error(run("explain", self.write(plain)), 2, "tells nothing of a method")
        self.assert_error(run("explain"), 2, "GROUP")
        self.assertFalse((self.folder / "explain.svg").exists())

    def test_missing_and_damaged_files(self):
        self.assert_error(run("explain", self.folder / "nowhere"), 3)
        self.assert_error(run("explain", self.folder), 3, "group.json")
        for content in ("", "{", "\x00", "[1]", '"text"', "{\"spread\": 3}", "{\"spread\": {}}", "[" * 1000):
            self.assert_error(run("explain", self.write(content)), 3, "group.json")
        for changes in ({"images": [{}]}, {"images": 4}, {"settings": []}, {"method_steps": [3]},
                        {"method_steps": [push(0, along=[0.1])]}, {"method_steps": [push(0, before=[0.1, 0.2])]},
                        {"method_steps": [push(0, latent_move=[0.1])]}, {"method_steps": [push(-1)]},
                        {"spread": {"along": [0.1], "across": [0.2]}},
                        {"images": [{"file": "/etc/passwd", "seed": 1}, {"file": "a", "seed": 1}]}):
            self.assert_error(run("explain", self.write(group(**changes))), 3, "group.json")

    def test_missing_pictures_are_grey(self):
        (self.folder / "0000.png").unlink()
        (self.folder / "0001.png").write_bytes(b"no picture")
        self.write(group())
        result = run("explain", self.folder)
        self.assert_ok(result)
        self.assertIn(b"0001.png", result.stderr)
        drawing = ElementTree.parse(self.folder / "explain.svg")
        self.assertEqual(list(drawing.iter(SVG + "image")), [])
        self.assertEqual(len([e for e in drawing.iter(SVG + "polygon") if e.get("fill") == "#dededc"]), 2)

    def test_numbers_that_are_none(self):
        nothing = [None, None]
        changes = {"spread": {"vendi": None, "along": nothing, "across": nothing},
                   "method_steps": [push(0, along=nothing, energies=[None], latent_move=nothing, time=None),
                                    push(1, before=[[], []], target=[[], []], energies=[]),
                                    {"kind": "push", "step": 2, "time": 0.5, "skipped": "an embedding is not finite"}]}
        text = self.assert_ok(run("explain", self.write(group(**changes))))
        self.assertIn("step 2 was skipped: an embedding is not finite", text)
        self.assert_ok(run("explain", self.write(json.dumps(group()).replace("0.31", "NaN"))))

    def test_hostile_prompt(self):
        prompt = "</text><script>alert('1')</script> & ]]> \u001b[2J \uffff " + "x" * 5000
        text = self.assert_ok(run("explain", self.write(group(prompt=prompt))))
        self.assertNotIn("\x1b", text)
        drawing = ElementTree.parse(self.folder / "explain.svg")
        self.assertEqual(list(drawing.iter(SVG + "script")), [])

    def test_a_hundred_thousand_candidates(self):
        draw = random.Random(1)
        many = [candidate(seed, draw.gauss(0.3, 0.05), draw.gauss(0, 0.2), "adds less volume than others" if seed % 100 else None)
                for seed in range(100_000)]
        self.write(group(method_steps=[{"kind": "select", "step": 1, "candidates": many}]))
        self.assertIn("1000 of 100000 candidates kept", self.assert_ok(run("explain", self.folder)))
        self.assertLess((self.folder / "explain.svg").stat().st_size, 12e6)


if __name__ == "__main__":
    unittest.main()
