"""Tables of agreement: coefficients with their intervals, people with each other, models by both."""

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
_FEW = 20


def study_tables(found: Mapping[str, Any]) -> list[Table]:
    """All tables of `correlate_study`: people and metrics, people with each other, every model."""
    return [coefficients_table(found), people_table(found), points_table(found)]


def coefficients_table(found: Mapping[str, Any]) -> Table:
    """How well people's ranks and metrics go together, over models and over outputs."""
    rows = [
        Row(label, _values(one[level]), _section(name, one))
        for name, one in found["criteria"].items()
        for label, level in (("models", "models"), ("outputs", "outputs"))
    ]
    reasons = [
        f"{name}, {level}: {one[level]['reason']}"
        for name, one in found["criteria"].items()
        for level in ("models", "outputs")
        if "reason" in one[level]
    ]
    signed = dict.fromkeys(found["signatures"])
    title = f"People and {found['protocol']}, {found['setting']}, on {found['suite']}"
    return Table(title, _HEADS, rows, "Over", notes=[*reasons, *found["notes"], *signed])


def people_table(found: Mapping[str, Any]) -> Table:
    """How far the annotators agree."""
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
    for name, one in found["criteria"].items():
        agreed = one["agreement"] or {"models": {}}
        keys = ("kendall_w", "pairwise_spearman", "samples")
        values, over = ([part.get(key) for key in keys] for part in (agreed, agreed["models"]))
        rows.append(Row(name, [*values, *over, agreed.get("annotators")]))
    answers = found["answers"]
    notes = [f"{answers['cells'] - answers['missing']} of {answers['cells']} ranks are there."]
    return Table("People with each other", columns, rows, "Criterion", notes=notes)


def points_table(found: Mapping[str, Any]) -> Table:
    """Every model's rank by people and by the metric, as in the figure."""
    columns = [
        Column(head, "", digits, group=name)
        for name in found["criteria"]
        for head, digits in (("people", 2), ("metric", 1), ("mean", 3))
    ]
    places = [{point["editor"]: point for point in one["points"]} for one in found["criteria"].values()]
    keys = ("human_rank", "automatic_rank", "metric")
    rows = [
        Row(editor, [by_editor.get(editor, {}).get(key) for by_editor in places for key in keys])
        for editor in found["editors"]
    ]
    used = ", ".join(f"{name}: {_title(one['metric'])}" for name, one in found["criteria"].items())
    best = len(found["editors"])
    notes = [f"People: ranks averaged. Metric: the rank of its mean; {used}. {best} is best, 1 is worst."]
    return Table(f"Ranks, {best} to 1", columns, rows, "Model", notes=notes)


def scores_table(found: Mapping[str, Any]) -> Table:
    """A judge's grades and people's scores, as `human_scores.correlate` compares them."""
    each = {("Per sample" if name == "overall" else name): one for name, one in found["coefficients"].items()}
    rows = [Row(name, _values(one)) for name, one in each.items()]
    return Table(
        f"Grades and the scores of {found['file']}", _HEADS, rows, "Dimension", notes=list(_score_notes(found, each))
    )


def _score_notes(found: Mapping[str, Any], each: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{name}: {one['reason']}" for name, one in each.items() if "reason" in one)
    yield f"Intervals: 95 %, percentile bootstrap, {found['resamples']:,} resamples of samples, seed {found['seed']}."
    if few := [f"{name} ({one['n']})" for name, one in each.items() if one["n"] < _FEW and "reason" not in one]:
        yield f"Intervals of fewer than {_FEW} pairs are too narrow: {', '.join(few)}."
    if found["without_grade"]:
        lost = f"{found['without_grade']} of {found['scores']} scores have no grade beside them"
        yield f"{lost}: {found['first_without_grade']} …"


def _values(one: Mapping[str, Any]) -> list[float | None]:
    values: list[float | None] = []
    for name in COEFFICIENTS:
        low, high = one[name]["interval"] or (None, None)
        values += [one[name]["value"], low, high]
    return [*values, one["n"]]


def _section(name: str, one: Mapping[str, Any]) -> str:
    return f"{name}: {_title(one['metric'])}, {one['samples']} samples"


def _title(metric: str) -> str:
    return "text correctness" if metric == "text_correctness" else facts(metric).title
