"""Sessions in the database. Only hashes of tokens are stored."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vdebench.review.events import stamp
from vdebench.review.tables import sqlalchemy, tables

IDLE, LONGEST = timedelta(hours=12), timedelta(days=7)
"""A session ends after this time without use, and after this total time."""
_WRITTEN_EVERY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class LoginSession:
    """A signed-in member."""

    name: str
    created: str
    until: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session with its token, which is not stored."""

    token: str
    session: LoginSession


def hashed(token: str) -> str:
    """Return the hash of a token. Tokens are long and random, so no salt is needed."""
    return hashlib.sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


def find_session(connection: Any, token: str, now: datetime) -> LoginSession | None:
    """Return the session of a token; None if it has expired."""
    row = connection.execute(sqlalchemy().select(tables().sessions).where(_lasting(token, now))).first()
    return LoginSession(row.name, row.created, row.until) if row else None


def is_prolonged(session: LoginSession, now: datetime) -> bool:
    """Whether to record the use of a session; not every time, to avoid a write per request."""
    return min(stamp(now + IDLE - _WRITTEN_EVERY), _end(session)) > session.until


def prolong(connection: Any, token: str, session: LoginSession, now: datetime) -> None:
    """Extend a session from now."""
    until = min(stamp(now + IDLE), _end(session))
    connection.execute(sqlalchemy().update(tables().sessions).where(_lasting(token, now)).values(until=until))


def end_session(connection: Any, token: str) -> None:
    """End one."""
    sessions = tables().sessions
    connection.execute(sqlalchemy().delete(sessions).where(sessions.c.token == hashed(token)))


def _lasting(token: str, now: datetime) -> Any:
    sessions = tables().sessions
    return (sessions.c.token == hashed(token)) & (sessions.c.until > stamp(now))


def _end(session: LoginSession) -> str:
    return stamp(datetime.fromisoformat(session.created) + LONGEST)


def end_sessions(connection: Any, name: str) -> None:
    """End all sessions of a member, in the given transaction."""
    sessions = tables().sessions
    connection.execute(sqlalchemy().delete(sessions).where(sessions.c.name == name))


def open_session(connection: Any, name: str, now: datetime) -> SignedIn:
    """Begin a session."""
    token = secrets.token_urlsafe(32)
    session = LoginSession(name, stamp(now), stamp(now + IDLE))
    told = {"token": hashed(token), "name": name, "created": session.created, "until": session.until}
    connection.execute(sqlalchemy().insert(tables().sessions).values(told))
    return SignedIn(token, session)


def forget_old_sessions(connection: Any, now: datetime) -> None:
    """Delete expired sessions."""
    sessions = tables().sessions
    connection.execute(sqlalchemy().delete(sessions).where(sessions.c.until <= stamp(now)))
