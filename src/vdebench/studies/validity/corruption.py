"""What a corruption is: a name, its levels, whom it can be done to, and how."""

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
    """One way in which an edited page can be wrong, by degrees. Level 0 is the right answer itself."""

    name: str
    title: str
    says: str
    levels: tuple[float, ...]
    """What the levels after 0 are given, from little to much."""
    unit: str
    make: Callable[[CorruptionWorkspace, float], CorruptedPage]
    applies: Callable[[LadderSample], bool]
    business: frozenset[str]
    """Metrics of `strict`, read by the exact layout, that must fall: `local.cdm`."""

    def page(self, workshop: CorruptionWorkspace, level: int) -> CorruptedPage:
        """The page at a level, counted from 0."""
        if level == 0:
            return workshop.page(workshop.reference)
        return self.make(workshop, self.levels[level - 1])

    @property
    def depths(self) -> range:
        """Levels, the right answer among them."""
        return range(len(self.levels) + 1)
