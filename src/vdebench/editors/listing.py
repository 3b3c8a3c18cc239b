"""List all editors with their descriptions and what is missing on this machine."""

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
"""Column widths, 150 in all; narrower terminals show a paragraph for each editor."""


WIDE_PAPERS = 100
"""Minimum width of the table of the papers' editors."""


class EditorListing(NamedTuple):
    """An editor as shown by `vde editors`."""

    name: str
    about: About
    missing: str
    """What is missing on this machine; empty if it is ready."""
    caveat: str = ""

    @property
    def state(self) -> str:
        """`ready`, with a caveat if there is one, or what is missing, in one line."""
        line = self.missing.partition("\n")[0].removeprefix(f"the editor {self.name}").lstrip(": ")
        return line or (f"ready: {self.caveat}" if self.caveat else "ready")

    def as_json(self) -> dict[str, Any]:
        """Return the listing as a JSON object."""
        return {
            "name": self.name,
            **self.about._asdict(),
            "state": self.state,
            "missing": self.missing,
            "caveat": self.caveat,
        }


def list_editors() -> Iterator[EditorListing]:
    """Yield our editors, then those of other packages; loads nothing slow."""
    others = {point.name for point in entry_points(group="vdebench.editors")}
    for name in [*EDITORS, *sorted(others - set(EDITORS))]:
        try:
            editor = find("editors", name, EDITORS)
            about = getattr(editor, "about", None)
            missing, caveat = str(editor.missing()), str(getattr(editor, "caveat", str)())
            yield EditorListing(name, about if isinstance(about, About) else About(), missing, caveat)
        except Exception as error:  # plugins may fail in any way
            yield EditorListing(name, About("unknown", "unknown", "unknown", "unknown"), f"cannot be loaded: {error}")


def editors_view(editors: Sequence[EditorListing], width: int) -> Table:
    """Return the list as a table, or as paragraphs if the terminal is narrow."""
    if width < sum(WIDTHS) + len(WIDTHS) - 1:
        return _paragraphs(editors)
    heads = ("editor", "model", "needs", "licence", "size of the output", "here")
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for head, width in zip(heads, WIDTHS, strict=True):
        table.add_column(head, width=width, overflow="fold")
    for one in editors:
        about = (one.about.model, one.about.needs, one.about.licence, one.about.size)
        cells = (one.name, *(fact or "–" for fact in about), one.state)
        table.add_row(*map(Text, cells), style="" if one.missing else "green")
    return table


def _paragraphs(editors: Sequence[EditorListing]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(width=WIDTHS[0])
    table.add_column(overflow="fold")
    for one in editors:
        facts = (("", one.about.model), ("needs ", one.about.needs), ("licence: ", one.about.licence))
        facts_line = "; ".join(f"{before}{fact}" for before, fact in (*facts, ("size: ", one.about.size)) if fact)
        table.add_row(Text(one.name), Text(f"{one.state}\n{facts_line}"), style="" if one.missing else "green")
    return table


def papers_view(editors: Sequence[EditorListing], width: int) -> Table:
    """Return the papers' editors with ours; as paragraphs if the terminal is narrow."""
    states = {one.name: one.state for one in editors}
    if width < WIDE_PAPERS:
        narrow = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
        narrow.add_column(overflow="fold", ratio=1)
        narrow.add_column(overflow="fold", ratio=1)
        for row in PAPER_EDITORS:
            facts_line = "; ".join(filter(None, (f"--editor {row.editor}", states[row.editor], row.note)))
            narrow.add_row(Text(f"{row.published} ({', '.join(row.papers)})"), Text(facts_line))
        return narrow
    table = Table("in the papers", "of", "--editor", "here", "", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in table.columns[:3]:
        column.no_wrap = True
    for row in PAPER_EDITORS:
        table.add_row(row.published, ", ".join(row.papers), row.editor, Text(states[row.editor]), Text(row.note))
    return table
