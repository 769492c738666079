"""`gass features`, features in place of pictures, and `gass cache`."""

import json
import os
import shutil
import sqlite3
import subprocess
import unittest

import numpy as np
import support
from measure_support import ENCODER, MeasureTest, picture, rows_in, save_pictures
from safetensors.numpy import load_file, save_file


class Features(MeasureTest):
    def test_formats_agree(self):
        save_pictures(self.pictures, 6)
        arrays = {}
        for name in ("a.npy", "a.safetensors", "a.npz"):
            self.assert_ok(self.gass("features", self.pictures, *ENCODER, "-o", self.folder / name))
            path = self.folder / name
            arrays[name] = load_file(path) if name.endswith("safetensors") else np.load(path)
        rows = arrays["a.npy"]
        self.assertEqual((rows.shape, rows.dtype), ((6, 256), np.float32))
        (other,) = (tensor for tensor in arrays["a.safetensors"].values() if tensor.ndim == 2)
        np.testing.assert_array_equal(rows, other)
        self.assertEqual(set(arrays["a.npz"].files), {"mu", "sigma", "count"})
        np.testing.assert_allclose(arrays["a.npz"]["mu"], rows.mean(0), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(arrays["a.npz"]["sigma"], np.cov(rows, rowvar=False), rtol=1e-4, atol=1e-7)

        direct = self.value(self.pictures, "--metrics", "vendi")
        for name in ("a.npy", "a.safetensors"):
            self.near(self.value("--features", self.folder / name, "--metrics", "vendi"), direct)

    def test_rows_are_in_the_order_of_the_files(self):
        files = save_pictures(self.pictures, 4)
        out = self.folder / "a.npy"
        self.assert_ok(self.gass("features", *reversed(files), *ENCODER, "-o", out))
        backwards = np.load(out)
        self.assert_ok(self.gass("features", *files, *ENCODER, "-o", out))
        np.testing.assert_allclose(np.load(out), backwards[::-1], rtol=1e-4, atol=1e-5)

    def test_refused(self):
        save_pictures(self.pictures, 2)
        self.assert_error(self.gass("features", self.pictures, *ENCODER), 2)
        self.assert_error(self.gass("features", self.pictures, *ENCODER, "-o", self.folder / "a.txt"), 2, "a.txt")
        result = self.gass("features", self.pictures, *ENCODER, "-o", self.folder / "absent" / "a.npy")
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse((self.folder / "a.npy").exists())
        self.assert_error(self.gass("features", self.folder / "absent.png", *ENCODER, "-o", self.folder / "a.npy"), 3, "absent.png")

    def test_statistics_as_reference(self):
        rows, other = (np.random.RandomState(i).randn(40, 6) + i for i in (0, 1))
        np.savez(self.folder / "stats.npz", mu=other.mean(0), sigma=np.cov(other, rowvar=False))
        np.savez_compressed(self.folder / "small.npz", mu=other.mean(0), sigma=np.cov(other, rowvar=False))
        features, reference = self.array(rows), self.array(other, "other.npy")
        direct = self.value("--features", features, "--reference-features", reference, "--metrics", "fid")
        for name in ("stats.npz", "small.npz"):
            self.near(self.value("--features", features, "--reference", self.folder / name, "--metrics", "fid"), direct)
        self.near(self.value("--features", features, "--reference", reference, "--metrics", "fid"), direct)
        result = self.measure("--features", features, "--reference", self.folder / "stats.npz", "--metrics", "kid")
        self.assert_error(result, 2)  # statistics have no images

    def test_singular_covariances(self):
        rows, other = (np.random.RandomState(i).randn(6, 50) for i in (0, 1))
        value = self.value("--features", self.array(rows), "--reference-features", self.array(other, "b.npy"), "--metrics", "fid")
        centred = [(each - each.mean(0)) / np.sqrt(5) for each in (rows, other)]
        trace = np.linalg.svd(centred[0] @ centred[1].T, compute_uv=False).sum()
        wanted = ((rows.mean(0) - other.mean(0)) ** 2).sum() + sum((each**2).sum() for each in centred) - 2 * trace
        self.near(value, wanted)
        same = self.value("--features", self.array(rows), "--reference-features", self.array(rows, "b.npy"), "--metrics", "fid")
        self.assertLess(abs(same), 1e-4)

    def test_text_features(self):
        rows, text = (np.random.RandomState(i).randn(5, 7) for i in (0, 1))
        value = self.value("--features", self.array(rows), "--text-features", self.array(text, "t.npy"), "--metrics", "clip_score")
        cosines = (rows * text).sum(1) / np.linalg.norm(rows, axis=1) / np.linalg.norm(text, axis=1)
        self.near(value, cosines.mean())
        weighted = self.value("--features", self.array(rows), "--text-features", self.array(text, "t.npy"), "--metrics", "clip_score_w")
        self.near(weighted, 2.5 * cosines.clip(0).mean())
        one = self.value("--features", self.array(rows), "--text-features", self.array(text[:1], "t.npy"), "--metrics", "clip_score")
        cosines = rows @ text[0] / np.linalg.norm(rows, axis=1) / np.linalg.norm(text[0])
        self.near(one, cosines.mean())

    def test_not_finite(self):
        for bad in (np.nan, np.inf, -np.inf):
            rows = np.ones((4, 3), np.float32)
            rows[2, 1] = bad
            self.assert_error(self.measure("--features", self.array(rows), "--metrics", "vendi"), 3, "features.npy")

    def test_types_and_orders_of_arrays(self):
        rows = np.random.RandomState(1).randn(12, 5).round(2)
        wanted = self.value("--features", self.array(rows), "--metrics", "vendi")
        for name, array in {"fp16": rows.astype(np.float16), "fp32": rows.astype(np.float32), "columns": np.asfortranarray(rows),
                            "big-endian": rows.astype(">f8"), "long": rows.astype(np.longdouble)}.items():  # fmt: skip
            with self.subTest(name):
                result = self.measure("--features", self.array(array), "--metrics", "vendi", "--json")
                self.assertIn(result.returncode, (0, 2, 3), result.stderr)
                if result.returncode == 0:
                    value = json.loads(result.stdout)["results"][0]["value"]
                    self.near(value, wanted, 2e-3 if name == "fp16" else 1e-5)
                else:
                    self.assertIn(name, ("big-endian", "long"))
                    self.assert_error(result, result.returncode, "features.npy")

    def test_damaged_arrays(self):
        path = self.random_rows(6, 4)
        whole = path.read_bytes()
        header = whole[:128]
        damaged = {
            "cut": whole[:-5], "empty": b"", "head only": header, "not an array": b"hello" * 40,
            "huge": header.replace(b"(6, 4)", b"(6000000000000, 4)").replace(b" " * 12 + b"\n", b"\n") + whole[128:],
            "negative": header.replace(b"(6, 4)", b"(-6, 4)").replace(b" \n", b"\n") + whole[128:], "no shape": header.replace(b"shape", b"shope") + whole[128:],
            "code": header.replace(b"(6, 4)", b"f(6,4)") + whole[128:], "version": whole[:6] + b"\x09\x00" + whole[8:],
            "long header": whole[:8] + b"\xff\xff" + whole[10:],
        }  # fmt: skip
        for name, data in damaged.items():
            with self.subTest(name):
                path.write_bytes(data)
                self.assert_error(self.measure("--features", path, "--metrics", "vendi"), 3, "features.npy")
        for array in (np.zeros(24), np.zeros((6, 2, 2)), np.zeros((0, 4)), np.zeros((4, 0)), np.array([{"a": 1}], dtype=object), np.zeros((3, 3), complex), np.array([["a", "b"]])):
            with self.subTest(str(array.dtype), shape=array.shape):
                np.save(path, array, allow_pickle=True)
                result = self.measure("--features", path, "--metrics", "vendi")
                self.assertIn(result.returncode, (2, 3))
                self.assert_error(result, result.returncode, "features.npy")
        self.assert_error(self.measure("--features", self.folder / "absent.npy", "--metrics", "vendi"), 3, "absent.npy")

    def test_damaged_archives(self):
        features = self.random_rows(10, 4)
        path = self.folder / "stats.npz"
        mean, covariance = np.zeros(4), np.eye(4)
        np.savez(path, mu=mean, sigma=covariance)
        whole = path.read_bytes()
        for name, data in {"cut": whole[:-30], "empty": b"", "text": b"mu and sigma"}.items():
            with self.subTest(name):
                path.write_bytes(data)
                self.assert_error(self.measure("--features", features, "--reference", path, "--metrics", "fid"), 3, "stats.npz")
        for name, arrays in {
            "no sigma": {"mu": mean}, "other size": {"mu": mean, "sigma": np.eye(5)}, "not square": {"mu": mean, "sigma": np.ones((4, 3))},
            "nan": {"mu": mean * np.nan, "sigma": covariance}, "other dimension": {"mu": np.zeros(6), "sigma": np.eye(6)},
        }.items():  # fmt: skip
            with self.subTest(name):
                np.savez(path, **arrays)
                result = self.measure("--features", features, "--reference", path, "--metrics", "fid")
                self.assertIn(result.returncode, (2, 3))
                self.assert_error(result, result.returncode)

    def test_sizes_that_do_not_fit(self):
        result = self.measure("--features", self.random_rows(10, 4), "--reference-features", self.random_rows(10, 5, name="b.npy"), "--metrics", "fid")
        self.assertIn(result.returncode, (2, 3))
        self.assert_error(result, result.returncode, "4", "5")
        result = self.measure("--features", self.random_rows(10, 4), "--text-features", self.random_rows(10, 5, name="b.npy"), "--metrics", "clip_score")
        self.assertIn(result.returncode, (2, 3))

    def test_zero_rows(self):
        """A row of zeros has no direction."""
        rows = np.random.RandomState(0).randn(5, 4)
        rows[3] = 0
        result = self.measure("--features", self.array(rows), "--metrics", "vendi", "--json")
        self.assertIn(result.returncode, (0, 2, 3, 5))
        self.assertNotIn(b"NaN", result.stdout)
        self.assertNotIn(b"nan", result.stdout)

    def test_safetensors_with_several_tensors(self):
        save_file({"a": np.zeros((3, 2), np.float32), "b": np.ones((4, 2), np.float32)}, self.folder / "two.safetensors")
        result = self.measure("--features", self.folder / "two.safetensors", "--metrics", "vendi")
        self.assertIn(result.returncode, (2, 3))
        self.assert_error(result, result.returncode, "two.safetensors")

    def test_the_file_says_what_made_it(self):
        save_pictures(self.pictures, 4)
        out = self.folder / "features.safetensors"
        self.assert_ok(self.gass("features", self.pictures, *ENCODER, "-o", out))
        direct, given = self.result(self.pictures, "--metrics", "vendi"), self.result("--features", out, "--metrics", "vendi")
        for key in ("encoder", "weights", "preprocessing"):
            self.assertEqual(given[key], direct[key])
        self.near(given["value"], direct["value"])
        other = self.folder / "other.safetensors"
        self.assert_ok(self.gass("features", self.pictures, *ENCODER, "--resize-first", "32", "-o", other))
        refused = self.measure("--features", out, "--reference-features", other, "--metrics", "fid")
        self.assert_error(refused, 2, "--reference-features", "preprocessing")

    def test_statistics_know_how_many(self):
        save_pictures(self.pictures, 5)
        out = self.folder / "statistics.npz"
        self.assert_ok(self.gass("features", self.pictures, *ENCODER, "-o", out))
        self.assertEqual(self.result(self.pictures, "--metrics", "fid", "--reference", out)["reference_n"], 5)

    def test_flags_about_pictures(self):
        features = self.random_rows()
        for flag in (("--pooled",), ("--resize-first", "256"), ("--no-cache",), ("--prompt", "x"), ("--encoder", "mini-clip")):
            with self.subTest(flag):
                self.assert_error(self.measure("--features", features, "--metrics", "vendi", *flag), 2, flag[0])

    def test_an_output_that_cannot_be(self):
        save_pictures(self.pictures, 2)
        self.assert_error(self.gass("features", self.pictures, *ENCODER, "-o", self.folder / "absent" / "x.npy"), 2, "--output")


class Cache(MeasureTest):
    ARGUMENTS = ("--metrics", "vendi,pairwise")

    def setUp(self):
        super().setUp()
        save_pictures(self.pictures, 6)
        self.database = self.cache / "features.sqlite"

    def test_second_run_adds_nothing(self):
        first = self.measured(self.pictures, *self.ARGUMENTS)
        rows = rows_in(self.database)
        self.assertGreaterEqual(rows, 6)
        second = self.measured(self.pictures, *self.ARGUMENTS)
        self.assertEqual(second["results"], first["results"])
        self.assertEqual((first["from_cache"], second["from_cache"]), (0, 6))
        self.assertEqual(rows_in(self.database), rows)

    def test_a_file_that_changes_is_looked_at_again(self):
        first = self.measured(self.pictures, *self.ARGUMENTS)
        picture(99).save(self.pictures / "000.png")
        second = self.measured(self.pictures, *self.ARGUMENTS)
        self.assertNotEqual(first["results"][0]["value"], second["results"][0]["value"])
        third = self.measured(self.pictures, *self.ARGUMENTS, "--no-cache")
        for cached, computed in zip(second["results"], third["results"], strict=True):
            self.near(cached["value"], computed["value"], 1e-6)  # of a batch of one, and of six

    def test_the_same_file_elsewhere_is_known(self):
        self.measured(self.pictures, *self.ARGUMENTS)
        rows = rows_in(self.database)
        shutil.copytree(self.pictures, self.folder / "copy")
        self.measured(self.folder / "copy", *self.ARGUMENTS)
        self.assertEqual(rows_in(self.database), rows)

    def test_preprocessing_and_encoder_are_told_apart(self):
        plain = self.value(self.pictures, "--metrics", "vendi")
        resized = self.value(self.pictures, "--metrics", "vendi", "--resize-first", "32")
        other = self.value(self.pictures, "--metrics", "vendi", "--encoder", "pixels")
        self.assertEqual(len({plain, resized, other}), 3)
        self.assertEqual(self.value(self.pictures, "--metrics", "vendi"), plain)

    def test_without(self):
        wanted = self.measured(self.pictures, *self.ARGUMENTS, "--no-cache")
        self.assertFalse(self.database.exists())
        self.assertEqual(self.measured(self.pictures, *self.ARGUMENTS)["results"], wanted["results"])

    def test_stats_and_clear(self):
        self.assertIn("0", self.assert_ok(self.gass("cache", "stats")))
        self.measured(self.pictures, *self.ARGUMENTS)
        stats = json.loads(self.assert_ok(self.gass("cache", "stats", "--json")))
        self.assertIn(6, [value for value in stats.values() if isinstance(value, int)])
        self.assert_ok(self.gass("cache", "stats"))
        self.assert_ok(self.gass("cache", "clear"))
        stats = json.loads(self.assert_ok(self.gass("cache", "stats", "--json")))
        self.assertNotIn(6, [value for value in stats.values() if isinstance(value, int)])
        self.assert_error(self.gass("cache", "burn"), 2)

    def test_several_at_once(self):
        command = [support.GASS, "measure", str(self.pictures), *self.ARGUMENTS, *ENCODER, "--json"]
        environment = os.environ | {"GASS_CACHE_DIR": str(self.cache)}
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) for _ in range(4)]
        answers = []
        for process in runs:
            out, message = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, message)
            answers.append(json.loads(out)["results"])
        values = [[one["value"] for one in results] for results in answers]
        for each in values:
            np.testing.assert_allclose(each, values[0], rtol=1e-5)
        rows = rows_in(self.database)
        self.measured(self.pictures, *self.ARGUMENTS)
        self.assertEqual(rows_in(self.database), rows)

    def test_damage_is_survived(self):
        wanted = self.measured(self.pictures, *self.ARGUMENTS)["results"]
        whole = self.database.read_bytes()
        half = bytearray(whole)
        half[len(half) // 2 :] = os.urandom(len(half) - len(half) // 2)
        for name, data in {"garbage": b"not a database" * 1000, "empty": b"", "cut": whole[: len(whole) // 2], "half": bytes(half)}.items():
            with self.subTest(name):
                for file in self.cache.iterdir():
                    file.unlink()
                self.database.write_bytes(data)
                results = self.measured(self.pictures, *self.ARGUMENTS)["results"]
                self.assertEqual([one["value"] for one in results], [one["value"] for one in wanted])

    def test_another_programs_database_is_left_alone(self):
        self.cache.mkdir()
        with sqlite3.connect(self.database) as connection:
            connection.execute("CREATE TABLE treasure (gold INTEGER)")
            connection.execute("INSERT INTO treasure VALUES (7)")
        result = self.measure(self.pictures, *self.ARGUMENTS)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_folder_that_cannot_be_made(self):
        (self.folder / "file").write_text("")
        result = self.measure(self.pictures, *self.ARGUMENTS, environment={"GASS_CACHE_DIR": str(self.folder / "file" / "cache")})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_disk_that_fills_up(self):
        """Whatever the cache cannot hold, the numbers come."""
        wanted = self.value(self.pictures, "--metrics", "clip_score", "--prompt", "a dog", "--no-cache")
        command = f"trap '' XFSZ; ulimit -f 24; exec {support.GASS} measure {self.pictures} -p 'a dog' --metrics clip_score --json"
        environment = os.environ | {"GASS_CACHE_DIR": str(self.cache)}
        result = subprocess.run(["bash", "-c", command], capture_output=True, env=environment, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.near(json.loads(result.stdout)["results"][0]["value"], wanted)
        self.assertIn(b"not kept", result.stderr)


if __name__ == "__main__":
    unittest.main()
