"""Tables written in Markdown, with bars between the cells and a line of dashes below the heads."""

from __future__ import annotations

from collections.abc import Sequence

import regex

_RULE = regex.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BAR = regex.compile(r"(?<!\\)\|")
_BREAK = regex.compile(r"<br\s*/?>", regex.IGNORECASE)

Rows = list[list[str]]


def split_markdown(text: str) -> tuple[str, Rows, str] | None:
    r"""What stands before the first table, its cells, and what stands after it; None where there is no table.

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
    return [_plain(cell) for cell in _split(inner)]


def _split(line: str) -> Sequence[str]:
    return _BAR.split(line)


def _plain(cell: str) -> str:
    return _BREAK.sub(" ", cell).replace("\\|", "|").replace("**", "").strip()
