"""Tables of judged runs: all editors, one editor's slices, the papers' tables, and correlation with human scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from vdebench.errors import VdeError
from vdebench.judges.canary_quality import quality_line
from vdebench.report.table import Column, Row, Table
from vdebench.report.table_rows import Published, published_figures, published_models
from vdebench.stats.grades import spread
from vdebench.studies.human.scores import correlate as correlate

Summaries = Sequence[Mapping[str, Any]]
Filled = tuple[Sequence[Column], Sequence[Row], str]
EDITS = ("IF", "TA", "VC", "LP", "SE")
AMBIGUITY = ("target", "operation", "spatial", "scope", "conditional", "linguistic")
TITLES = {"group": "split", "source": "topic"}
_SPLITS = (("synthetic", "Synthetic", "manual"), ("real", "Real-World", "web"))
"""Names in the paper, in table heads, and in a suite."""
_LANGUAGES = (("EN", "english"), ("CH", "simplified_chinese"), ("EN-CH", "en_ch_mixed"))
_RUNS = 3


def grades_table(summaries: Summaries) -> Table:
    """Grades of editors by one judge, or of instructions by several, over all samples and by split."""
    dimensions = summaries[0]["dimensions"]
    splits = sorted({split for summary in summaries for split in summary["by"]["group"]})
    sections = {"all": [summary["overall"] for summary in summaries]}
    for split in splits if len(splits) > 1 else ():
        sections[split] = [summary["by"]["group"].get(split) for summary in summaries]
    total_of = max(summary["overall"]["total_of"] for summary in summaries)
    rows = [
        Row(_subject(summary), _values(means, dimensions, total_of), section)
        for section, column in sections.items()
        for summary, means in zip(summaries, column, strict=True)
    ]
    title = f"{_judges(summaries)} on {summaries[0]['suite']}"
    head = "Editor" if summaries[0].get("editor") else "Judge"
    return Table(title, _columns(dimensions, total_of), rows, head, notes=graded_notes(summaries))


def grades_breakdown(summary: Mapping[str, Any], by: str) -> Table:
    """One editor's grades by a slice."""
    dimensions, total_of = summary["dimensions"], summary["overall"]["total_of"]
    slices = summary["by"][by]
    rows = [Row(value, [*_values(means, dimensions, total_of), means["samples"]]) for value, means in slices.items()]
    columns = [Column(c.name, "", c.digits) for c in _columns(dimensions, total_of)]
    title = TITLES.get(by, by)
    notes = graded_notes([summary])
    return Table(f"{_subject(summary)} by {title}", [*columns, Column("n", "", 0)], rows, title, notes=notes)


def correlation_table(correlation: Mapping[str, Any]) -> Table:
    """Correlation of human scores with grades."""
    rows_by_name = {**correlation["dimensions"], "Per sample": correlation["overall"]}
    rows = [Row(name, [row["pearson"], row["spearman"], row["n"]]) for name, row in rows_by_name.items()]
    columns = [Column("Pearson", ""), Column("Spearman", ""), Column("n", "", 0)]
    notes = [f"{name}: {row['reason']}" for name, row in rows_by_name.items() if "reason" in row]
    if correlation["without_grade"]:
        missing = f"{correlation['without_grade']} of {correlation['scores']} scores have no grade"
        notes.append(f"{missing}: {correlation['first_without_grade']} …")
    return Table(f"Grades and the scores of {correlation['file']}", columns, rows, "Dimension", notes=notes)


def _columns(dimensions: Sequence[str], total_of: int) -> list[Column]:
    if set(dimensions) <= set(AMBIGUITY):
        heads = [*(Column(name.capitalize(), "lower") for name in dimensions), Column("Mean", "lower")]
    else:
        heads = [*(Column(name, digits=2) for name in dimensions), Column(f"Overall /{total_of}", digits=2)]
    return [*heads, Column("graded %", "", 1)]


def _values(means: Mapping[str, Any] | None, dimensions: Sequence[str], total_of: int) -> list[float | None]:
    """Numbers of a row. A total of fewer dimensions than the others' is not shown."""
    if means is None:
        return [None] * (len(dimensions) + 2)
    ambiguity = set(dimensions) <= set(AMBIGUITY)
    total = means["mean"] if ambiguity else means["total"] if means["total_of"] == total_of else None
    share = 100 * means["graded"] / means["questions"] if means["questions"] else None
    return [*(means["dimensions"][name]["mean"] for name in dimensions), total, share]


def graded_notes(summaries: Summaries) -> list[str]:
    """Notes of every table of grades: coverage, canary result, notes, and the signature of every row."""
    notes = []
    for summary in summaries:
        states = {state: n for state, n in summary["coverage"].items() if state not in ("samples", "questions")}
        counts = ", ".join(f"{n} {state.replace('_', ' ')}" for state, n in states.items())
        coverage = f"{summary['coverage']['samples']} samples, {summary['coverage']['questions']} questions: {counts}"
        notes.append(f"{_subject(summary)}: {coverage}")
        complete = summary["overall"]["complete"]
        if complete < summary["overall"]["samples"]:
            notes.append(f"{_subject(summary)}: the total is over the {complete} samples with all their grades")
    lines = [(_subject(s), quality_line(s["canary"])) for s in summaries]
    lines += [(_subject(s), f"note: {note}") for s in summaries for note in s["notes"]]
    lines += [(_subject(s), s["signature"]) for s in summaries]
    for line in dict.fromkeys(line for _, line in lines):
        subjects = ", ".join(dict.fromkeys(name for name, text in lines if text == line))
        notes.append(f"{subjects}: {line}")
    return notes


def _subject(summary: Mapping[str, Any]) -> str:
    """The editor; for judged instructions, the judge."""
    return str(summary.get("editor") or summary["judge"])


def _judges(summaries: Summaries) -> str:
    return "Graded by " + ", ".join(dict.fromkeys(summary["judge"] for summary in summaries))


# The papers' shapes.


def graded_table(shape: str, summaries: Summaries, *, published: bool = False) -> Table:
    """Judged runs in the shape of a paper's table, such as `textedit:4`."""
    title, dimensions, fill = GRADED[shape]
    paper, _, number = shape.partition(":")
    for summary in summaries:
        if not set(summary.get("dimensions", ())) & set(dimensions):
            raise VdeError(
                f"{shape} shows grades for {', '.join(dimensions)}; {_subject(summary)}'s run has none of them"
            )
        if paper == "textedit" and not any(split in summary["by"]["group"] for _, _, split in _SPLITS):
            groups = ", ".join(summary["by"]["group"])
            raise VdeError(f"{shape} is by TextEditBench's splits, manual and web; {summary['suite']} has {groups}")
    printed = published_models(paper, number) if published else []
    columns, rows, head = fill(summaries, printed)
    notes = [*graded_notes(summaries), *_printed_notes(shape, summaries, printed)]
    heading = f"{title} (shape of {paper}, table {number})"
    return Table(heading, columns, rows, head, "columns" if dimensions == EDITS else "rows", notes)


def _printed_notes(shape: str, summaries: Summaries, printed: Sequence[Published]) -> Iterator[str]:
    if not printed:
        return
    yield "† published in the paper, not measured here"
    yield from sorted({f"† in print: {fault}" for model in printed for fault in model.faults})
    if shape == "vde-v3:5":
        yield "† in print: Overall is not the mean of the six dimensions; here it is"
    if summaries:
        judges = ", ".join(dict.fromkeys(summary["judge"] for summary in summaries))
        paper_judge = "gpt-4o" if shape.startswith("textedit") else "other judges"
        yield f"† graded by {paper_judge} with the paper's prompts, not comparable with grades by {judges} with ours"


def _by_split(summaries: Summaries, printed: Sequence[Published]) -> Filled:
    cells = [(*split, metric) for split in _SPLITS for metric in (*EDITS, "Overall")]
    columns = [Column(metric, digits=2, group=title) for _, title, _, metric in cells]
    rows = []
    for summary in summaries:
        groups = summary["by"]["group"]
        rows.append(Row(summary["editor"], [_graded(groups.get(split), metric) for _, _, split, metric in cells]))
    for model in printed:
        values = [model.value("judge:gpt-4o", "split", split, metric) for split, _, _, metric in cells]
        rows.append(Row(f"{model.name} †", values, published=True))
    return columns, rows, "Model"


def _graded(means: Mapping[str, Any] | None, metric: str) -> float | None:
    """A dimension's mean, or the total of all five."""
    if means is None:
        return None
    if metric == "Overall":
        return means["total"] if means["total_of"] == 5 * len(EDITS) else None
    return (means["dimensions"].get(metric) or {}).get("mean")


def _by_run(summaries: Summaries, printed: Sequence[Published]) -> Filled:
    """Totals of single draws by split, and their standard deviation."""
    runs = max([_RUNS, *(summary["repeat"] for summary in summaries)])
    heads = [*(f"Run {run + 1}" for run in range(runs)), "Std. dev."]
    columns = [
        Column(title, "" if head == heads[-1] else "higher", 2, head) for head in heads for _, title, _ in _SPLITS
    ]

    def row(name: str, totals: Callable[[str, str], Sequence[float | None]], published: bool) -> Row:
        padded = [[*draws, *[None] * (runs - len(draws))] for draws in (totals(key, s) for key, _, s in _SPLITS)]
        lines = [[*draws, spread(draws)] for draws in padded]
        return Row(name, [value for pair in zip(*lines, strict=True) for value in pair], published=published)

    def measured(summary: Mapping[str, Any]) -> Row:
        groups = summary["by"]["group"]
        full = {s: means["draws"] for s, means in groups.items() if means["total_of"] == 5 * len(EDITS)}
        return row(summary["editor"], lambda _, split: full.get(split, []), False)

    def in_print(model: Published) -> Row:
        def totals(split: str, _: str) -> list[float | None]:
            settings = [f"judge:gpt-4o run {run + 1}" for run in range(_RUNS)]
            return [model.value(setting, "split", split, "Overall") for setting in settings]

        return row(f"{model.name} †", totals, True)

    return columns, [*map(measured, summaries), *map(in_print, printed)], "Model"


def _by_dimension(prefix: str) -> Callable[[Summaries, Sequence[Published]], Filled]:
    def fill(summaries: Summaries, printed: Sequence[Published]) -> Filled:
        lines = [(name.capitalize(), f"{prefix}:{name.capitalize()}", name) for name in (*AMBIGUITY, "overall")]
        return _by_judge(
            lines, summaries, printed, lambda summary, name: _ambiguity(summary["overall"], name), "Dimension"
        )

    return fill


def _by_language(summaries: Summaries, printed: Sequence[Published]) -> Filled:
    lines = [(code, code, language) for code, language in _LANGUAGES]

    def mean(summary: Mapping[str, Any], language: str) -> float | None:
        return _ambiguity(summary["by"]["language"].get(language), "overall")

    return _by_judge(lines, summaries, printed, mean, "Language")


def _ambiguity(means: Mapping[str, Any] | None, name: str) -> float | None:
    if means is None:
        return None
    value: float | None = means["mean"] if name == "overall" else (means["dimensions"].get(name) or {}).get("mean")
    return value


def _by_judge(
    lines: Sequence[tuple[str, str, str]],
    summaries: Summaries,
    printed: Sequence[Published],
    value: Callable[[Mapping[str, Any], str], float | None],
    head: str,
) -> Filled:
    """Rows of `lines` (label, name in the paper, name in a summary), a column for every judge and their mean."""
    models = {(model.paper, model.table) for model in printed}
    cells = {
        (row["slice"].removeprefix("judge:"), row["slice_value"]): float(row["value"])
        for row in published_figures()
        if (row["paper"], row["table"]) in models and row["value"]
    }
    published_judges = list(dict.fromkeys(judge for judge, _ in cells))
    columns = [Column(summary["judge"], "") for summary in summaries]
    columns += [Column("Avg.", "")] if summaries else []
    columns += [Column(f"{judge} †", "", published=True) for judge in published_judges]
    rows = []
    for label, in_print, name in lines:
        values = [value(summary, name) for summary in summaries]
        present = [number for number in values if number is not None]
        mean = [sum(present) / len(present) if present else None] if summaries else []
        rows.append(Row(label, [*values, *mean, *(cells.get((judge, in_print)) for judge in published_judges)]))
    return columns, rows, head


Fill = Callable[[Summaries, Sequence[Published]], Filled]
GRADED: dict[str, tuple[str, Sequence[str], Fill]] = {
    "textedit:4": ("Five dimensions by split", EDITS, _by_split),
    "textedit:5": ("Overall of 25 in repeated runs", EDITS, _by_run),
    "vde-v3:5": ("Ambiguity of instructions, 1 to 5", AMBIGUITY, _by_dimension("original")),
    "vde-v3:6": ("Ambiguity of instructions by language, 1 to 5", AMBIGUITY, _by_language),
    "vde-v3:7": ("Ambiguity of under-constrained instructions, 1 to 5", AMBIGUITY, _by_dimension("under-constrained")),
}
"""Shapes of the papers' tables of grades: title, required dimensions, function that fills it."""
