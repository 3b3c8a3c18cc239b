"""What template instructions are worth on real pages: unambiguous, in the right language, read by OCR, edited by overlay.

python benchmarks/templates.py ../shared/data/omnidocbench [--seeds 3] [--ocr] [--overlay]

Judged by the check in tests/instructions/instruct_unambiguous.py, which shares nothing with the one that instructions passed
when they were made. With `--ocr` also whether rapidocr reads what is quoted of the page (the same, or 88 % alike, and
not twice); with `--overlay` also how many of them the editor `overlay` parses and carries out (first seed).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.instructions.instruct_pages import real_pages
from tests.instructions.instruct_unambiguous import is_read, language_fits, names_one_place, plain, texts_of

from vdebench.editors.overlay import OverlayEditor
from vdebench.instructions import draw, generator, obtain
from vdebench.instructions.records import Instruction
from vdebench.instructions.request import NotUnderstoodError, parse
from vdebench.io.images import open_image
from vdebench.readers.rapid import RapidReader

COLUMNS = ("drawn", "made", "unambiguous", "read", "edits", "parsed", "edited")


def main() -> None:
    """Count, and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--ocr", action="store_true")
    options.add_argument("--overlay", action="store_true")
    asked = options.parse_args()
    template, editor, reader = generator("template"), OverlayEditor(), RapidReader()
    counts: Counter[tuple[str, str, str]] = Counter()
    for page, reading, annotation in real_pages(asked.folder.parent.parent):
        texts, cells = texts_of(annotation)
        image = open_image(Path(page.image))
        lines = [plain(block.plain_text) for block in reader.read(image).blocks] if asked.ocr else []
        for seed in range(asked.seeds):
            for drawn in draw([page], "all", seed, ["template"]):
                counts[page.language, drawn.operation, "drawn"] += 1
                *_, made = obtain(drawn, page, reading, template)
                if not isinstance(made, Instruction):
                    continue
                once = names_one_place(made.instruction, drawn.operation, texts, cells)
                told = {"made": True, "unambiguous": once and language_fits(made.instruction, page.language)}
                told["read"] = asked.ocr and is_read(made.instruction, made.target, drawn.operation, lines, cells)
                if asked.overlay and seed == 0:
                    told |= {"edits": True, "parsed": _is_parsed(made.instruction)}
                    edit = editor.edit(image, made.instruction)
                    told["edited"] = edit.image is not None
                    print(page.id[-20:], drawn.operation, edit.state, edit.reason, made.instruction, file=sys.stderr)
                counts.update((page.language, drawn.operation, name) for name, true in told.items() if true)
    for language, operation in sorted({key[:2] for key in counts}):
        print(f"{language:20}{operation:16}", *(f"{counts[language, operation, name]:12}" for name in COLUMNS))
    totals = Counter[str]()
    for (_, _, name), count in counts.items():
        totals[name] += count
    print(f"{'all':36}", *(f"{totals[name]:12}" for name in COLUMNS))
    print(f"{'':36}", *(f"{name:>12}" for name in COLUMNS))


def _is_parsed(instruction: str) -> bool:
    try:
        parse(instruction)
    except NotUnderstoodError:
        return False
    return True


if __name__ == "__main__":
    main()
