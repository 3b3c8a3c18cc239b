"""Parser of Markdown tables."""

from __future__ import annotations

import regex

_RULE = regex.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BAR = regex.compile(r"(?<!\\)\|")
_BREAK = regex.compile(r"<br\s*/?>", regex.IGNORECASE)

Rows = list[list[str]]


def split_markdown(text: str) -> tuple[str, Rows, str] | None:
    r"""Return the text before the first table, its cells, and the text after it; None if there is no table.

    >>> split_markdown("Sales\n| a | b |\n|---|---|\n| 1 | 2 |")
    ('Sales', [['a', 'b'], ['1', '2']], '')
    >>> split_markdown("a | b")
    """
    lines = text.splitlines()
    for at in range(1, len(lines)):
        if _is_rule(lines[at]) and _BAR.search(lines[at - 1]) and len(_cells(lines[at - 1])) == len(_cells(lines[at])):
            end = next((i for i in range(at + 1, len(lines)) if not _BAR.search(lines[i])), len(lines))
            rows = [_cells(line) for line in (lines[at - 1], *lines[at + 1 : end])]
            return "\n".join(lines[: at - 1]), rows, "\n".join(lines[end:])
    return None


def _is_rule(line: str) -> bool:
    return "|" in line and _RULE.fullmatch(line) is not None


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if _BAR.search(inner[-1:]) and not inner.endswith("\\|") else inner
    return [_plain(cell) for cell in _BAR.split(inner)]


def _plain(cell: str) -> str:
    return _BREAK.sub(" ", cell).replace("\\|", "|").replace("**", "").strip()
