"""JSON data of samples: instruction, state, scores, and for each editor the compared text blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import RunFolderError, VdeError
from vdebench.pipeline.editing import EditRecord
from vdebench.protocols.pages.means import means, totals
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.report.site import changes, masked
from vdebench.report.site.board import metrics_of
from vdebench.report.site.ceilings import FAILS
from vdebench.report.site.gather import ScoredEditor, SuiteRuns
from vdebench.report.site.units import UnitPages, units, unread_lines
from vdebench.stats.usable import PROPERTIES, Rows, Thresholds, verdicts

_WORST = ("failed", "missing", "scored", "left_out")


_Tables = Mapping[str, Sequence[Mapping[str, Any]]]
_OcrCache = dict[tuple[str, ...], UnitPages | str]


def about(sample: Sample) -> dict[str, Any]:
    """Instruction, attributes and regions of a sample."""
    return {
        "key": sample.key,
        "instruction": sample.instruction,
        "operation": sample.operation.value,
        "language": sample.language,
        "source": sample.source,
        "group": sample.group,
        "tier": str(sample.extra.get("tier", "unknown")),
        "regions": [[round(part, 3) for part in (r.x, r.y, r.width, r.height)] for r in sample.regions],
    }


def index(runs: SuiteRuns, result: ScoredEditor, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """State, reason, numbers and region outcomes of every sample."""
    scores = result.table("scores").collect()
    states: dict[str, list[tuple[str, str, str]]] = {}
    for sample, setting, state, reason in scores.select("sample", "setting", "state", "reason").iter_rows():
        states.setdefault(sample, []).append((setting, state, reason or ""))
    facts_by_sample = _VIEWS[result.track.name].facts(runs, result, scores)
    edits = runs.edits[result.editor]
    rows = []
    for sample in samples:
        state, reason = _state(states.get(sample.key, []), edits.get(sample.key))
        facts = facts_by_sample.get(sample.key, _SampleFacts({}, []))
        left_out = {
            setting: runs.redact(text)
            for setting, state_of_setting, text in states.get(sample.key, [])
            if state_of_setting == "left_out"
        }
        rows.append(
            {
                "state": state,
                "reason": runs.redact(reason),
                "left_out": left_out,
                "scores": facts.scores if state == "scored" else {},
                "outcomes": facts.outcomes,
                **facts.more,
            }
        )
    return rows


class _SampleFacts(NamedTuple):
    """Scores and outcomes of a sample."""

    scores: dict[str, dict[str, float | str]]
    """Numbers by setting, if it was scored."""
    outcomes: list[str]
    more: Mapping[str, Any] = {}


def _page_facts(runs: SuiteRuns, result: ScoredEditor, scores: pl.DataFrame) -> dict[str, _SampleFacts]:
    assert isinstance(result.protocol, PageProtocol)
    metrics = [metric["key"] for metric in metrics_of([other for other in runs.results if _same(other, result)])]
    sums = totals(
        scores.filter(pl.col("gt_blocks").is_not_null()).iter_slices(1024), ["setting", "sample"], result.protocol
    )
    facts_by_sample: dict[str, _SampleFacts] = {}
    for sample, setting, state in scores.select("sample", "setting", "state").iter_rows():
        facts = facts_by_sample.setdefault(sample, _SampleFacts({}, []))
        if state == "scored" and (setting, sample) in sums:
            facts.scores[setting] = _numbers(means(sums[setting, sample], result.protocol), metrics)
    for sample, outcome in result.table("regions").select("sample", "outcome").collect().iter_rows():
        facts_by_sample.setdefault(sample, _SampleFacts({}, [])).outcomes.append(outcome)
    about_changes = {
        row["sample"]: changes.browser_facts(row) for row in scores.iter_rows(named=True) if _measured(row)
    }
    for sample, verdict in _usable(runs, result).items():
        more = {**verdict, **about_changes.get(sample, {})}
        facts_by_sample[sample] = facts_by_sample.setdefault(sample, _SampleFacts({}, []))._replace(more=more)
    return facts_by_sample


def _measured(row: Mapping[str, Any]) -> bool:
    """Whether a row has the changes of its sample."""
    return bool(row.get("changes"))


def _usable(runs: SuiteRuns, result: ScoredEditor) -> dict[str, Mapping[str, Any]]:
    """Whether each sample's edit is usable, or its first failure, and each property with its evidence."""
    usable_summary = result.summary.get("usable")
    if not usable_summary:
        return {}
    rows = Rows.of(result.folder, with_reference=bool(result.summary.get("ocr_ceiling")))
    try:
        thresholds = Thresholds(**usable_summary["thresholds"])
    except (KeyError, TypeError):
        raise RunFolderError(f"{result.folder}: was judged with thresholds of another version; score again") from None
    by_sample: dict[str, Mapping[str, Any]] = {}
    for verdict in verdicts(rows, thresholds):
        first = PROPERTIES[verdict.fails_at] if verdict.fails_at else ""
        properties = [
            [PROPERTIES[name], passed, runs.redact(verdict.evidence[name])]
            for name, passed in verdict.properties.items()
        ]
        usable = "unknown" if verdict.usable is None else "usable" if verdict.usable else f"{FAILS}{first}"
        by_sample[verdict.sample] = {"usable": usable, "properties": properties}
    return by_sample


def _mask_facts(runs: SuiteRuns, result: ScoredEditor, scores: pl.DataFrame) -> dict[str, _SampleFacts]:
    return {
        row["sample"]: _SampleFacts(masked.numbers(row), masked.outcomes(row), masked.alignment_of(row))
        for row in scores.iter_rows(named=True)
    }


def _same(first: ScoredEditor, second: ScoredEditor) -> bool:
    return first.protocol.name == second.protocol.name


def _state(rows: Sequence[tuple[str, str, str]], edit: EditRecord | None) -> tuple[str, str]:
    """State and reason of a sample: of its edit if that failed, else of scoring."""
    if edit is not None and edit.state in ("refused", "failed"):
        return edit.state, edit.reason or "no reason given"
    for state in _WORST:
        for _, row_state, reason in rows:
            if row_state == state:
                return state, reason
    return "missing", "not scored"


def _numbers(sample_means: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, float | str]:
    numbers: dict[str, float | str] = {}
    for key in metrics:
        value = sample_means.get(key)
        if value is not None and math.isfinite(value):
            numbers[key] = round(value, 5)
        elif key == "psnr" and sample_means.get("images") and sample_means.get("identical"):
            numbers[key] = "∞"
    return numbers


class SampleDetails:
    """Details of samples beyond their rows, some samples at a time."""

    def __init__(self, runs: SuiteRuns) -> None:
        self._runs = runs

    def chunk(self, samples: Sequence[Sample]) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """For every protocol and editor the details of some samples."""
        results = self._runs.results
        keys = [sample.key for sample in samples]
        tables = [{name: _rows(result, name, keys) for name in _VIEWS[result.track.name].tables} for result in results]
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for sample in samples:
            read: _OcrCache = {}
            for result, table in zip(results, tables, strict=True):
                details = found.setdefault((result.protocol.name, result.editor), [])
                rows = {name: by_sample.get(sample.key, []) for name, by_sample in table.items()}
                details.append(_VIEWS[result.track.name].detail(self, sample, result, rows, read))
        return found

    def page(self, sample: Sample, result: ScoredEditor, rows: _Tables, read: _OcrCache) -> dict[str, Any]:
        """The detail of a sample of pages: its blocks side by side with the ground truth, and its regions."""
        key = result.editor, result.pin("local"), result.pin("reader")  # protocols mostly share OCR output
        if key not in read:
            read[key] = self._sides(sample, result)
        detail = self._detail(sample, result, rows["blocks"], rows["regions"], read[key])
        listed = changes.sample_changes(rows["scores"])
        return {**detail, "changes": listed} if listed else detail

    def mask(self, sample: Sample, result: ScoredEditor, rows: _Tables, read: _OcrCache) -> dict[str, Any]:
        """The detail of an image with masks: its alignment, and the edit inside the masks."""
        facts = masked.facts(self._runs, sample, rows["scores"][0]) if rows["scores"] else {}
        return {**self._made(sample, result), "units": {}, "unread": "", "facts": facts}

    def _made(self, sample: Sample, result: ScoredEditor) -> dict[str, Any]:
        """Time and parameters of the edit."""
        edit = self._runs.edits[result.editor].get(sample.key)
        return {"seconds": edit.seconds, "parameters": edit.parameters} if edit else {"seconds": None, "parameters": {}}

    def _detail(
        self,
        sample: Sample,
        result: ScoredEditor,
        blocks: Sequence[Mapping[str, Any]],
        regions: Sequence[Mapping[str, Any]],
        sides: UnitPages | str,
    ) -> dict[str, Any]:
        assert isinstance(result.protocol, PageProtocol)
        told = [{key: value for key, value in row.items() if value is not None} for row in regions]
        detail = {"regions": told, **self._made(sample, result)}
        if isinstance(sides, str):
            return {**detail, "units": {}, "unread": sides}
        listed = {}
        for setting in ("local", "global"):
            rows = [row for row in blocks if row["setting"] == setting]
            listed[setting] = units(rows, sides, sample, result.protocol, result.pin("local"))
        sizes = [[side.size.width, side.size.height] if side.size else None for side in (sides.truth, sides.prediction)]
        return {**detail, "units": listed, "unread": "", "sizes": sizes, "unread_lines": unread_lines(sides.prediction)}

    def _sides(self, sample: Sample, result: ScoredEditor) -> UnitPages | str:
        """The OCR output behind a sample's rows, or why it cannot be shown."""
        if not self._runs.suite.has_reference(sample):
            return "without a reference there are none to compare with"
        source = self._runs.source(result)
        try:
            if source.reader and source.reader.label.replace("|", "/") != result.pin("reader"):
                return f"scored with {result.pin('reader')}, but another version of the reader is installed"
            return source.sides(sample, crop=result.pin("local") == "crop")
        except VdeError as error:
            return self._runs.redact(str(error))


def _rows(result: ScoredEditor, name: str, keys: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    by_sample: dict[str, list[dict[str, Any]]] = {}
    for row in result.table(name).filter(pl.col("sample").is_in(keys)).collect().iter_rows(named=True):
        by_sample.setdefault(row["sample"], []).append(row)
    return by_sample


class _SampleView(NamedTuple):
    """How samples of a track are shown."""

    tables: tuple[str, ...]
    """Tables behind the detail of a sample."""
    facts: Callable[[SuiteRuns, ScoredEditor, pl.DataFrame], dict[str, _SampleFacts]]
    detail: Callable[[SampleDetails, Sample, ScoredEditor, _Tables, _OcrCache], dict[str, Any]]


_VIEWS = {
    "pages": _SampleView(("blocks", "regions", "scores"), _page_facts, SampleDetails.page),
    "pixels": _SampleView(("scores",), _mask_facts, SampleDetails.mask),
}
"""By track."""
