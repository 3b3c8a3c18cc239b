"""FID of a run: how far the predicted images as a set are from the references, in the features of a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vdebench.errors import VdeError
from vdebench.metrics.fid import Gaussian, frechet_distance
from vdebench.pipeline.scoring.image_metrics import ImagePair
from vdebench.pipeline.scoring.sample import ScoringScope

_AT_ONCE = 64


def run_fid(scope: ScoringScope, settings: Sequence[str]) -> dict[str, float | None]:
    """FID by setting; None where fewer than two images can be compared. Features are kept, images are not."""
    found: dict[str, float | None] = {}
    for setting in settings:
        sides = _Side(), _Side()
        for sample in scope.samples:
            try:
                image = scope.predictions.image(sample)
                if image is None and scope.protocol.missing == "dropped":
                    continue
                pair = ImagePair(image, scope.truths.reference(sample), scope.protocol.image_opening)
                for both in scope.measures.features(setting, sample, pair, scope.protocol):
                    for side, features in zip(sides, both, strict=True):
                        side.add(features)
            except VdeError:  # told in the sample's state
                continue
        candidates, references = (side.gaussian for side in sides)
        found[setting] = frechet_distance(candidates, references) if candidates.n > 1 else None
    return found


class _Side:
    """Features of one set of images, summed up some dozens at a time."""

    def __init__(self) -> None:
        self._sum: Gaussian | None = None
        self._waiting: list[Any] = []

    def add(self, features: Any) -> None:
        self._waiting.append(features)
        if len(self._waiting) == _AT_ONCE:
            self._take()

    @property
    def gaussian(self) -> Gaussian:
        self._take()
        return self._sum or Gaussian.empty()

    def _take(self) -> None:
        if self._waiting:
            more = Gaussian.of(self._waiting)
            self._sum = self._sum.merge(more) if self._sum else more
            self._waiting.clear()
