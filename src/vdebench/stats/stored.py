"""Stored runs: their summaries and rows, matrices of their means, and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from vdebench.errors import RunFolderError, VdeError
from vdebench.io.files import is_file
from vdebench.protocols import Protocol, protocol_of
from vdebench.protocols.signature import parts_of
from vdebench.runs.summary import read_summary
from vdebench.stats.bootstrap import RESAMPLES, Method, bootstrap
from vdebench.stats.matrix import Matrix as Matrix
from vdebench.stats.matrix import matrix_of


@dataclass(frozen=True)
class StoredRun:
    """One editor's run: its summary and a row for every sample and setting."""

    root: Path
    summary: Mapping[str, Any]
    rows: pl.DataFrame

    @property
    def editor(self) -> str:
        """The editor's name."""
        return str(self.summary["editor"])

    @property
    def protocol(self) -> Protocol:
        """The protocol that scored it."""
        return protocol_of(self.summary)

    @property
    def settings(self) -> list[str]:
        """Settings with means, in the order of the summary."""
        return [setting for setting, means in self.summary["overall"].items() if means]


def read_run(root: str | Path) -> StoredRun:
    """Read a run folder written by `vde score --out` or `vde run`; raises `RunFolderError`."""
    folder = Path(root)
    for name in ("summary.json", "scores.parquet"):
        if not is_file(folder / name):
            below = sorted(file.parent for file in folder.rglob("scores.parquet") if file.parent.name != "reference")
            hint = (
                f"did you mean {below[0]}?"
                if below
                else "expected a folder written by `vde score … --out` or `vde run`"
            )
            raise RunFolderError(f"{folder}: no {name} here; {hint}")
    summary = read_summary(folder / "summary.json")
    try:
        rows = pl.read_parquet(folder / "scores.parquet")
        twice = rows.select("sample", "setting").is_duplicated().any()
    except pl.exceptions.PolarsError as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(f"{folder / 'scores.parquet'}: cannot be read: {first}; score again") from None
    if twice:
        raise RunFolderError(f"{folder}: scores.parquet has two rows for a sample and setting; score again")
    return StoredRun(folder, summary, rows)


def differing_parts(signatures: Sequence[str]) -> dict[str, list[str]]:
    """Parts in which signatures differ, with their values; the editor is not compared.

    >>> differing_parts(["vde|p:strict|reader:a@1|n:9", "vde|p:strict|reader:b@2|n:9"])
    {'reader': ['a@1', 'b@2']}
    """
    split = [parts_of(signature) for signature in signatures]
    keys = dict.fromkeys(key for parts in split for key in parts if key != "editor")
    values_of = {key: [parts.get(key, "nothing") for parts in split] for key in keys}
    return {key: values for key, values in values_of.items() if len(set(values)) > 1}


def matrix(run: StoredRun, setting: str, metrics: Sequence[str] | None = None) -> Matrix:
    """Matrix of the means of a setting, for some metrics or for all that have a value."""
    rows = run.rows.filter(pl.col("setting") == setting)
    protocol = run.protocol
    rows = protocol.counted(rows)
    columns, statistics = protocol.mean_columns(rows)
    available = {name for name, parts in statistics.items() if all(columns[part].under.any() for part in parts.columns)}
    for name in metrics or ():
        if name not in available:
            names = ", ".join(name for name in statistics if name in available)
            raise VdeError(f"{run.root}: no {name!r} in the setting {setting}; there are: {names}")
    chosen = list(metrics) if metrics is not None else [name for name in statistics if name in available]
    return matrix_of(rows["sample"].to_list(), columns, {name: statistics[name] for name in chosen})


def intervals(
    run: StoredRun,
    setting: str,
    metrics: Sequence[str] | None = None,
    pages: Mapping[str, str] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    method: Method = "percentile",
    level: float = 0.95,
) -> dict[str, tuple[float, float] | None]:
    """The interval of every mean of a run, or None."""
    columns = matrix(run, setting, metrics)
    low, high = bootstrap(
        columns.numerators,
        columns.denominators,
        [pages[sample] for sample in columns.samples] if pages is not None else None,
        resamples=resamples,
        seed=seed,
        method=method,
        level=level,
        derive=columns.derive,
    )
    bounds = zip(columns.metrics, low.tolist(), high.tolist(), strict=True)
    return {name: None if np.isnan(lower) else (lower, upper) for name, lower, upper in bounds}
