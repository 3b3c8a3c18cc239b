"""Tables of the human study: coefficients with intervals, agreement of annotators, ranks of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vdebench.metrics.registry import facts
from vdebench.report.table import Column, Row, Table
from vdebench.stats.correlation import COEFFICIENTS

_TITLES = {"spearman": "Spearman", "kendall": "Kendall", "pearson": "Pearson"}
_HEADS = [
    *(Column(head, "", group=_TITLES[name]) for name in COEFFICIENTS for head in ("value", "low", "high")),
    Column("n", "", 0),
]
_FEW_PAIRS = 20


def study_tables(study: Mapping[str, Any]) -> list[Table]:
    """All tables of `correlate_study`: people and metrics, people with each other, every model."""
    return [coefficients_table(study), people_table(study), points_table(study)]


def coefficients_table(study: Mapping[str, Any]) -> Table:
    """Correlation of human ranks with metrics, over models and over outputs."""
    rows = [
        Row(label, _values(result[level]), _section(name, result))
        for name, result in study["criteria"].items()
        for label, level in (("models", "models"), ("outputs", "outputs"))
    ]
    reasons = [
        f"{name}, {level}: {result[level]['reason']}"
        for name, result in study["criteria"].items()
        for level in ("models", "outputs")
        if "reason" in result[level]
    ]
    signed = dict.fromkeys(study["signatures"])
    title = f"People and {study['protocol']}, {study['setting']}, on {study['suite']}"
    return Table(title, _HEADS, rows, "Over", notes=[*reasons, *study["notes"], *signed])


def people_table(study: Mapping[str, Any]) -> Table:
    """Agreement of the annotators."""
    columns = [
        Column("Kendall's W", "", group="by sample"),
        Column("Spearman of pairs", "", group="by sample"),
        Column("samples", "", 0, group="by sample"),
        Column("Kendall's W", "", group="over models"),
        Column("Spearman of pairs", "", group="over models"),
        Column("samples", "", 0, group="over models"),
        Column("annotators", "", 0),
    ]
    rows = []
    for name, result in study["criteria"].items():
        agreed = result["agreement"] or {"models": {}}
        keys = ("kendall_w", "pairwise_spearman", "samples")
        values, over_models = ([part.get(key) for key in keys] for part in (agreed, agreed["models"]))
        rows.append(Row(name, [*values, *over_models, agreed.get("annotators")]))
    answers = study["answers"]
    notes = [f"{answers['cells'] - answers['missing']} of {answers['cells']} ranks were given."]
    return Table("People with each other", columns, rows, "Criterion", notes=notes)


def points_table(study: Mapping[str, Any]) -> Table:
    """Every model's rank by people and by the metric, as in the figure."""
    columns = [
        Column(head, "", digits, group=name)
        for name in study["criteria"]
        for head, digits in (("people", 2), ("metric", 1), ("mean", 3))
    ]
    points = [{point["editor"]: point for point in result["points"]} for result in study["criteria"].values()]
    keys = ("human_rank", "automatic_rank", "metric")
    rows = [
        Row(editor, [by_editor.get(editor, {}).get(key) for by_editor in points for key in keys])
        for editor in study["editors"]
    ]
    used = ", ".join(f"{name}: {_title(result['metric'])}" for name, result in study["criteria"].items())
    best = len(study["editors"])
    notes = [f"People: ranks averaged. Metric: the rank of its mean; {used}. {best} is best, 1 is worst."]
    return Table(f"Ranks, {best} to 1", columns, rows, "Model", notes=notes)


def scores_table(correlation: Mapping[str, Any]) -> Table:
    """A judge's grades and people's scores, as `human_scores.correlate` compares them."""
    by_name = {
        ("Per sample" if name == "overall" else name): result for name, result in correlation["coefficients"].items()
    }
    rows = [Row(name, _values(result)) for name, result in by_name.items()]
    return Table(
        f"Grades and the scores of {correlation['file']}",
        _HEADS,
        rows,
        "Dimension",
        notes=list(_score_notes(correlation, by_name)),
    )


def _score_notes(study: Mapping[str, Any], by_name: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{name}: {result['reason']}" for name, result in by_name.items() if "reason" in result)
    yield f"Intervals: 95 %, percentile bootstrap, {study['resamples']:,} resamples of samples, seed {study['seed']}."
    if narrow := [
        f"{name} ({result['n']})"
        for name, result in by_name.items()
        if result["n"] < _FEW_PAIRS and "reason" not in result
    ]:
        yield f"Intervals of fewer than {_FEW_PAIRS} pairs are too narrow: {', '.join(narrow)}."
    if study["without_grade"]:
        missing = f"{study['without_grade']} of {study['scores']} scores have no grade"
        yield f"{missing}: {study['first_without_grade']} …"


def _values(result: Mapping[str, Any]) -> list[float | None]:
    values: list[float | None] = []
    for name in COEFFICIENTS:
        low, high = result[name]["interval"] or (None, None)
        values += [result[name]["value"], low, high]
    return [*values, result["n"]]


def _section(name: str, result: Mapping[str, Any]) -> str:
    return f"{name}: {_title(result['metric'])}, {result['samples']} samples"


def _title(metric: str) -> str:
    return "text correctness" if metric == "text_correctness" else facts(metric).title
