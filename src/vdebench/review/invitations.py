"""Invitations in the database: links with which one person can join once."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from vdebench.errors import InputError
from vdebench.review.events import stamp
from vdebench.review.sessions import hashed
from vdebench.review.state import ROLES, Member, ReviewState
from vdebench.review.store import Store
from vdebench.review.tables import sqlalchemy, tables

MOST_DAYS = 90


class Invitation(NamedTuple):
    """An invitation without its token."""

    id: str
    role: str
    group: str
    name: str
    """Name of an existing member, or empty."""
    by: str
    created: str
    until: str
    used_by: str | None


def write_invitation(store: Store, role: str, group: str, *, by: str, days: float, name: str, now: datetime) -> str:
    """Create an invitation and return its token, which is not stored."""
    study = store.study()
    role, group, inviter = _checked(study, role, group, by, name)
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 < days <= MOST_DAYS:
        raise InputError(f"{days!r}"[:50] + f" days, expected more than 0 and at most {MOST_DAYS}")
    token = secrets.token_urlsafe(32)
    told = {
        "token": hashed(token),
        "id": secrets.token_hex(6),
        "role": role,
        "group": group,
        "name": name,
        "inviter": inviter,
        "created": stamp(now),
        "until": stamp(now + timedelta(days=days)),
    }
    row = sqlalchemy().insert(tables().invitations).values(told)
    store.database.written(lambda connection: connection.execute(row))
    return token


def _checked(study: ReviewState, role: str, group: str, by: str, name: str) -> tuple[str, str, str]:
    """Return role and group of the invitation, and the inviter."""
    if not study.opened:
        raise InputError("the review is not open yet: run `vde build review WORKSPACE` first")
    inviter = _inviter(study, by)
    if name:
        member = study.member(name)
        if member is None:
            raise InputError(f"{name!r}"[:200] + " is not a member; leave the name out for people who join")
        return member.role, member.group, inviter
    if role not in ROLES:
        raise InputError(f"role {role!r}"[:200] + f", expected one of {', '.join(ROLES)}")
    groups = study.options.groups if role == "annotator" else ("",)
    if group not in groups:
        expected = f"one of {', '.join(groups)}" if role == "annotator" else "none"
        raise InputError(f"{role} of group {group!r}"[:200] + f", expected {expected}")
    return role, group, inviter


def _inviter(study: ReviewState, by: str) -> str:
    admins: list[Member] = [each for each in study.members if each.active and each.role == "admin"]
    for admin in admins:
        if by in ("", admin.name):
            return admin.name
    raise InputError(f"{by!r}"[:200] + " is not an admin of this review")


def find_invitation(connection: Any, token_hash: str, now: datetime) -> Invitation | None:
    """Return an invitation that can still be used."""
    invitations = tables().invitations
    usable = _usable(token_hash, now)
    row = connection.execute(sqlalchemy().select(invitations).where(usable)).first()
    return _invitation(row) if row else None


def use_invitation(connection: Any, token_hash: str, name: str, now: datetime) -> bool:
    """Mark an invitation as used; return False if another request was faster."""
    used = sqlalchemy().update(tables().invitations).where(_usable(token_hash, now)).values(used_by=name)
    return bool(connection.execute(used).rowcount == 1)


def all_invitations(connection: Any) -> list[Invitation]:
    """All of them, newest first."""
    invitations = tables().invitations
    ordered = sqlalchemy().select(invitations).order_by(invitations.c.created.desc(), invitations.c.id)
    return [_invitation(row) for row in connection.execute(ordered)]


def _usable(token_hash: str, now: datetime) -> Any:
    invitations = tables().invitations
    unused = invitations.c.used_by.is_(None) & (invitations.c.until > stamp(now))
    return (invitations.c.token == token_hash) & unused


def _invitation(row: Any) -> Invitation:
    return Invitation(row.id, row.role, row.group, row.name, row.inviter, row.created, row.until, row.used_by)
