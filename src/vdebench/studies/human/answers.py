"""What people answered to a sheet: CSV files of `annotator, sample, candidate, criterion, rank`, as ranks."""

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
    """One thing to be ranked by one person for one criterion."""

    annotator: str
    number: str
    editor: str
    criterion: str


class _Given(NamedTuple):
    better: float
    """What was said, turned so that more is better."""
    where: str
    checked: bool
    """Whether the line names the sheet of the key."""


@dataclass(frozen=True)
class RankingAnswers:
    """Ranks, 1 for the best, and what is missing."""

    people: list[str]
    """Annotators who ranked anything."""
    ranks: Mapping[str, Array]
    """For every criterion people × samples × editors; NaN where a ranking is not whole."""
    cells: int
    """How many ranks these people were asked for."""
    missing: int
    """How many of them are not there."""
    incomplete: int
    """Rankings (of one person, sample and criterion) that are left out, since a part of them is missing."""
    missing_by: Mapping[str, int] = field(default_factory=dict)
    first_missing: str = ""
    unchecked: Sequence[str] = ()
    """Files with answers that do not name their sheet: they may be to another than the key's."""


def read_answers(files: Sequence[Path], key: Key, *, scores: bool = False) -> RankingAnswers:
    """The answers in some files; with `scores` the column `rank` holds scores, the highest for the best.

    A column `score` in the place of `rank` says so itself. A ranking of which a part is missing is left out whole: the
    second of four is not the second of six.
    """
    given: dict[RankingCell, _Given] = {}
    unchecked: list[str] = []
    for file in files:
        for cell, said in _cells(file, key, scores):
            before = given.get(cell)
            if before and before.better != said.better:
                raise InputError(
                    f"{said.where}: annotator {cell.annotator} has ranked this already, otherwise: {before.where}\n"
                    "  one line for each; people who share a number must be told apart: `vde human sheet --annotators`"
                )
            given[cell] = said
            if not said.checked and file.name not in unchecked:
                unchecked.append(file.name)
    people = [person for person in key.annotators if any(cell.annotator == person for cell in given)]
    if not people:
        raise InputError(f"{', '.join(map(str, files))}: no ranks, only empty cells; have the sheet filled in first")
    ranks = {name: np.full((len(people), len(key.samples), len(key.editors)), np.nan) for name in key.criteria}
    missing: list[RankingCell] = []
    incomplete = 0
    for one, person in enumerate(people):
        for other, sample in enumerate(key.samples):
            for criterion in key.criteria:
                asked = [RankingCell(person, sample.number, name, criterion) for name in shown(key, sample)]
                lost = [cell for cell in asked if cell not in given]
                missing += lost
                incomplete += bool(lost)
                if asked and not lost:  # of a sample without any output there is nothing that people said
                    better = {cell.editor: given[cell].better for cell in asked}
                    ranks[criterion][one, other] = _ranks(key.editors, better)
    cells = len(people) * len(key.criteria) * sum(len(shown(key, sample)) for sample in key.samples)
    by = {person: sum(cell.annotator == person for cell in missing) for person in people}
    first = f"annotator {missing[0].annotator}, sample {missing[0].number}, {missing[0].criterion}" if missing else ""
    return RankingAnswers(people, ranks, cells, len(missing), incomplete, by, first, unchecked)


def shown(key: Key, sample: SheetSample) -> list[str]:
    """Editors whose outputs are there to be ranked."""
    return [name for name in key.editors if name not in sample.absent]


def people_agree(key: Key, ranks: Array) -> dict[str, Any]:
    """How far people agree: sample by sample, on outputs that were there, and in their means over models.

    `ranks` are those of one criterion. None where no two people have ranked the same. Means over models are of samples
    of which every output was there: those that were not are last for all, which is no agreement.
    """
    ranked = np.asarray(~np.isnan(ranks).any(axis=2))
    found: list[tuple[float, float]] = []
    raters: set[int] = set()
    for at, sample in enumerate(key.samples):
        there = [key.editors.index(name) for name in shown(key, sample)]
        who = np.flatnonzero(ranked[:, at]).tolist()
        if len(who) > 1 and len(there) > 1:
            raters |= set(who)
            some = ranks[who, at][:, there]
            found.append((concordance(some), pairwise(some)))
    whole = np.array([not sample.absent for sample in key.samples], dtype=bool)
    common = ranked[sorted(raters)].all(axis=0) & whole if raters else np.zeros(len(key.samples), bool)
    over = ranks[sorted(raters)][:, common].mean(axis=1) if common.any() else None
    models = [(concordance(over), pairwise(over))] if over is not None else []
    return {
        "annotators": len(raters),
        "samples": len(found),
        **_agreed(found),
        "models": {"samples": int(common.sum()), **_agreed(models)},
    }


def _agreed(found: Sequence[tuple[float, float]]) -> dict[str, float | None]:
    """The means of Kendall's W and of the pairs' Spearman."""
    known = [[value for value in column if np.isfinite(value)] for column in zip(*found, strict=True)] or [[], []]
    w, spearman = (sum(values) / len(values) if values else None for values in known)
    return {"kendall_w": w, "pairwise_spearman": spearman}


def _ranks(editors: Sequence[str], better: Mapping[str, float]) -> Array:
    """Ranks of all editors, equals in the middle of their places; those without an output share the last."""
    worst = min(better.values(), default=0.0) - 1
    return np.asarray(rankdata([-better.get(name, worst) for name in editors]), dtype=np.float64)


def _cells(file: Path, key: Key, scores: bool) -> Iterator[tuple[RankingCell, _Given]]:
    """Filled cells of a file."""
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
        places = {sample.number: sample for sample in key.samples}
        for line in lines:
            if not any(part.strip() for part in line):
                continue
            where = f"{file}: line {lines.line_num}"
            if len(line) != len(names):
                raise InputError(f"{where}: {len(line)} cells, expected {len(names)}: {', '.join(names)}")
            row = dict(zip(names, (part.strip() for part in line), strict=True))
            if row.get("sheet", key.sheet) not in ("", key.sheet):
                raise InputError(f"{where}: is an answer to sheet {row['sheet']}, but the key is of sheet {key.sheet}")
            cell = _cell(row, key, places, where)
            if row[value] and cell:
                better = _better(row[value], as_score, len(key.editors), where)
                yield cell, _Given(better, where, bool(row.get("sheet")))
    except csv.Error as error:
        raise InputError(f"{file}: line {lines.line_num}: not CSV: {error}") from None


def _value_column(file: Path, names: Sequence[str]) -> str:
    for name in _COLUMNS:
        if names.count(name) != 1:
            raise InputError(
                f"{file}: {names.count(name)} columns {name!r} (its columns: {', '.join(names) or 'none'});"
                f" expected {', '.join(_COLUMNS)} and rank, or score"
            )
    found = [name for name in names if name in ("rank", "score")]
    if len(found) != 1:
        raise InputError(f"{file}: expected one column rank (1 is best) or score (the highest is best)")
    return found[0]


def _cell(row: Mapping[str, str], key: Key, places: Mapping[str, SheetSample], where: str) -> RankingCell | None:
    """The cell that a line is about, nothing where that output is not there to be ranked."""
    criteria = {name.casefold(): name for name in key.criteria}
    letters = [letter(place) for place in range(len(key.editors))]
    for name, found, known in (
        ("annotator", row["annotator"], list(key.annotators)),
        ("sample", row["sample"], list(places)),
        ("candidate", row["candidate"].upper(), letters),
        ("criterion", row["criterion"].casefold(), list(criteria)),
    ):
        if found not in known:
            listed = f"{known[0]} to {known[-1]}" if len(known) > 6 else ", ".join(known)
            raise InputError(f"{where}: {name} {row[name]!r}, the sheet has {listed}")
    sample = places[row["sample"]]
    editor = sample.orders[row["annotator"]][letters.index(row["candidate"].upper())]
    if editor in sample.absent:
        return None
    return RankingCell(row["annotator"], sample.number, editor, criteria[row["criterion"].casefold()])


def _better(text: str, as_score: bool, editors: int, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if as_score and math.isfinite(value):
        return value
    if not as_score and 1 <= value <= editors:
        return -value
    wanted = "a number, the highest for the best" if as_score else f"1 (best) to {editors}; for scores give --scores"
    raise InputError(f"{where}: {'score' if as_score else 'rank'} {text!r}, expected {wanted}")
