"""Columns, slices and filters of the HTML pages for runs with pages and runs with masks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vdebench.metrics.registry import BLOCK_KINDS, facts, page_columns, registered
from vdebench.protocols.masks.columns import COLUMNS, SETTING
from vdebench.protocols.masks.summary import SLICES as MASKED_SLICES
from vdebench.protocols.pages.columns import TABLES
from vdebench.protocols.pages.summary import SLICES as PAGE_SLICES
from vdebench.report.masked import TITLES as MASKED_TITLES
from vdebench.report.masked import alignment_notes, masked_breakdown, masked_table
from vdebench.report.overview import breakdown_table, editors_table, provenance
from vdebench.report.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A kind of runs. Most of it is passed to the scripts of the page."""

    name: str
    tables: tuple[str, ...]
    """Tables that a run folder must contain."""
    names: Callable[[], Iterable[str]]
    """Names of its metrics, in their order."""
    settings: Mapping[str, str]
    """Settings and their titles."""
    columns: tuple[tuple[str, str, str], ...]
    """Columns of numbers of a sample: title, setting, suffix of the metric's key."""
    slices: tuple[str, ...]
    titles: Mapping[str, str]
    """Titles of slices that differ from their names."""
    count: tuple[str, str]
    """The count of a slice: key in the summary, title in the table."""
    filters: Mapping[str, str]
    """Filters of samples, with titles."""
    cards: tuple[str, ...]
    """Metrics under a thumbnail; the first of all, in every setting, where none is named."""
    table: Callable[[Sequence[Mapping[str, Any]]], Table]
    """The table of editors scored by one protocol, from their summaries."""
    breakdown: Callable[[Mapping[str, Any], str], Table]
    """The table of one editor's scores by a slice."""
    notes: Callable[[Sequence[Mapping[str, Any]]], list[str]]
    """Notes below the table of editors."""
    paper_shape: str
    """The paper's main table for such runs."""
    has_masks: bool = False

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """Facts of its metrics; `main` ones are shown by default.

        A `share` is of many samples, and no sample has it; a `count` has no upper bound.
        """
        known = [facts(key) for key in self.names()]
        return [
            {
                **{"key": each.name, "title": each.title, "best": each.best, "digits": each.digits, "main": each.main},
                **({"share": True} if each.name == "untouched" or each.kind == "run" else {}),
                **({"count": True} if each.kind == "run" and math.isinf(each.bounds[1]) else {}),
            }
            for each in known
        ]

    def to_json(self) -> dict[str, Any]:
        """JSON data for the page's scripts."""
        return {
            "track": self.name,
            "settings": self.settings,
            "columns": self.columns,
            "titles": self.titles,
            "count": self.count[1],
            "filters": self.filters,
            "cards": self.cards,
        }


def _text_first() -> list[str]:
    """Metrics of runs on pages: of text, of boxes, of the whole page, of images."""
    order = {**dict.fromkeys((*BLOCK_KINDS, "mean"), 0), "box": 1, "page": 2}
    return sorted(page_columns(), key=lambda name: order.get(facts(name).kind, 3))


PAGES = Track(
    name="pages",
    tables=tuple(TABLES),
    names=_text_first,
    settings={"local": "Edited regions (local)", "global": "Whole page (global)"},
    columns=(("local", "local", ""), ("global", "global", "")),
    slices=PAGE_SLICES,
    titles={},
    count=("gt_blocks", "blocks"),
    filters={
        "operation": "Operation",
        "language": "Language",
        "source": "Source",
        "state": "State",
        "outcome": "Region outcome",
        "usable": "Usable edit",
        "changed_facts": "Changed facts",
        "change_kind": "Kind of change",
    },
    cards=(),
    table=editors_table,
    breakdown=breakdown_table,
    notes=provenance,
    paper_shape="vde-v3:2",
)
PIXELS = Track(
    name="pixels",
    tables=("scores",),
    names=lambda: (*COLUMNS, *registered(("run",))),
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
    table=masked_table,
    breakdown=masked_breakdown,
    notes=alignment_notes,
    paper_shape="textedit:3",
    has_masks=True,
)


_TRACKS = {track.name: track for track in (PAGES, PIXELS)}


def track_of(summary: Mapping[str, Any]) -> Track:
    """The track of a run, by its summary.

    >>> track_of({"track": "pixels"}).name, track_of({}).name
    ('pixels', 'pages')
    """
    return _TRACKS.get(str(summary.get("track")), PAGES)
