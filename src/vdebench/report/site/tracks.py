"""What differs in the page between runs on whole pages and runs around masks: columns, slices, filters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vdebench.metrics.image_metrics import MEASURES
from vdebench.protocols.masks.columns import SETTING
from vdebench.report.masked import COLUMNS as MASKED_COLUMNS
from vdebench.report.masked import TITLES as MASKED_TITLES
from vdebench.report.overview import COLUMNS
from vdebench.runs.folder import TABLES
from vdebench.stats.mask_summary import SLICES as MASKED_SLICES

_MAIN = ("cdm", "bleu", "teds", "iou", "page_text", "psnr", "ssim", "lpips", "clip")
_ORDER = ("cdm", "bleu", "teds", "teds_like", "text_similarity", "text_correctness", "iou", "page_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A kind of runs. The page is told most of it, so that its scripts need not know it again."""

    name: str
    tables: tuple[str, ...]
    """What a run folder must hold."""
    metrics: tuple[Mapping[str, Any], ...]
    """In their order: title, which way is better, digits; `main` ones are shown before one asks for all."""
    settings: Mapping[str, str]
    """Settings and their titles."""
    columns: tuple[tuple[str, str, str], ...]
    """Numbers of a sample side by side: title, setting, how the metric's name ends there."""
    slices: tuple[str, ...]
    titles: Mapping[str, str]
    """Names of slices that are not shown as they are."""
    count: tuple[str, str]
    """What the numbers of a slice are of, in the summary and in the table."""
    filters: Mapping[str, str]
    """What samples are chosen by, with titles."""
    cards: tuple[str, ...]
    """Metrics under a thumbnail; the first of all, in every setting, where none is named."""

    def told(self) -> dict[str, Any]:
        """What the page's scripts are told."""
        return {
            "track": self.name,
            "settings": self.settings,
            "columns": self.columns,
            "titles": self.titles,
            "count": self.count[1],
            "filters": self.filters,
            "cards": self.cards,
        }


PAGES = Track(
    name="pages",
    tables=tuple(TABLES),
    metrics=tuple(
        {
            "key": key,
            "title": COLUMNS[key],
            "best": MEASURES[key].best if key in MEASURES else "higher",
            "digits": 2 if key == "psnr" else 3,
            "main": key in _MAIN,
        }
        for key in dict.fromkeys((*_ORDER, *COLUMNS))
    ),
    settings={"local": "Edited regions (local)", "global": "Whole page (global)"},
    columns=(("local", "local", ""), ("global", "global", "")),
    slices=("operation", "edit_class", "language", "source", "label", "group"),
    titles={},
    count=("gt_blocks", "blocks"),
    filters={
        "operation": "Operation",
        "language": "Language",
        "source": "Source",
        "state": "State",
        "outcome": "Region outcome",
        "usable": "Usable edit",
    },
    cards=(),
)
PIXELS = Track(
    name="pixels",
    tables=("scores",),
    metrics=tuple(
        {"key": key, "title": title, "best": best, "digits": digits, "main": True, "share": key == "untouched"}
        for key, (title, best, digits) in MASKED_COLUMNS.items()
    ),
    settings={SETTING: "Around the masks"},
    columns=(("as scored", SETTING, ""), ("raw", SETTING, "_raw")),
    slices=MASKED_SLICES,
    titles=MASKED_TITLES,
    count=("samples", "samples"),
    filters={
        "operation": "Operation",
        "group": "Split",
        "source": "Topic",
        "tier": "Tier",
        "state": "State",
        "outcome": "Edit",
        "alignment": "Alignment",
    },
    cards=("score", "done", "ssim", "psnr"),
)
"""`share` marks what only many samples have a mean of."""


def track_of(summary: Mapping[str, Any]) -> Track:
    """The track of a run, by its summary.

    >>> track_of({"track": "pixels"}).name, track_of({}).name
    ('pixels', 'pages')
    """
    return PIXELS if summary.get("track") == PIXELS.name else PAGES
