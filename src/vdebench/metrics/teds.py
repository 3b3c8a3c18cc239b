"""Parsing of HTML tables, and TEDS, the tree edit distance similarity.

A table is the tree table → tr → td, with spans and text on the cells. Wrappers such as `html`, `thead` and `tbody` are
ignored, and a `th` is a `td`. Entities are unescaped once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html.parser import HTMLParser
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from vdebench.errors import TooLargeError
from vdebench.metrics.html_parser import feed
from vdebench.metrics.registry import metric
from vdebench.metrics.tokens import settled

MAX_NODE_PAIRS = 16_000_000
"""Limit of the comparison: two tables of 4,000 cells; larger ones take minutes and gigabytes."""


class TableCell(NamedTuple):
    """A cell: its text, and its spans."""

    text: str
    colspan: int = 1
    rowspan: int = 1


Table = tuple[tuple[TableCell, ...], ...]
"""Rows of cells, in the order of the HTML."""


def parse_table(html: str) -> Table:
    """Return the rows of all tables in the HTML; end tags may be missing, other tags are ignored.

    >>> parse_table("<table><tr><td colspan=2>a&amp;b<td>c<br>d</table>")
    ((TableCell(text='a&b', colspan=2, rowspan=1), TableCell(text='c d', colspan=1, rowspan=1)),)
    """
    return _parsed(html)[0]


def table_text(html: str) -> str:
    """Return the text of a table, inside and outside its cells.

    >>> table_text("<table><caption>Table 1</caption><tr><td>p < 0.05</td><td>q</td></tr></table>")
    'Table 1 p < 0.05 q'
    """
    return _parsed(html)[1]


@lru_cache(maxsize=64)  # parsed for its text and for its tree
def _parsed(html: str) -> tuple[Table, str]:
    parser = _TableParser()
    feed(parser, html)
    parser.end_row()
    return tuple(parser.rows), settled("".join(parser.texts))


_WORD_BREAKS = frozenset(["table", "caption", "tr", "td", "th", "br", "p", "div", "li"])  # tags that separate words


class _TableParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[tuple[TableCell, ...]] = []
        self.texts: list[str] = []
        self._row: list[TableCell] | None = None
        self._cell: list[str] | None = None
        self._spans = (1, 1)
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
        if tag in _WORD_BREAKS:
            self._add_text(" ")
        if self._depth > 1:  # a nested table is text of its cell
            return
        if tag == "tr":
            self.end_row()
            self._row = []
        elif tag in ("td", "th"):
            self._end_cell()
            self._cell = []
            attributes = dict(attrs)
            self._spans = (_span(attributes.get("colspan")), _span(attributes.get("rowspan")))

    def handle_endtag(self, tag: str) -> None:
        if tag in _WORD_BREAKS:
            self._add_text(" ")
        if tag == "table":
            self._depth = max(0, self._depth - 1)
            if self._depth == 0:
                self.end_row()
        elif self._depth <= 1 and tag in ("td", "th"):
            self._end_cell()
        elif self._depth <= 1 and tag == "tr":
            self.end_row()

    def handle_data(self, data: str) -> None:
        self._add_text(data)

    def _add_text(self, text: str) -> None:
        self.texts.append(text)
        if self._cell is not None:
            self._cell.append(text)

    def _end_cell(self) -> None:
        if self._cell is not None:
            if self._row is None:
                self._row = []
            self._row.append(TableCell(settled("".join(self._cell)), *self._spans))
            self._cell = None

    def end_row(self) -> None:
        self._end_cell()
        if self._row is not None:
            self.rows.append(tuple(self._row))
            self._row = None


def _span(value: str | None) -> int:
    """Parse a span as browsers do: at least 1, and 1 if it is not a number."""
    return max(1, int(value)) if value is not None and value.isascii() and value.isdigit() and len(value) < 6 else 1


@metric("teds", kind="table", title="TEDS")
def teds(candidate: Table, reference: Table) -> float:
    """One minus the tree edit distance of two tables, divided by the size of the larger.

    Deleting or inserting a node costs 1; replacing a cell costs 1 if a span differs, otherwise the normalised edit
    distance of the texts.

    >>> one, other = (parse_table(f"<tr><td{span}>a</td></tr><tr><td>b</td></tr>") for span in ("", " colspan=2"))
    >>> teds(one, other), teds(one, one)
    (0.8, 1.0)
    """
    if candidate == reference:
        return 1.0
    sizes = [1 + len(table) + sum(map(len, table)) for table in (candidate, reference)]
    if sizes[0] * sizes[1] > MAX_NODE_PAIRS:
        raise TooLargeError(f"tables of {sizes[0]:,} and {sizes[1]:,} nodes exceed the limit of the comparison")
    return max(0.0, 1.0 - _tree_distance(candidate, reference) / max(sizes))


def _tree_distance(first: Table, second: Table) -> float:
    """Return Zhang and Shasha's distance, optimised for trees of three levels.

    Their algorithm fills a table of forest distances for every pair of key roots. Here cells are leaves, so that the
    distance of two rows is a string edit distance over cells (all row pairs of the second table at once), that of a
    row and a cell has a closed form, and only the roots need the full pass. Inserting always costs 1, so a line of
    each table follows from the one before without a loop: d[j] = min(up[j], d[j-1] + 1) is a running minimum of
    up[j] - j.
    """
    cells = _cell_costs([c for row in first for c in row], [c for row in second for c in row])
    kinds_a, left_a, rows_a = _postorder(first)
    kinds_b, left_b, rows_b = _postorder(second)
    trees = np.ones((len(kinds_a), len(kinds_b)))
    is_cell_a, is_cell_b = kinds_a == 0, kinds_b == 0
    trees[np.ix_(is_cell_a, is_cell_b)] = cells
    trees[np.ix_(~is_cell_a, ~is_cell_b)] = _row_distances(cells, first, second)
    trees[np.ix_(~is_cell_a, is_cell_b)] = _row_to_cell(cells, rows_a)
    trees[np.ix_(is_cell_a, ~is_cell_b)] = _row_to_cell(cells.T, rows_b).T

    steps = np.arange(len(kinds_b) + 1, dtype=np.float64)
    forest = np.empty((len(kinds_a) + 1, len(kinds_b) + 1))
    forest[0] = steps
    for i in range(1, len(kinds_a) + 1):
        forest[i, 0] = i
        forest[i, 1:] = np.minimum(forest[i - 1, 1:] + 1, forest[left_a[i - 1]][left_b] + trees[i - 1])
        forest[i] = np.minimum.accumulate(forest[i] - steps) + steps
    return float(forest[-1, -1])  # the roots, both tables, cost nothing


def _postorder(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64], list[slice]]:
    """Nodes below the root, cells (0) before their row (1); for each, how many nodes stand before its subtree; and
    for each row, its cells among all cells."""
    kinds: list[int] = []
    left: list[int] = []
    rows: list[slice] = []
    count = 0
    for row in table:
        start = len(kinds)
        kinds += [0] * len(row) + [1]
        left += [*range(start, start + len(row)), start]
        rows.append(slice(count, count + len(row)))
        count += len(row)
    return np.array(kinds, dtype=np.int64), np.array(left, dtype=np.int64), rows


def _cell_costs(first: Sequence[TableCell], second: Sequence[TableCell]) -> NDArray[np.float64]:
    costs = cdist(
        [c.text for c in first], [c.text for c in second], scorer=Levenshtein.normalized_distance, dtype=np.float64
    ).reshape(len(first), len(second))
    spans = [np.array([c[1:] for c in cells], dtype=np.int64).reshape(len(cells), 2) for cells in (first, second)]
    costs[(spans[0][:, None] != spans[1][None]).any(axis=2)] = 1.0
    return costs


def _row_distances(cells: NDArray[np.float64], first: Table, second: Table) -> NDArray[np.float64]:
    """Return the edit distance over cells of every row of the first table to every row of the second."""
    widths = np.array([len(row) for row in second], dtype=np.int64)
    widest = int(widths.max(initial=0))
    starts = np.cumsum(widths) - widths
    columns = np.minimum(starts[:, None] + np.arange(widest), max(0, cells.shape[1] - 1))  # beyond a row: ignored
    steps = np.arange(widest + 1, dtype=np.float64)
    distances = np.empty((len(first), len(second)))
    begin = 0
    for index, row in enumerate(first):
        line = np.tile(steps, (len(second), 1))
        for position in range(len(row)):
            following = np.empty_like(line)
            following[:, 0] = position + 1
            following[:, 1:] = np.minimum(line[:, 1:] + 1, line[:, :-1] + cells[begin + position][columns])
            line = np.minimum.accumulate(following - steps, axis=1) + steps
        distances[index] = line[np.arange(len(second)), widths]
        begin += len(row)
    return distances


def _row_to_cell(cells: NDArray[np.float64], rows: list[slice]) -> NDArray[np.float64]:
    """Return the distance of every row to every cell: all nodes but one are deleted, the row (cost 1) or a cell."""
    return np.array([(row.stop - row.start) + cells[row].min(axis=0, initial=1.0) for row in rows]).reshape(
        len(rows), cells.shape[1]
    )
