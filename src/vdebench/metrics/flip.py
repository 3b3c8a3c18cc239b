"""FLIP, how different two images look when one takes the other's place on a screen (LDR-FLIP, by its authors' package).

It needs no weights. Its one assumption is how large a pixel is to the eye: 67 pixels in a degree, a 4K screen of 0.7 m
width seen from 0.7 m, is the authors' default and ours. The package says nothing, and spreads over the cores by OpenMP
(`OMP_NUM_THREADS` limits it).
"""

from __future__ import annotations

import math
from importlib.metadata import version

import numpy as np

from vdebench.errors import MissingPartError
from vdebench.metrics import weights as places
from vdebench.metrics.image import Image, require_rgb_pair
from vdebench.metrics.registry import metric

PIXELS_PER_DEGREE = 67.0


class Flip:
    """Mean of LDR-FLIP over the page, for a screen of so many pixels in a degree of sight."""

    def __init__(self, pixels_per_degree: float = PIXELS_PER_DEGREE) -> None:
        # The package ends the whole program on a number it does not like.
        if not (math.isfinite(pixels_per_degree) and pixels_per_degree > 0):
            raise ValueError(f"{pixels_per_degree} pixels per degree: expected a number above 0")
        if missing := self.missing():
            raise MissingPartError(missing)
        self.pixels_per_degree = float(pixels_per_degree)
        self.identity = f"flip-ldr@flip-evaluator-{version('flip-evaluator')},ppd={self.pixels_per_degree:g}"

    @staticmethod
    def missing() -> str:
        """What is not there and how to get it; nothing is loaded."""
        return places.what_is_missing("flip", places.absent_packages("flip_evaluator"), "pip install flip-evaluator")

    @metric("flip", kind="image", title="FLIP", best="lower", main=False)
    def __call__(self, candidate: Image, reference: Image) -> float:
        """Mean difference a viewer sees when the images alternate; 0 for identical images."""
        import flip_evaluator

        require_rgb_pair(candidate, reference)
        images = [np.divide(image, 255, dtype=np.float32) for image in (reference, candidate)]
        settings = {"ppd": self.pixels_per_degree}
        differences, _, _ = flip_evaluator.evaluate(*images, "LDR", True, False, False, settings)
        return float(differences.mean(dtype=np.float64))  # the package's own mean is a sum in float32
