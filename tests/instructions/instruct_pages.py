"""Pages for tests of instructions: small ones and real ones."""

from __future__ import annotations

import json
from pathlib import Path

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.instructions.records import InstructionDraw, SourcePageRecord
from vdebench.suites.omnidoc import page_text_of_annotation

TABLE = (
    "<table><tr><td>Region</td><td>2022</td><td>2023</td></tr>"
    "<tr><td>North</td><td>41.5</td><td>44.0</td></tr>"
    "<tr><td>South</td><td>38.2</td><td></td></tr></table>"
)


def reading(*texts: str, table: str = "") -> PageText:
    """A reading of paragraphs, one below the other, and a table below them."""
    blocks = [Block(Box(10, 30 * n, 400, 30 * n + 20), text, "text", n, n) for n, text in enumerate(texts)]
    if table:
        blocks.append(Block(Box(10, 500, 400, 700), table, "table", 99, 99))
    return PageText(tuple(blocks), Size(500, 800))


def page(id: str = "p", language: str = "english", has_table: bool = False) -> SourcePageRecord:
    """A page of that language."""
    return SourcePageRecord(id, f"{id}.png", "0" * 64, 500, 800, language, "book", has_table)


def drawn(
    operation: str = "text_replace", page: str = "p", generator: str = "model-a", seed: int = 0
) -> InstructionDraw:
    """A draw of that operation."""
    return InstructionDraw(page, 1, operation, f"{operation}-1", generator, seed)


def real_pages(shared: Path) -> list[tuple[SourcePageRecord, PageText, dict]]:
    """The pages of the demonstration set with their annotations."""
    folder = shared / "data/omnidocbench"
    found = []
    for each in json.loads((folder / "OmniDocBench_demo.json").read_text("utf-8")):
        info = each["page_info"]
        told = info["page_attribute"]
        image = folder / "images" / info["image_path"]
        has_table = any(element["category_type"] == "table" for element in each["layout_dets"])
        made = SourcePageRecord(
            image.stem, str(image), "", info["width"], info["height"], told["language"], told["data_source"], has_table
        )
        found.append((made, page_text_of_annotation(each), each))
    return found
