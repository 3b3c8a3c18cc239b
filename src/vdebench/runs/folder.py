"""A run folder holds `scores.parquet`, `blocks.parquet`, `regions.parquet`, `summary.json` and `run.json`.

While work goes on, finished samples are kept in `parts/`, a folder per few hundred, each put in place by one rename.
The tables are rewritten from them at the end, whole or not at all, so a run can be killed at any moment and goes on
where it was. Every row bears the fingerprint of what it was made from: rows whose inputs have changed are made anew.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.errors import RunFolderError
from vdebench.io.files import locked, read_json, replacing, write_json
from vdebench.protocols.pages.columns import TABLES, schema_of
from vdebench.runs.provenance import RUN_FILE, kept_of, recorded

_PART_SIZE = 200
_ROW_GROUP = 4096  # rows that are in memory at once


class ScoredSample(NamedTuple):
    """One sample in one setting: its row of scores, its rows of blocks and of regions."""

    score: Mapping[str, Any]
    blocks: Sequence[Mapping[str, Any]] = ()
    regions: Sequence[Mapping[str, Any]] = ()

    def with_unplaced(self, count: int) -> ScoredSample:
        """The same with the number of predicted blocks that had no box."""
        return self._replace(score={**self.score, "unplaced_blocks": count})


class RunFolder:
    """The results of one protocol on one suite for one editor."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._waiting: list[ScoredSample] = []

    @contextmanager
    def open(self, about: Mapping[str, Any]) -> Iterator[RunFolder]:
        """Take the folder for this run: refuse one that holds another protocol or suite, or is in use."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{self.root}: cannot be made: {error.strerror}") from None
        file = self.root / RUN_FILE
        found = read_json(file) if file.exists() else {}
        if file.exists():
            for key, value in about.items():
                if isinstance(found, dict) and found.get(key) != value:
                    raise RunFolderError(
                        f"{self.root}: holds a run with {key} {found.get(key)!r}, asked for {value!r}\n"
                        "  choose another --out, or delete the folder"
                    )
        with locked(self.root):
            self._check_parts()
            write_json(file, {**about, **kept_of(found)})
            with recorded(self.root):
                yield self

    def _check_parts(self) -> None:
        parts = self.root / "parts"
        if parts.exists() and not parts.is_dir():
            raise RunFolderError(f"{parts}: is a file, expected a folder of unfinished work; delete it")

    def known(self) -> dict[tuple[str, str], str]:
        """Fingerprint of every finished sample and setting; what failed is to be tried again."""
        return {
            (sample, setting): fingerprint
            for folder in self._folders()
            for sample, setting, fingerprint in _keys(folder, settled=True).iter_rows()
        }

    def add(self, scored: ScoredSample) -> None:
        """Keep a finished sample; every few hundred are written down."""
        self._waiting.append(scored)
        if len(self._waiting) >= _PART_SIZE:
            self.flush()

    def flush(self) -> None:
        """Write down what is finished."""
        if not self._waiting:
            return
        parts = self.root / "parts"
        number = max((int(part.name) for part in self._parts()), default=-1) + 1
        rows = {
            "scores": [scored.score for scored in self._waiting],
            "blocks": [row for scored in self._waiting for row in scored.blocks],
            "regions": [row for scored in self._waiting for row in scored.regions],
        }
        try:
            parts.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=parts, prefix=".", ignore_cleanup_errors=True) as temporary:
                unfinished = Path(temporary) / "part"
                unfinished.mkdir()
                for name in TABLES:
                    frame = pl.DataFrame(rows[name], schema=schema_of(name), orient="row")
                    frame.write_parquet(unfinished / f"{name}.parquet")
                unfinished.rename(parts / f"{number:06d}")
        except (OSError, pl.exceptions.PolarsError) as error:
            raise RunFolderError(f"{parts}: cannot be written: {error}") from None
        self._waiting.clear()

    def finish(self, wanted: Sequence[tuple[str, str, str]]) -> None:
        """Rewrite the tables from old rows and parts: rows of the wanted (sample, setting, fingerprint), in order."""
        self.flush()
        place = {key: at for at, key in enumerate(wanted)}
        kept: list[tuple[Path, list[tuple[str, str]] | None]] = []
        places: list[int] = []
        for folder in reversed(self._folders()):  # the newest word on a row counts: it may have failed before
            keys = list(_keys(folder).iter_rows())
            here = [key for key in keys if key in place]
            places[:0] = [place.pop(key) for key in here]
            # Parts are whole. The run folder's blocks may be newer than its scores, after a kill between two renames.
            whole = len(here) == len(keys) and folder != self.root
            kept.insert(0, (folder, None if whole else [key[:2] for key in here]))
        order = None if all(a < b for a, b in pairwise(places)) else [key[:2] for key in wanted]
        for name in reversed(TABLES):  # the scores last: a row there means that its blocks and regions are there too
            with _readable(self.root), replacing(self.root / f"{name}.parquet") as temporary:
                _merged(name, kept, order).sink_parquet(temporary, row_group_size=_ROW_GROUP)
        shutil.rmtree(self.root / "parts", ignore_errors=True)

    def table(self, name: str) -> pl.LazyFrame:
        """One of the finished tables."""
        return pl.scan_parquet(self.root / f"{name}.parquet")

    def counted(self) -> set[str]:
        """Samples that means are made of."""
        rows = self.table("scores").filter(pl.col("gt_blocks").is_not_null()).select("sample").unique().collect()
        return set(rows["sample"])

    def _folders(self) -> list[Path]:
        """Where rows stand: the run folder with its finished tables, then the parts, oldest first.

        Rows of another version, with other columns, are none: they are made anew.
        """
        there = [folder for folder in (self.root, *self._parts()) if (folder / "scores.parquet").exists()]
        return [folder for folder in there if _has_our_columns(folder)]

    def _parts(self) -> list[Path]:
        return sorted(part for part in (self.root / "parts").glob("[0-9]*") if part.name.isdigit() and part.is_dir())


def _has_our_columns(folder: Path) -> bool:
    """Whether tables have the columns of this version; a table that cannot be read is told of where it is read."""
    try:
        return all(pl.read_parquet_schema(folder / f"{name}.parquet") == schema_of(name) for name in TABLES)
    except (OSError, pl.exceptions.PolarsError):
        return True


_KEY = {"sample": pl.String, "setting": pl.String, "fingerprint": pl.String}


def _keys(folder: Path, *, settled: bool = False) -> pl.DataFrame:
    """Samples, settings and fingerprints of a folder's rows; where asked, only of those without a failure."""
    with _readable(folder):
        rows = pl.scan_parquet(folder / "scores.parquet")
        if settled:
            rows = rows.filter((pl.col("state") != "failed") & pl.col("image_reason").is_null())
        return rows.select(list(_KEY)).collect()


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Say in words that a table in a folder is broken."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(
            f"{folder}: holds a table that cannot be read: {first}\n"
            "  delete the folder and run again, or choose another --out"
        ) from None


def _merged(
    name: str, kept: Sequence[tuple[Path, list[tuple[str, str]] | None]], order: list[tuple[str, str]] | None
) -> pl.LazyFrame:
    """Rows of a table in all folders: those of the given keys, all where none are given; in an order where one is."""
    key = {"sample": pl.String, "setting": pl.String}
    frames = [pl.LazyFrame(schema=schema_of(name))]
    for folder, keys in kept:
        rows = pl.scan_parquet(folder / f"{name}.parquet")
        if keys is not None:
            rows = rows.join(
                pl.LazyFrame(keys, schema=key, orient="row"), on=list(key), how="semi", maintain_order="left"
            )
        frames.append(rows)
    merged = pl.concat(frames)
    if order is not None:
        at = pl.LazyFrame(order, schema=key, orient="row").with_row_index("at")
        merged = (
            merged.join(at, on=list(key), how="left", maintain_order="left").sort("at", maintain_order=True).drop("at")
        )
    return merged
