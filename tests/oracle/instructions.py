"""Instructions carried out by someone who has only the words and the page's reading: no model, no recorded edit."""

from __future__ import annotations

import re
import tomllib
from html import escape, unescape
from pathlib import Path

from vdebench.core.page_text import PageText

PHRASINGS = Path(__file__).parents[2] / "src" / "vdebench" / "instructions" / "phrasings"
QUOTED = {"target", "new", "anchor", "row", "column", "other", "added", "head", "cells"}
LISTS = {"role": "roles", "anchor_role": "roles", "colour": "colours", "font": "fonts", "align": "aligns"}
LOOKS_ONLY = {"align_block", "scale_block", "style_ink", "style_bold", "style_font"}


class Understood:
    """An instruction taken apart."""

    def __init__(self, instruction: str, tongue: str) -> None:
        words = tomllib.loads((PHRASINGS / f"{tongue}.toml").read_text("utf-8"))
        opening, closing = words["quote"]
        quotation = f"{re.escape(opening)}[^{opening}{closing}]*{re.escape(closing)}"
        ways = []
        for kind, templates in words["instructions"].items():
            for template in templates:
                pattern = ""
                for literal, name in re.findall(r"([^{]*)(?:\{(\w+)\})?", template):
                    pattern += re.escape(literal)
                    if name == "cells":
                        join = re.escape(words["list_join"])
                        pattern += f"(?P<cells>{quotation}(?:{join}{quotation})*)"
                    elif name in QUOTED:
                        pattern += f"(?P<{name}>{quotation})"
                    elif name == "table":
                        pattern += re.escape(words["the_table"])
                    elif name == "percent":
                        pattern += r"\d+"
                    elif name:
                        pattern += "(?:" + "|".join(map(re.escape, words[LISTS[name]].values())) + ")"
                match = re.fullmatch(pattern, instruction)
                if match:
                    found = match.groupdict()
                    for name in QUOTED & found.keys():
                        inner = re.findall(
                            f"{re.escape(opening)}([^{opening}{closing}]*){re.escape(closing)}", found[name]
                        )
                        found[name] = inner if name == "cells" else inner[0]
                    ways.append((kind, found))
        # "Delete {target}." and the like could fit several templates of one kind, never of two
        assert ways, instruction
        assert len({kind for kind, _ in ways}) == 1, (instruction, ways)
        self.kind, self.fields = ways[0]


def contents(reading: PageText) -> list[str]:
    """What a page says, block by block."""
    return [block.content for block in reading.blocks]


def carried_out(instruction: str, source: PageText, tongue: str) -> list[str]:
    """What the page should say afterwards."""
    understood = Understood(instruction, tongue)
    kind, given = understood.kind, understood.fields
    page = contents(source)
    if kind in LOOKS_ONLY:
        return page
    if "row" in given or "column" in given:
        return [_with_table(text, kind, given) if text.startswith("<table") else text for text in page]
    where = {name: _only(page, given[name]) for name in ("target", "anchor") if name in given}
    if kind in ("replace_text", "replace_block"):
        at = where["target"]
        page[at] = page[at].replace(given["target"], given["new"])
    elif kind in ("insert_sentence", "insert_text"):
        at = where["anchor"]
        gap = " " if given["new"].isascii() or not re.search("[\u3400-\u9fff（]", page[at]) else ""
        page[at] = page[at].replace(given["anchor"], given["anchor"] + gap + given["new"])
    elif kind == "insert_block":
        page.insert(where["anchor"] + 1, given["new"])
    elif kind == "delete_text":
        at = where["target"]
        gap = " " if given["target"] + " " in page[at] else ""
        page[at] = page[at].replace(given["target"] + gap, "").strip()
    elif kind == "delete_block":
        assert page[where["target"]].startswith(given["target"])
        del page[where["target"]]
    elif kind == "move_block":
        moved, anchor = page[where["target"]], page[where["anchor"]]
        assert moved.startswith(given["target"])
        assert anchor.startswith(given["anchor"])
        page.remove(moved)
        page.insert(page.index(anchor) + 1, moved)
    else:
        raise AssertionError(kind)
    return page


def _only(page: list[str], words: str) -> int:
    """The one block that holds the words, once."""
    texts = [unescape(text) for text in page]
    assert sum(text.count(words) for text in texts) == 1, words
    return next(index for index, text in enumerate(texts) if words in text)


Grid = dict[tuple[int, int], tuple[int, int]]


def _with_table(html: str, kind: str, given: dict) -> str:
    """The table after the edit, worked out on a grid of places: each place knows its cell."""
    cells, grid = _grid(html)
    height, width = 1 + max(r for r, _ in grid), 1 + max(c for _, c in grid)
    names = [text for text, *_ in cells.values()]

    def place(name: str) -> tuple[int, int]:
        assert names.count(name) == 1, name
        return next(at for at, (text, *_) in cells.items() if text == name)

    row = place(given["row"])[0] if "row" in given else -1
    column = place(given["column"])[1] if "column" in given else -1
    matrix = [[grid[r, c] for c in range(width)] for r in range(height)]
    texts = {at: text for at, (text, *_) in cells.items()}
    if kind in ("set_cell", "fill_cell", "clear_cell", "append_cell"):
        old = texts[row, column]
        assert (old == "") == (kind == "fill_cell")
        gap = " " if given.get("added", "").isascii() else ""
        texts[row, column] = {"clear_cell": ""}.get(
            kind, old + gap + given["added"] if "added" in given else given.get("new", "")
        )
    elif kind == "delete_row":
        del matrix[row]
    elif kind == "delete_column":
        for line in matrix:
            del line[column]
    elif kind == "merge_cells":
        other = place(given["other"])[1]
        assert other == column + 1
        matrix[row][other] = matrix[row][column]
        texts[row, column] = given["new"]
    elif kind == "merge_rows":
        other = place(given["other"])[0]
        assert other == row + 1
        first = width - len(given["cells"])
        for c, text in enumerate(given["cells"], start=first):
            texts[matrix[row][c]] = text
        del matrix[other]
    elif kind == "merge_columns":
        other = place(given["other"])[1]
        assert other == column + 1
        top = place(given["column"])[0]
        for r, text in enumerate([given["head"], *given["cells"]], start=top):
            texts[matrix[r][column]] = text
        for line in matrix:
            del line[other]
    elif kind == "add_row":
        first = width - len(given["cells"])
        new = [matrix[row][c] for c in range(first)]  # a group of rows goes on
        for c, text in enumerate(given["cells"], start=first):
            texts[-1, c] = text
            new.append((-1, c))
        matrix.insert(row + 1, new)
    elif kind == "add_column":
        top = place(given["column"])[0]
        for r, line in enumerate(matrix):
            if r < top:
                line.insert(column + 1, line[column])  # a group of columns goes on
            else:
                texts[r, -1] = [given["head"], *given["cells"]][r - top]
                line.insert(column + 1, (r, -1))
    else:
        raise AssertionError(kind)
    return _html(matrix, texts)


def _grid(html: str) -> tuple[dict, Grid]:
    """Cells by their first place, and the cell of every place."""
    cells: dict[tuple[int, int], tuple[str, int, int]] = {}
    grid: Grid = {}
    for r, line in enumerate(re.findall(r"<tr>(.*?)</tr>", html)):
        c = 0
        for attributes, text in re.findall(r"<td([^>]*)>(.*?)</td>", line):
            spans = dict(re.findall(r'(\w+)="(\d+)"', attributes))
            down, across = int(spans.get("rowspan", 1)), int(spans.get("colspan", 1))
            while (r, c) in grid:
                c += 1
            cells[r, c] = unescape(text), down, across
            grid |= {(r + i, c + j): (r, c) for i in range(down) for j in range(across)}
    return cells, grid


def _html(matrix: list[list[tuple[int, int]]], texts: dict[tuple[int, int], str]) -> str:
    places: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for r, line in enumerate(matrix):
        for c, cell in enumerate(line):
            places.setdefault(cell, []).append((r, c))
    rows = ["" for _ in matrix]
    for cell, taken in sorted(places.items(), key=lambda item: item[1][0]):
        down = len({r for r, _ in taken})
        across = len({c for _, c in taken})
        spans = (f' rowspan="{down}"' if down > 1 else "") + (f' colspan="{across}"' if across > 1 else "")
        rows[taken[0][0]] += f"<td{spans}>{escape(texts[cell], quote=False)}</td>"
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
