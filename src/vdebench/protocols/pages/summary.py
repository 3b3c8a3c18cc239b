"""Summary of a run on pages: coverage and means, overall and by every slice, and the outcomes of regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from typing import Protocol as Interface

import polars as pl

from vdebench.metrics.registry import image_metrics
from vdebench.protocols.pages.means import PageMeanRules, Totals, label_pieces, means, totals
from vdebench.protocols.pages.region_summary import region_summary
from vdebench.protocols.protocol import RunTables

SLICES = ("operation", "edit_class", "language", "source", "label", "group")


class SummaryRules(PageMeanRules, Interface):
    """The fields of a page protocol that change a summary."""

    @property
    def region(self) -> Callable[..., Any] | None:
        """The rule for the outcome of a region, if there is one."""


def summarise(
    tables: RunTables,
    protocol: SummaryRules,
    settings: Sequence[str],
    crossed: Sequence[tuple[str, ...]] = (),
    measured: Sequence[str] = (),
) -> dict[str, Any]:
    """Return coverage, means and breakdowns of a run; `crossed` adds slices by several columns."""
    everything = tables.table("scores").drop("fingerprint").collect()
    requested = pl.col("setting").is_in(list(settings))  # the run may hold another setting from an earlier call
    scores = everything.filter(requested)
    scored_rows = everything.filter(pl.col("gt_blocks").is_not_null())
    blocks = tables.table("blocks")

    def sliced(*by: str) -> Totals:
        pieces = label_pieces(scored_rows, blocks) if "label" in by else scored_rows.iter_slices(1024)
        return totals((piece.filter(requested) for piece in pieces), ["setting", *by], protocol)

    summary: dict[str, Any] = {
        "coverage": _coverage(scores),
        "overall": _overall(sliced(), scores, settings, protocol),
        "by": {",".join(by): _by(sliced(*by), settings, protocol) for by in [*((name,) for name in SLICES), *crossed]},
    }
    if protocol.region is not None and "local" in settings:
        summary["regions"] = regions_of(tables)
    summary["notes"] = [*_notes(scores), *_too_small(scores, measured)]
    return summary


def _notes(scores: pl.DataFrame) -> list[str]:
    """Notes on samples that a setting leaves out, missing image metrics and blocks without a box."""
    excluded = scores.filter(pl.col("state") == "left_out").group_by("setting", "reason", maintain_order=True).len()
    notes = [f"{setting}: {count} samples left out: {reason}" for setting, reason, count in excluded.iter_rows()]
    without = scores.filter(pl.col("image_reason").is_not_null())
    if len(without):
        reason = without["image_reason"][0].partition("\n")[0]
        notes.append(f"no image metrics for {without['sample'].n_unique()} samples: {reason}")
    unplaced = scores.filter(pl.col("unplaced_blocks") > 0)
    if len(unplaced):
        blocks, first = unplaced["unplaced_blocks"].sum(), unplaced["sample"][0]
        notes.append(f"{blocks} predicted blocks of {len(unplaced)} samples have no box and are left out ({first} …)")
    return notes


def _too_small(scores: pl.DataFrame, measured: Sequence[str]) -> list[str]:
    """Notes on image metrics that some samples lack because their images are too small."""
    notes = []
    for (setting,), rows in scores.group_by("setting", maintain_order=True):
        images = rows["width"].count()
        lacking = [
            (name, rows[name].count()) for name in image_metrics() if name in measured and rows[name].count() < images
        ]
        notes += [f"{setting}: {name} of {n} of {images}: the others are too small for it" for name, n in lacking]
    return notes


def _overall(
    slice_totals: Totals, scores: pl.DataFrame, settings: Sequence[str], protocol: PageMeanRules
) -> dict[str, dict[str, Any] | None]:
    overall: dict[str, dict[str, Any] | None] = dict.fromkeys(settings)
    for (setting,), vector in slice_totals.items():
        states = scores.filter(pl.col("setting") == setting)["state"].to_list()
        counts = {state: states.count(state) for state in ("scored", "missing", "failed", "left_out")}
        overall[setting] = {**means(vector, protocol), "samples": counts}
    return overall


def _by(slice_totals: Totals, settings: Sequence[str], protocol: PageMeanRules) -> dict[str, dict[str, Any]]:
    by: dict[str, dict[str, Any]] = {}
    for (setting, *values), vector in sorted(slice_totals.items()):
        by.setdefault(",".join(values), dict.fromkeys(settings))[setting] = means(vector, protocol)
    return dict(sorted(by.items()))


def _coverage(scores: pl.DataFrame) -> dict[str, int]:
    """Number of samples, and of those scored, missing and failed (in any setting).

    A sample that all settings leave out is in none of the three. `without_reference` counts, if there are any, the
    samples to which metrics that need ground truth do not apply.
    """
    states: dict[str, set[str]] = {}
    for sample, state in scores.select("sample", "state").iter_rows():
        states.setdefault(sample, set()).add(state)
    final = [
        next((state for state in ("failed", "missing", "scored") if state in seen), "") for seen in states.values()
    ]
    counts = {"samples": len(states), **{state: final.count(state) for state in ("scored", "missing", "failed")}}
    by_request = scores.filter(pl.col("judged_by") != "reference") if "judged_by" in scores.columns else scores.clear()
    unreferenced = by_request["sample"].n_unique()
    return {**counts, **({"without_reference": unreferenced} if unreferenced else {})}


def regions_of(tables: RunTables, reference: RunTables | None = None) -> dict[str, Any]:
    """Return counts and rates of region outcomes; `reference` is the run of the reference images, if there is one."""
    local = pl.col("setting") == "local"
    about = tables.table("scores").filter(local).select("sample", "operation", "language").collect()
    references = reference.table("regions").collect() if reference else None
    return region_summary(tables.table("regions").collect(), about, references)
