"""Rows of corrupted pages, and their store until all pages are finished, so that a command can be resumed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, replacing
from vdebench.protocols.pages.columns import schema_of
from vdebench.runs.folder import ScoredSample

Tables = dict[str, pl.DataFrame]
NAMES = ("scores", "regions")
LEVEL = "level"
_ABOUT = ("group", "operation", "language", "source")


class CollectedRows:
    """Rows of scored pages, with the protocol, corruption and level of each."""

    def __init__(self) -> None:
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in NAMES}

    def add(self, sample: Sample, protocol: str, corruption: str, level: int, row: ScoredSample) -> None:
        """Add a sample's row of one setting, and those of its regions."""
        head = {"protocol": protocol, "corruption": corruption, LEVEL: level}
        about = {column: str(getattr(sample, column)) for column in _ABOUT}
        self._rows["scores"].append({**head, **about, **row.score})
        self._rows["regions"] += [{**head, **region} for region in row.regions]

    def tables(self) -> Tables:
        """All rows as tables."""
        head = {"protocol": pl.String, "corruption": pl.String, LEVEL: pl.Int64}
        return {name: pl.DataFrame(rows, schema={**head, **schema_of(name)}) for name, rows in self._rows.items()}


class LadderRows:
    """Finished pages of one ladder in a folder; without a folder nothing is stored."""

    def __init__(self, folder: Path | None, key: str) -> None:
        self._folder = folder
        self._key = key[:16]

    def _file(self, page: int, name: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{self._key}-{page:06}.{name}.parquet"

    def find(self, page: int) -> Tables | None:
        """The stored rows of a page, or None."""
        if self._folder is None or not all(is_file(self._file(page, name)) for name in NAMES):
            return None
        try:
            return {name: pl.read_parquet(self._file(page, name)) for name in NAMES}
        except (OSError, pl.exceptions.PolarsError):  # computed again
            return None

    def add(self, page: int, tables: Tables) -> None:
        """Store the rows of a page."""
        if self._folder is None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{self._folder}: cannot be made: {error.strerror}; choose another folder") from None
        for name in NAMES:
            with replacing(self._file(page, name)) as temporary:
                tables[name].write_parquet(temporary)

    def clear(self) -> None:
        """Delete the folder when all pages are finished."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
