"""Where a table's numbers come from: measured runs and the papers' published figures, asked in the same words."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from typing import Protocol as Interface

from vdebench.protocols import get_protocol
from vdebench.protocols.protocol import protocol_of
from vdebench.report.overview import bounds_of
from vdebench.report.table import Bounds

_MEASURED = {"IoU": "iou", "CDM": "cdm", "BLEU": "bleu", "SSIM": "ssim", "PSNR": "psnr", "LPIPS": "lpips"}
USABLE = "Usable"
"""The rate of usable edits, which no paper prints."""
_LANGUAGES = {"english": "english", "chinese": "simplified_chinese"}
_SPLITS = {"synthetic": "manual", "real": "web"}
_V1_OPERATIONS = {"replace": "text_replace", "delete": "text_delete", "add": "text_insert"}


class PaperRow(Interface):
    """A row of a paper's table: a model, and its numbers."""

    @property
    def name(self) -> str:
        """How the model is called."""

    @property
    def published(self) -> bool:
        """Whether the numbers are printed in a paper, not measured here."""

    def value(self, setting: str, by: str, slice_value: str, metric: str) -> float | None:
        """One number: setting `global`, `local` or `mean`; sliced by `all`, `language` or `operation`."""

    def bounds(self, setting: str, by: str, slice_value: str, metric: str) -> Bounds | None:
        """The number's interval; none where it is a mean of means or printed in a paper."""


@dataclass(frozen=True)
class MeasuredRun:
    """A run, by its summary."""

    summary: Mapping[str, Any]
    name_protocol: bool = False

    @property
    def name(self) -> str:
        """The editor's name, with the protocol's where several stand in one table."""
        return (
            f"{self.summary['editor']} ({self.summary['protocol']})" if self.name_protocol else self.summary["editor"]
        )

    @property
    def published(self) -> bool:
        """Never."""
        return False

    @property
    def teds_column(self) -> str:
        """What stands under TEDS; nothing where no text is matched."""
        return protocol_of(self.summary).teds_column

    @property
    def around_masks(self) -> bool:
        """Whether images were compared around masks."""
        return self.summary.get("track") == "pixels"

    def value(self, setting: str, by: str, slice_value: str, metric: str) -> float | None:
        """A number of the summary; `mean` is the mean of local and global, `Avg` that of the four metrics."""
        if metric == USABLE:
            return self._usable(by, slice_value).get("rate")
        if setting == "mean":
            return _mean([self.value(each, by, slice_value, metric) for each in ("local", "global")])
        if metric == "Avg":
            return _mean([self.value(setting, by, slice_value, each) for each in ("IoU", "CDM", "BLEU", "TEDS")])
        found, column = self._found(setting, by, slice_value, metric)
        if column == "psnr" and self.around_masks:
            return math.inf if found.get(column) is None and found.get("identical") else found.get(column)
        if column == "psnr" and found.get("images") and found["identical"] == found["images"]:
            return math.inf
        return found.get(column)

    def bounds(self, setting: str, by: str, slice_value: str, metric: str) -> Bounds | None:
        """The interval of a number of the summary; none of a mean of these."""
        if metric == USABLE:
            interval = self._usable(by, slice_value).get("interval")
            return (float(interval[0]), float(interval[1])) if interval else None
        if setting == "mean" or metric == "Avg":
            return None
        found, column = self._found(setting, by, slice_value, metric)
        return bounds_of(found, [column])[0]

    def _found(self, setting: str, by: str, slice_value: str, metric: str) -> tuple[Mapping[str, Any], str]:
        """The means of a slice, and what the metric is called in them."""
        if self.around_masks:
            split = self.summary["by"]["group"].get(_SPLITS[slice_value], {}).get(setting.removesuffix("-mask"))
            return split or {}, metric.lower()
        protocol = get_protocol(self.summary["protocol"])
        column = {"TEDS": protocol.teds_column, "CLIP": protocol.clip}.get(metric) or _MEASURED.get(metric, metric)
        return self._slice(by, slice_value).get(setting) or {}, column

    def _slice(self, by: str, value: str) -> Mapping[str, Any]:
        if by == "all":
            return dict(self.summary["overall"])
        column, name = _column(by, value)
        return dict(self.summary["by"][column].get(name, {}))

    def _usable(self, by: str, value: str) -> Mapping[str, Any]:
        """The rate of usable edits of a slice, which is of no setting; nothing where the protocol judges none."""
        found = self.summary.get("usable") or {}
        if by == "all" or not found:
            return dict(found)
        column, name = _column(by, value)
        return dict(found["by"][column].get(name, {}))


def _column(by: str, value: str) -> tuple[str, str]:
    """Where a slice of a paper's table stands in a summary: column and value.

    >>> _column("operation", "delete"), _column("language", "chinese")
    (('operation', 'text_delete'), ('language', 'simplified_chinese'))
    """
    if by == "language":
        return by, _LANGUAGES[value]
    return "operation" if value in _V1_OPERATIONS else "edit_class", _V1_OPERATIONS.get(value, value)


@dataclass(frozen=True)
class Published:
    """A model's figures in one table of a paper, as printed."""

    paper: str
    table: str
    name: str

    @property
    def published(self) -> bool:
        """Always."""
        return True

    def value(self, setting: str, by: str, slice_value: str, metric: str) -> float | None:
        """A figure as printed; nothing where the print lacks it."""
        return _figures().get((self.paper, self.table, self.name, setting, slice_value, metric))

    def bounds(self, setting: str, by: str, slice_value: str, metric: str) -> Bounds | None:
        """None: the papers print no intervals."""
        return None

    @property
    def faults(self) -> set[str]:
        """What is known to be wrong with the row in print."""
        key = (self.paper, self.table, self.name)
        return {
            row["note"]
            for row in published_figures()
            if row["note"] and (row["paper"], row["table"], row["model"]) == key
        }


def published_models(paper: str, table: str) -> list[Published]:
    """The models of a paper's table, in the order of print.

    >>> [model.name for model in published_models("vde-v3", "4")][:2]
    ['Step1X-Edit', 'LongCat-Image-Edit']
    """
    names = dict.fromkeys(row["model"] for row in published_figures() if (row["paper"], row["table"]) == (paper, table))
    return [Published(paper, table, name) for name in names]


@cache
def published_figures() -> list[dict[str, str]]:
    """The papers' published figures, a row each, as their CSV has them."""
    text = files("vdebench").joinpath("data/published_results.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def _figures() -> dict[tuple[str, ...], float]:
    columns = ("paper", "table", "model", "setting", "slice_value", "metric")
    return {tuple(row[c] for c in columns): float(row["value"]) for row in published_figures() if row["value"]}


def _mean(values: list[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if len(there) == len(values) else None
