"""Check that an instruction is unambiguous on its page, from its words and the text of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from vdebench.core.page_text import PageText
from vdebench.instructions.phrasing import phrasings
from vdebench.suites.typeset.propose import Reference, occurrences

_CELL = re.compile(r"<td[^>]*>(.*?)</td>", re.DOTALL)


def ambiguities(instruction: str, references: Sequence[Reference], page_text: PageText, language: str) -> Iterator[str]:
    """Yield each reason why the instruction may refer to more than one place, or to none."""
    opening, closing = phrasings(language)["quote"]
    texts = list(texts_of(page_text))
    cells = [cell for block in page_text.blocks for cell in cells_of(block.html)]
    if not references:
        yield "the instruction names nothing on the page"
    for text, kind in references:
        if f"{opening}{text}{closing}" not in instruction:
            yield f"the instruction does not quote {text!r}"
        count = occurrences(text, texts) if kind == "text" else cells.count(text)
        if count != 1:
            yield f"the {kind} {text!r} occurs {count} times on the page"


def texts_of(page_text: PageText) -> Iterator[str]:
    """Yield every text of a page: blocks, cells, labels of charts."""
    for block in page_text.blocks:
        yield from cells_of(block.html) if block.html else block.content.split("\n")


def cells_of(html: str) -> list[str]:
    """Return the texts of a table's cells.

    >>> cells_of('<table><tr><td colspan="2">a &lt; b</td><td></td></tr></table>')
    ['a < b', '']
    """
    return [unescape(cell) for cell in _CELL.findall(html)]
