"""Usable edits: five properties of every sample, pass or fail with what was found, from the rows a run folder keeps.

A property passes where the right answer, read by the same reader, does no better: what the reader loses is not the
editor's fault. What cannot be told is unknown, never a pass and never a failure. Samples on which no editor can be
judged, such as those whose reference the reader cannot read, are in no editor's rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.errors import RunFolderError, VdeError
from vdebench.metrics.edit_traces import IDENTITY
from vdebench.metrics.folding import folded
from vdebench.metrics.text import character_similarity
from vdebench.protocols.pages.region_summary import judged_regions, unreadable_samples
from vdebench.stats.rates import rate_interval

PROPERTIES = {
    "completeness": "Completeness",
    "textual_correctness": "Textual correctness",
    "spatial_precision": "Spatial precision",
    "visual_fidelity": "Visual fidelity",
    "preservation": "Preservation",
}
"""In the order in which a sample is asked: was an edit made, does it say the right thing, …"""
TABLES = ("scores", "regions")
SLICES = ("operation", "edit_class", "language", "source", "group")
_WRONG = ("not_done", "partly", "wrong_text", "page_lost", "missing")
RULES = "rules-2"
"""Changes with any rule below."""


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """From where on a property passes. docs/usable.md shows the data that these defaults come from."""

    textual_correctness: float = 0.99
    """Character similarity of what a region reads to what it should read."""
    spatial_precision: float = 0.6
    """IoU of the regions' text blocks."""
    visual_fidelity: float = 0.8
    """Likeness of colours and sharpness."""
    preservation: float = 0.9998
    """Share of the page's inked tiles outside the regions that are found again."""
    edited: float = 0.5
    """Share of the tiles that should change that did."""
    stray: float = 0.0005
    """Share of the page that may have been empty and have something on it now."""

    @property
    def signature(self) -> str:
        """What the verdicts depend on, besides the scores' own signature."""
        return "|".join([f"usable:{RULES},{IDENTITY}", *(f"{name}:{value:g}" for name, value in asdict(self).items())])

    def changed(self, given: Sequence[str]) -> Thresholds:
        """The same with others, as `textual_correctness=0.95`.

        >>> Thresholds().changed(["textual_correctness=1"]).textual_correctness
        1.0
        """
        values: dict[str, float] = {}
        for each in given:
            name, _, value = each.partition("=")
            try:
                values[name.strip()] = float(value)
            except ValueError:
                raise VdeError(f"threshold {each!r}: expected NAME=NUMBER, such as textual_correctness=0.95") from None
        known = [field.name for field in fields(self)]
        for name, number in values.items():
            if name not in known:
                raise VdeError(f"no threshold is called {name!r}; there are: {', '.join(known)}")
            if not 0 <= number <= 1:
                raise VdeError(f"threshold {name}={number:g}: expected a number from 0 to 1")
        return replace(self, **values)


class UsableVerdict(NamedTuple):
    """What is said of one sample: each property, the evidence in words, and whether the edit is usable."""

    sample: str
    properties: Mapping[str, bool | None]
    evidence: Mapping[str, str]
    judgeable: bool = True
    """Whether any editor can be judged on the sample: where not, it is in no editor's rate."""

    @property
    def usable(self) -> bool | None:
        """Whether all pass: False where any fails, unknown where none fails and any is unknown."""
        if not self.judgeable:
            return None
        found = self.properties.values()
        return False if False in found else None if None in found else True

    @property
    def fails_at(self) -> str:
        """The first property that fails, "" where none does or the sample is in no rate."""
        if self.usable is not False:
            return ""
        return next(name for name, passed in self.properties.items() if passed is False)


class Rows(NamedTuple):
    """Score rows and region rows of a run, and those of the reference images read by the same reader."""

    scores: pl.DataFrame
    regions: pl.DataFrame
    reference_scores: pl.DataFrame | None = None
    reference_regions: pl.DataFrame | None = None

    @classmethod
    def of(cls, root: Path, *, with_reference: bool) -> Rows:
        """The rows in a run folder; of the reference images too where their reading was scored."""
        folders = [root, *([root / "reference"] if with_reference else [])]
        try:
            tables = [pl.read_parquet(folder / f"{name}.parquet") for folder in folders for name in TABLES]
        except (OSError, pl.exceptions.PolarsError) as error:
            raise RunFolderError(f"{root}: cannot be read: {str(error).partition(chr(10))[0]}; score again") from None
        needed = {"page", "preservation", "visual_fidelity"}
        if not needed <= set(tables[0].columns) or "before" not in tables[1].columns:
            raise RunFolderError(f"{root}: was scored by a version without the columns of usable edits; score again")
        return cls(*tables)


class _SampleRows(NamedTuple):
    """All that is known of a sample: a row for each setting, and its regions in their order."""

    whole: Mapping[str, Any]
    local: Mapping[str, Any]
    regions: Sequence[Mapping[str, Any]]


_NOTHING = _SampleRows({}, {}, ())
_UNREADABLE = "unknown: the reader cannot read the reference"
_NOT_SHOWN = "unknown: the change asked for shows neither in text nor in the pixels we compare"
Judged = tuple[bool | None, str]


def verdicts(rows: Rows, thresholds: Thresholds) -> Iterator[UsableVerdict]:
    """What is said of every sample, in the order of the run."""
    references = dict(_found(rows.reference_scores, rows.reference_regions))
    unreadable = set(unreadable_samples(rows.reference_regions, rows.regions))
    for sample, found in _found(rows.scores, judged_regions(rows.regions, rows.reference_regions)):
        judged = _judged(found, references.get(sample, _NOTHING), thresholds)
        passed = {name: each[0] for name, each in judged.items()}
        evidence = {name: each[1] for name, each in judged.items()}
        judgeable = sample not in unreadable and not _shows_nowhere(found)
        yield UsableVerdict(sample, passed, evidence, judgeable)


def _found(scores: pl.DataFrame | None, regions: pl.DataFrame | None) -> Iterator[tuple[str, _SampleRows]]:
    if scores is None or regions is None:
        return
    settings: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in scores.iter_rows(named=True):
        settings.setdefault(row["sample"], {})[row["setting"]] = row
    of: dict[str, list[Mapping[str, Any]]] = {}
    for row in regions.iter_rows(named=True):
        of.setdefault(row["sample"], []).append(row)
    for sample, found in settings.items():
        yield sample, _SampleRows(found.get("global", {}), found.get("local", {}), of.get(sample, ()))


def _judged(found: _SampleRows, reference: _SampleRows, thresholds: Thresholds) -> dict[str, Judged]:
    states = [row.get("state") for row in (found.whole, found.local)]
    if "missing" in states:
        absent = str(found.whole.get("reason") or found.local.get("reason") or "no output")
        return dict.fromkeys(PROPERTIES, (False, absent))
    broken = found.whole.get("image_reason") or found.local.get("image_reason")
    if "failed" in states and broken:  # nobody can use it
        return dict.fromkeys(PROPERTIES, (False, f"the output cannot be opened: {broken}"))
    for row in (found.whole, found.local):
        if row.get("state") != "scored":
            reason = str(row.get("reason") or "both settings must be scored")
            return dict.fromkeys(PROPERTIES, (None, reason))
    return {
        "completeness": _completeness(found, thresholds),
        "textual_correctness": _textual_correctness(found, reference, thresholds),
        "spatial_precision": _spatial_precision(found, reference, thresholds),
        "visual_fidelity": _at_least(found.local.get("visual_fidelity"), thresholds.visual_fidelity, "likeness"),
        "preservation": _at_least(found.whole.get("preservation"), thresholds.preservation, "kept outside"),
    }


def _at_least(value: float | None, least: float, name: str) -> Judged:
    if value is None:
        return None, f"{name} not measured: no image"
    return value >= least, f"{name} {value:.4g}, asked {least:g}"


def _completeness(found: _SampleRows, thresholds: Thresholds) -> Judged:
    """An edit was made in every region, and nothing was added elsewhere."""
    outcomes = [region["outcome"] for region in found.regions]
    if "not_done" in outcomes:
        return False, f"{outcomes.count('not_done')} of {len(outcomes)} regions read as before"
    edited, stray = found.local.get("edited"), found.whole.get("stray")
    if edited is not None and edited < thresholds.edited:
        return False, f"{edited:.0%} of what should change did, asked {thresholds.edited:.0%}"
    if stray is None:
        return None, "additions not measured: no image"
    if stray > thresholds.stray:
        return False, f"something new on {stray:.2%} of the page, allowed {thresholds.stray:.2%}"
    if "unreadable" in outcomes:
        return None, _UNREADABLE
    if _shows_nowhere(found):
        return None, _NOT_SHOWN
    return True, "edited where asked, and only there"


def _shows_nowhere(found: _SampleRows) -> bool:
    """Whether the requested change is visible neither in text nor in the compared pixels, for any editor."""
    of_no_text = any(region["outcome"] in ("text_kept", "text_changed") for region in found.regions)
    return of_no_text and found.whole.get("stray") is not None and found.local.get("edited") is None


def _textual_correctness(found: _SampleRows, reference: _SampleRows, thresholds: Thresholds) -> Judged:
    """Every region reads what it should, or what it reads in the right answer."""
    if not found.regions:
        return None, "no region was judged"
    known = {region["region"]: region for region in reference.regions}
    worst = 1.0
    if any(region["outcome"] == "unreadable" for region in found.regions):
        return None, _UNREADABLE
    for region in found.regions:
        right = known.get(region["region"], {})
        similarity, reached = region["cdm"], right.get("cdm")
        if region["read"] is not None and region["read"] == right.get("read"):
            continue  # in the right answer the reader sees the same
        if similarity is not None and right.get("read"):  # or nearly the same
            similarity = max(similarity, character_similarity(folded(region["read"] or ""), folded(right["read"])))
        least = thresholds.textual_correctness if reached is None else min(thresholds.textual_correctness, reached)
        if region["outcome"] in _WRONG or similarity is None or similarity < least:
            told = f"region {region['region']}: {region['outcome']}, similarity {similarity or 0:.3f}"
            return False, f"{told}, reads “{_short(region['read'] or '')}”"
        worst = min(worst, similarity)
    return True, f"similarity {worst:.3f}"


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _spatial_precision(found: _SampleRows, reference: _SampleRows, thresholds: Thresholds) -> Judged:
    """The regions' blocks stand where they should, or as near as the right answer's are read."""
    value, right = _iou(found.local), _iou(reference.local)
    if value is None:
        return True, "nothing should stand there"
    least = min(thresholds.spatial_precision, 1.0 if right is None else right)
    return value >= least, f"IoU {value:.3f}, asked {least:.3f}"


def _iou(row: Mapping[str, Any]) -> float | None:
    blocks = (row.get("gt_blocks") or 0) + (row.get("unmatched_pred") or 0)
    return row["iou_sum"] / blocks if blocks else None


def usable_summary(rows: Rows, thresholds: Thresholds) -> dict[str, Any]:
    """The rate of usable edits with its interval, every property's counts, the waterfall, and rates by slice."""
    found = list(verdicts(rows, thresholds))
    about = {row["sample"]: row for row in rows.scores.select("sample", "page", *SLICES).iter_rows(named=True)}
    by: dict[str, dict[str, Any]] = {}
    for name in SLICES:
        groups: dict[str, list[UsableVerdict]] = {}
        for verdict in found:
            groups.setdefault(about[verdict.sample][name], []).append(verdict)
        by[name] = {value: _rate(groups[value], about) for value in sorted(groups)}
    counts = {
        name: {
            title: sum(verdict.properties[name] is passed for verdict in found if verdict.judgeable)
            for title, passed in (("passed", True), ("failed", False), ("unknown", None))
        }
        for name in PROPERTIES
    }
    return {
        **_rate(found, about),
        "properties": counts,
        "waterfall": _waterfall(found),
        "thresholds": asdict(thresholds),
        "signature": thresholds.signature,
        "by": by,
    }


def _rate(found: Sequence[UsableVerdict], about: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The rate where all samples are known, else the bounds it lies in: the known ones are not a fair part of all."""
    judgeable = [verdict for verdict in found if verdict.judgeable]
    known = [verdict for verdict in judgeable if verdict.usable is not None]
    passed = [bool(verdict.usable) for verdict in known]
    unknown = len(judgeable) - len(known)
    complete = bool(known) and not unknown
    interval = rate_interval(passed, [about[verdict.sample]["page"] for verdict in known]) if complete else None
    return {
        "rate": sum(passed) / len(passed) if complete else None,
        "interval": list(interval) if interval else None,
        "n": len(known),
        "unknown": unknown,
        "not_judgeable": len(found) - len(judgeable),
        "bounds": [sum(passed), sum(passed) + unknown],
    }


def _waterfall(found: Sequence[UsableVerdict]) -> list[dict[str, Any]]:
    """How many fail first at which property, and how many are left after it, of the samples with a verdict."""
    left = sum(verdict.usable is not None for verdict in found)
    steps = []
    for name in PROPERTIES:
        failed = sum(verdict.fails_at == name for verdict in found)
        left -= failed
        steps.append({"property": name, "failed": failed, "left": left})
    return steps
