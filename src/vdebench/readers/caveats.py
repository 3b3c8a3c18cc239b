"""What a run must note of its reader: something is read worse than it could be, and other runs do not compare.

Kept apart from the readers: their identities hold hashes of their code, and words are not code.
"""

from __future__ import annotations

from vdebench.readers.reader import Reader
from vdebench.readers.tables import TableModel

_ROWS = "rows of text"
"""In the identity of a reader that reads tables without their model."""


def caveat_of(reader: Reader) -> str:
    """One sentence for the notes of a run; nothing where the reader works with all its parts."""
    if not reader.caveat:
        return ""
    identity = reader.identity
    if identity.get("tables") != _ROWS:
        return f"{identity['name']}: {reader.caveat}"
    lacks, _, install = TableModel.missing().removeprefix("tables: ").partition("\n")
    why, remedy = (lacks, f"get it with `{install.strip()}`") if lacks else ("tables=false", "leave the option out")
    return (
        f"{identity['name']} works without its table model ({why}): tables are read as {_ROWS}, so TEDS is lower, the "
        "reader in the signature is another one, and the scores are not comparable with those of runs that have the "
        f"model; {remedy}"
    )
