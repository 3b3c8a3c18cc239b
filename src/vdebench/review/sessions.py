"""Sessions in the database: who is signed in. A token is kept as its hash only."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vdebench.review.events import stamp
from vdebench.review.tables import sqlalchemy, tables

IDLE, LONGEST = timedelta(hours=12), timedelta(days=7)
"""A session ends when it was not used for so long, and after so long in any case."""
_WRITTEN_EVERY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class LoginSession:
    """Somebody who is signed in."""

    name: str
    created: str
    until: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that has just begun, with its token: nobody sees it again."""

    token: str
    session: LoginSession


def hashed(token: str) -> str:
    """A token as the database knows it; it is random and long, so it needs no salt."""
    return hashlib.sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


def find_session(connection: Any, token: str, now: datetime) -> LoginSession | None:
    """The session of a token, unless it is over."""
    row = connection.execute(sqlalchemy().select(tables().sessions).where(_lasting(token, now))).first()
    return LoginSession(row.name, row.created, row.until) if row else None


def is_prolonged(session: LoginSession, now: datetime) -> bool:
    """Whether it is time to write down that a session is used; not each time: that would be a write for each look."""
    return min(stamp(now + IDLE - _WRITTEN_EVERY), _end(session)) > session.until


def prolong(connection: Any, token: str, session: LoginSession, now: datetime) -> None:
    """Let a session last from now on as long as one does that was just used."""
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
    """End all sessions of somebody, in a transaction that is under way."""
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
    """Delete those that are over."""
    sessions = tables().sessions
    connection.execute(sqlalchemy().delete(sessions).where(sessions.c.until <= stamp(now)))
