"""Means over prompts with bootstrap intervals: what would other prompts have given?

Prompts are drawn with replacement, seeds are averaged inside a prompt first, and one matrix of draws serves all
configurations of a model, so that what they have in common (easy and hard prompts) cancels in a ratio or difference.
Row 0 of the matrix draws each prompt once: a statistic's value at row 0 is its estimate, the other rows are its spread.
"""

import dataclasses

import numpy as np

RESAMPLES = 2000


def draws_of(prompts: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).integers(0, prompts, (RESAMPLES, prompts))
    return np.concatenate([np.arange(prompts)[None], drawn])


def by_prompt(scores: dict, prompts: list[str], metric: str) -> np.ndarray:
    """Mean over the seeds of each prompt; NaN where a metric does not apply."""
    values = [[seed[metric] for seed in scores[prompt].values()] for prompt in prompts]
    return np.array([np.mean(row) if None not in row else np.nan for row in values], float)


def means(values: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Of each draw, over the prompts that have a value; NaN if it drew none."""
    there = ~np.isnan(values)
    count = there[draws].sum(1)
    return np.where(count > 0, np.where(there, values, 0.0)[draws].sum(1) / np.maximum(count, 1), np.nan)


@dataclasses.dataclass
class Estimate:
    """A value with its 95 % interval; `inside` is the share of the draws in which it exists."""

    value: float
    low: float
    high: float
    inside: float = 1.0

    @staticmethod
    def of(rows: np.ndarray) -> "Estimate":
        there = rows[1:][~np.isnan(rows[1:])]
        low, high = np.percentile(there, [2.5, 97.5]) if len(there) else (np.nan, np.nan)
        return Estimate(float(rows[0]), float(low), float(high), len(there) / (len(rows) - 1))


def ratio(a: np.ndarray, b: np.ndarray, draws: np.ndarray) -> Estimate:
    """Of the means, over the prompts that have both."""
    both = np.where(np.isnan(a) | np.isnan(b), np.nan, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Estimate.of(means(a * both, draws) / means(b * both, draws))


def difference(a: np.ndarray, b: np.ndarray, draws: np.ndarray) -> Estimate:
    return Estimate.of(means(a - b, draws))


def interpolate(x: float, points_x: np.ndarray, points_y: np.ndarray) -> float:
    """On the polyline through the points in order of x; NaN outside, since a rival is not blamed for a guess."""
    order = np.argsort(points_x, kind="stable")
    return float(np.interp(x, points_x[order], points_y[order], left=np.nan, right=np.nan))


def gain_at_equal(own: tuple[np.ndarray, np.ndarray], rival: list[tuple[np.ndarray, np.ndarray]], draws: np.ndarray) -> Estimate:
    """How much more y than the rival's curve has at the same x, as a share. Each (x, y) holds a value for each prompt;
    the curve is drawn anew in each resample, so its own uncertainty counts."""
    there = np.where(np.isnan(own[0]), np.nan, 1.0)
    x, y = means(own[0], draws), means(own[1] * there, draws)
    curve_x = np.stack([means(point[0], draws) for point in rival])
    curve_y = np.stack([means(point[1] * there, draws) for point in rival])
    theirs = np.array([interpolate(x[i], curve_x[:, i], curve_y[:, i]) for i in range(len(draws))])
    return Estimate.of(y / theirs - 1)
