"""Writes what the metrics must give for features, by the packages that define them and by formulas in fp64.

usage: metrics_fixtures.py OUT_DIR

OUT_DIR/cases.json holds a list of
  name, metric       the latter names the kind of case, below
  tensors            where its tensors lie: cases share them
  dtype              "float32" or "float64": of the features
  and what the kind has; numbers are made in fp64 from the features as they are stored
    vendi            order (a number or "inf"), features | similarities, expect
    prdc             k, strict, expect: precision, recall, density, coverage
    frechet          expect; "statistics" where mean and covariance are stored too
    kid              subsets, subset_size, expect: value, deviation; drawn as torch-fidelity does, seed 2020
    inception_score  splits, expect: value, deviation; of logits, shuffled as torch-fidelity does, seed 2020
    irs              expect: hits, learned, low, high: numbers of images, the last two of the interval
    scendi           sigma, expect
    similarity       expect: pairwise, mss, log_volume (null: no volume), clip_score, clip_score_w, and of SPP d_dep
                     and, along the first principal axis, d_ind
OUT_DIR/tensors.safetensors holds TENSORS/features, or TENSORS/real and TENSORS/generated, TENSORS/text … of each.

Where a package loses digits in fp64 (square roots of singular matrices, entropies of eigenvalues that are 0), the
value is computed in a way that keeps them, and the package must agree with it as far as it goes.
"""

import contextlib
import hashlib
import io
import json
import math
import pathlib
import sys

import common_metrics  # noqa: F401  before the packages
import numpy as np
import torch
from cleanfid.fid import frechet_distance as clean_frechet
from cleanfid.fid import kernel_distance as clean_kernel_distance
from prdc import compute_prdc
from pytorch_fid.fid_score import calculate_frechet_distance
from safetensors.numpy import save_file
from threadpoolctl import threadpool_limits
from torch_fidelity.metric_isc import isc_features_to_metric
from torch_fidelity.metric_kid import kid_features_to_metric
from vendi_score import vendi

ORDERS = (0.1, 0.5, 1, 2, 10, "inf")
KID_SEED = 2020


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def close(a: float, b: float, tolerance: float) -> None:
    assert abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-12), (a, b)


class Writer:
    def __init__(self, out: pathlib.Path):
        self.out = out
        self.cases: list[dict] = []
        self.tensors: dict[str, np.ndarray] = {}
        self.random = np.random.RandomState(7)

    def rows(self, count: int, size: int, spread: float = 1.0, common: float = 0.0) -> np.ndarray:
        """Features around a common point, some directions wider than others."""
        widths = np.geomspace(1.0, 0.1, size)
        return common * self.random.randn(1, size) + spread * widths * self.random.randn(count, size)

    def stored(self, dtype: str, rows: np.ndarray) -> np.ndarray:
        """What is left of the features in their type, as fp64."""
        return rows.astype(dtype).astype(np.float64)

    def case(self, name: str, metric: str, dtype: str, tensors: dict[str, np.ndarray], **what) -> None:
        assert all(case["name"] != name for case in self.cases), name
        kept = {key: value if value.dtype == np.int64 else value.astype(dtype) for key, value in tensors.items()}
        digest = hashlib.sha256(b"".join(key.encode() + kept[key].tobytes() for key in sorted(kept))).hexdigest()[:16]
        self.cases.append({"name": name, "metric": metric, "dtype": dtype, "tensors": digest, **what})
        self.tensors |= {f"{digest}/{key}": np.ascontiguousarray(value) for key, value in kept.items()}

    def write(self) -> None:
        (self.out / "cases.json").write_text(json.dumps(self.cases))
        save_file(self.tensors, self.out / "tensors.safetensors")


# Vendi


def vendi_score(rows: np.ndarray, order) -> float:
    """Of distinct rows and how often each occurs: eigenvalues that are 0 but for rounding would count below order 1."""
    distinct, times = np.unique(unit(rows).round(12), axis=0, return_counts=True)
    if len(distinct) > rows.shape[1]:
        scaled = np.sqrt(times / len(rows))[:, None] * unit(distinct)
        return float(vendi.score_dual(scaled * math.sqrt(len(scaled)), q=order, normalize=False))
    similarities = unit(distinct) @ unit(distinct).T
    return float(vendi.score_K(similarities, q=order, p=times / len(rows)))


def lines_once(rows: np.ndarray, name: str) -> np.ndarray:
    """x and −x lie on one line, and the eigenvalues see no more than that."""
    return np.concatenate([rows[:3], rows[:3]]) if name == "opposite" else rows


def vendi_cases(writer: Writer) -> None:
    sets = {
        "one": writer.rows(1, 16),
        "two": writer.rows(2, 16),
        "few": writer.rows(10, 64, common=1.0),
        "alike": writer.rows(36, 512, spread=0.1, common=1.0),
        "square": writer.rows(48, 48),
        "many": writer.rows(300, 40, common=0.5),
        "line": np.abs(writer.rows(20, 1)) + 0.1,
        "wide": writer.rows(7, 1500),
        "tall": writer.rows(2000, 8),
        "lengths": writer.rows(30, 50) * np.geomspace(1e-4, 1e4, 30)[:, None],
        "far": writer.rows(25, 60) + 300.0,
        "orthogonal": 3.0 * np.eye(12, 20),
    }
    sets["duplicates"] = sets["few"][[0, 1, 2, 2, 2, 3, 4, 4, 5, 6]]
    sets["same"] = np.repeat(sets["few"][:1], 9, axis=0)
    sets["opposite"] = np.concatenate([sets["few"][:3], -sets["few"][:3]])
    sets["duplicates-many"] = np.concatenate([sets["many"], sets["many"][:77]])
    for name, rows in sets.items():
        for dtype in ("float32", "float64"):
            kept = writer.stored(dtype, rows)
            for order in ORDERS:
                value = 1.0 if name == "same" else vendi_score(lines_once(kept, name), order)
                if order == 1:  # the package's own way from features; its score_X takes no other order
                    close(value, vendi.score_X(kept), 1e-6)
                    close(value, vendi.score_dual(kept), 1e-6)
                    # 1e-4: what its fp32 keeps
                    close(value, vendi.score_X(rows.astype(np.float32)), 1e-4 if name != "alike" else 1e-3)
                elif order != "inf" and order > 1:
                    close(value, vendi.score_dual(kept, q=order), 1e-6)
                writer.case(f"vendi-{name}-{order}-{dtype}", "vendi", dtype, {"features": rows}, order=order, expect=value)

    kernel = np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]])
    places = np.array([0, 0, 10, 10, 20, 20.0])
    laplace = np.exp(-np.abs(places[:, None] - places))
    squares = ((writer.rows(30, 5)[:, None] - writer.rows(30, 5)[None, :1]) ** 2).sum(-1)
    gauss = np.exp(-((squares - squares.T) ** 2))
    for name, similarities in {"paper": kernel, "readme": laplace, "gauss": gauss}.items():
        for order in (1, 2, "inf"):
            value = float(vendi.score_K(similarities, q=order))
            writer.case(f"vendi-of-{name}-{order}", "vendi", "float64", {"similarities": similarities}, order=order, expect=value)
    close(float(vendi.score_K(kernel)), 2.1573, 1e-4)
    close(float(vendi.score_K(laplace)), 2.9999, 1e-4)


# Precision, recall, density, coverage


def prdc(real: np.ndarray, generated: np.ndarray, k: int) -> dict[str, float]:
    with contextlib.redirect_stdout(io.StringIO()):
        return {key: float(value) for key, value in compute_prdc(real, generated, k).items()}


def prdc_inclusive(real: np.ndarray, generated: np.ndarray, k: int) -> dict[str, float]:
    """With ≤; by differences, for features whose distances are exact."""
    distances = lambda a, b: np.sqrt(((a[:, None] - b[None]) ** 2).sum(-1))
    radii = lambda rows: np.sort(distances(rows, rows), axis=1)[:, k]
    between, reals, fakes = distances(real, generated), radii(real)[:, None], radii(generated)[None]
    return {
        "precision": float((between <= reals).any(0).mean()), "recall": float((between <= fakes).any(1).mean()),
        "density": float((between <= reals).sum() / (k * len(generated))), "coverage": float((between <= reals).any(1).mean()),
    }  # fmt: skip


def prdc_cases(writer: Writer) -> None:
    for reals, fakes, size in ((40, 40, 8), (60, 35, 20), (25, 130, 3), (300, 250, 64), (12, 400, 700), (150, 150, 1), (500, 480, 12)):
        real, generated = writer.rows(reals, size), writer.rows(fakes, size, spread=0.9) + 0.1
        for k in (1, 3, 5, 10):
            for dtype in ("float32", "float64"):
                kept = [writer.stored(dtype, rows) for rows in (real, generated)]
                writer.case(f"prdc-{reals}-{fakes}-{size}-k{k}-{dtype}", "prdc", dtype, {"real": real, "generated": generated},
                            k=k, strict=True, expect=prdc(*kept, k))  # fmt: skip

    # A common point far off: subtracting it changes nothing, so that no digit is lost in the reference.
    for offset in (1e2, 1e4):
        real, generated = (writer.rows(80, 16, spread=1.0) + offset for _ in range(2))
        for dtype in ("float32", "float64"):
            near = [writer.stored(dtype, rows) - offset for rows in (real, generated)]
            expect = prdc(*near, 5)
            writer.case(f"prdc-offset-{offset:.0f}-{dtype}", "prdc", dtype, {"real": real, "generated": generated}, k=5,
                        strict=True, expect=expect)  # fmt: skip

    # Whole numbers, whose distances are exact: ties are ties.
    grid = writer.random.randint(-3, 4, (90, 4)).astype(float)
    other = writer.random.randint(-3, 4, (70, 4)).astype(float)
    distinct = np.unique(grid, axis=0)
    repeated = np.repeat(distinct[:12], 7, axis=0)
    for name, real, generated in (
        ("identical", distinct, distinct), ("ties", grid, other), ("duplicates", repeated, repeated),
        ("duplicates-real", repeated, other), ("apart", distinct, distinct + 1000), ("inside", 100 * distinct, distinct[:20]),
    ):  # fmt: skip
        for k in (1, 5):
            tensors = {"real": real, "generated": generated}
            writer.case(f"prdc-{name}-k{k}", "prdc", "float32", tensors, k=k, strict=True, expect=prdc(real, generated, k))
            writer.case(f"prdc-{name}-k{k}-inclusive", "prdc", "float32", tensors, k=k, strict=False,
                        expect=prdc_inclusive(real, generated, k))  # fmt: skip


# The Fréchet distance


def statistics(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return rows.mean(0), np.atleast_2d(np.cov(rows, rowvar=False))


def frechet(first, second) -> float:
    """tr √(AB) = tr √(√A B √A), the latter symmetric and without the square root of a singular matrix' rounding."""
    (mean1, covariance1), (mean2, covariance2) = first, second
    values, vectors = np.linalg.eigh(covariance1)
    root = vectors * np.sqrt(values.clip(0)) @ vectors.T
    # Singular values of √A √B: of full precision where √ of eigenvalues of √A B √A would have half the digits.
    values, vectors = np.linalg.eigh(covariance2)
    other = vectors * np.sqrt(values.clip(0)) @ vectors.T
    trace = np.linalg.svd(root @ other, compute_uv=False).sum()
    return float(((mean1 - mean2) ** 2).sum() + np.trace(covariance1) + np.trace(covariance2) - 2 * trace)


def frechet_cases(writer: Writer) -> None:
    for name, counts, size, shift in (
        ("plain", (400, 300), 20, 0.3), ("near", (1000, 1000), 16, 0.0), ("one", (50, 60), 1, 0.5), ("wide", (40, 55), 200, 0.2),
        ("singular", (10, 12), 64, 0.4), ("half", (500, 20), 48, 0.1), ("two", (2, 2), 5, 0.5), ("offset", (200, 220), 12, 0.5),
    ):  # fmt: skip
        real = writer.rows(counts[0], size)
        generated = writer.rows(counts[1], size, spread=1.3) + shift
        if name == "offset":
            real, generated = real + 50, generated + 50
        for dtype in ("float32", "float64"):
            first, second = (statistics(writer.stored(dtype, rows)) for rows in (real, generated))
            value = frechet(first, second)
            tolerance = 1e-7 if min(counts) > size else 1e-3  # sqrtm of a singular product
            for package in (calculate_frechet_distance, clean_frechet) if size > 1 else ():
                with contextlib.redirect_stdout(io.StringIO()):
                    close(value, float(package(*first, *second)), tolerance)
            writer.case(f"frechet-{name}-{dtype}", "frechet", dtype, {"real": real, "generated": generated}, expect=value)
    first, second = statistics(writer.rows(300, 24)), statistics(writer.rows(200, 24) + 0.2)
    tensors = {"mean1": first[0], "covariance1": first[1], "mean2": second[0], "covariance2": second[1]}
    writer.case("frechet-statistics", "frechet", "float64", tensors, statistics=True, expect=frechet(first, second))


# The kernel distance


def kid_cases(writer: Writer) -> None:
    for name, counts, size, dimension, count in (
        ("all", (60, 60), 60, 24, 3), ("some", (150, 90), 40, 24, 20), ("wide", (64, 80), 50, 600, 5), ("two", (9, 7), 2, 4, 30),
    ):  # fmt: skip
        real = writer.rows(counts[0], dimension)
        generated = writer.rows(counts[1], dimension, spread=1.2) + 1.0
        for dtype in ("float32", "float64"):
            kept = [writer.stored(dtype, rows) for rows in (generated, real)]  # its input 1 is what is judged
            found = kid_features_to_metric(*map(torch.from_numpy, kept), kid_subsets=count, kid_subset_size=size, rng_seed=KID_SEED,
                                           kid_kernel="poly", kid_kernel_poly_degree=3, kid_kernel_poly_gamma=None,
                                           kid_kernel_poly_coef0=1, verbose=False)  # fmt: skip
            value = found["kernel_inception_distance_mean"]
            if counts == (size, size):  # every subset is the whole: no chance in it
                close(value, clean_kernel_distance(*kept, num_subsets=2, max_subset_size=size), 1e-9)
            expect = {"value": value, "deviation": found["kernel_inception_distance_std"]}
            writer.case(f"kid-{name}-{dtype}", "kid", dtype, {"real": real, "generated": generated}, subsets=count,
                        subset_size=size, expect=expect)  # fmt: skip


def inception_score_cases(writer: Writer) -> None:
    for name, count, classes, splits in (("whole", 40, 12, 1), ("ten", 250, 60, 10), ("uneven", 37, 1008, 10), ("single", 9, 5, 9)):
        logits = 3 * writer.random.randn(count, classes) + 5 * writer.random.randn(1, classes)
        for dtype in ("float32", "float64"):
            kept = torch.from_numpy(writer.stored(dtype, logits))
            found = isc_features_to_metric(kept, splits=splits, shuffle=True, rng_seed=KID_SEED)
            # Of one image in each split nothing but rounding is left.
            deviation = found["inception_score_std"] if splits < count else 0.0
            expect = {"value": found["inception_score_mean"], "deviation": deviation}
            writer.case(f"inception-score-{name}-{dtype}", "inception_score", dtype, {"logits": logits}, splits=splits, expect=expect)


# The image retrieval score


def learned_images(hits: int, draws: int, most: int) -> int:
    """How many equally likely images make it likeliest that so many draws hit so many of them."""
    likelihood = lambda s: math.lgamma(s + 1) - math.lgamma(s - hits + 1) - draws * math.log(s)
    return max(range(hits, most + 1), key=likelihood)


def distinct_hits(draws: int, images: int) -> np.ndarray:
    """The probability of each number of distinct images in so many even draws: exact, draw by draw."""
    probability = np.zeros(draws + 1)
    probability[0] = 1
    seen = np.arange(draws + 1) / images
    for _ in range(draws):
        again = probability * seen
        again[1:] += (probability * (1 - seen).clip(0))[:-1]
        probability = again
    return probability


def learned_interval(hits: int, draws: int, most: int, level: float = 0.05) -> tuple[int, int]:
    """The numbers of learned images under which the hits, or more, or fewer, are more likely than the level."""
    sizes = range(hits, most + 1)
    tails = {s: distinct_hits(draws, s) for s in sizes}
    low = next((s for s in sizes if tails[s][hits:].sum() > level), most)
    high = next((s for s in reversed(sizes) if tails[s][: hits + 1].sum() > level), hits)
    return low, high


def irs_cases(writer: Writer) -> None:
    for name, train, queries, size, reach in (
        ("plain", 200, 150, 12, 1.0), ("few-queries", 300, 30, 8, 1.0), ("many-queries", 50, 500, 6, 1.0), ("narrow", 200, 150, 12, 0.3),
    ):  # fmt: skip
        reference, generated = writer.rows(train, size), writer.rows(queries, size, spread=reach)
        for dtype in ("float32", "float64"):
            kept = [writer.stored(dtype, rows) for rows in (reference, generated)]
            distances = ((kept[1][:, None] - kept[0][None]) ** 2).sum(-1)
            hits = len(set(distances.argmin(1)))
            learned = learned_images(hits, queries, train)
            low, high = learned_interval(hits, queries, train)
            expect = {"hits": hits, "learned": learned, "low": low, "high": high}
            writer.case(f"irs-{name}-{dtype}", "irs", dtype, {"real": reference, "generated": generated}, expect=expect)


# Scendi


def scendi(images: np.ndarray, texts: np.ndarray, omega: np.ndarray) -> float:
    """Over the images rather than the frequencies: what the texts explain is a projection of the rows."""
    count = len(images)
    waves = lambda rows: np.concatenate([np.cos(rows @ omega), np.sin(rows @ omega)], 1) / math.sqrt(omega.shape[1])
    image, text = waves(images), waves(texts)
    left, lengths, _ = np.linalg.svd(text, full_matrices=False)
    weights = lengths**2 / count / (lengths**2 / count + 1e-12)
    kept = image - left @ (weights[:, None] * (left.T @ image))
    values = (np.linalg.svd(kept, compute_uv=False) ** 2 / count).clip(1e-10)
    missing = 2 * omega.shape[1] - len(values)
    total = values.sum() + missing * 1e-10
    return float(np.exp(-(values * np.log(values / total)).sum() - missing * 1e-10 * math.log(1e-10 / total)))


def scendi_by_covariances(images: np.ndarray, texts: np.ndarray, omega: np.ndarray) -> float:
    """As it is defined, but for the inverse, whose entries of 1e12 would cost four digits."""
    waves = lambda rows: np.concatenate([np.cos(rows @ omega), np.sin(rows @ omega)], 1) / math.sqrt(omega.shape[1])
    y, x, count = waves(images), waves(texts), len(images)
    weights, axes = np.linalg.eigh(x.T @ x / count + 1e-12 * np.eye(x.shape[1]))
    explained = (y.T @ x / count @ axes) / np.sqrt(weights.clip(1e-12))
    rest = y.T @ y / count - explained @ explained.T
    values = np.linalg.eigvalsh(rest).clip(1e-10)
    return float(np.exp(-(values * np.log(values / values.sum())).sum()))


def scendi_cases(writer: Writer) -> None:
    for name, count, prompts, size, waves, sigma in (
        ("one-prompt", 40, 1, 16, 50, 3.5), ("prompts", 120, 12, 24, 64, 3.5), ("own-prompts", 300, 300, 12, 30, 3.5),
        ("narrow", 60, 5, 10, 40, 1.0),
    ):  # fmt: skip
        texts = writer.rows(prompts, size, spread=3)[np.arange(count) % prompts]
        images = 0.4 * texts + writer.rows(count, size, spread=3)
        omega = writer.random.randn(size, waves) / sigma
        kept = [writer.stored("float64", rows) for rows in (images, texts, omega)]
        value = scendi(*kept)
        close(value, scendi_by_covariances(*kept), 1e-6)
        writer.case(f"scendi-{name}", "scendi", "float64", {"features": images, "text": texts, "omega": omega}, sigma=sigma,
                    expect=value)  # fmt: skip


# Cosines and the simplex


def log_volume(points: np.ndarray) -> float | None:
    """By singular values of the edges, so that no determinant is taken."""
    edges = points[1:] - points[0]
    if len(edges) > points.shape[1]:
        return None
    return float(np.log(np.linalg.svd(edges, compute_uv=False)).sum() - math.lgamma(len(points))) if len(edges) else 0.0


def similarity_cases(writer: Writer) -> None:
    for name, count, size, spread in (
        ("plain", 10, 64, 1.0), ("alike", 36, 512, 0.1), ("two", 2, 8, 1.0), ("many", 300, 16, 1.0), ("simplex", 9, 8, 1.0), ("fifty", 50, 768, 0.3),
    ):  # fmt: skip
        features, text = writer.rows(count, size, spread, common=1.0), writer.rows(1, size) + 0.2
        for dtype in ("float32", "float64"):
            rows, prompt = unit(writer.stored(dtype, features)), unit(writer.stored(dtype, text))[0]
            cosines, scores = rows @ rows.T, rows @ prompt
            residuals = rows - np.outer(scores, prompt)
            axis = np.linalg.svd(residuals - residuals.mean(0), full_matrices=False)[2][0]
            expect = {
                "d_dep": float(np.ptp(scores)), "d_ind": float(np.ptp(rows @ axis)),
                "pairwise": float((cosines.sum() - count) / (count * (count - 1))), "mss": float(cosines.mean()),
                "log_volume": log_volume(rows), "clip_score": float(scores.mean()),
                "clip_score_w": float(2.5 * scores.clip(0).mean()),
            }  # fmt: skip
            writer.case(f"similarity-{name}-{dtype}", "similarity", dtype, {"features": features, "text": text}, expect=expect)


def main() -> None:
    threadpool_limits(1)
    writer = Writer(pathlib.Path(sys.argv[1]))
    for add in (vendi_cases, prdc_cases, frechet_cases, kid_cases, inception_score_cases, irs_cases, scendi_cases, similarity_cases):
        add(writer)
    writer.write()


if __name__ == "__main__":
    main()
