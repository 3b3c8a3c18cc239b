"""Warnings for the notes of a run whose reader works with reduced quality.

They are not in the readers' own modules, because a reader's identity hashes these: rewording a warning would
invalidate the cache.
"""

from __future__ import annotations

from vdebench.readers.reader import Reader
from vdebench.readers.tables.model import TableModel

_TEXT_ROWS = "rows of text"
"""Value of `tables` in the identity of a reader without the table model."""


def caveat_of(reader: Reader) -> str:
    """Return one sentence for the notes of a run, or "" if all parts of the reader are installed and used."""
    if not reader.caveat:
        return ""
    identity = reader.identity
    if identity.get("tables") != _TEXT_ROWS:
        return f"{identity['name']}: {reader.caveat}"
    problem, _, install = TableModel.missing().removeprefix("tables: ").partition("\n")
    reason, remedy = (
        (problem, f"get it with `{install.strip()}`") if problem else ("tables=false", "leave the option out")
    )
    return (
        f"{identity['name']} works without its table model ({reason}): tables are read as {_TEXT_ROWS}, so TEDS is "
        "lower, the signature names a different reader, and the scores are not comparable with runs that use the "
        f"model; {remedy}"
    )
