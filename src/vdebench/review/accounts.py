"""Accounts, sessions and invitations in the database of a review. Only hashes of tokens are stored."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from vdebench.review.commands import Join
from vdebench.review.database import BusyError
from vdebench.review.events import PROTOCOL, stamp
from vdebench.review.invitations import Invitation, find_invitation, use_invitation, write_invitation
from vdebench.review.invitations import all_invitations as _all_invitations
from vdebench.review.passwords import Passwords, wrong_password
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.sessions import (
    LoginSession,
    SignedIn,
    end_session,
    end_sessions,
    find_session,
    forget_old_sessions,
    hashed,
    is_prolonged,
    open_session,
    prolong,
)
from vdebench.review.state import Member
from vdebench.review.store import Store
from vdebench.review.tables import sqlalchemy, tables
from vdebench.review.text_check import wrong_name

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class AccountDenial:
    """Why an account was not created or changed: an error code and a message."""

    error: str
    words: str


class Accounts:
    """Accounts and sessions of a review."""

    def __init__(self, store: Store, passwords: Passwords | None = None) -> None:
        self.store, self.passwords = store, passwords or Passwords()
        self._database = store.database

    def invite(
        self,
        role: str = "annotator",
        group: str = "",
        *,
        by: str = "",
        days: float = 7,
        name: str = "",
        now: datetime | None = None,
    ) -> str:
        """Create an invitation and return its token. With `name`, an existing member sets their password with it.

        Without `by` the first admin invites: whoever can read the database is at least that.
        """
        return write_invitation(self.store, role, group, by=by, days=days, name=name, now=now or datetime.now(UTC))

    def invitation(self, token: str, now: datetime) -> Invitation | None:
        """Return an invitation that can be used: unused, not expired, and its inviter is still a member."""
        with self.store.reading() as (connection, study):
            found = find_invitation(connection, hashed(token), now)
        inviter = study.member(found.by) if found else None
        return found if inviter and inviter.active else None

    def invitations(self) -> list[Invitation]:
        """All of them, newest first."""
        with self._database.reading() as connection:
            return _all_invitations(connection)

    def take_back(self, id: str) -> bool:
        """Delete an unused invitation; return False if there is none."""
        if wrong_name(id):
            return False
        invitations = tables().invitations
        unused = (invitations.c.id == id) & invitations.c.used_by.is_(None)
        deleted = sqlalchemy().delete(invitations).where(unused)
        return bool(self._database.written(lambda connection: connection.execute(deleted).rowcount))

    def accept(self, token: str, name: str, password: str, now: datetime) -> SignedIn | AccountDenial:
        """Join or set a password with an invitation, and sign in. An invitation can be used once."""
        found = self.invitation(token, now)
        if found is None:
            return GONE
        name = unicodedata.normalize("NFC", found.name or name)
        if not found.name and (problem := _wrong_new_name(name)):
            return AccountDenial("bad_name", f"the name {problem}")
        if problem := wrong_password(password):
            return AccountDenial("bad_password", f"the password {problem}")
        member = self._member(name)
        if not found.name and self._is_taken(name):
            return AccountDenial("name_taken", f"{name!r} is taken, or too similar to a name that is; choose another")
        written = self.passwords.hash(password)
        opened: list[SignedIn] = []

        def along(connection: Any) -> None:
            if not use_invitation(connection, hashed(token), name, now):
                raise _GoneError
            if not found.name and _known(connection, fold(name)):
                raise _TakenError
            self._write_account(connection, name, written, now)
            opened.append(open_session(connection, name, now))

        try:
            if member and member.active:
                self._database.written(along)
            else:
                command = Join(name, found.role, found.group)
                refused = self.store.submit(command, who=found.by, now=now, along=along)
                if isinstance(refused, Refusal):
                    if refused.reason is Reason.BUSY:
                        raise BusyError(refused.words)
                    return AccountDenial(str(refused.reason), refused.words)
        except _GoneError:
            return GONE
        except _TakenError:
            return AccountDenial("name_taken", f"{name!r} is taken, or too similar to a name that is; choose another")
        return opened[-1]

    def _member(self, name: str) -> Member | None:
        return self.store.study().member(name)

    def _is_taken(self, name: str) -> bool:
        names = [PROTOCOL, *(member.name for member in self.store.study().members)]
        return any(fold(known) == fold(name) for known in names)

    def _write_account(self, connection: Any, name: str, written: str, now: datetime) -> None:
        """Set the password of a member; all their sessions end."""
        sa, accounts = sqlalchemy(), tables().accounts
        connection.execute(sa.delete(accounts).where(accounts.c.name == name))
        told = {"name": name, "folded": fold(name), "password": written, "created": stamp(now)}
        connection.execute(sa.insert(accounts).values(told))
        end_sessions(connection, name)

    def has_password(self, name: str) -> bool:
        """Whether a member has a password."""
        with self._database.reading() as connection:
            return _known(connection, fold(name)) is not None

    def sign_in(self, name: str, password: str, now: datetime) -> SignedIn | None:
        """Return a new session; None if name or password are wrong. Both cases take the same time."""
        with self._database.reading() as connection:
            account = None if wrong_name(name) else _known(connection, fold(name))
        if not self.passwords.is_right(account.password if account else None, password) or account is None:
            return None
        member = self._member(account.name)
        if member is None or not member.active:
            return None

        def opened(connection: Any) -> SignedIn:
            if self.passwords.is_old(account.password):
                self._rehash(connection, account, password)
            forget_old_sessions(connection, now)
            return open_session(connection, account.name, now)

        return self._database.written(opened)

    def _rehash(self, connection: Any, account: Any, password: str) -> None:
        accounts = tables().accounts
        same = (accounts.c.name == account.name) & (accounts.c.password == account.password)
        changed = sqlalchemy().update(accounts).where(same).values(password=self.passwords.hash(password))
        connection.execute(changed)

    def change_password(self, name: str, old: str, new: str, now: datetime) -> SignedIn | AccountDenial:
        """Change a password; end all sessions and start a new one."""
        if problem := wrong_password(new):
            return AccountDenial("bad_password", f"the new password {problem}")
        with self._database.reading() as connection:
            account = _known(connection, fold(name))
        if not self.passwords.is_right(account.password if account else None, old):
            return AccountDenial("wrong_password", "the old password is wrong")
        written = self.passwords.hash(new)

        def opened(connection: Any) -> SignedIn:
            self._write_account(connection, name, written, now)
            return open_session(connection, name, now)

        return self._database.written(opened)

    def session(self, token: str, now: datetime) -> LoginSession | None:
        """Return the session of a token; None if it has expired or its owner is no longer a member."""
        with self.store.reading() as (connection, study):
            session = find_session(connection, token, now)
        if session is None:
            return None
        member = study.member(session.name)
        if member is None or not member.active:
            self.revoke(session.name)
            return None
        if is_prolonged(session, now):
            self._database.written(lambda connection: prolong(connection, token, session, now))
        return session

    def sign_out(self, token: str) -> None:
        """End a session."""
        self._database.written(lambda connection: end_session(connection, token))

    def revoke(self, name: str) -> None:
        """End all sessions of a member."""
        self._database.written(lambda connection: end_sessions(connection, name))


GONE = AccountDenial("unknown_invitation", "this invitation is not known, was used, or is too old; ask for a new one")


class _GoneError(Exception):
    """Raised if another request has used the invitation in the meantime."""


class _TakenError(Exception):
    """Raised if another request has taken the name in the meantime."""


def fold(name: str) -> str:
    """Return a form of a name that similar names share.

    >>> fold("ANNA") == fold("anna"), fold("Ann") == fold("Anna")
    (True, False)
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _wrong_new_name(name: str) -> str:
    """Describe what is wrong with a new name; empty if it is valid. Spreadsheets read `=A1` as a formula."""
    if problem := wrong_name(name):
        return problem
    if len(name) > LONGEST_NAME:
        return f"has {len(name)} characters, expected at most {LONGEST_NAME}"
    return "" if name[0].isalnum() else f"begins with {name[0]!r}, expected a letter or a digit"


def _known(connection: Any, folded: str) -> Any:
    accounts = tables().accounts
    return connection.execute(sqlalchemy().select(accounts).where(accounts.c.folded == folded)).first()
