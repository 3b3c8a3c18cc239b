"""Rows of the papers' tables: measured runs and published figures, with the same interface."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from typing import Protocol as Interface

from vdebench.protocols import get_protocol, protocol_of
from vdebench.report.overview import bounds_of
from vdebench.report.table import Bounds
from vdebench.report.tracks import track_of

_MEASURED = {"IoU": "iou", "CDM": "cdm", "BLEU": "bleu", "SSIM": "ssim", "PSNR": "psnr", "LPIPS": "lpips"}
USABLE = "Usable"
"""The rate of usable edits, which no paper has."""
_LANGUAGES = {"english": "english", "chinese": "simplified_chinese"}
_SPLITS = {"synthetic": "manual", "real": "web"}
_V1_OPERATIONS = {"replace": "text_replace", "delete": "text_delete", "add": "text_insert"}


class PaperRow(Interface):
    """A row of a paper's table: a model, and its numbers."""

    @property
    def name(self) -> str:
        """The name of the model."""

    @property
    def published(self) -> bool:
        """Whether the numbers are from a paper."""

    def value(self, setting: str, by: str, slice_value: str, metric: str) -> float | None:
        """One number: setting `global`, `local` or `mean`; sliced by `all`, `language` or `operation`."""

    def bounds(self, setting: str, by: str, slice_value: str, metric: str) -> Bounds | None:
        """The number's interval; None for a mean of means and for published numbers."""


@dataclass(frozen=True)
class MeasuredRun:
    """A run, by its summary."""

    summary: Mapping[str, Any]
    name_protocol: bool = False

    @property
    def name(self) -> str:
        """The editor's name, with the protocol's if a table has several."""
        return (
            f"{self.summary['editor']} ({self.summary['protocol']})" if self.name_protocol else self.summary["editor"]
        )

    @property
    def published(self) -> bool:
        """Never."""
        return False

    @property
    def teds_column(self) -> str:
        """The column shown as TEDS; "" if no text is matched."""
        return protocol_of(self.summary).teds_column

    def value(self, setting: str, by: str, slice_value: str, metric: str) -> float | None:
        """A number of the summary; `mean` is the mean of local and global, `Avg` that of the four metrics."""
        if metric == USABLE:
            return self._usable(by, slice_value).get("rate")
        if setting == "mean":
            return _mean([self.value(name, by, slice_value, metric) for name in ("local", "global")])
        if metric == "Avg":
            return _mean([self.value(setting, by, slice_value, name) for name in ("IoU", "CDM", "BLEU", "TEDS")])
        means, column = self._means(setting, by, slice_value, metric)
        return math.inf if column == "psnr" and self._is_infinite(means) else means.get(column)

    def _is_infinite(self, means: Mapping[str, Any]) -> bool:
        """Whether the mean PSNR is infinite: all images are identical."""
        return bool(means.get("images")) and means["identical"] == means["images"]

    def bounds(self, setting: str, by: str, slice_value: str, metric: str) -> Bounds | None:
        """The interval of a number of the summary; None for a mean of these."""
        if metric == USABLE:
            interval = self._usable(by, slice_value).get("interval")
            return (float(interval[0]), float(interval[1])) if interval else None
        if setting == "mean" or metric == "Avg":
            return None
        means, column = self._means(setting, by, slice_value, metric)
        return bounds_of(means, [column])[0]

    def _means(self, setting: str, by: str, slice_value: str, metric: str) -> tuple[Mapping[str, Any], str]:
        """The means of a slice, and the metric's key in them."""
        protocol = get_protocol(self.summary["protocol"])
        column = {"TEDS": protocol.teds_column, "CLIP": protocol.clip}.get(metric) or _MEASURED.get(metric, metric)
        return self._slice(by, slice_value).get(setting) or {}, column

    def _slice(self, by: str, value: str) -> Mapping[str, Any]:
        if by == "all":
            return dict(self.summary["overall"])
        column, name = _column(by, value)
        return dict(self.summary["by"][column].get(name, {}))

    def _usable(self, by: str, value: str) -> Mapping[str, Any]:
        """The rate of usable edits of a slice, for both settings together; {} if the protocol judges none."""
        usable = self.summary.get("usable") or {}
        if by == "all" or not usable:
            return dict(usable)
        column, name = _column(by, value)
        return dict(usable["by"][column].get(name, {}))


class MaskedRun(MeasuredRun):
    """A run on images with masks, by its summary."""

    def _is_infinite(self, means: Mapping[str, Any]) -> bool:
        """Whether the mean PSNR is infinite: some images are identical and the protocol gives no mean."""
        return means.get("psnr") is None and bool(means.get("identical"))

    def _means(self, setting: str, by: str, slice_value: str, metric: str) -> tuple[Mapping[str, Any], str]:
        """The means of a split, and the name of the metric in them."""
        split = self.summary["by"]["group"].get(_SPLITS[slice_value], {}).get(setting.removesuffix("-mask"))
        return split or {}, metric.lower()


def measured_run(summary: Mapping[str, Any], name_protocol: bool = False) -> MeasuredRun:
    """Return the row of a run."""
    return (MaskedRun if track_of(summary).has_masks else MeasuredRun)(summary, name_protocol)


def _column(by: str, value: str) -> tuple[str, str]:
    """Column and value in a summary of a slice of a paper's table.

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
        """A figure as published, or None."""
        return _figures().get((self.paper, self.table, self.name, setting, slice_value, metric))

    def bounds(self, setting: str, by: str, slice_value: str, metric: str) -> Bounds | None:
        """None: the papers have no intervals."""
        return None

    @property
    def faults(self) -> set[str]:
        """Known errors of the published row."""
        key = (self.paper, self.table, self.name)
        return {
            row["note"]
            for row in published_figures()
            if row["note"] and (row["paper"], row["table"], row["model"]) == key
        }


def published_models(paper: str, table: str) -> list[Published]:
    """The models of a paper's table, in its order.

    >>> [model.name for model in published_models("vde-v3", "4")][:2]
    ['Step1X-Edit', 'LongCat-Image-Edit']
    """
    names = dict.fromkeys(row["model"] for row in published_figures() if (row["paper"], row["table"]) == (paper, table))
    return [Published(paper, table, name) for name in names]


@cache
def published_figures() -> list[dict[str, str]]:
    """The papers' published figures, one row each."""
    text = files("vdebench").joinpath("data/published_results.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def _figures() -> dict[tuple[str, ...], float]:
    columns = ("paper", "table", "model", "setting", "slice_value", "metric")
    return {tuple(row[c] for c in columns): float(row["value"]) for row in published_figures() if row["value"]}


def _mean(values: list[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if len(present) == len(values) else None
