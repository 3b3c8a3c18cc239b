"""How ambiguous each instruction is, by the grades that `vde ambiguity` has kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from vdebench.analysis.grades import sample_grades
from vdebench.errors import RunFolderError
from vdebench.files import is_file, is_folder, list_folder

_FILE = "grades.parquet"
_NEEDED = ("sample", "dimension", "draw", "state", "grade")


def ambiguity_of_samples(folders: Sequence[Path]) -> dict[str, float]:
    """The mean grade of every sample: over draws, then dimensions, then judges.

    A judge counts for a sample that it has graded in all dimensions it was asked: a mean of some would be another
    number. `folders` are those of judges, or hold them.
    """
    found: dict[str, list[float]] = {}
    for folder in folders:
        for judge in _judges(folder):
            for sample, grade in _graded(judge).items():
                found.setdefault(sample, []).append(grade)
    return {sample: sum(grades) / len(grades) for sample, grades in found.items()}


def _judges(folder: Path) -> list[Path]:
    if is_file(folder / _FILE):
        return [folder]
    below = sorted(folder / name for name in list_folder(folder)) if is_folder(folder) else []
    judges = [each for each in below if is_file(each / _FILE)]
    if not judges:
        raise RunFolderError(
            f"{folder}: no {_FILE} here, nor one folder below; `vde ambiguity SUITE --judge … --out FOLDER` makes it"
        )
    return judges


def _graded(folder: Path) -> dict[str, float]:
    try:
        rows = pl.read_parquet(folder / _FILE)
        asked = rows.select(*_NEEDED)
    except (OSError, pl.exceptions.PolarsError) as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(f"{folder / _FILE}: cannot be read: {first}; grade again") from None
    wanted = asked["dimension"].n_unique()
    by_sample = sample_grades(asked).group_by("sample").agg(pl.col("grade").mean(), pl.len().alias("dimensions"))
    return dict(by_sample.filter(pl.col("dimensions") == wanted).select("sample", "grade").sort("sample").iter_rows())
