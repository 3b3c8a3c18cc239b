"""The database of a review: an SQLite file or a PostgreSQL URL. It is migrated when it is opened."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from vdebench.errors import InputError, MissingPartError
from vdebench.review.tables import sqlalchemy

log = logging.getLogger("vdebench.review.database")
INSTALL = 'pip install "vdebench[review,postgresql]"'
TRIES = 5
_WRITING = "vde_writing"
_MIGRATING = 7_364_911
"""Key of the PostgreSQL advisory lock that serialises migrations of servers that start at the same time."""
BUSY_SECONDS = 30
_PASSING = ("40001", "40P01", "55P03")
"""PostgreSQL error codes: serialization failure, deadlock, lock not available."""
Answer = TypeVar("Answer")


class BusyError(Exception):
    """The database is locked; nothing was written."""


class LostRaceError(Exception):
    """Another transaction has changed the same rows in the meantime."""


class Database:
    """Connections to one database."""

    def __init__(self, place: Path | str) -> None:
        sa = sqlalchemy()
        self.url = _url(place)
        self.shown = self.url.render_as_string(hide_password=True)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        # SQLite lets one write at a time and has the others look again now and then: some would wait for seconds
        self._turn: AbstractContextManager[Any] = Lock() if self.is_sqlite else nullcontext()
        more: dict[str, Any] = {"pool_pre_ping": True, "pool_size": 10, "max_overflow": 30}
        if self.is_sqlite:
            more = {"connect_args": {"timeout": BUSY_SECONDS}, "pool_size": 50}
        try:  # the URL may contain a password, so it is in no message
            self._engine = sa.create_engine(self.url, hide_parameters=True, **more)
        except ImportError as error:
            raise MissingPartError(f"{self.shown}: its driver is not installed ({error}): {INSTALL}") from None
        if self.is_sqlite:
            sa.event.listen(self._engine, "connect", _set_up_sqlite)
            sa.event.listen(self._engine, "begin", _begin_sqlite)
        try:
            self._migrate()
        except sa.exc.DBAPIError as error:
            raise InputError(f"{self.shown}: cannot be opened as a database of a review: {error.orig}") from None

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """Open a connection with one consistent snapshot of the database."""
        options = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self._engine.connect().execution_options(**options) as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """Open a connection in a transaction that is committed to disk at the end of the block, or rolled back."""
        with self._turn, self._engine.connect().execution_options(**{_WRITING: True}) as connection, connection.begin():
            yield connection

    def written(self, change: Callable[[Any], Answer]) -> Answer:
        """Run a change in a transaction and return its result; retry if another transaction interferes."""
        exc = sqlalchemy().exc
        for _ in range(TRIES):
            try:
                with self.writing() as connection:
                    return change(connection)
            except LostRaceError:
                last: object = "somebody else was faster"
            except (exc.OperationalError, exc.IntegrityError, exc.InternalError, exc.ProgrammingError) as error:
                last = error.orig
                if not isinstance(error, exc.IntegrityError) and not is_passing(last):
                    log.error("%s: cannot be written: %s", self.shown, last)
                    raise BusyError("the database cannot be written; tell an admin, and try again later") from None
        log.warning("%s: given up after %d tries: %s", self.shown, TRIES, last)
        raise BusyError("the database is busy, or somebody else was faster each time; try again")

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _migrate(self) -> None:
        from alembic import command
        from alembic.config import Config
        from alembic.util import CommandError

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
        with self.writing() as connection:
            if not self.is_sqlite:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATING})")
            config.attributes["connection"] = connection
            try:
                command.upgrade(config, "head")
            except CommandError as error:
                raise InputError(f"{self.shown}: was written by a newer vdebench ({error}); update this one") from None


def is_passing(error: Any) -> bool:
    """Whether a database error is temporary: another transaction holds the same rows or the file."""
    number = getattr(error, "sqlite_errorcode", None)
    if number is not None:
        return number & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return getattr(error, "sqlstate", None) in _PASSING


def _url(place: Path | str) -> Any:
    """Return the SQLAlchemy URL of a database; a path is an SQLite file."""
    sa = sqlalchemy()
    told = str(place)
    if isinstance(place, Path) or "://" not in told:
        file = Path(place)
        if not file.parent.is_dir():
            raise InputError(f"{file.parent}: no such folder, expected one for {file.name}")
        return sa.URL.create("sqlite", database=str(file))
    try:
        url = sa.make_url(told)
    except sa.exc.ArgumentError:
        raise InputError(
            "the address of the database is not a URL, expected postgresql://USER@HOST/NAME or a file"
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    kind = url.get_backend_name()
    if kind not in ("postgresql", "sqlite") or (kind == "sqlite" and url.database in (None, "", ":memory:")):
        raise InputError(f"{url.drivername}: unsupported database, expected postgresql://USER@HOST/NAME or a file")
    return url


def _set_up_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # we begin transactions ourselves
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_SECONDS * 1000}"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Any) -> None:
    """Take the write lock at once: two transactions that read first and write later would block each other."""
    writing = connection.get_execution_options().get(_WRITING)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
