"""Labelled lines for a terminal, wrapped with a hanging indent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

WIDTH = 80
LABEL = 14
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: object) -> str:
    r"""Replace control characters, which untrusted files may contain, with spaces.

    >>> plain("an\x1b[31m editor\n")
    'an [31m editor '
    """
    return _CONTROL.sub(" ", str(text))


def labelled(label: str, text: object, width: int = WIDTH, indent: int = LABEL) -> str:
    """A label and a text, wrapped at spaces, commas and bars.

    >>> print(labelled("Editor", "one two three", width=22))
    Editor        one two
                  three
    """
    name = plain(label)
    head = name + " " * (indent - cell_len(name)) if cell_len(name) < indent else f"{name} "
    lines = list(_broken(plain(text), width - max(indent, cell_len(head))))
    return "\n".join(part.rstrip() for part in [head + lines[0], *(" " * indent + line for line in lines[1:])])


def _broken(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in re.findall(r"[^\s|,/]+[|,/]*\s*|[|,/]+\s*|\s+", text) or [""]:
        for part in chop_cells(word, width):
            if line and cell_len((line + part).rstrip()) > width:
                yield line
                line = ""
            line += part
    yield line
