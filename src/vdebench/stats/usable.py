"""Usable edits: five properties of every sample, passed or failed with evidence, from the rows of a run folder.

A property passes if the reference, read by the same reader, is no better: OCR loss is not the editor's fault. A
property that cannot be decided is unknown, neither passed nor failed. Samples on which no editor can be judged, such as
those whose reference the reader cannot read, are in no editor's rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.changes.change import PageChanges
from vdebench.changes.identity import CHANGES, REQUESTS
from vdebench.changes.verdict import GeometryLimits, shortened
from vdebench.errors import RunFolderError, VdeError
from vdebench.metrics.edit_traces import IDENTITY as TRACES
from vdebench.metrics.folding import folded
from vdebench.metrics.text import character_similarity
from vdebench.protocols.pages.region_summary import judged_regions, unreadable_samples
from vdebench.registry import unknown_name
from vdebench.stats import change_properties
from vdebench.stats.change_counts import change_summary
from vdebench.stats.change_properties import PropertyCheck
from vdebench.stats.rates import rate_interval
from vdebench.stats.request_properties import request_check, request_properties

PROPERTIES = {
    "completeness": "Completeness",
    "textual_correctness": "Textual correctness",
    "spatial_precision": "Spatial precision",
    "visual_fidelity": "Visual fidelity",
    "preservation": "Preservation",
}
"""In the order of the waterfall."""
TABLES = ("scores", "regions")
SLICES = ("operation", "edit_class", "language", "source", "group")
_WRONG_OUTCOMES = ("not_done", "partly", "wrong_text", "page_lost", "missing")
RULES = "rules-3"
"""Version of the rules below; part of the signature."""


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """Minimum (for `stray`, maximum) values of passed properties. docs/usable.md shows the data behind the defaults."""

    textual_correctness: float = 0.99
    """Character similarity of a region's OCR output to its ground truth."""
    spatial_precision: float = 0.6
    """IoU of the regions' text blocks."""
    visual_fidelity: float = 0.8
    """Similarity of colours and sharpness."""
    preservation: float = 0.9998
    """Share of the inked tiles outside the regions that are preserved."""
    edited: float = 0.5
    """Share of the tiles to be changed that are changed."""
    stray: float = 0.0005
    """Share of the page that was empty and has new content."""
    max_zoom: float = 0.05
    """Greatest enlargement or reduction of the page in its frame."""
    allow_crop: float = 0.0
    """1 if text may be cut off at the edges."""

    def signature(self, by: str) -> str:
        """Rules, what they rest on, and thresholds of the verdicts; the scores have their own signature."""
        return "|".join([f"usable:{RULES},{by}", *(f"{name}:{value:g}" for name, value in asdict(self).items())])

    @property
    def geometry(self) -> GeometryLimits:
        """The limits of the geometry."""
        return GeometryLimits(self.max_zoom, bool(self.allow_crop))

    def changed(self, arguments: Sequence[str]) -> Thresholds:
        """Return thresholds with some replaced, such as `textual_correctness=0.95`.

        >>> Thresholds().changed(["textual_correctness=1"]).textual_correctness
        1.0
        """
        values: dict[str, float] = {}
        for argument in arguments:
            name, _, value = argument.partition("=")
            try:
                values[name.strip()] = float(value)
            except ValueError:
                raise VdeError(
                    f"threshold {argument!r}: expected NAME=NUMBER, such as textual_correctness=0.95"
                ) from None
        names = [field.name for field in fields(self)]
        for name, number in values.items():
            if name not in names:
                raise VdeError(unknown_name("threshold", name, names))
            if not 0 <= number <= 1:
                raise VdeError(f"threshold {name}={number:g}: expected a number from 0 to 1")
        return replace(self, **values)


class UsableVerdict(NamedTuple):
    """The verdict on one sample: each property with its evidence."""

    sample: str
    properties: Mapping[str, bool | None]
    evidence: Mapping[str, str]
    judgeable: bool = True
    """Whether any editor can be judged on the sample; otherwise it is in no rate."""

    @property
    def usable(self) -> bool | None:
        """Whether all properties pass: False if any fails, None if none fails and any is unknown."""
        if not self.judgeable:
            return None
        passed = self.properties.values()
        return False if False in passed else None if None in passed else True

    @property
    def fails_at(self) -> str:
        """The first failed property, or ""."""
        if self.usable is not False:
            return ""
        return next(name for name, passed in self.properties.items() if passed is False)


class Rows(NamedTuple):
    """Score rows and region rows of a run, and of the reference images read by the same reader."""

    scores: pl.DataFrame
    regions: pl.DataFrame
    reference_scores: pl.DataFrame | None = None
    reference_regions: pl.DataFrame | None = None

    @classmethod
    def of(cls, root: Path, *, with_reference: bool) -> Rows:
        """Read the rows of a run folder; raises `RunFolderError`."""
        folders = [root, *([root / "reference"] if with_reference else [])]
        try:
            tables = [pl.read_parquet(folder / f"{name}.parquet") for folder in folders for name in TABLES]
        except (OSError, pl.exceptions.PolarsError) as error:
            raise RunFolderError(f"{root}: cannot be read: {str(error).partition(chr(10))[0]}; score again") from None
        needed = {"page", "preservation", "visual_fidelity"}
        if not needed <= set(tables[0].columns) or "before" not in tables[1].columns:
            raise RunFolderError(f"{root}: scored by a version without the columns of usable edits; score again")
        return cls(*tables)


class _SampleRows(NamedTuple):
    """Rows of a sample: one for each setting, and its regions in order."""

    whole: Mapping[str, Any]
    local: Mapping[str, Any]
    regions: Sequence[Mapping[str, Any]]


_NO_ROWS = _SampleRows({}, {}, ())
_UNREADABLE = "unknown: the reader cannot read the reference"
_INVISIBLE = "unknown: the requested change is visible neither in text nor in the compared pixels"


def verdicts(rows: Rows, thresholds: Thresholds) -> Iterator[UsableVerdict]:
    """Yield the verdict on every sample, in the order of the run."""
    references = dict(_rows_by_sample(rows.reference_scores, rows.reference_regions))
    unreadable = set(unreadable_samples(rows.reference_regions, rows.regions))
    for sample, sample_rows in _rows_by_sample(rows.scores, judged_regions(rows.regions, rows.reference_regions)):
        checks = _check_properties(sample_rows, references.get(sample, _NO_ROWS), thresholds)
        passed = {name: check[0] for name, check in checks.items()}
        evidence = {name: check[1] for name, check in checks.items()}
        decidable = sample_rows.whole.get("judged_by") != "nothing"
        judgeable = decidable and sample not in unreadable and not _is_invisible(sample_rows)
        yield UsableVerdict(sample, passed, evidence, judgeable)


def _rows_by_sample(scores: pl.DataFrame | None, regions: pl.DataFrame | None) -> Iterator[tuple[str, _SampleRows]]:
    if scores is None or regions is None:
        return
    settings: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in scores.iter_rows(named=True):
        settings.setdefault(row["sample"], {})[row["setting"]] = row
    by_sample: dict[str, list[Mapping[str, Any]]] = {}
    for row in regions.iter_rows(named=True):
        by_sample.setdefault(row["sample"], []).append(row)
    for sample, by_setting in settings.items():
        yield sample, _SampleRows(by_setting.get("global", {}), by_setting.get("local", {}), by_sample.get(sample, ()))


def _check_properties(rows: _SampleRows, reference: _SampleRows, thresholds: Thresholds) -> dict[str, PropertyCheck]:
    states = [row.get("state") for row in (rows.whole, rows.local)]
    if "missing" in states:
        absent = str(rows.whole.get("reason") or rows.local.get("reason") or "no output")
        return dict.fromkeys(PROPERTIES, (False, absent))
    broken = rows.whole.get("image_reason") or rows.local.get("image_reason")
    if "failed" in states and broken:
        return dict.fromkeys(PROPERTIES, (False, f"the output cannot be opened: {broken}"))
    request = request_check(rows.whole)
    if request is not None:
        return request_properties(request, thresholds.geometry)
    for row in (rows.whole, rows.local):
        if row.get("state") != "scored":
            reason = str(row.get("reason") or "both settings must be scored")
            return dict.fromkeys(PROPERTIES, (None, reason))
    changes = change_properties.changes_of(rows.whole)
    if changes is not None:
        return _check_changes(rows, changes, thresholds)
    return {
        "completeness": _completeness(rows, thresholds),
        "textual_correctness": _textual_correctness(rows, reference, thresholds),
        "spatial_precision": _spatial_precision(rows, reference, thresholds),
        "visual_fidelity": _check_minimum(rows.local.get("visual_fidelity"), thresholds.visual_fidelity, "similarity"),
        "preservation": _check_minimum(rows.whole.get("preservation"), thresholds.preservation, "preserved share"),
    }


def _check_changes(rows: _SampleRows, changes: PageChanges, thresholds: Thresholds) -> dict[str, PropertyCheck]:
    """Check the properties by the changes between the reference and the output."""
    return {
        "completeness": _completeness_by_changes(rows, changes, thresholds),
        "textual_correctness": _text_by_changes(rows, changes),
        "spatial_precision": change_properties.spatial_precision(changes, thresholds.geometry),
        "visual_fidelity": change_properties.visual_fidelity(changes),
        "preservation": change_properties.preservation(changes),
    }


def _completeness_by_changes(rows: _SampleRows, changes: PageChanges, thresholds: Thresholds) -> PropertyCheck:
    """The regions were edited, and nothing was added elsewhere."""
    outcomes = [region["outcome"] for region in rows.regions]
    edited = rows.local.get("edited")
    if change_properties.wrong_text(changes) and "not_done" in outcomes:
        return False, f"{outcomes.count('not_done')} of {len(outcomes)} regions read as before"
    silent = any(outcome in ("text_kept", "text_changed") for outcome in outcomes)  # a colour, a size
    if silent and edited is not None and edited < thresholds.edited:
        return False, f"{edited:.0%} of the area to be changed is changed, minimum {thresholds.edited:.0%}"
    passed, evidence = change_properties.additions(changes)
    if passed is not True:
        return passed, evidence
    if "unreadable" in outcomes:
        return None, _UNREADABLE
    if _is_invisible(rows):
        return None, _INVISIBLE
    return True, "edited in all regions, and only there"


def _text_by_changes(rows: _SampleRows, changes: PageChanges) -> PropertyCheck:
    if any(region["outcome"] == "unreadable" for region in rows.regions):
        return None, _UNREADABLE
    return change_properties.textual_correctness(changes)


def _check_minimum(value: float | None, minimum: float, name: str) -> PropertyCheck:
    if value is None:
        return None, f"{name} not measured: no image"
    return value >= minimum, f"{name} {value:.4g}, minimum {minimum:g}"


def _completeness(rows: _SampleRows, thresholds: Thresholds) -> PropertyCheck:
    """An edit was made in every region, and nothing was added elsewhere."""
    outcomes = [region["outcome"] for region in rows.regions]
    if "not_done" in outcomes:
        return False, f"{outcomes.count('not_done')} of {len(outcomes)} regions read as before"
    edited, stray = rows.local.get("edited"), rows.whole.get("stray")
    if edited is not None and edited < thresholds.edited:
        return False, f"{edited:.0%} of the area to be changed is changed, minimum {thresholds.edited:.0%}"
    if stray is None:
        return None, "additions not measured: no image"
    if stray > thresholds.stray:
        return False, f"new content on {stray:.2%} of the page, maximum {thresholds.stray:.2%}"
    if "unreadable" in outcomes:
        return None, _UNREADABLE
    if _is_invisible(rows):
        return None, _INVISIBLE
    return True, "edited in all regions, and only there"


def _is_invisible(rows: _SampleRows) -> bool:
    """Whether the requested change is visible neither in text nor in the compared pixels, for any editor."""
    undecided = any(region["outcome"] in ("text_kept", "text_changed") for region in rows.regions)
    return undecided and rows.whole.get("stray") is not None and rows.local.get("edited") is None


def _textual_correctness(rows: _SampleRows, reference: _SampleRows, thresholds: Thresholds) -> PropertyCheck:
    """Every region reads as its ground truth, or as the region of the reference."""
    if not rows.regions:
        return None, "no region was scored"
    reference_regions = {region["region"]: region for region in reference.regions}
    worst = 1.0
    if any(region["outcome"] == "unreadable" for region in rows.regions):
        return None, _UNREADABLE
    for region in rows.regions:
        expected = reference_regions.get(region["region"], {})
        similarity, reached = region["cdm"], expected.get("cdm")
        if region["read"] is not None and region["read"] == expected.get("read"):
            continue
        if similarity is not None and expected.get("read"):
            similarity = max(similarity, character_similarity(folded(region["read"] or ""), folded(expected["read"])))
        minimum = thresholds.textual_correctness if reached is None else min(thresholds.textual_correctness, reached)
        if region["outcome"] in _WRONG_OUTCOMES or similarity is None or similarity < minimum:
            problem = f"region {region['region']}: {region['outcome']}, similarity {similarity or 0:.3f}"
            return False, f"{problem}, reads “{shortened(region['read'] or '')}”"
        worst = min(worst, similarity)
    return True, f"similarity {worst:.3f}"


def _spatial_precision(rows: _SampleRows, reference: _SampleRows, thresholds: Thresholds) -> PropertyCheck:
    """The regions' blocks have the IoU of the threshold or of the reference."""
    value, ceiling = _iou(rows.local), _iou(reference.local)
    if value is None:
        return True, "no text expected"
    minimum = min(thresholds.spatial_precision, 1.0 if ceiling is None else ceiling)
    return value >= minimum, f"IoU {value:.3f}, minimum {minimum:.3f}"


def _iou(row: Mapping[str, Any]) -> float | None:
    blocks = (row.get("gt_blocks") or 0) + (row.get("unmatched_pred") or 0)
    return row["iou_sum"] / blocks if blocks else None


def usable_summary(rows: Rows, thresholds: Thresholds) -> dict[str, Any]:
    """The rate of usable edits with its interval, counts of every property, the waterfall, and rates by slice."""
    all_verdicts = list(verdicts(rows, thresholds))
    about = {row["sample"]: row for row in rows.scores.select("sample", "page", *SLICES).iter_rows(named=True)}
    by: dict[str, dict[str, Any]] = {}
    for name in SLICES:
        groups: dict[str, list[UsableVerdict]] = {}
        for verdict in all_verdicts:
            groups.setdefault(about[verdict.sample][name], []).append(verdict)
        by[name] = {value: _rate(groups[value], about) for value in sorted(groups)}
    counts = {
        name: {
            title: sum(verdict.properties[name] is passed for verdict in all_verdicts if verdict.judgeable)
            for title, passed in (("passed", True), ("failed", False), ("unknown", None))
        }
        for name in PROPERTIES
    }
    return {
        **_rate(all_verdicts, about),
        "properties": counts,
        "waterfall": _waterfall(all_verdicts),
        "changes": change_summary(rows.scores),
        "thresholds": asdict(thresholds),
        "signature": verdict_signature(rows.scores, thresholds),
        "by": by,
    }


def verdict_signature(scores: pl.DataFrame, thresholds: Thresholds) -> str:
    """The signature of verdicts on score rows."""
    return thresholds.signature(_basis(scores))


def _basis(scores: pl.DataFrame) -> str:
    """What verdicts rest on: changes or traces against references, and for samples without these the requests."""
    without = scores.filter(pl.col("judged_by") != "reference") if "judged_by" in scores.columns else scores.clear()
    if without.is_empty():
        return _reference_basis(scores)
    requests = _versions(without, "request_rules", REQUESTS, "requests-1")
    if len(without) == len(scores):
        return f"{_versions(without, 'engine', CHANGES, 'changes-1')},{requests}"
    return f"{_reference_basis(scores.filter(pl.col('judged_by') == 'reference'))},references+{requests}"


def _reference_basis(scores: pl.DataFrame) -> str:
    return _versions(scores, "engine", CHANGES, "changes-1") if _rests_on_changes(scores) else TRACES


def _versions(scores: pl.DataFrame, name: str, current: str, unnamed: str) -> str:
    """The versions that the JSON of changes names, `unnamed` for rows of before it did; `current` without changes."""
    if "changes" not in scores.columns:
        return current
    changes = scores["changes"].cast(pl.String).drop_nulls()
    return "+".join(sorted(set(changes.str.json_path_match(f"$.{name}").fill_null(unnamed)))) or current


def _rests_on_changes(scores: pl.DataFrame) -> bool:
    """Whether verdicts rest on changes: a reader that can list them read the outputs, or there are no outputs."""
    if "changes" not in scores.columns:
        return False
    scored = scores.filter((pl.col("state") == "scored") & (pl.col("setting") == "global"))
    return scored.is_empty() or bool(scored["changes"].is_not_null().any())


def _rate(all_verdicts: Sequence[UsableVerdict], about: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The rate if all samples are decided, else its bounds: decided samples are not representative of all."""
    judgeable = [verdict for verdict in all_verdicts if verdict.judgeable]
    decided = [verdict for verdict in judgeable if verdict.usable is not None]
    passed = [bool(verdict.usable) for verdict in decided]
    unknown = len(judgeable) - len(decided)
    complete = bool(decided) and not unknown
    interval = rate_interval(passed, [about[verdict.sample]["page"] for verdict in decided]) if complete else None
    return {
        "rate": sum(passed) / len(passed) if complete else None,
        "interval": list(interval) if interval else None,
        "n": len(decided),
        "unknown": unknown,
        "not_judgeable": len(all_verdicts) - len(judgeable),
        "bounds": [sum(passed), sum(passed) + unknown],
    }


def _waterfall(all_verdicts: Sequence[UsableVerdict]) -> list[dict[str, Any]]:
    """Samples whose first failure is at each property, and samples left after it, of those with a verdict."""
    remaining = sum(verdict.usable is not None for verdict in all_verdicts)
    steps = []
    for name in PROPERTIES:
        failed = sum(verdict.fails_at == name for verdict in all_verdicts)
        remaining -= failed
        steps.append({"property": name, "failed": failed, "left": remaining})
    return steps
