"""Definition of a corruption: name, levels, the samples it applies to, and its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vdebench.studies.validity.subject import CorruptedPage, CorruptionWorkspace, LadderSample

TEXTS = ("cdm", "bleu", "teds_like", "text_similarity", "page_text")
IMAGES = ("psnr", "ssim")


def both(*metrics: str) -> frozenset[str]:
    """Metrics in both settings.

    >>> sorted(both("iou"))
    ['global.iou', 'local.iou']
    """
    return frozenset(f"{setting}.{metric}" for setting in ("global", "local") for metric in metrics)


def whole(*metrics: str) -> frozenset[str]:
    """Metrics of the whole page."""
    return frozenset(f"global.{metric}" for metric in metrics)


def region(*metrics: str) -> frozenset[str]:
    """Metrics of the edited regions."""
    return frozenset(f"local.{metric}" for metric in metrics)


@dataclass(frozen=True)
class Corruption:
    """One kind of error of an edited page, at increasing levels. Level 0 is the reference."""

    name: str
    title: str
    says: str
    levels: tuple[float, ...]
    """Parameters of the levels after 0, from weak to strong."""
    unit: str
    make: Callable[[CorruptionWorkspace, float], CorruptedPage]
    applies: Callable[[LadderSample], bool]
    business: frozenset[str]
    """Metrics of `strict` with the exact layout that must fall, such as `local.cdm`."""

    def page(self, workspace: CorruptionWorkspace, level: int) -> CorruptedPage:
        """The page at a level, counted from 0."""
        if level == 0:
            return workspace.page(workspace.reference)
        return self.make(workspace, self.levels[level - 1])

    @property
    def depths(self) -> range:
        """All levels, including 0."""
        return range(len(self.levels) + 1)
