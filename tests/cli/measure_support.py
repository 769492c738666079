"""What the tests of `gass measure` share: pictures, and ways to ask."""

import json
import pathlib
import sqlite3

import numpy as np
from PIL import Image
from support import GassTest, run

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
ENCODER = ("--encoder", "mini-clip")
METRICS = ("spp", "d_dep", "d_ind", "spp_pca", "clip_score", "clip_score_w", "vendi", "pairwise", "mss", "precision", "recall", "density",
           "coverage", "fid", "kid", "clean_fid", "clean_kid", "inception_score", "lpips", "image_reward", "irs", "scendi", "hypervolume")  # fmt: skip


def picture(seed, width=64, height=64):
    """A few coloured waves and some noise: pictures that an encoder tells apart."""
    random = np.random.RandomState(seed)
    down, across = np.mgrid[0:height, 0:width] / 64
    levels = np.full((height, width, 3), 127.0)
    for channel in range(3):
        for _ in range(3):
            turn = random.uniform(0, 6, 3)
            levels[..., channel] += 35 * np.sin(turn[0] * down + turn[1] * across + turn[2])
    return Image.fromarray((levels + random.normal(0, 6, levels.shape)).clip(0, 255).astype(np.uint8))


def save_pictures(folder, count, seed=0, size=(64, 64), kind="png"):
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{i:03}.{kind}" for i in range(count)]
    for i, file in enumerate(files):
        picture(1000 * seed + i, *size).save(file)
    return files


def rows_in(database):
    """How many rows all tables have together."""
    with sqlite3.connect(database) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return sum(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in tables)


class MeasureTest(GassTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.pictures = self.folder / "pictures"

    def gass(self, *arguments, **options):
        environment = {"GASS_CACHE_DIR": str(self.cache)} | options.pop("environment", {})
        return run(*arguments, environment=environment, **options)

    def measure(self, *arguments, **options):
        """With mini-clip unless the arguments name an encoder or bring features."""
        said = {str(argument) for argument in arguments}
        encoder = () if said & {"--encoder", "--features"} else ENCODER
        return self.gass("measure", *arguments, *encoder, **options)

    def measured(self, *arguments, status=0, **options):
        """The answer to --json."""
        result = self.measure(*arguments, "--json", **options)
        self.assertEqual(result.returncode, status, result.stderr.decode(errors="replace"))
        return json.loads(result.stdout)

    def result(self, *arguments, metric=None, **options):
        """The one result, or the one of a metric."""
        results = self.measured(*arguments, **options)["results"]
        chosen = [one for one in results if metric in (None, one["metric"])]
        self.assertEqual(len(chosen), 1, results)
        return chosen[0]

    def value(self, *arguments, **options):
        return self.result(*arguments, **options)["value"]

    def array(self, rows, name="features.npy"):
        path = self.folder / name
        np.save(path, np.asarray(rows))
        return path

    def random_rows(self, count=20, size=8, seed=1, name="features.npy"):
        return self.array(np.random.RandomState(seed).randn(count, size).astype(np.float32), name)

    def near(self, ours, wanted, relative=1e-5):
        self.assertIsNotNone(ours)
        self.assertLessEqual(abs(ours - wanted), relative * max(abs(wanted), 1e-9), f"{ours} is not {wanted}")
