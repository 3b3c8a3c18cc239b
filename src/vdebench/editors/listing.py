"""All editors that can be found by name, with what they say of themselves and what they lack here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import About
from vdebench.editors.papers import PAPER_EDITORS
from vdebench.registry import find

WIDTHS = (21, 37, 27, 14, 23, 22)
"""Of the columns, 150 with what is between them; a narrower window gets two lines or more for each editor."""


WIDE_PAPERS = 100
"""Below this the papers' rows are paragraphs."""


class EditorListing(NamedTuple):
    """An editor as `vde editors` shows it."""

    name: str
    about: About
    missing: str
    """What it lacks on this machine; nothing where it is ready."""
    caveat: str = ""

    @property
    def state(self) -> str:
        """Ready, with what one should know, or what is missing in a line."""
        line = self.missing.partition("\n")[0].removeprefix(f"the editor {self.name}").lstrip(": ")
        return line or (f"ready: {self.caveat}" if self.caveat else "ready")

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "name": self.name,
            **self.about._asdict(),
            "state": self.state,
            "missing": self.missing,
            "caveat": self.caveat,
        }


def listed() -> Iterator[EditorListing]:
    """Ours, then those of other packages; nothing is loaded that takes long."""
    others = {point.name for point in entry_points(group="vdebench.editors")}
    for name in [*EDITORS, *sorted(others - set(EDITORS))]:
        try:
            editor = find("editors", name, EDITORS)
            about = getattr(editor, "about", None)
            missing, caveat = str(editor.missing()), str(getattr(editor, "caveat", str)())
            yield EditorListing(name, about if isinstance(about, About) else About(), missing, caveat)
        except Exception as error:  # another package's may fail in any way; the others are still to be told
            yield EditorListing(name, About("unknown", "unknown", "unknown", "unknown"), f"cannot be asked: {error}")


def editors_view(found: Sequence[EditorListing], width: int) -> Table:
    """The list as a table of a column for each fact, or where that is too wide of a paragraph for each editor."""
    if width < sum(WIDTHS) + len(WIDTHS) - 1:
        return _paragraphs(found)
    heads = ("editor", "model", "needs", "licence", "size of the output", "here")
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for head, room in zip(heads, WIDTHS, strict=True):
        table.add_column(head, width=room, overflow="fold")
    for one in found:
        about = (one.about.model, one.about.needs, one.about.licence, one.about.size)
        cells = (one.name, *(told or "–" for told in about), one.state)
        table.add_row(*map(Text, cells), style="" if one.missing else "green")
    return table


def _paragraphs(found: Sequence[EditorListing]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(width=WIDTHS[0])
    table.add_column(overflow="fold")
    for one in found:
        facts = (("", one.about.model), ("needs ", one.about.needs), ("licence: ", one.about.licence))
        told = "; ".join(f"{before}{fact}" for before, fact in (*facts, ("size: ", one.about.size)) if fact)
        table.add_row(Text(one.name), Text(f"{one.state}\n{told}"), style="" if one.missing else "green")
    return table


def papers_view(found: Sequence[EditorListing], width: int) -> Table:
    """The papers' rows, with the editor of ours that each is; in a narrow window a paragraph for each."""
    states = {one.name: one.state for one in found}
    if width < WIDE_PAPERS:
        narrow = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
        narrow.add_column(overflow="fold", ratio=1)
        narrow.add_column(overflow="fold", ratio=1)
        for row in PAPER_EDITORS:
            told = "; ".join(filter(None, (f"--editor {row.editor}", states[row.editor], row.note)))
            narrow.add_row(Text(f"{row.published} ({', '.join(row.papers)})"), Text(told))
        return narrow
    table = Table("in the papers", "of", "--editor", "here", "", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in table.columns[:3]:
        column.no_wrap = True
    for row in PAPER_EDITORS:
        table.add_row(row.published, ", ".join(row.papers), row.editor, Text(states[row.editor]), Text(row.note))
    return table
