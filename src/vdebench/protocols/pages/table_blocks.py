"""Tables in the blocks of a page, as HTML or Markdown, whole or in pieces: rows of cells, and text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import regex

from vdebench.core.page_text import Block
from vdebench.metrics.folding import folded
from vdebench.metrics.markdown_table import split_markdown
from vdebench.metrics.reading_order import bands
from vdebench.metrics.teds import Table, TableCell, parse_table, table_text
from vdebench.metrics.tokens import settled

_TABLE_TAG = regex.compile(r"<table[\s>]", regex.IGNORECASE)


def table_of(block: Block) -> Table:
    """Return the rows of a block's table, from HTML or Markdown; () if it has none."""
    return _parse(block.content, block.label == "table")[0]


def text_of(block: Block) -> str:
    """Return a block's text with line ends: tables cell by cell, entities unescaped once."""
    return _parse(block.content, block.label == "table")[1]


@lru_cache(maxsize=256)
def _parse(content: str, labelled: bool) -> tuple[Table, str]:
    stripped = content.lstrip()
    if (labelled and stripped.startswith("<")) or _TABLE_TAG.search(content):
        return parse_table(stripped), table_text(stripped)
    parts = split_markdown(content) if "|" in content else None
    if parts is None:
        return (), content
    before, rows, after = parts
    table = tuple(tuple(TableCell(settled(cell)) for cell in row) for row in rows)
    return table, "\n".join([before, *_texts(table), after])


def _texts(table: Table) -> list[str]:
    return [cell.text for row in table for cell in row]


def joined_tables(blocks: Sequence[Block]) -> Table:
    """Join the tables of several blocks: adjacent pieces row by row, then from top to bottom.

    Pieces are adjacent if they have the same number of rows and share at least half of the lower one's height.
    """
    pieces = [(block.box, table) for block in blocks if (table := table_of(block))]
    if len(pieces) < 2:
        return pieces[0][1] if pieces else ()
    rows: list[tuple[TableCell, ...]] = []
    for band in bands([box for box, _ in pieces]):
        tables = [pieces[index][1] for index in band]
        if len({len(table) for table in tables}) == 1:
            rows += [sum(parts, ()) for parts in zip(*tables, strict=True)]
        else:
            rows += [row for table in tables for row in table]
    return tuple(rows)


def beside_each_other(blocks: Sequence[Block]) -> bool:
    """Whether all blocks are tables without other text, and some are side by side."""
    if len(blocks) < 2 or not all(map(table_of, blocks)):
        return False
    if any(settled("\n".join(_texts(table_of(block)))) != settled(text_of(block)) for block in blocks):
        return False
    return len(bands([block.box for block in blocks])) < len(blocks)


def joined_cells(blocks: Sequence[Block]) -> str:
    """Return the text of the pieces of a table, cell by cell."""
    return "\n".join(_texts(joined_tables(blocks)))


def folded_cells(table: Table) -> Table:
    """Return the table with the text of every cell folded."""
    return tuple(tuple(cell._replace(text=folded(cell.text)) for cell in row) for row in table)
