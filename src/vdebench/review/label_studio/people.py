"""The people file: members of the review by their Label Studio e-mail, in TOML.

[people]
"anna@lab.example" = "anna"                       # an existing member
"bo@lab.example" = { name = "bo", group = "2" }   # joins this group if not a member yet
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from vdebench.errors import InputError
from vdebench.io.files import read_bytes
from vdebench.review.commands import Join
from vdebench.review.refusals import Refusal
from vdebench.review.state import ReviewState
from vdebench.review.store import Store
from vdebench.review.text_check import wrong_name

EXAMPLE = '"anna@lab.example" = "anna" or { name = "anna", group = "1" }'


class LabelStudioMember(NamedTuple):
    """A member's name, and optionally the group to join."""

    name: str
    group: str = ""


def read_people(file: Path) -> dict[str, LabelStudioMember]:
    """Read the file; return people by lower-case e-mail."""
    try:
        told = tomllib.loads(read_bytes(file).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{file}: not TOML: {error}") from None
    table = told.get("people")
    if not isinstance(table, dict) or not table or set(told) != {"people"}:
        raise InputError(f"{file}: expected one table [people] with lines like {EXAMPLE}")
    found: dict[str, LabelStudioMember] = {}
    for email, given in table.items():
        fields = {"name": given} if isinstance(given, str) else given
        if (
            "@" not in email
            or not isinstance(fields, dict)
            or not {"name"} <= fields.keys() <= {"name", "group"}
            or not all(isinstance(value, str) and value for value in fields.values())
        ):
            raise InputError(f"{file}: {email!r} = {given!r}, expected an e-mail and a name: {EXAMPLE}")
        if email.lower() in found:
            raise InputError(f"{file}: {email} occurs twice")
        found[email.lower()] = LabelStudioMember(**fields)
    return found


def members_of(file: Path, store: Store) -> dict[str, str]:
    """Return member names by e-mail. People with a group who are not members yet join it."""
    people = read_people(file)
    _require(file, people, store.study())
    for email, person in people.items():
        study = store.study()
        if person.group and study.member(person.name) is None:
            admin = next(member.name for member in study.members if member.active and member.role == "admin")
            joined = store.submit(Join(person.name, "annotator", person.group), who=admin, now=datetime.now(UTC))
            if isinstance(joined, Refusal):
                raise InputError(f"{file}: {email}: {joined.words}")
    return {email: person.name for email, person in people.items()}


def _require(file: Path, people: Mapping[str, LabelStudioMember], study: ReviewState) -> None:
    """Refuse a file that contradicts the review, before anybody joins."""
    for email, person in people.items():
        member = study.member(person.name)
        if problem := wrong_name(person.name):
            raise InputError(f"{file}: {email}: the name {problem}")
        if member is None and not person.group:
            known = ", ".join(sorted(each.name for each in study.members))
            raise InputError(
                f"{file}: {email}: {person.name!r} is not a member of this review; members: {known}\n"
                f'  invite them, or let them join with {{ name = "{person.name}", group = "…" }}'
            )
        if person.group and person.group not in study.options.groups:
            groups = ", ".join(study.options.groups)
            raise InputError(f"{file}: {email}: group {person.group!r}, expected one of {groups}")
        if member and person.group and (member.role, member.group) != ("annotator", person.group):
            found = f"{member.role} {member.group}".rstrip()
            raise InputError(f"{file}: {email}: {person.name} is {found}, not annotator {person.group}")
