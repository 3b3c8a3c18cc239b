"""A run folder contains `scores.parquet`, `blocks.parquet`, `regions.parquet`, `summary.json` and `run.json`.

During a run, finished samples are in `parts/`, one folder per few hundred samples, each created by one rename. At the
end the tables are written from them atomically, so that a run can be killed at any moment and resumed. Every row has a
fingerprint of its inputs; rows whose inputs have changed are computed again.
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
from vdebench.io.files import locked, read_json, remove_unfinished, replacing, write_json
from vdebench.protocols.pages.columns import TABLES, schema_of
from vdebench.runs.provenance import RUN_FILE, preserved_parts, recording

_PART_SIZE = 200
_ROW_GROUP = 4096  # rows in memory at once


class ScoredSample(NamedTuple):
    """The rows of one sample in one setting."""

    score: Mapping[str, Any]
    blocks: Sequence[Mapping[str, Any]] = ()
    regions: Sequence[Mapping[str, Any]] = ()

    def with_unplaced(self, count: int) -> ScoredSample:
        """Return a copy with the number of predicted blocks that have no box."""
        return self._replace(score={**self.score, "unplaced_blocks": count})


class RunFolder:
    """The results of one protocol on one suite for one editor."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._waiting: list[ScoredSample] = []

    @contextmanager
    def open(self, about: Mapping[str, Any]) -> Iterator[RunFolder]:
        """Lock the folder for this run; raises `RunFolderError` if it is in use or contains a run of other options."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{self.root}: cannot be made: {error.strerror}") from None
        file = self.root / RUN_FILE
        record = read_json(file) if file.exists() else {}
        if file.exists():
            for key, value in about.items():
                if isinstance(record, dict) and record.get(key) != value:
                    raise RunFolderError(
                        f"{self.root}: contains a run with {key} {record.get(key)!r}, requested {value!r}\n"
                        "  choose another --out, or delete the folder"
                    )
        with locked(self.root):
            self._check_parts()
            remove_unfinished(self.root)
            write_json(file, {**about, **preserved_parts(record)})
            with recording(self.root):
                yield self

    def _check_parts(self) -> None:
        parts = self.root / "parts"
        if parts.exists() and not parts.is_dir():
            raise RunFolderError(f"{parts}: is a file, expected a folder of unfinished work; delete it")

    def fingerprints(self) -> dict[tuple[str, str], str]:
        """Fingerprint of every finished sample and setting, without failed ones, which are retried."""
        return {
            (sample, setting): fingerprint
            for folder in self._folders()
            for sample, setting, fingerprint in _keys(folder, settled=True).iter_rows()
        }

    def add(self, scored: ScoredSample) -> None:
        """Add a finished sample; a part is written every few hundred samples."""
        self._waiting.append(scored)
        if len(self._waiting) >= _PART_SIZE:
            self.flush()

    def flush(self) -> None:
        """Write a part with the samples added since the last one."""
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

    def finish(self, keys: Sequence[tuple[str, str, str]]) -> None:
        """Write the tables from old rows and parts: the rows with these (sample, setting, fingerprint), in order."""
        self.flush()
        positions = {key: position for position, key in enumerate(keys)}
        sources: list[tuple[Path, list[tuple[str, str]] | None]] = []
        found_positions: list[int] = []
        for folder in reversed(self._folders()):  # the newest row counts: the sample may have failed before
            folder_keys = list(_keys(folder).iter_rows())
            selected = [key for key in folder_keys if key in positions]
            found_positions[:0] = [positions.pop(key) for key in selected]
            # Parts are atomic. The run folder's blocks may be newer than its scores, after a kill between two renames.
            is_complete = len(selected) == len(folder_keys) and folder != self.root
            sources.insert(0, (folder, None if is_complete else [key[:2] for key in selected]))
        order = None if all(a < b for a, b in pairwise(found_positions)) else [key[:2] for key in keys]
        for name in reversed(TABLES):  # scores last: a row there means that its blocks and regions are written
            with _readable(self.root), replacing(self.root / f"{name}.parquet") as temporary:
                _merge_rows(name, sources, order).sink_parquet(temporary, row_group_size=_ROW_GROUP)
        shutil.rmtree(self.root / "parts", ignore_errors=True)

    def table(self, name: str) -> pl.LazyFrame:
        """One of the finished tables."""
        return pl.scan_parquet(self.root / f"{name}.parquet")

    def counted_samples(self) -> set[str]:
        """Samples that are part of the means."""
        rows = self.table("scores").filter(pl.col("gt_blocks").is_not_null()).select("sample").unique().collect()
        return set(rows["sample"])

    def _folders(self) -> list[Path]:
        """Folders with rows: the run folder, then its parts, oldest first; without tables of another version."""
        folders = [folder for folder in (self.root, *self._parts()) if (folder / "scores.parquet").exists()]
        return [folder for folder in folders if _has_current_columns(folder)]

    def _parts(self) -> list[Path]:
        return sorted(part for part in (self.root / "parts").glob("[0-9]*") if part.name.isdigit() and part.is_dir())


def _has_current_columns(folder: Path) -> bool:
    """Whether tables have the columns of this version; True for a damaged table, which raises when it is read."""
    try:
        return all(pl.read_parquet_schema(folder / f"{name}.parquet") == schema_of(name) for name in TABLES)
    except (OSError, pl.exceptions.PolarsError):
        return True


_KEY = {"sample": pl.String, "setting": pl.String, "fingerprint": pl.String}


def _keys(folder: Path, *, settled: bool = False) -> pl.DataFrame:
    """Samples, settings and fingerprints of a folder's rows; `settled` leaves out failures."""
    with _readable(folder):
        rows = pl.scan_parquet(folder / "scores.parquet")
        if settled:
            rows = rows.filter((pl.col("state") != "failed") & pl.col("image_reason").is_null())
        return rows.select(list(_KEY)).collect()


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Turn the exceptions of a damaged table into `RunFolderError`."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        first = str(error).partition("\n")[0]
        raise RunFolderError(
            f"{folder}: contains a table that cannot be read: {first}\n"
            "  delete the folder and run again, or choose another --out"
        ) from None


def _merge_rows(
    name: str, sources: Sequence[tuple[Path, list[tuple[str, str]] | None]], order: list[tuple[str, str]] | None
) -> pl.LazyFrame:
    """Rows of a table in several folders: those with the keys, or all for None; optionally in an order."""
    key = {"sample": pl.String, "setting": pl.String}
    frames = [pl.LazyFrame(schema=schema_of(name))]
    for folder, keys in sources:
        rows = pl.scan_parquet(folder / f"{name}.parquet")
        if keys is not None:
            rows = rows.join(
                pl.LazyFrame(keys, schema=key, orient="row"), on=list(key), how="semi", maintain_order="left"
            )
        frames.append(rows)
    merged = pl.concat(frames)
    if order is not None:
        positions = pl.LazyFrame(order, schema=key, orient="row").with_row_index("at")
        merged = (
            merged.join(positions, on=list(key), how="left", maintain_order="left")
            .sort("at", maintain_order=True)
            .drop("at")
        )
    return merged
