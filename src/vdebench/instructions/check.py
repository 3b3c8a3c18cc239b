"""Checks of a generated instruction: plain text, the drawn operation, the page's language, one unique target."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

import regex

from vdebench.core.box import Box
from vdebench.core.page_text import PageText
from vdebench.core.sample import Operation
from vdebench.instructions.folding import folded
from vdebench.instructions.interpretation import InstructionMeaning, understand
from vdebench.instructions.page_index import GridCell, PageIndex, TextPlace, is_heading
from vdebench.instructions.plain_text import not_plain, wrong_language
from vdebench.instructions.prompt_pool import pool
from vdebench.instructions.records import Instruction, InstructionDraw, Rejection, SourcePageRecord
from vdebench.instructions.structure import StructureRequest, structure_of

REASONS = MappingProxyType(
    {
        "empty": "the answer is empty",
        "not_plain_text": "markdown, JSON, a list, words before it, quotation marks around it, paragraphs, or too long",
        "wrong_language": "not in the page's language",
        "table_on_page_without_table": "it refers to a table, but the page has none",
        "wrong_operation": "it asks for another operation than the one drawn",
        "two_places": "it asks for more than one edit, or for an edit in several places",
        "no_target": "it names no exact target in quotation marks",
        "no_replacement": "it does not quote the new text",
        "target_not_on_page": "the quoted text is not in the page's OCR output",
        "target_not_unique": "the quoted text occurs more than once on the page",
        "same_text": "the new text equals the old text",
        "no_candidate": "no template fits the page (generator `template` only)",
    }
)
"""Reasons for rejecting an answer, in the order of the checks."""


class FailedCheck(NamedTuple):
    """The reason of a rejection and its details."""

    reason: str
    words: str


class UniqueTarget(NamedTuple):
    """A target that occurs once on the page."""

    target: str
    place: Box | None


def checked(
    text: str, draw: InstructionDraw, page: SourcePageRecord, page_text: PageText, *, model: str = "", attempt: int = 1
) -> Instruction | Rejection:
    """Return the answer as an `Instruction`, or a `Rejection` with the reason."""
    return checked_on(text, draw, page, PageIndex(page_text), model=model, attempt=attempt)


def checked_on(
    text: str, draw: InstructionDraw, page: SourcePageRecord, on_page: PageIndex, *, model: str = "", attempt: int = 1
) -> Instruction | Rejection:
    """Like `checked`, with a prepared page index for several answers to one page."""
    answer = text.strip()
    outcome = _check(answer, Operation(draw.operation), page, on_page)
    if isinstance(outcome, FailedCheck):
        words = f"{outcome.words}: {_short(answer)}" if answer else outcome.words
        return Rejection("instruct", draw.id, outcome.reason, words, False, draw.generator, attempt)
    meaning, target = outcome
    prompt = pool().get(draw.prompt) if draw.generator != "template" else None
    return Instruction(
        id=draw.id,
        page=page.id,
        operation=draw.operation,
        language=page.language,
        instruction=" ".join(answer.split()),
        target=target.target,
        replacement=meaning.new if draw.operation not in _DELETIONS else "",
        place=target.place,
        generator=draw.generator,
        model=model,
        prompt=prompt.name if prompt else "",
        prompt_hash=prompt.hash if prompt else "",
        seed=draw.seed,
        attempt=attempt,
    )


_DELETIONS = (Operation.TEXT_DELETE.value, Operation.TABLE_DELETE.value)


def _check(
    answer: str, operation: Operation, page: SourcePageRecord, on_page: PageIndex
) -> FailedCheck | tuple[InstructionMeaning, UniqueTarget]:
    if not answer:
        return FailedCheck("empty", "no words")
    if plain := not_plain(answer):
        return FailedCheck("not_plain_text", plain)
    if tongue := wrong_language(answer, page.language):
        return FailedCheck("wrong_language", tongue)
    meaning = understand(answer)
    if meaning.operation.value.startswith("table") and not page.has_table:
        return FailedCheck("table_on_page_without_table", f"it asks for {meaning.operation.value}")
    if meaning.several:
        return FailedCheck("two_places", f"it says “{_restored(meaning.several, meaning.quoted)}”")
    if meaning.others:
        return FailedCheck("two_places", f"it also quotes “{_short(meaning.others[0], 60)}”")
    if not meaning.quoted:
        return FailedCheck("no_target", "it quotes nothing")
    if meaning.operation is not operation and not _same_but_for_the_table(meaning.operation, operation):
        return FailedCheck("wrong_operation", f"it asks for {meaning.operation.value}, the draw was {operation.value}")
    if operation is Operation.TABLE_STRUCTURE:
        target = _line_of_table(meaning, structure_of(answer, meaning), on_page)
    else:
        target = _target(meaning, operation, on_page)
    if isinstance(target, FailedCheck):
        return target
    if operation.value.endswith(("replace", "insert")) and not folded(meaning.new):
        return FailedCheck("no_replacement", "it does not quote the new text")
    if operation.value.endswith("replace") and folded(meaning.new) == folded(target.target):
        return FailedCheck("same_text", f"“{_short(meaning.new, 40)}” is already there")
    return meaning, target


def _same_but_for_the_table(one: Operation, other: Operation) -> bool:
    """Whether both operations do the same to text; then the position of the target decides, not the word `table`."""
    verbs = {each.value.rpartition("_")[2] for each in (one, other)}
    return len(verbs) == 1 and verbs <= {"replace", "insert", "delete"}


def _target(meaning: InstructionMeaning, operation: Operation, on_page: PageIndex) -> FailedCheck | UniqueTarget:
    in_table = operation.value.startswith("table")
    if in_table and meaning.row and meaning.column and not meaning.row.startswith("#"):
        target = _cell(meaning, on_page)
        if target is not None:
            return target
    if not meaning.target:
        return FailedCheck("no_target", "it quotes no text of the page")
    quoted_target = f"“{_short(meaning.target, 60)}”"
    places = on_page.places(meaning.target)
    if len(places) > 1 and meaning.within:
        places = _inside(places, on_page.places(meaning.within)) or places
    if not places:
        return FailedCheck("target_not_on_page", f"{quoted_target} is not on the page")
    right = [place for place in places if (place.cell is not None) == in_table]
    if not right and (on_page.grids or not in_table):
        return FailedCheck("wrong_operation", f"{quoted_target} is {'outside' if in_table else 'inside'} a table")
    if in_table and right and meaning.operation.value.startswith("table"):  # the instruction names the table explicitly
        places = right
    if len(places) > 1:
        return FailedCheck("target_not_unique", f"{quoted_target} occurs {len(places)} times on the page")
    return UniqueTarget(meaning.target, places[0].block.box)


def _inside(places: list[TextPlace], around: list[TextPlace]) -> list[TextPlace]:
    return [
        place
        for place in places
        if any(a.block is place.block and a.start <= place.start and place.end <= a.end for a in around)
    ]


def _cell(meaning: InstructionMeaning, on_page: PageIndex) -> FailedCheck | UniqueTarget | None:
    """Return the cell of a named row and column; None if they are not cells, so that the target decides."""
    cells = on_page.cells_at(meaning.row, meaning.column)
    if meaning.target:
        cells = [cell for cell in cells if folded(meaning.target) in folded(cell.text)]
    if len(cells) > 1:
        return FailedCheck(
            "target_not_unique", f"row “{meaning.row}” and column “{meaning.column}” name {len(cells)} cells"
        )
    if not cells:
        return None if meaning.target else _no_cell(meaning, on_page)
    return UniqueTarget(meaning.target or cells[0].text, on_page.grids[cells[0].table].block.box)


def _no_cell(meaning: InstructionMeaning, on_page: PageIndex) -> FailedCheck:
    missing = [name for name in (meaning.row, meaning.column) if not on_page.cells_reading(name)]
    what = " and ".join(f"“{_short(name, 40)}”" for name in missing) or "a cell in that row and column"
    return FailedCheck("target_not_on_page", f"{what} is not in a table of the page")


def _line_of_table(
    meaning: InstructionMeaning, structure: StructureRequest, on_page: PageIndex
) -> FailedCheck | UniqueTarget:
    """Return the row or column named by the text of one of its cells; all names must exist.

    If the words do not identify the name of a row or column, it is the first quotation that is a cell.
    """
    named = structure.named
    if structure.verb == "delete" and not structure.what:
        return FailedCheck("two_places", "it refers to several rows or columns")
    missing = FailedCheck("no_target", "it quotes no row or column of the table")
    target: UniqueTarget | None = None
    for name in named or dict.fromkeys(filter(None, (meaning.target, *meaning.quoted))):
        cells = on_page.cells_reading(name)
        if not cells:
            missing = FailedCheck("target_not_on_page", f"no table cell contains “{_short(name, 60)}”")
            if named:
                return missing
            continue
        if len(_headings(cells, on_page)) != 1:
            return FailedCheck("target_not_unique", f"{len(cells)} cells contain “{_short(name, 60)}”")
        target = target or UniqueTarget(name, on_page.grids[cells[0].table].block.box)
        if not named:
            break
    if target and (second := _second_line(target.target, structure, on_page)):
        return FailedCheck("two_places", f"it also names “{_short(second, 60)}”")
    return target or missing


def _second_line(named: str, structure: StructureRequest, on_page: PageIndex) -> str:
    """Return another row or column that is named, ignoring cells of the target line and names of other columns."""
    is_row = structure.what == "row"

    def line(cell: GridCell) -> tuple[int, int]:
        return cell.table, cell.row if is_row else cell.column

    own = {line(cell) for cell in on_page.cells_reading(named)}
    for name in structure.others:
        cells = on_page.cells_reading(name)
        if structure.verb == "delete":
            if not own & {line(cell) for cell in cells}:
                return name
        elif any(cell.column == 0 and cell.row > 0 if is_row else cell.row == 0 for cell in cells):
            return name
    return ""


def _headings(cells: list[GridCell], on_page: PageIndex) -> list[GridCell]:
    """Return those cells that can name a row or column: at the left or at the top."""
    if len(cells) == 1:
        return cells
    return [cell for cell in cells if is_heading(cell, on_page)]


def _restored(words: str, quoted: tuple[str, ...]) -> str:
    return regex.sub(r"⟦(\d+)⟧", lambda number: f"“{_short(quoted[int(number[1])], 20)}”", words)


def _short(text: str, length: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
