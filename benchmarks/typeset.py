"""How many source/reference pairs with readings a processor makes in a second, beside the plain way.

python benchmarks/typeset.py [--pages 60]

Both ways set the same documents at 150 ppi and write source, reference and readings as files. The plain way: a fresh
compiler for every page, Typst's own PNG, and a second, coloured page for the boxes (the block and cell boxes alone).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib import resources
from pathlib import Path

import pypdfium2 as pdfium
import typst

from vdebench.suites.typeset.document import Document
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.make import SuitePart, _make_part
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.recipe import SuiteRecipe
from vdebench.suites.typeset.typesetter import Typesetter, page_of

PPI = 150


def ours(folder: Path, recipe: SuiteRecipe, pages: int) -> float:
    """Seconds of processor time for all files of the samples on so many pages."""
    warm = SuitePart(folder / "warm", recipe, 1000, 10**9)
    _make_part(warm)
    start = time.process_time()
    for number in range(pages // 10):
        _make_part(SuitePart(folder / "ours", recipe, number, 10**9))
    return time.process_time() - start


def plainly(folder: Path, pairs: list[tuple[Document, Document]]) -> float:
    """Seconds for the same pages, each compiled anew."""
    template = (resources.files("vdebench.suites.typeset") / "page.typ").read_text("utf-8")
    fonts = [str(place) for place in font_folders()]
    start = time.process_time()
    for index, pair in enumerate(pairs):
        for side, document in enumerate(pair):
            root = folder / f"{index}-{side}"
            root.mkdir(parents=True)
            (root / "page.typ").write_text(template, "utf-8")
            (root / "page.json").write_text(json.dumps(page_of(document), ensure_ascii=False), "utf-8")
            for kind in ("png", "pdf"):
                compiler = typst.Compiler(str(root / "page.typ"), font_paths=fonts, ignore_system_fonts=True)
                compiler.compile(output=str(root / f"page.{kind}"), format=kind, ppi=PPI)
            page = pdfium.PdfDocument(root / "page.pdf")[0]
            boxes = [item.get_bounds() for item in page.get_objects(max_depth=1)]
            (root / "reading.json").write_text(json.dumps(boxes))
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=60)
    pages = parser.parse_args().pages
    recipe = SuiteRecipe(seed=1, ppi=PPI)
    press = Typesetter(PPI, font_folders())
    few = [pair.documents for number in range(6) for pair in make_page(recipe, number, press)]
    with tempfile.TemporaryDirectory() as temporary:
        plain = plainly(Path(temporary) / "plain", few) / len(few)
        seconds = ours(Path(temporary), recipe, pages)
    count = pages * recipe.per_page
    print(f"{count} pairs: {seconds:.1f} s of one processor, {count / seconds:.1f} pairs per second and core", end=" ")
    print(f"({plain * count / seconds:.0f} times the plain way's {1 / plain:.2f})")


if __name__ == "__main__":
    sys.exit(main())
