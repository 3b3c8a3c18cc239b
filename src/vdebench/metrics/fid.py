"""FID: Fréchet distance of Inception features of two sets of pages, computed in a stream.

The network is that of the published FID (torch-fidelity's implementation and weights); a set is represented by number,
mean and scatter of its features. The whole page is resized to 299×299 (bicubic, antialiased): a centre crop would cut
off half of a portrait page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from vdebench.errors import InputError, MissingPartError
from vdebench.metrics import weights as weight_files
from vdebench.metrics.image import Image, require_rgb_pair
from vdebench.metrics.registry import metric

Vectors = NDArray[np.float64]
DIMENSIONS = 2048
SIDE = 299
WEIGHTS = "pt_inception-2015-12-05-6726825d.pth"
_WEIGHTS_TOO = "weights-inception-2015-12-05-6726825d.pth"  # torch-fidelity's name of the same file


@dataclass(frozen=True, slots=True, eq=False)
class Gaussian:
    """Number, mean and scatter (the sum of outer products of differences from the mean) of features.

    >>> square = Gaussian.of([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> square.n, square.mean.tolist(), square.scatter.tolist()
    (4, [1.0, 1.0], [[4.0, 0.0], [0.0, 4.0]])
    """

    n: int
    mean: Vectors
    scatter: Vectors

    @classmethod
    def empty(cls, dimensions: int = DIMENSIONS) -> Gaussian:
        """Return the statistics of no features."""
        return cls(0, np.zeros(dimensions), np.zeros((dimensions, dimensions)))

    @classmethod
    def of(cls, features: Any) -> Gaussian:
        """Return the statistics of features, as rows."""
        rows = np.atleast_2d(np.asarray(features, np.float64))
        if rows.ndim != 2 or not len(rows) or not np.isfinite(rows).all():
            raise ValueError(f"features of shape {rows.shape}: expected rows of finite numbers")
        mean = rows.mean(axis=0)
        deviations = rows - mean
        return cls(len(rows), mean, deviations.T @ deviations)

    def merge(self, other: Gaussian) -> Gaussian:
        """Return the statistics of both sets, numerically stable (Chan, Golub and LeVeque 1983)."""
        if len(self.mean) != len(other.mean):
            raise ValueError(f"features of {len(self.mean)} and {len(other.mean)} numbers: expected the same network's")
        n = self.n + other.n
        if n == 0:
            return self
        deviations = other.mean - self.mean
        between = (self.n * other.n / n) * np.outer(deviations, deviations)
        return Gaussian(n, self.mean + deviations * (other.n / n), self.scatter + other.scatter + between)

    def add(self, features: Any) -> Gaussian:
        """Return the statistics with more features, as rows; pass dozens at a time, each call copies the scatter."""
        return self.merge(Gaussian.of(features))

    @property
    def covariance(self) -> Vectors:
        """Sample covariance; needs at least two features."""
        if self.n < 2:
            raise ValueError(f"a covariance of {self.n} page{'s' * (self.n != 1)}: expected two or more")
        return self.scatter / (self.n - 1)


@metric("fid", kind="image sets", title="FID", best="lower", bounds=(0, math.inf), main=False)
def frechet_distance(candidate: Gaussian, reference: Gaussian) -> float:
    """Fréchet distance of the Inception features of two sets of pages.

    Below 2,048 pages the covariances are singular and the value is biased upwards, the more the fewer pages: compare
    only values from the same number of pages.

    >>> near, far = Gaussian.of([[0.0], [2.0]]), Gaussian.of([[10.0], [12.0]])
    >>> frechet_distance(near, near), frechet_distance(far, near)
    (0.0, 100.0)
    """
    if len(candidate.mean) != len(reference.mean):
        raise ValueError(
            f"features of {len(candidate.mean)} and {len(reference.mean)} numbers: expected the same network's"
        )
    import scipy.linalg  # takes long to import

    one, other = _root(candidate.covariance), _root(reference.covariance)
    # tr √(C₁C₂) is the sum of singular values of √C₁ √C₂: real, also where a covariance is singular
    common = scipy.linalg.svdvals(one.T @ other).sum() if one.size and other.size else 0.0
    spread = np.square(one).sum() + np.square(other).sum() - 2 * common
    return float(np.square(candidate.mean - reference.mean).sum() + max(spread, 0.0))


def _root(covariance: Vectors) -> Vectors:
    """Return R with R Rᵀ = the covariance; directions within rounding error are omitted."""
    import scipy.linalg

    values, vectors = scipy.linalg.eigh(covariance)
    nonzero = values > max(values[-1], 0) * len(values) * np.finfo(np.float64).eps
    root: Vectors = vectors[:, nonzero] * np.sqrt(values[nonzero])
    return root


class InceptionFeatures:
    """Extracts 2,048 features of a page with the network of the published FID."""

    def __init__(self, weights: Path | None = None, threads: int = 0) -> None:
        if missing := self.missing(weights):
            raise MissingPartError(missing)
        found = weights or _default()
        assert found is not None  # or it was missing
        self.weights, self.threads = found, threads
        self.identity = f"fid-inception@sha256:{weight_files.digest_of(found)[:12]},whole-{SIDE}-bicubic"

    @staticmethod
    def missing(weights: Path | None = None) -> str:
        """Return missing packages or weights with the command that installs them; loads nothing."""
        install = "pip install 'vdebench[fid]'"
        absent = weight_files.absent_packages("torch", "torchvision", "torch_fidelity")
        lines = [weight_files.what_is_missing("fid", absent, install)]
        path = weights or _default()
        if not weight_files.is_there(path):
            get = f"put pytorch-fid's {WEIGHTS} into the folder $VDE_WEIGHTS"
            lines.append(weight_files.what_is_missing("fid", [], "", file=str(weights or WEIGHTS), get=get))
        return "\n".join(filter(None, lines))

    @cached_property
    def _network(self) -> Any:
        import torch
        from torch_fidelity.feature_extractor_inceptionv3 import FeatureExtractorInceptionV3

        if self.threads:
            torch.set_num_threads(self.threads)
        try:
            # The package unpickles the file: check first that it contains tensors only.
            torch.load(self.weights, "cpu", weights_only=True)
            return FeatureExtractorInceptionV3("inception", [str(DIMENSIONS)], str(self.weights))
        except Exception as error:  # torch raises various classes for invalid files
            raise InputError(f"{self.weights}: no weights of FID's Inception: {str(error).splitlines()[0]}") from None

    def __call__(self, page: Image) -> Vectors:
        """Return the features of one page."""
        import torch

        require_rgb_pair(page, page)
        small = np.array(Pictures.fromarray(page).resize((SIDE, SIDE), Pictures.Resampling.BICUBIC))
        with torch.inference_mode():
            (features,) = self._network(torch.from_numpy(small).permute(2, 0, 1)[None])
        row: Vectors = features[0].numpy().astype(np.float64)
        return row


def _default() -> Path | None:
    return weight_files.in_weights_folder(WEIGHTS) or weight_files.in_weights_folder(_WEIGHTS_TOO)
