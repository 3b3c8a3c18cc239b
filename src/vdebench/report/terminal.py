"""Tables for a terminal: limited in width, heads wrapped at hyphens, columns that do not fit put below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, chop_cells

from vdebench.report.table import Column, Table, run_lengths

_GAP = "  "
_LONGEST_LABEL = 30
_SHORTEST_LABEL = 8


def terminal(table: Table, width: int, bold: bool, all_columns_by: str = "") -> str:
    """Render a table in lines of at most `width` cells; columns that do not fit are put below, or omitted."""
    lines = [_styled(line, "1", bold) for line in _wrapped(table.title, width)]
    labels = [table.head, *(row.label for row in table.rows)]
    label_width = min(_LONGEST_LABEL, max(map(cell_len, labels)))
    if all_columns_by:
        label_width = min(label_width, max(_SHORTEST_LABEL, width - _room(table, _first(table))))
        columns, omitted = _fitting(table, width - label_width)
        lines += [*_part(table, columns, label_width, width, bold), ""]
        if omitted:
            names = ", ".join(_column_title(table, c) for c in omitted)
            lines += [*_wrapped(f"not shown at a width of {width}: {names}; {all_columns_by} shows them", width), ""]
    else:
        for columns in _chunks(table, width - label_width):
            lines += [*_part(table, columns, label_width, width, bold), ""]
    for note in table.notes:
        lines += list(_wrapped(note, width))
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"


def _fitting(table: Table, width: int) -> tuple[list[int], list[int]]:
    """Columns that fit next to the labels, headline columns first; and those omitted."""
    first = _first(table)
    fitting: list[int] = []
    for c in [*first, *(c for c in range(len(table.columns)) if c not in first)]:
        if not fitting or _room(table, [*fitting, c]) <= width:
            fitting.append(c)
        elif c not in first:  # no gaps: later columns are omitted too
            break
    return sorted(fitting), [c for c in range(len(table.columns)) if c not in fitting]


def _first(table: Table) -> list[int]:
    """Columns that are never omitted: the headline ones, or the first."""
    return [c for c, column in enumerate(table.columns) if column.headline] or list(range(len(table.columns)))[:1]


def _room(table: Table, columns: Sequence[int]) -> int:
    return sum(_width(table, c) + len(_GAP) for c in columns)


def _column_title(table: Table, column: int) -> str:
    definition = table.columns[column]
    return f"{definition.group} {definition.name}".strip()


def _part(table: Table, columns: Sequence[int], label_width: int, width: int, bold: bool) -> Iterator[str]:
    best = table.best()
    widths = {c: _width(table, c) for c in columns}
    yield from _heads(table, widths, label_width)
    section = ""
    for r, row in enumerate(table.rows):
        if row.section != section:
            section = row.section
            yield from (_styled(line, "3", bold) for line in _wrapped(section, width))
        cells = [_styled(_pad_left(table.cell(row, c), widths[c]), "1", bold and (r, c) in best) for c in columns]
        yield _GAP.join([_pad_right(row.label, label_width), *cells])
        bounds = [_interval(table, r, c) for c in columns]
        if any(bounds):
            yield _GAP.join(
                [" " * label_width, *(_pad_left(x, widths[c]) for x, c in zip(bounds, columns, strict=True))]
            )


def _interval(table: Table, row: int, column: int) -> str:
    return "–".join(table.interval(table.rows[row], column) or ())


def _heads(table: Table, widths: dict[int, int], label_width: int) -> Iterator[str]:
    groups = [table.columns[c].group for c in widths]
    if any(groups):
        line = " " * label_width
        for (name, count), first in zip(run_lengths(groups), _starts(groups), strict=True):
            spanned = list(widths.values())[first : first + count]
            line += _GAP + _pad_right(name, sum(spanned) + len(_GAP) * (count - 1))
        yield line
    heads = [_head_lines(table.columns[c]) for c in widths]
    height = max(map(len, heads), default=1)
    for i in range(height):
        head = table.head if i == height - 1 else ""
        lines = [[""] * (height - len(parts)) + parts for parts in heads]
        cells = [_pad_left(parts[i], width) for parts, width in zip(lines, widths.values(), strict=True)]
        yield _GAP.join([_pad_right(head, label_width), *cells])


def _starts(groups: Sequence[str]) -> list[int]:
    return [i for i, group in enumerate(groups) if i == 0 or group != groups[i - 1]]


def _head_lines(column: Column) -> list[str]:
    """A column head, split into several lines if it is long."""
    name = column.name + (" ↓" if column.best == "lower" else "")
    return [name] if cell_len(name) <= 9 else re.findall(r"(?:/\s)?[^-\s]+(?:-|\s[†↓])?|\S+", name)


def _width(table: Table, column: int) -> int:
    heads = _head_lines(table.columns[column])
    bounds = [_interval(table, row, column) for row in range(len(table.rows))]
    return max(cell_len(text) for text in [*heads, *(table.cell(row, column) for row in table.rows), *bounds])


def _chunks(table: Table, width: int) -> Iterator[list[int]]:
    """Columns in groups that fit next to the labels."""
    chunk: list[int] = []
    used = 0
    for c in range(len(table.columns)):
        needed = _width(table, c) + len(_GAP)
        if chunk and used + needed > width:
            yield chunk
            chunk, used = [], 0
        chunk.append(c)
        used += needed
    yield chunk


def _wrapped(note: str, width: int) -> Iterator[str]:
    """Wrap a note at spaces and at the bars of a signature."""
    line = ""
    for word in re.findall(r"[^\s|]+\|?\s*|\|\s*|\s+", note):
        for part in chop_cells(word, width - 2):
            if line and cell_len((line + part).rstrip()) > width:
                yield line
                line = "  "
            line += part
    yield line


def _pad_right(text: str, width: int) -> str:
    if cell_len(text) > width:
        text = chop_cells(text, width - 1)[0] + "…"
    return text + " " * (width - cell_len(text))


def _pad_left(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text


def _styled(text: str, code: str, enabled: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if enabled and text else text
