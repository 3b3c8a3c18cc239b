"""FID of a run: distance between the sets of predicted and reference images in the features of a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vdebench.errors import VdeError
from vdebench.metrics.fid import Gaussian, frechet_distance
from vdebench.pipeline.scoring.image_metrics import ImagePair
from vdebench.pipeline.scoring.sample import ScoringScope

_BATCH = 64


def run_fid(scope: ScoringScope, settings: Sequence[str]) -> dict[str, float | None]:
    """Return the FID of each setting, None if fewer than two images can be compared; features are cached."""
    result: dict[str, float | None] = {}
    for setting in settings:
        sides = _Side(), _Side()
        for sample in filter(scope.suite.has_reference, scope.samples):
            try:
                image = scope.predictions.image(sample)
                if image is None and scope.protocol.missing == "dropped":
                    continue
                pair = ImagePair(image, scope.ground_truth.reference(sample), scope.protocol.image_opening)
                for pair_features in scope.measures.features(setting, sample, pair, scope.protocol):
                    for side, features in zip(sides, pair_features, strict=True):
                        side.add(features)
            except VdeError:  # reported in the sample's state
                continue
        candidates, references = (side.gaussian for side in sides)
        result[setting] = frechet_distance(candidates, references) if candidates.n > 1 else None
    return result


class _Side:
    """Mean and covariance of the features of one set of images, updated in batches."""

    def __init__(self) -> None:
        self._sum: Gaussian | None = None
        self._pending: list[Any] = []

    def add(self, features: Any) -> None:
        self._pending.append(features)
        if len(self._pending) == _BATCH:
            self._flush()

    @property
    def gaussian(self) -> Gaussian:
        self._flush()
        return self._sum or Gaussian.empty()

    def _flush(self) -> None:
        if self._pending:
            more = Gaussian.of(self._pending)
            self._sum = self._sum.merge(more) if self._sum else more
            self._pending.clear()
