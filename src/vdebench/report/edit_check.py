"""The text of `vde diff`: the verdict on an edit, its geometry in words, and a table of its changes."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from vdebench.changes.change import Change, EditCheck, EditOutcome, Geometry
from vdebench.core.box import Box, Size
from vdebench.report.labelled_lines import labelled, plain

EDIT_WORDS: dict[EditOutcome, str] = {
    "done": "done",
    "partly": "partly done",
    "not_done": "not done",
    "wrong_text": "wrong text",
    "unknown": "unknown",
}
USABLE_WORDS: dict[bool | None, str] = {True: "yes", False: "no", None: "unknown"}
ASKED_WORDS: dict[bool | None, str] = {True: "asked for", False: "not asked for", None: "asked: unknown"}
INK_KINDS = ("ink_lost", "ink_added", "residue", "redrawn")
MOST_ROWS = 20
"""Rows of the table; the others are counted below it."""
WIDE = 80
"""Least width of the table; narrower terminals show two lines for each change."""
_LONGEST_CELL = 160
_SMALL = 0.002  # differences of the geometry that are not worth words

Group = Literal["facts", "text", "ink", "asked"]
GROUPS: tuple[Group, ...] = ("facts", "text", "ink", "asked")


def group_of(change: Change) -> Group:
    """Return the part of the list that a change belongs to; one that was perhaps asked for counts as not asked for.

    >>> group_of(Change("replaced", "59.00", "69.00", fact="price")), group_of(Change("lost", "Total", asked=True))
    ('facts', 'asked')
    """
    if change.asked:
        return "asked"
    if change.fact:
        return "facts"
    return "ink" if change.kind in INK_KINDS else "text"


def ordered_changes(changes: Iterable[Change]) -> list[Change]:
    """Sort changes: unasked facts, other unasked text, unasked ink, asked ones; otherwise in the given order."""
    return sorted(changes, key=lambda change: (GROUPS.index(group_of(change)), change.asked is None))


def check_text(check: EditCheck, width: int, *, colour: bool = False) -> str:
    """The summary and the table of changes, in lines of at most `width` cells."""
    lines = list(_summary(check, width))
    changes = ordered_changes(check.page.changes)
    if changes:
        lines += ["", *_table_lines(changes[:MOST_ROWS], width, colour)]
    if len(changes) > MOST_ROWS:
        lines.append(f"… and {len(changes) - MOST_ROWS} more (--json lists all)")
    return "\n".join(lines) + "\n"


def _summary(check: EditCheck, width: int) -> Iterator[str]:
    yield labelled("Edit", EDIT_WORDS[check.edit], width)
    if check.requests.get("judge") and check.requests["edits"]:
        yield labelled("Request", _request_text(check.requests), width)
    yield labelled("Usable", ": ".join(filter(None, (USABLE_WORDS[check.usable], check.why))), width)
    yield labelled("Geometry", geometry_text(check.page.geometry), width)
    for note in text_notes(check):
        yield labelled("Text", note, width)
    yield labelled("Changes", counts_text(check.page.changes), width)


def _request_text(requests: Mapping[str, Any]) -> str:
    """The edits that a judge model reads out of the instruction.

    >>> _request_text({"judge": {"model": "gpt-4o"}, "edits": [{"action": "replace", "target": "a", "new": "b"}]})
    'replace “a”, “b” (in the words of the judge gpt-4o)'
    """
    edits = (
        " ".join(
            [
                each["action"].replace("_", " "),
                ", ".join(f"“{each[name]}”" for name in ("target", "new") if each.get(name)),
            ]
        )
        for each in requests["edits"]
    )
    return f"{'; '.join(edits)} (in the words of the judge {requests['judge']['model']})"


def text_notes(check: EditCheck) -> Iterator[str]:
    """Yield notes on text that could not be compared or read."""
    page = check.page
    if page.unknown:
        yield f"not compared: {page.unknown}"
    if page.illegible_words:
        yield f"{page.illegible_words} of {_count(page.words, 'word')} cannot be read on the output"


def counts_text(changes: Sequence[Change]) -> str:
    """Count changes by what is known of them.

    >>> changes = Change("lost", "7", fact="number", asked=False), Change("residue", asked=False), Change("added")
    >>> counts_text(changes), counts_text(changes[2:])
    ('3: 2 not asked for (1 fact, 1 of ink), 1 unknown', '1; which were asked for is unknown')
    """
    if changes and all(change.asked is None for change in changes):
        return f"{_with_details(changes, '')}; which were asked for is unknown"
    parts = [
        _with_details(part, words)
        for asked, words in ((False, " not asked for"), (True, " asked for"), (None, " unknown"))
        if (part := [change for change in changes if change.asked is asked])
    ]
    return f"{len(changes)}: {', '.join(parts)}" if parts else "none"


def _with_details(changes: Sequence[Change], words: str) -> str:
    """The number of changes, how many of them are facts and how many ink."""
    groups = Counter(group_of(change) for change in changes)
    counts = {_count(groups["facts"], "fact"): groups["facts"], f"{groups['ink']} of ink": groups["ink"]}
    details = ", ".join(text for text, count in counts.items() if count)
    return f"{len(changes)}{words}" + (f" ({details})" if details else "")


def geometry_text(geometry: Geometry) -> str:
    """Describe how the page lies in the output.

    >>> page, visible = Size(1000, 1400), Box(0.1, 0.1, 0.96, 0.97)
    >>> print(geometry_text(Geometry("cropped", page, page, 1.17, 1.17, (-0.1, -0.1), visible=visible)))
    cropped: the output shows 86 % of the width and 87 % of the height; enlarged ×1.17
    """
    return f"{geometry.kind.replace('_', ' ')}: {'; '.join(_geometry_parts(geometry))}"


def _geometry_parts(geometry: Geometry) -> Iterator[str]:
    if not is_placed(geometry):
        yield "the page was drawn anew; where its parts lie in the output is not known"
    elif geometry.cut_off > _SMALL / 4:
        shown = geometry.visible
        across, down = _share(shown.x2 - shown.x1), _share(shown.y2 - shown.y1)
        yield f"the output shows {across} of the width and {down} of the height"
    else:
        yield "the output shows the whole page"
    if geometry.cropped_words:
        yield f"{_count(geometry.cropped_words, 'word')} cut off"
    zoom = math.sqrt(geometry.scale_x * geometry.scale_y)
    if abs(zoom - 1) >= _SMALL:
        yield f"{'enlarged' if zoom > 1 else 'reduced'} ×{zoom:.{2 if abs(zoom - 1) >= 0.02 else 3}f}"
    aspect = geometry.aspect_change
    if abs(aspect - 1) >= _SMALL:
        yield f"stretched by {max(aspect, 1 / aspect) - 1:.1%}".replace("%", " %") + (
            " across" if aspect > 1 else " down"
        )
    if geometry.kind not in ("cropped", "reframed"):
        yield from _movement(geometry)
    if abs(geometry.rotation) >= 0.05:
        yield f"rotated by {abs(geometry.rotation):.1f}° {'' if geometry.rotation > 0 else 'counter'}clockwise"
    if geometry.before != geometry.after:
        yield f"{_pixels(geometry.after)} pixels instead of {_pixels(geometry.before)}"


def is_placed(geometry: Geometry) -> bool:
    """Whether it is known where the page lies in the output."""
    return geometry.kind != "reframed" or geometry.matches > 0


def _movement(geometry: Geometry) -> Iterator[str]:
    """Say how far the centre of the page moved."""
    right = geometry.scale_x / 2 + geometry.shift[0] - 0.5
    down = geometry.scale_y / 2 + geometry.shift[1] - 0.5
    parts = [
        f"{100 * abs(share):.1f} % of the {side} {way[share < 0]}"
        for share, side, way in ((right, "width", ("to the right", "to the left")), (down, "height", ("down", "up")))
        if abs(share) >= _SMALL
    ]
    if parts:
        yield f"moved by {' and '.join(parts)}"


def _share(share: float) -> str:
    """A share in percent; 100 only if nothing is missing.

    >>> _share(0.861), _share(0.9996), _share(1)
    ('86 %', '99.9 %', '100 %')
    """
    if share < 0.99:
        return f"{100 * share:.0f} %"
    return "100 %" if share > 0.99995 else f"{math.floor(1000 * share) / 10:.1f} %"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else f'{noun}s'}"


def _pixels(size: Size) -> str:
    return f"{size.width:.0f}×{size.height:.0f}"


def _table_lines(changes: Sequence[Change], width: int, colour: bool) -> list[str]:
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
    )
    with console.capture() as capture:
        console.print(_wide_table(changes) if width >= WIDE else _narrow_table(changes))
    return [line.rstrip() for line in capture.get().splitlines()]


def _wide_table(changes: Sequence[Change]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("kind", "before", "after", "fact", "asked", "confidence"):
        if head in ("before", "after"):
            table.add_column(head, overflow="fold", ratio=1)
        else:
            table.add_column(head, no_wrap=True, justify="right" if head == "confidence" else "left")
    for change in changes:
        before, after, note = _words(change)
        asked = "unknown" if change.asked is None else "yes" if change.asked else "no"
        cells = before, " ".join(filter(None, (after, note))), change.fact or "–", asked, f"{change.confidence:.2f}"
        table.add_row(_kind(change), *map(Text, cells), style=_style(change))
    return table


def _narrow_table(changes: Sequence[Change]) -> Table:
    """A few lines for each change."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(width=max(len(change.kind) for change in changes))
    table.add_column(overflow="fold")
    for change in changes:
        before, after, note = _words(change)
        words = " ".join(filter(None, (" → ".join(filter(None, (before, after))), note)))
        facts = ", ".join(filter(None, (change.fact, ASKED_WORDS[change.asked], f"{change.confidence:.2f}")))
        table.add_row(_kind(change), Text(f"{words}\n{facts}"), style=_style(change))
    return table


def _kind(change: Change) -> Text:
    return Text(change.kind.replace("_", " "))


def _style(change: Change) -> str:
    return {"facts": "red", "asked": "green"}.get(group_of(change), "")


def _words(change: Change) -> tuple[str, str, str]:
    """The texts of a change and its note in brackets; its place in pixels if it has neither."""
    before, after, note = (_cut(plain(text)) for text in (change.before, change.after, change.note))
    if not before and not after and not note:
        return _place(change.box_before), _place(change.box_after), ""
    return before, after if after != before or not note else "", f"({note})" if note else ""


def _place(box: Box | None) -> str:
    return "" if box is None else f"at {box.x1:.0f}, {box.y1:.0f}"


def _cut(text: str) -> str:
    return text if cell_len(text) <= _LONGEST_CELL else f"{set_cell_size(text, _LONGEST_CELL - 1).rstrip()}…"
