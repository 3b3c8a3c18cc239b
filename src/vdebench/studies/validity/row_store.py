"""Rows of finished pages, stored until all pages are finished, so that a command can be resumed."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl

from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, replacing

Tables = dict[str, pl.DataFrame]
NAMES = ("scores", "regions")


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
