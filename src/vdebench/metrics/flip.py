"""FLIP, the perceived difference of two images that alternate on a screen (LDR-FLIP, by its authors' package).

It needs no weights. Its parameter is the resolution in pixels per degree of visual angle; the authors' default of 67 is
a 4K screen of 0.7 m width at 0.7 m. The package uses all cores by OpenMP; `OMP_NUM_THREADS` limits it.
"""

from __future__ import annotations

import math
from importlib.metadata import version

import numpy as np

from vdebench.errors import MissingPartError
from vdebench.metrics import weights as weight_files
from vdebench.metrics.image import Image, require_rgb_pair
from vdebench.metrics.registry import metric

PIXELS_PER_DEGREE = 67.0


class Flip:
    """Mean of LDR-FLIP over the page, at a resolution in pixels per degree."""

    def __init__(self, pixels_per_degree: float = PIXELS_PER_DEGREE) -> None:
        # The package exits the process on invalid numbers.
        if not (math.isfinite(pixels_per_degree) and pixels_per_degree > 0):
            raise ValueError(f"{pixels_per_degree} pixels per degree: expected a number above 0")
        if missing := self.missing():
            raise MissingPartError(missing)
        self.pixels_per_degree = float(pixels_per_degree)
        self.identity = f"flip-ldr@flip-evaluator-{version('flip-evaluator')},ppd={self.pixels_per_degree:g}"

    @staticmethod
    def missing() -> str:
        """Return missing packages or weights with the command that installs them; loads nothing."""
        return weight_files.what_is_missing(
            "flip", weight_files.absent_packages("flip_evaluator"), "pip install flip-evaluator"
        )

    @metric("flip", kind="image", title="FLIP", best="lower", main=False)
    def __call__(self, candidate: Image, reference: Image) -> float:
        """Mean difference a viewer sees when the images alternate; 0 for identical images."""
        import flip_evaluator

        require_rgb_pair(candidate, reference)
        images = [np.divide(image, 255, dtype=np.float32) for image in (reference, candidate)]
        settings = {"ppd": self.pixels_per_degree}
        differences, _, _ = flip_evaluator.evaluate(*images, "LDR", True, False, False, settings)
        return float(differences.mean(dtype=np.float64))  # the package computes its mean in float32
