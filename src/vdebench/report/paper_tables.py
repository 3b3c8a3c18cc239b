"""The papers' tables, filled with measured runs and optionally with the published rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from vdebench.core.sample import OPERATION_CLASSES
from vdebench.errors import VdeError
from vdebench.metrics.registry import page_columns
from vdebench.registry import unknown_name
from vdebench.report.grades import GRADED, graded_table
from vdebench.report.overview import interval_notes, metric_column, provenance
from vdebench.report.run_columns import with_run_columns
from vdebench.report.table import Column, Row, Table
from vdebench.report.table_rows import USABLE, MeasuredRun, PaperRow, Published, measured_run, published_models
from vdebench.report.tracks import track_of

OCR = ("IoU", "CDM", "BLEU", "TEDS")
IMAGE = (Column("SSIM"), Column("CLIP"), Column("PSNR"), Column("LPIPS", "lower"))
Filled = tuple[Sequence[Column], Sequence[Row], str]
Fill = Callable[[Sequence[PaperRow], Sequence[str]], Filled]
"""Fills a shape with models, and with metrics that the paper's table lacks."""


def require_shape(shape: str) -> None:
    """Raise `VdeError` for an unknown shape."""
    if shape not in SHAPES and shape not in GRADED:
        raise VdeError(unknown_name("table shape", shape, [*SHAPES, *GRADED]))


def default_shape(summary: Mapping[str, Any]) -> str:
    """The main table for a run with pages, with masks, or with grades of instructions; "" for grades of edits.

    >>> default_shape({"protocol": "strict"}), default_shape({"protocol": "textedit", "track": "pixels"})
    ('vde-v3:2', 'textedit:3')
    """
    if "protocol" in summary:
        return track_of(summary).paper_shape
    return "" if summary.get("editor") else "vde-v3:5"


def paper_table(
    shape: str,
    summaries: Sequence[Mapping[str, Any]],
    *,
    published: bool = False,
    with_usable: bool = False,
    with_added: bool = False,
) -> Table:
    """Return runs in the layout of a paper's table, such as `vde-v3:2`.

    `with_usable` adds the rate of usable edits; `with_added` adds metrics of other packages to the main table.
    """
    require_shape(shape)
    if with_usable and (shape in GRADED or shape.startswith("textedit:")):
        raise VdeError(f"{shape} has no usable edits: they are judged on whole pages, by strict")
    if shape in GRADED:
        return graded_table(shape, summaries, published=published)
    title, compare, fill = SHAPES[shape]
    paper, _, number = shape.partition(":")
    for summary in summaries:
        if "protocol" not in summary:
            raise VdeError(f"{shape} shows scores; the run on {summary['suite']} contains grades: {', '.join(GRADED)}")
        if track_of(summary).has_masks != (paper == "textedit"):
            raise VdeError(f"{shape} does not apply to {summary['suite']} scored by {summary['protocol']}")
    summaries = [with_run_columns(summary) for summary in summaries]
    several = len({summary["protocol"] for summary in summaries}) > 1
    measured = [measured_run(summary, several) for summary in summaries]
    printed = published_models(paper, number) if published else []
    models: list[PaperRow] = [*measured, *printed]
    more = [USABLE] if with_usable else []
    added = _added_metrics(summaries) if with_added and fill is _main else []
    columns, rows, head = _main(models, more, added) if added else fill(models, more)
    return Table(
        title=f"{title} (shape of {paper}, table {number})",
        columns=columns,
        rows=rows,
        head=head,
        compare="rows" if compare == "rows" else "columns",
        notes=[*_notes(paper, measured, printed), *(_usable_notes(measured, printed) if with_usable else ())],
        interval_notes=_interval_notes(measured, printed, rows),
    )


def _interval_notes(measured: Sequence[MeasuredRun], printed: Sequence[Published], rows: Sequence[Row]) -> list[str]:
    """The method of the intervals, and the numbers without."""
    notes = interval_notes([run.summary for run in measured])
    lacking = any(
        value is not None and not (row.published or (row.bounds and row.bounds[at]))
        for row in rows
        for at, value in enumerate(row.values)
    )
    if lacking:
        notes.append("no interval: means of means (Avg, local with global), and slices of one page")
    return [*notes, *(["no interval: published numbers"] if printed else [])]


def _notes(paper: str, measured: Sequence[MeasuredRun], printed: Sequence[Published]) -> list[str]:
    notes = provenance([run.summary for run in measured])
    tokens = sorted({run.summary["protocol"] for run in measured if run.teds_column == "teds_like"})
    if tokens:
        notes.append(f"TEDS by {', '.join(tokens)}: TEDS-like, the token edit distance, as in the papers' tables")
    if printed:
        notes.append("† published in the paper, not measured here")
        notes += sorted({f"† in print: {fault}" for model in printed for fault in model.faults})
        others = {run.summary["protocol"] for run in measured} - {paper}
        if others:
            names = ", ".join(run.name for run in measured if run.summary["protocol"] in others)
            notes.append(
                f"{names}: scored by {', '.join(sorted(others))}, not comparable with rows published by {paper}"
            )
    return notes


def _usable_notes(measured: Sequence[MeasuredRun], printed: Sequence[Published]) -> Iterator[str]:
    """Notes on the signatures of usable edits, and on runs without them."""
    summaries = [run.summary["usable"] for run in measured if run.summary.get("usable")]
    for signature in dict.fromkeys(str(summary["signature"]) for summary in summaries):
        yield f"Usable: rate of usable edits, of both settings together, {signature}"
    lacking = [f"{run.name} (by {run.summary['protocol']})" for run in measured if not run.summary.get("usable")]
    if lacking:
        yield f"Usable: not judged for {', '.join(lacking)}; `strict` judges it in both settings"
    if printed:
        yield "Usable: not published in any paper"


def _name(model: PaperRow) -> str:
    return f"{model.name} †" if model.published else model.name


def _row(model: PaperRow, cells: Iterable[tuple[str, str, str, str]], section: str = "") -> Row:
    """A model's numbers and intervals."""
    requested = list(cells)
    values, bounds = [model.value(*cell) for cell in requested], [model.bounds(*cell) for cell in requested]
    return Row(_name(model), values, section, model.published, bounds=bounds)


def _added_metrics(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the metrics of other packages, and of the run columns, that some run has."""
    settings = [means for summary in summaries for means in summary["overall"].values() if means]
    names = (name for name, metric in page_columns().items() if metric.added or metric.kind == "run")
    return [name for name in names if any(means.get(name) is not None for means in settings)]


def _main(models: Sequence[PaperRow], more: Sequence[str] = (), added: Sequence[str] = ()) -> Filled:
    columns = [*(Column(metric) for metric in (*more, *OCR)), *IMAGE, *map(metric_column, added)]
    keys = [*more, *OCR, *(column.name for column in IMAGE), *added]
    rows = [
        _row(model, ((setting, "all", "", key) for key in keys), title)
        for setting, title in (("local", "Local-image setting"), ("global", "Global-image setting"))
        for model in models
    ]
    return columns, rows, "Model"


def _by_operation(setting: str) -> Fill:
    def fill(models: Sequence[PaperRow], more: Sequence[str] = ()) -> Filled:
        kinds = sorted({model.published for model in models})  # separate means of measured and of published models
        averages = [Column("Avg. †" if published else "Avg.", "") for published in kinds]
        rows = []
        for operation in OPERATION_CLASSES:
            for metric in (*more, *OCR):
                cell = (setting, "operation", operation, metric)
                values = [model.value(*cell) for model in models]
                means = [
                    _mean(value for model, value in zip(models, values, strict=True) if model.published is kind)
                    for kind in kinds
                ]
                bounds = [*(model.bounds(*cell) for model in models), *[None] * len(means)]
                rows.append(Row(metric, [*values, *means], operation, bounds=bounds))
        return [*(Column(_name(model), published=model.published) for model in models), *averages], rows, "Metric"

    return fill


def _mean(values: Iterable[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def _by_language_percent(models: Sequence[PaperRow], more: Sequence[str] = ()) -> Filled:
    languages = (("english", "English"), ("chinese", "Chinese"))
    cells = [(language, title, metric) for language, title in languages for metric in (*more, *OCR, "Avg")]
    columns = [Column(metric, digits=1, group=title) for _, title, metric in cells]
    rows = []
    for model in models:
        values = [model.value("mean", "language", language, metric) for language, _, metric in cells]
        rows.append(Row(_name(model), [None if v is None else v * 100 for v in values], published=model.published))
    return columns, rows, "Model"


def _by_language(setting: str) -> Fill:
    def fill(models: Sequence[PaperRow], more: Sequence[str] = ()) -> Filled:
        metrics = (*more, "IoU", "CDM", "TEDS", "BLEU", "Avg")
        cells = [(metric, lang, code) for metric in metrics for lang, code in (("english", "EN"), ("chinese", "ZH"))]
        columns = [Column(code, group=metric) for metric, _, code in cells]
        rows = [_row(m, ((setting, "language", lang, metric) for metric, lang, _ in cells)) for m in models]
        return columns, rows, "Model"

    return fill


def _v1_by_operation(models: Sequence[PaperRow], more: Sequence[str] = ()) -> Filled:
    metrics = (*more, "IoU", "BLEU", "CDM", "TEDS")
    rows = [
        _row(model, (("local", "operation", kind, metric) for metric in metrics), kind)
        for kind in ("replace", "delete", "add")
        for model in models
    ]
    return [Column(metric) for metric in metrics], rows, "Model"


def _outside_masks(models: Sequence[PaperRow], more: Sequence[str] = ()) -> Filled:
    cells = [(split, metric) for split in ("synthetic", "real") for metric in ("SSIM", "LPIPS", "PSNR", "MSE")]
    columns = [
        Column(metric, "lower" if metric in ("LPIPS", "MSE") else "higher", group=split.capitalize())
        for split, metric in cells
    ]
    rows = [_row(m, (("outside-mask", "split", split, metric) for split, metric in cells)) for m in models]
    return columns, rows, "Model"


SHAPES: dict[str, tuple[str, str, Fill]] = {
    "vde-v3:2": ("Main results", "columns", _main),
    "vde-v3:3": ("By operation, mean of local and global", "rows", _by_operation("mean")),
    "vde-v3:4": ("By language, mean of local and global, in %", "columns", _by_language_percent),
    "vde-v3:9": ("By operation, global", "rows", _by_operation("global")),
    "vde-v3:10": ("By operation, local", "rows", _by_operation("local")),
    "vde-v1:2": ("By language, global", "columns", _by_language("global")),
    "vde-v1:3": ("By language, local", "columns", _by_language("local")),
    "vde-v1:4": ("By operation, local", "columns", _v1_by_operation),
    "textedit:3": ("Outside the masks", "columns", _outside_masks),
}
