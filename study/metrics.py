"""What is measured of a group of images, given their embeddings. Rows of embeddings have length 1."""

import re

import numpy as np

NEIGHBOURS = 5
MOST_REFERENCES = 300
FEWEST_REFERENCES = 30


def vendi(embeddings: np.ndarray) -> float:
    """How many images that have nothing in common would differ as much: exp of the entropy of the spectrum of K/n."""
    gram = embeddings.astype(np.float64) @ embeddings.astype(np.float64).T
    values = np.linalg.eigvalsh(gram / len(embeddings))
    values = values[values > 1e-12]
    return float(np.exp(-(values * np.log(values)).sum()))


def distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Differences rather than |a|²+|b|²−2ab: that loses the small ones, which decide who is a neighbour."""
    return np.stack([np.linalg.norm(b - row, axis=1) for row in a.astype(np.float64)])


class References:
    """Real pictures of one class and the ball around each that reaches to its k-th nearest neighbour."""

    def __init__(self, embeddings: np.ndarray):
        self.embeddings = embeddings[:MOST_REFERENCES].astype(np.float64)
        between = distances(self.embeddings, self.embeddings)
        np.fill_diagonal(between, np.inf)
        self.radii = np.sort(between, axis=1)[:, NEIGHBOURS - 1]

    def density_and_coverage(self, images: np.ndarray) -> tuple[float, float]:
        """Naeem et al., 2020: are the images where real ones are, and how many real ones have an image nearby?"""
        inside = distances(images, self.embeddings) < self.radii
        return float(inside.sum() / (NEIGHBOURS * len(images))), float(inside.any(axis=0).mean())


def class_in(prompt: str, classes: list[str]) -> int | None:
    """The class that a prompt names; of several the longest, which is the most precise ("sea horse", not "horse")."""
    named = [i for i, name in enumerate(classes) if re.search(rf"\b{re.escape(name)}\b", prompt.lower())]
    return max(named, key=lambda i: len(classes[i]), default=None)
