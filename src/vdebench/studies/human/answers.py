"""Answers to a ranking sheet: CSV files with `annotator, sample, candidate, criterion, rank`."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vdebench.errors import InputError
from vdebench.io.files import read_bytes
from vdebench.stats.bootstrap import Array
from vdebench.stats.correlation import concordance, pairwise
from vdebench.stats.ranks import rankdata
from vdebench.studies.human.sheet import Key, SheetSample, letter

_COLUMNS = ("annotator", "sample", "candidate", "criterion")


class RankingCell(NamedTuple):
    """One output to be ranked by one annotator for one criterion."""

    annotator: str
    number: str
    editor: str
    criterion: str


class _Answer(NamedTuple):
    better: float
    """The rank or score, with the sign that makes higher better."""
    where: str
    checked: bool
    """Whether the line names the sheet, so that it was checked against the key."""


@dataclass(frozen=True)
class RankingAnswers:
    """Ranks (1 is best) and counts of missing ones."""

    people: list[str]
    """Annotators who ranked anything."""
    ranks: Mapping[str, Array]
    """For each criterion an array of annotators × samples × editors; NaN for incomplete rankings."""
    cells: int
    """Number of ranks requested from these annotators."""
    missing: int
    """Number of ranks not filled in."""
    incomplete: int
    """Number of rankings (one annotator, sample and criterion) left out because a part is missing."""
    missing_by: Mapping[str, int] = field(default_factory=dict)
    first_missing: str = ""
    unchecked: Sequence[str] = ()
    """Files whose answers do not name their sheet, so that it cannot be compared with the key."""


def read_answers(files: Sequence[Path], key: Key, *, scores: bool = False) -> RankingAnswers:
    """Read answers from CSV files; with `scores`, the column `rank` contains scores (highest is best).

    A column named `score` instead of `rank` contains scores too. An incomplete ranking is left out entirely, because
    the second of four is not the second of six. Raises `InputError` for invalid lines and contradictory answers.
    """
    answers: dict[RankingCell, _Answer] = {}
    unchecked: list[str] = []
    for file in files:
        for cell, answer in _cells(file, key, scores):
            before = answers.get(cell)
            if before and before.better != answer.better:
                raise InputError(
                    f"{answer.where}: annotator {cell.annotator} has a different answer in {before.where}\n"
                    "  expected one line for each; give annotators different numbers: `vde human sheet --annotators`"
                )
            answers[cell] = answer
            if not answer.checked and file.name not in unchecked:
                unchecked.append(file.name)
    people = [person for person in key.annotators if any(cell.annotator == person for cell in answers)]
    if not people:
        raise InputError(f"{', '.join(map(str, files))}: contains no ranks; fill in the sheet first")
    ranks = {name: np.full((len(people), len(key.samples), len(key.editors)), np.nan) for name in key.criteria}
    missing: list[RankingCell] = []
    incomplete = 0
    for one, person in enumerate(people):
        for other, sample in enumerate(key.samples):
            for criterion in key.criteria:
                requested = [
                    RankingCell(person, sample.number, name, criterion) for name in ranked_editors(key, sample)
                ]
                unanswered = [cell for cell in requested if cell not in answers]
                missing += unanswered
                incomplete += bool(unanswered)
                if requested and not unanswered:  # a sample without any output has no ranking
                    better = {cell.editor: answers[cell].better for cell in requested}
                    ranks[criterion][one, other] = _ranks(key.editors, better)
    cells = len(people) * len(key.criteria) * sum(len(ranked_editors(key, sample)) for sample in key.samples)
    by = {person: sum(cell.annotator == person for cell in missing) for person in people}
    first = f"annotator {missing[0].annotator}, sample {missing[0].number}, {missing[0].criterion}" if missing else ""
    return RankingAnswers(people, ranks, cells, len(missing), incomplete, by, first, unchecked)


def ranked_editors(key: Key, sample: SheetSample) -> list[str]:
    """Return the editors that have an output for a sample."""
    return [name for name in key.editors if name not in sample.absent]


def annotator_agreement(key: Key, ranks: Array) -> dict[str, Any]:
    """Agreement of annotators for one criterion: per sample on existing outputs, and for mean ranks of models.

    Values are None if no two annotators ranked the same sample. Mean ranks use samples with all outputs: a missing
    output is last for everyone, which would count as agreement.
    """
    ranked = np.asarray(~np.isnan(ranks).any(axis=2))
    by_sample: list[tuple[float, float]] = []
    raters: set[int] = set()
    for at, sample in enumerate(key.samples):
        there = [key.editors.index(name) for name in ranked_editors(key, sample)]
        who = np.flatnonzero(ranked[:, at]).tolist()
        if len(who) > 1 and len(there) > 1:
            raters |= set(who)
            some = ranks[who, at][:, there]
            by_sample.append((concordance(some), pairwise(some)))
    whole = np.array([not sample.absent for sample in key.samples], dtype=bool)
    common = ranked[sorted(raters)].all(axis=0) & whole if raters else np.zeros(len(key.samples), bool)
    over = ranks[sorted(raters)][:, common].mean(axis=1) if common.any() else None
    models = [(concordance(over), pairwise(over))] if over is not None else []
    return {
        "annotators": len(raters),
        "samples": len(by_sample),
        **_mean_agreement(by_sample),
        "models": {"samples": int(common.sum()), **_mean_agreement(models)},
    }


def _mean_agreement(values: Sequence[tuple[float, float]]) -> dict[str, float | None]:
    """Means of Kendall's W and of the pairwise Spearman correlation."""
    finite = [[value for value in column if np.isfinite(value)] for column in zip(*values, strict=True)] or [[], []]
    w, spearman = (sum(column) / len(column) if column else None for column in finite)
    return {"kendall_w": w, "pairwise_spearman": spearman}


def _ranks(editors: Sequence[str], better: Mapping[str, float]) -> Array:
    """Ranks of all editors; ties get their mean rank, editors without an output share the last."""
    worst = min(better.values(), default=0.0) - 1
    return np.asarray(rankdata([-better.get(name, worst) for name in editors]), dtype=np.float64)


def _cells(file: Path, key: Key, scores: bool) -> Iterator[tuple[RankingCell, _Answer]]:
    """Yield the filled cells of a file."""
    try:
        text = read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}, expected a CSV file") from None
    head = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    try:
        names = [name.strip().lower() for name in next(lines, [])]
        value = _value_column(file, names)
        as_score = scores or value == "score"
        samples_by_number = {sample.number: sample for sample in key.samples}
        for line in lines:
            if not any(part.strip() for part in line):
                continue
            where = f"{file}: line {lines.line_num}"
            if len(line) != len(names):
                raise InputError(f"{where}: {len(line)} cells, expected {len(names)}: {', '.join(names)}")
            row = dict(zip(names, (part.strip() for part in line), strict=True))
            if row.get("sheet", key.sheet) not in ("", key.sheet):
                raise InputError(f"{where}: is an answer to sheet {row['sheet']}, but the key is for sheet {key.sheet}")
            cell = _cell(row, key, samples_by_number, where)
            if row[value] and cell:
                better = _parse_value(row[value], as_score, len(key.editors), where)
                yield cell, _Answer(better, where, bool(row.get("sheet")))
    except csv.Error as error:
        raise InputError(f"{file}: line {lines.line_num}: not CSV: {error}") from None


def _value_column(file: Path, names: Sequence[str]) -> str:
    for name in _COLUMNS:
        if names.count(name) != 1:
            raise InputError(
                f"{file}: {names.count(name)} columns {name!r} (its columns: {', '.join(names) or 'none'});"
                f" expected {', '.join(_COLUMNS)} and rank, or score"
            )
    columns = [name for name in names if name in ("rank", "score")]
    if len(columns) != 1:
        raise InputError(f"{file}: expected one column rank (1 is best) or score (the highest is best)")
    return columns[0]


def _cell(
    row: Mapping[str, str], key: Key, samples_by_number: Mapping[str, SheetSample], where: str
) -> RankingCell | None:
    """Return the cell that a line refers to, or None if the output does not exist."""
    criteria = {name.casefold(): name for name in key.criteria}
    letters = [letter(place) for place in range(len(key.editors))]
    for name, value, allowed in (
        ("annotator", row["annotator"], list(key.annotators)),
        ("sample", row["sample"], list(samples_by_number)),
        ("candidate", row["candidate"].upper(), letters),
        ("criterion", row["criterion"].casefold(), list(criteria)),
    ):
        if value not in allowed:
            listed = f"{allowed[0]} to {allowed[-1]}" if len(allowed) > 6 else ", ".join(allowed)
            raise InputError(f"{where}: {name} {row[name]!r}, the sheet has {listed}")
    sample = samples_by_number[row["sample"]]
    editor = sample.orders[row["annotator"]][letters.index(row["candidate"].upper())]
    if editor in sample.absent:
        return None
    return RankingCell(row["annotator"], sample.number, editor, criteria[row["criterion"].casefold()])


def _parse_value(text: str, as_score: bool, editors: int, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if as_score and math.isfinite(value):
        return value
    if not as_score and 1 <= value <= editors:
        return -value
    expected = "a number (highest is best)" if as_score else f"1 (best) to {editors}; for scores pass --scores"
    raise InputError(f"{where}: {'score' if as_score else 'rank'} {text!r}, expected {expected}")
