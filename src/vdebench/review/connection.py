"""Location of a workspace's review, and opening it with clear errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from vdebench.errors import InputError
from vdebench.review.database import BusyError
from vdebench.review.store import Store
from vdebench.review.tables import sqlalchemy

FILE = "review.sqlite"
VARIABLE = "VDE_REVIEW_DATABASE"
WAITED = 5.0
"""Seconds to wait for another process that has locked the file."""
_OURS = {"events", "study"}


def database_of(folder: Path, told: str | Path = "") -> str | Path:
    """Return the given database, by default the file in the workspace."""
    return told or folder / FILE


@contextmanager
def opened_review(folder: Path, told: str | Path = "", *, begin: bool = False) -> Iterator[Store]:
    """Open the review of a workspace; raise `InputError` if it does not exist, unless it is to be created."""
    sa = sqlalchemy()
    place = database_of(folder, told)
    file = _file_of(place)
    if file is not None:
        if not file.is_file() and not begin:
            raise InputError(f"{file}: {_no_review(folder)}, or give its database with --database or ${VARIABLE}")
        _require_ours(file)
    shown = file or "the review's database"
    try:
        with Store(place) as store:
            if not begin and not store.study().opened:
                raise InputError(f"{store.database.shown}: {_no_review(folder)}")
            yield store
    except sa.exc.DBAPIError as error:
        raise InputError(f"{shown}: the database is not reachable: {error.orig}; try again") from None
    except BusyError as error:
        raise InputError(f"{shown}: {error}") from None


def _no_review(folder: Path) -> str:
    return f"there is no review; run `vde build review {folder}` first"


def _file_of(place: str | Path) -> Path | None:
    if isinstance(place, Path) or "://" not in place:
        return Path(place)
    return Path(place.removeprefix("sqlite:///")) if place.startswith("sqlite:///") else None


def _require_ours(file: Path) -> None:
    """Refuse a database of another program: opening it would create our tables there."""
    if not file.is_file() or file.stat().st_size == 0:
        return
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=rw", uri=True, timeout=WAITED)) as connection:
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise InputError(f"{file}: cannot be opened as a database of a review: {error}") from None
    if names and not names >= _OURS:
        raise InputError(f"{file}: is not a database of a review; expected one created by `vde build review`")
