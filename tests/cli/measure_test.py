"""`gass measure` as a user types it: what it is given, and what it answers."""

import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np
import support
from measure_support import ENCODER, METRICS, MeasureTest, picture, save_pictures
from PIL import Image


class Answers(MeasureTest):
    def test_json(self):
        save_pictures(self.pictures, 6)
        answer = self.measured(self.pictures, "--metrics", "vendi,pairwise,mss,hypervolume")
        self.assertEqual([one["metric"] for one in answer["results"]], ["vendi", "pairwise", "mss", "hypervolume"])
        self.assertEqual(answer["images"], 6)
        self.assertEqual(answer["unreadable"], [])
        for one in answer["results"]:
            self.assertEqual(one["n"], 6)
            self.assertEqual(one["encoder"], "mini-clip")
            self.assertRegex(one["weights"], r"^[0-9a-f]{32}$")
            self.assertTrue(one["preprocessing"])
            self.assertIn("interval", one)
        vendi, pairwise, mss, _ = (one["value"] for one in answer["results"])
        self.assertTrue(1 < vendi < 6)
        self.near(mss, (6 + 30 * pairwise) / 36)

    def test_csv_and_table_say_the_same(self):
        save_pictures(self.pictures, 5)
        arguments = (self.pictures, "--metrics", "vendi,pairwise")
        results = self.measured(*arguments)["results"]
        rows = list(csv.DictReader(io.StringIO(self.assert_ok(self.measure(*arguments, "--csv")))))
        self.assertEqual([row["metric"] for row in rows], ["vendi", "pairwise"])
        for row, one in zip(rows, results, strict=True):
            self.near(float(row["value"]), one["value"])
            self.assertEqual(row["encoder"], "mini-clip")
            self.assertEqual(int(row["n"]), 5)
        table = self.assert_ok(self.measure(*arguments))
        for one in results:
            self.assertIn(one["metric"], table)
            self.assertIn(f"{one['value']:.5g}", table)
        self.assertIn("mini-clip", table)

    def test_groups_and_images_in_csv_and_table(self):
        for i, name in enumerate(("a", "b", "c")):
            save_pictures(self.pictures / name, 3 + i, seed=i)
        places = [self.pictures / name for name in ("a", "b", "c")]
        arguments = (*places, "--metrics", "clip_score,vendi,spp", "--prompt", "a dog")
        clip, vendi, spp = self.measured(*arguments)["results"]
        self.assertEqual([group["name"] for group in clip["groups"]], ["a", "b", "c"])
        alone = self.result(places[1], *arguments[3:], metric="spp")
        self.near(spp["groups"][1]["d_dep"], alone["d_dep"])
        self.assertEqual(spp["groups"][1]["interval"], alone["interval"])
        self.assertEqual(len(clip["per_image"]), 12)
        self.assertNotIn("per_image", vendi)
        first = clip["per_image"][0]
        self.assertEqual((first["file"], first["group"]), (str(places[0] / "000.png"), "a"))
        self.near(first["value"], self.value(places[0] / "000.png", "--metrics", "clip_score", "--prompt", "a dog"), 1e-4)
        self.near(np.mean([one["value"] for one in clip["per_image"] if one["group"] == "c"]), clip["groups"][2]["value"])

        text = self.assert_ok(self.measure(*arguments, "--csv"))
        self.assertNotIn("\\x0d", text)
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([(row["metric"], row["group"]) for row in rows if row["metric"] == "vendi"], [("vendi", name) for name in ("", "a", "b", "c")])
        self.near(float(rows[2]["value"]), clip["groups"][1]["value"])
        self.assertIn(f"d_dep={spp['groups'][1]['d_dep']}", rows[-2]["parameters"])
        self.assertTrue(all(row["file"] == "" for row in rows))
        rows = list(csv.DictReader(io.StringIO(self.assert_ok(self.measure(*arguments, "--csv", "--per-image")))))
        self.assertEqual({row["file"]: float(row["value"]) for row in rows if row["file"]}, {one["file"]: one["value"] for one in clip["per_image"]})

        plain = self.assert_ok(self.measure(*arguments))
        self.assertRegex(plain, rf"GROUP +IMAGES +CLIP_SCORE +VENDI +SPP\na +3 +{clip['groups'][0]['value']:.5g} ")
        self.assertNotIn("000.png", plain)
        full = self.assert_ok(self.measure(*arguments, "--per-image"))
        self.assertRegex(full, rf"IMAGE +GROUP +CLIP_SCORE\n{first['file']} +a +{first['value']:.5g}\n")
        self.assertNotIn("GROUP", self.assert_ok(self.measure(places[0], "--metrics", "vendi")))
        without = self.measure(places[0], "--metrics", "vendi", "--per-image")
        self.assert_ok(without)
        self.assertIn(b"clip_score, clip_score_w, lpips, image_reward", without.stderr)

    def test_many_groups_are_cut_off_for_people(self):
        for i in range(43):
            save_pictures(self.pictures / f"{i:02}", 1, seed=i)
        arguments = (self.pictures, "--metrics", "vendi", "--encoder", "pixels")
        table = self.assert_ok(self.measure(*arguments))
        self.assertIn("\n39 ", table)
        self.assertNotIn("\n40 ", table)
        self.assertIn("and 3 more: --csv and --json have all", table)
        self.assertEqual(len(self.assert_ok(self.measure(*arguments, "--csv")).splitlines()), 1 + 1 + 43)

    def test_intervals_stay_in_the_range(self):
        """Of pictures that are nearly alike, whose spread is hardly more than nothing."""
        save_pictures(self.pictures, 1)
        for i in range(6):
            image = Image.open(self.pictures / "000.png")
            image.putpixel((i, 0), (0, 0, 0))
            image.save(self.pictures / f"{i + 1:03}.png")
        for one in self.measured(self.pictures, "--metrics", "spp,d_dep,d_ind,vendi,pairwise,mss", "--prompt", "a dog")["results"]:
            low, high = {"spp": (0, 4), "d_dep": (0, 2), "d_ind": (0, 2), "vendi": (1, 7), "pairwise": (-1, 1), "mss": (0, 1)}[one["metric"]]
            self.assertGreaterEqual(one["interval"][0], low, one["metric"])
            self.assertLessEqual(one["interval"][1], high, one["metric"])

    def test_csv_keeps_odd_names_whole(self):
        folder = self.folder / 'a "b", c'
        save_pictures(folder / "x,y", 3)
        save_pictures(folder / 'q"q', 3, seed=1)
        text = self.assert_ok(self.measure(folder, "--metrics", "vendi", "--csv"))
        lengths = {len(row) for row in csv.reader(io.StringIO(text))}
        self.assertEqual(len(lengths), 1, text)

    def test_orders(self):
        features = self.random_rows(20, 8)
        results = self.measured("--features", features, "--metrics", "vendi", "--order", "0.5,1,2,inf")["results"]
        self.assertEqual([str(one["order"]) for one in results], ["0.5", "1", "2", "inf"])
        values = [one["value"] for one in results]
        self.assertEqual(sorted(values, reverse=True), values)
        self.assertEqual(len(set(values)), 4)
        rows = np.load(features).astype(float)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        weights = np.linalg.eigvalsh(rows.T @ rows / len(rows))
        for value, wanted in zip(values, (np.sqrt(weights).sum() ** 2, np.exp(-(weights * np.log(weights)).sum()),
                                          1 / (weights**2).sum(), 1 / weights.max()), strict=True):  # fmt: skip
            self.near(value, wanted)
        for order in ("", "-1", "x", "1,,2", "nan", "0x"):
            self.assert_error(self.measure("--features", features, "--metrics", "vendi", "--order", order), 2, "--order")

    def test_interval(self):
        save_pictures(self.pictures / "a", 8)
        save_pictures(self.pictures / "b", 8, seed=1)
        save_pictures(self.pictures / "c", 8, seed=2)
        one = self.result(self.pictures, "--metrics", "vendi", "--bootstrap", "200")
        low, high = one["interval"]
        self.assertLess(low, high)
        self.assertTrue(low <= one["value"] <= high, one)
        again = self.result(self.pictures, "--metrics", "vendi", "--bootstrap", "200")
        self.assertEqual(one, again)  # the same seed

    def test_spp_has_its_parts(self):
        save_pictures(self.pictures, 10)
        one = self.result(self.pictures, "--prompt", "a red car", "--metrics", "spp")
        self.near(one["value"], one["d_dep"] + one["d_ind"])
        self.assertGreater(one["d_ind"], 0)
        self.assertEqual(one["draws"], 16)
        arguments = (self.pictures, "--prompt", "a red car", "--metrics", "spp")
        other = self.result(*arguments, "--metric-seed", "1")
        self.assertNotEqual(other["d_ind"], one["d_ind"])
        self.assertEqual(other["d_dep"], one["d_dep"])
        self.assertEqual(self.result(*arguments), one)
        self.assertEqual(self.result(*arguments, "--draws", "2")["draws"], 2)

    def test_several_encoders(self):
        save_pictures(self.pictures, 4, size=(128, 128))
        results = self.measured(self.pictures, "--metrics", "vendi", "--encoder", "mini-clip,mini-judge,pixels")["results"]
        self.assertEqual([one["encoder"] for one in results], ["mini-clip", "mini-judge", "pixels"])
        self.assertEqual(len({one["value"] for one in results}), 3)
        self.assertNotEqual(results[0]["weights"], results[1]["weights"])
        self.assertNotEqual(results[0]["preprocessing"], results[1]["preprocessing"])

    def test_resize_first(self):
        save_pictures(self.pictures, 4, size=(96, 70))
        arguments = (self.pictures, "--metrics", "pairwise", "--encoder", "mini-clip")
        plain, first = self.result(*arguments), self.result(*arguments, "--resize-first", "256")
        self.assertNotEqual(plain["value"], first["value"])
        self.assertNotEqual(plain["preprocessing"], first["preprocessing"])
        done = self.folder / "done"
        done.mkdir()
        for file in self.pictures.iterdir():
            Image.open(file).resize((256, 256), Image.LANCZOS).save(done / file.name)
        self.near(first["value"], self.value(done, "--metrics", "pairwise"), 1e-4)

    def test_the_machine_does_not_matter(self):
        save_pictures(self.pictures, 7, size=(80, 64))
        arguments = (self.pictures, "--metrics", "vendi", "--no-cache")
        values = [self.value(*arguments, *more) for more in ((), ("--threads", "1"), ("--max-batch", "2"), ("--device", "cpu"))]
        for value in values:
            self.near(value, values[0], 1e-4)


class Inputs(MeasureTest):
    def test_files_globs_and_folders(self):
        files = save_pictures(self.pictures, 4)
        save_pictures(self.pictures, 2, seed=1, kind="jpg")
        value = lambda *images: self.value(*images, "--metrics", "pairwise")
        self.near(value(*files), value(self.pictures / "*.png"))
        self.assertNotEqual(value(self.pictures), value(self.pictures / "*.png"))
        self.assertEqual(self.measured(self.pictures, "--metrics", "vendi")["images"], 6)
        self.assertEqual(self.measured(self.pictures / "00[01].*", "--metrics", "vendi")["images"], 4)
        inside = self.measured("*.png", "--metrics", "vendi", cwd=self.pictures)
        self.assertEqual(inside["images"], 4)

    def test_webp(self):
        """In folders, alone, as the reference and by `gass features`: what Pillow reads is what is measured."""
        webp, png = self.pictures / "webp", self.pictures / "png"
        for file in save_pictures(webp, 5, kind="webp"):
            png.mkdir(exist_ok=True)
            Image.open(file).save(png / f"{file.stem}.png")
        for arguments in ((webp,), (webp / "*.webp",), sorted(webp.iterdir())):
            one = self.result(*arguments, "--metrics", "vendi")
            self.assertEqual(one["n"], 5)
            self.near(one["value"], self.value(png, "--metrics", "vendi"))
        self.assertEqual(self.result(webp / "000.webp", "--metrics", "clip_score", "--prompt", "a dog")["n"], 1)
        reference = ("--metrics", "precision,coverage", "--k", "2", "--reference")
        both = [self.measured(png, *reference, folder)["results"] for folder in (webp, png)]
        self.assertEqual([one["value"] for one in both[0]], [one["value"] for one in both[1]])
        self.assertEqual(both[0][0]["reference_n"], 5)
        np.testing.assert_array_equal(self.features(webp), self.features(png))
        shown = json.loads(self.assert_ok(self.gass("inspect", webp / "000.webp", "--json")))
        self.assertEqual((shown["format"], shown["width"], shown["height"]), ("webp", 64, 64))

    def test_a_name_like_a_glob(self):
        file = save_pictures(self.folder / "a", 3)[0]
        odd = file.with_name("b[1]*.png")
        shutil.copy(file, odd)
        self.assertEqual(self.measured(odd, file.with_name("001.png"), "--metrics", "pairwise")["images"], 2)

    def test_groups(self):
        save_pictures(self.pictures / "dog", 4)
        save_pictures(self.pictures / "cat", 6, seed=1)
        one = self.result(self.pictures, "--metrics", "vendi")
        groups = {group["name"]: group for group in one["groups"]}
        self.assertEqual(set(groups), {"dog", "cat"})
        self.assertEqual((groups["dog"]["n"], groups["cat"]["n"]), (4, 6))
        alone = {name: self.value(self.pictures / name, "--metrics", "vendi") for name in groups}
        for name, value in alone.items():
            self.near(groups[name]["value"], value)
        self.near(one["value"], np.mean(list(alone.values())))
        spread = [np.std(list(alone.values()), ddof=ddof) for ddof in (0, 1)]
        self.assertTrue(any(abs(one["std"] - wanted) < 1e-5 for wanted in spread), (one["std"], spread))
        pooled = self.value(self.pictures, "--metrics", "vendi", "--pooled")
        together = self.value(*self.pictures.glob("*/*.png"), "--metrics", "vendi", "--pooled")
        self.near(pooled, together)
        self.assertNotEqual(pooled, one["value"])

    def test_the_class_names_the_prompt(self):
        for i, name in enumerate(("red car", "dog")):
            save_pictures(self.pictures / name, 3, seed=i)
        one = self.result(self.pictures, "--metrics", "clip_score", "--prompt", "A photo of a {class}.")
        for group in one["groups"]:
            alone = self.value(self.pictures / group["name"], "--metrics", "clip_score", "--prompt", f"A photo of a {group['name']}.")
            self.near(group["value"], alone, 1e-4)
        self.assertNotEqual(one["groups"][0]["value"], one["groups"][1]["value"])

    def test_a_set_of_gass_knows_its_prompt(self):
        folder = self.folder / "set"
        made = self.gass("generate", "-p", "a red car", "-n", "3", "--steps", "2", "--method", "none", "-o", folder)
        self.assert_ok(made)
        known = self.result(folder, "--metrics", "clip_score")
        self.assertEqual(known["n"], 3)  # its sheet is no image of the set
        given = self.value(folder / "000*.png", "--metrics", "clip_score", "--prompt", "a red car")
        self.near(known["value"], given)
        other = self.value(folder, "--metrics", "clip_score", "--prompt", "a green tree")
        self.assertNotEqual(other, given)

    def test_no_prompt(self):
        save_pictures(self.pictures, 3)
        self.assert_error(self.measure(self.pictures, "--metrics", "clip_score"), 2, "prompt")

    def texts(self):
        files = save_pictures(self.pictures, 4)
        prompts = ["a red car", "a dog", "a red car", "a dog"]
        by_prompt = [np.mean([self.value(file, "--metrics", "clip_score", "--prompt", prompt)
                              for file, one in zip(files, prompts, strict=True) if one == prompt])
                     for prompt in ("a red car", "a dog")]  # fmt: skip
        return files, prompts, float(np.mean(by_prompt))

    def test_manifests(self):
        files, prompts, wanted = self.texts()
        pairs = list(zip(files, prompts, strict=True))
        lines = self.pictures / "metadata.jsonl"
        lines.write_text("".join(json.dumps({"file_name": file.name, "text": text}) + "\n" for file, text in pairs))
        table = self.pictures / "list.csv"
        table.write_text("file_name,text\n" + "".join(f'{file.name},"{text}"\n' for file, text in pairs))
        for manifest in (lines, table):
            with self.subTest(manifest.name):
                one = self.result(manifest, "--metrics", "clip_score")
                self.assertEqual(one["n"], 4)
                self.near(one["value"], wanted, 1e-4)

    def test_bad_manifests(self):
        save_pictures(self.pictures, 2)
        for name, text in (
            ("a.jsonl", '{"file_name": "000.png"'), ("b.jsonl", "[1, 2]\n"), ("c.jsonl", '{"text": "no file"}\n'),
            ("d.csv", "name,words\n000.png,a\n"), ("e.csv", 'file_name,text\n"000.png,a\n'), ("f.jsonl", '{"file_name": 3}\n'),
            ("g.csv", ""), ("h.jsonl", "\n"),
        ):  # fmt: skip
            with self.subTest(name):
                (self.pictures / name).write_text(text)
                result = self.measure(self.pictures / name, "--metrics", "vendi")
                self.assertIn(result.returncode, (2, 3))
                self.assert_error(result, result.returncode, name)

    def test_manifest_of_a_missing_file(self):
        save_pictures(self.pictures, 3)
        manifest = self.pictures / "m.jsonl"
        names = ("000.png", "absent.png", "001.png", "002.png")
        manifest.write_text("".join(json.dumps({"file_name": name, "text": "a dog"}) + "\n" for name in names))
        answer = self.measure(manifest, "--metrics", "vendi", "--json")
        self.assertIn(answer.returncode, (3, 5))
        self.assertIn("absent.png", answer.stderr.decode())

    def test_prompt_files(self):
        files, prompts, wanted = self.texts()
        named = self.folder / "named.txt"
        named.write_text("".join(f"{file.name}\t{text}\n" for file, text in reversed(list(zip(files, prompts, strict=True)))))
        plain = self.folder / "plain.txt"
        plain.write_text("".join(f"{text}\n" for text in prompts))
        for prompt_file in (named, plain):
            with self.subTest(prompt_file.name):
                self.near(self.value(self.pictures, "--metrics", "clip_score", "--prompt-file", prompt_file), wanted, 1e-4)
        plain.write_text("one\ntwo\n")
        result = self.measure(self.pictures, "--metrics", "clip_score", "--prompt-file", plain)
        self.assertIn(result.returncode, (2, 3))
        self.assert_error(result, result.returncode, "--prompt-file", "2 lines for 4 images")
        self.assert_error(self.measure(self.pictures, "--metrics", "clip_score", "--prompt-file", plain, "--prompt", "x"), 2, "--prompt")

    def test_a_model_that_makes_images_is_of_no_importance(self):
        save_pictures(self.pictures, 2)
        environment = {"GASS_MODEL": "no/such-model"}
        self.assert_ok(self.measure(self.pictures, "--metrics", "vendi", environment=environment))
        self.assert_ok(self.gass("features", self.pictures, "--encoder", "mini-clip", "-o", self.folder / "f.npy", environment=environment))

    def test_mixed_sizes_and_kinds(self):
        """Grey, with a palette, with 16 bits a channel, very long: what Pillow shows in RGB is what is measured."""
        self.pictures.mkdir()
        odd = {"grey": picture(1).convert("L"), "palette": picture(2).convert("P"), "tiny": picture(3, 1, 1), "thin": picture(4, 3, 150),
               "wide": picture(5, 300, 20), "big": picture(6, 700, 500)}  # fmt: skip
        plain = self.folder / "plain"
        plain.mkdir()
        for name, image in odd.items():
            image.save(self.pictures / f"{name}.png")
            image.convert("RGB").save(plain / f"{name}.png")
        ours, wanted = (self.features(folder) for folder in (self.pictures, plain))
        self.assertEqual(ours.shape, (6, 256))
        np.testing.assert_allclose(ours, wanted, rtol=1e-5, atol=1e-6)

    def features(self, *images):
        out = self.folder / "out.npy"
        self.assert_ok(self.gass("features", *images, *ENCODER, "-o", out))
        return np.load(out)

    def test_a_very_wide_picture(self):
        files = save_pictures(self.pictures, 2)
        picture(1, 20000, 24).save(self.pictures / "wide.png")
        answer = self.measured(self.pictures, "--metrics", "pairwise")
        self.assertEqual(answer["images"], 3)
        self.assertEqual(self.features(self.pictures).shape, (3, 256))
        self.assertEqual(len(files), 2)

    def test_turned_by_exif(self):
        """Phones store pictures lying down. The reference pipelines read what is stored, and so does this."""
        self.pictures.mkdir()
        image = picture(1, 96, 64)
        exif = Image.Exif()
        exif[0x0112] = 6
        image.save(self.pictures / "turned.jpg", exif=exif, quality=95)
        image.save(self.pictures / "plain.jpg", quality=95)
        rows = self.features(self.pictures)
        np.testing.assert_allclose(rows[0], rows[1], atol=1e-5)

    def test_pooled_prompts(self):
        """Of several prompts there is no spread, and nobody asked for it."""
        for name in ("dog", "cat"):
            save_pictures(self.pictures / name, 3, seed=len(name))
        save_pictures(self.pictures / "cat", 3, seed=5)
        names = {one["metric"] for one in self.measured(self.pictures, "--pooled", "--prompt", "a {class}")["results"]}
        self.assertEqual(names, {"clip_score", "vendi", "pairwise"})
        names = {one["metric"] for one in self.measured(self.pictures, "--prompt", "a {class}")["results"]}
        self.assertEqual(names, {"spp", "clip_score", "vendi", "pairwise"})

    def test_classes_of_the_reference(self):
        for name in ("dog", "cat"):
            save_pictures(self.pictures / name, 6, seed=len(name) + ord(name[0]))
            save_pictures(self.folder / "real" / name, 7, seed=ord(name[0]))
        save_pictures(self.folder / "real" / "horse", 5, seed=9)
        arguments = ("--metrics", "density", "--k", "2", "--reference", self.folder / "real")
        both = self.result(self.pictures, *arguments)
        self.assertTrue(both["per_class"])
        self.assertEqual(both["reference_n"], 14)
        self.assertEqual(both["reference"], str(self.folder / "real"))
        one = self.result(self.pictures / "dog", *arguments)
        whole = self.result(self.pictures, *arguments, "--pooled")
        self.assertFalse(whole["per_class"])
        self.assertEqual(whole["reference_n"], 19)
        self.assertEqual((one["per_class"], one["reference_n"]), (True, 7))
        self.near(one["value"], next(group["value"] for group in both["groups"] if group["name"] == "dog"))

    def test_an_unreadable_reference(self):
        save_pictures(self.pictures, 6)
        save_pictures(self.folder / "real", 6, seed=1)
        (self.folder / "real" / "bad.png").write_text("no")
        answer = self.measured(self.pictures, "--metrics", "recall", "--k", "2", "--reference", self.folder / "real", status=5)
        self.assertEqual([pathlib.Path(one["file"]).name for one in answer["unreadable"]], ["bad.png"])
        self.assertIsNotNone(answer["results"][0]["value"])



class Interrupted(MeasureTest):
    def test_ctrl_c(self):
        # Many and large enough that it is still at work; each is another picture, so that none is known already.
        self.pictures.mkdir()
        levels = np.random.RandomState(0).randint(0, 4, (640, 640, 3), dtype=np.uint8) * 60
        for i in range(200):
            levels[0, 0] = (i % 256, 1, 2)
            Image.fromarray(levels).save(self.pictures / f"{i:03}.png", compress_level=1)
        command = [support.GASS, "measure", str(self.pictures), "--metrics", "vendi", *ENCODER, "--threads", "1", "--max-batch", "1"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"GASS_CACHE_DIR": str(self.cache)})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 30
        while not (self.cache / "features.sqlite").exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, message = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, message.decode())
        self.assertEqual(out, b"")
        self.assertEqual(len(list(self.pictures.iterdir())), 200)


class Progress(MeasureTest):
    def test_kinds(self):
        save_pictures(self.pictures, 4)
        quiet = self.measure(self.pictures, "--metrics", "vendi", "--json", "--progress", "none")
        self.assertEqual(quiet.stderr, b"")
        json.loads(self.assert_ok(quiet))
        told = self.measure(self.pictures, "--metrics", "vendi", "--json", "--no-cache", "--progress", "json")
        json.loads(self.assert_ok(told))
        lines = [json.loads(line) for line in told.stderr.decode().splitlines() if line.startswith("{")]
        self.assertTrue(lines)
        self.assert_ok(self.measure(self.pictures, "--metrics", "vendi", "--progress", "plain"))
        self.assert_error(self.measure(self.pictures, "--metrics", "vendi", "--progress", "loud"), 2, "--progress")

    def test_help_names_everything(self):
        text = self.assert_ok(self.gass("measure", "--help"))
        for part in (*METRICS, "--reference", "--features", "--prompt-file", "--order", "--inclusive", "--pooled", "--no-cache"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
