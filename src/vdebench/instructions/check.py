"""Whether an answer is the instruction we want: plain, as drawn, in the page's language, about one place."""

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
        "empty": "nothing was answered",
        "not_plain_text": "markdown, JSON, a list, words before it, quotation marks around it, paragraphs, or too long",
        "wrong_language": "not in the page's language",
        "table_on_page_without_table": "it speaks of a table, and the page has none",
        "wrong_operation": "it asks for another operation than was drawn",
        "two_places": "it asks for more than one edit, or for an edit in several places",
        "no_target": "it names no exact target in quotation marks",
        "no_replacement": "it does not quote what is to stand there afterwards",
        "target_not_on_page": "what it quotes is not on the page, by the page's reading",
        "target_not_unique": "what it quotes stands on the page more than once",
        "same_text": "the text is to be replaced by itself",
        "no_candidate": "the page has nothing that a template could take (the generator `template` only)",
    }
)
"""Why an answer is turned down, in the order of the checks."""


class FailedCheck(NamedTuple):
    """A reason and what was found."""

    reason: str
    words: str


class UniqueTarget(NamedTuple):
    """A target that was found once."""

    target: str
    place: Box | None


def checked(
    text: str, drawn: InstructionDraw, page: SourcePageRecord, reading: PageText, *, model: str = "", attempt: int = 1
) -> Instruction | Rejection:
    """The answer as an instruction, or why it is none."""
    return checked_on(text, drawn, page, PageIndex(reading), model=model, attempt=attempt)


def checked_on(
    text: str, drawn: InstructionDraw, page: SourcePageRecord, on_page: PageIndex, *, model: str = "", attempt: int = 1
) -> Instruction | Rejection:
    """The same for many answers to one page, which is prepared once."""
    told = text.strip()
    judged = _judged(told, Operation(drawn.operation), page, on_page)
    if isinstance(judged, FailedCheck):
        words = f"{judged.words}: {_short(told)}" if told else judged.words
        return Rejection("instruct", drawn.id, judged.reason, words, False, drawn.generator, attempt)
    meaning, found = judged
    prompt = pool().get(drawn.prompt) if drawn.generator != "template" else None
    return Instruction(
        id=drawn.id,
        page=page.id,
        operation=drawn.operation,
        language=page.language,
        instruction=" ".join(told.split()),
        target=found.target,
        replacement=meaning.new if drawn.operation not in _DELETIONS else "",
        place=found.place,
        generator=drawn.generator,
        model=model,
        prompt=prompt.name if prompt else "",
        prompt_hash=prompt.hash if prompt else "",
        seed=drawn.seed,
        attempt=attempt,
    )


_DELETIONS = (Operation.TEXT_DELETE.value, Operation.TABLE_DELETE.value)


def _judged(
    told: str, operation: Operation, page: SourcePageRecord, on_page: PageIndex
) -> FailedCheck | tuple[InstructionMeaning, UniqueTarget]:
    if not told:
        return FailedCheck("empty", "no words")
    if plain := not_plain(told):
        return FailedCheck("not_plain_text", plain)
    if tongue := wrong_language(told, page.language):
        return FailedCheck("wrong_language", tongue)
    meaning = understand(told)
    if meaning.operation.value.startswith("table") and not page.has_table:
        return FailedCheck("table_on_page_without_table", f"it asks for {meaning.operation.value}")
    if meaning.several:
        return FailedCheck("two_places", f"it says “{_restored(meaning.several, meaning.quoted)}”")
    if meaning.others:
        return FailedCheck("two_places", f"it also quotes “{_short(meaning.others[0], 60)}”")
    if not meaning.quoted:
        return FailedCheck("no_target", "it quotes nothing")
    if meaning.operation is not operation and not _same_but_for_the_table(meaning.operation, operation):
        return FailedCheck("wrong_operation", f"it asks for {meaning.operation.value}, drawn was {operation.value}")
    if operation is Operation.TABLE_STRUCTURE:
        found = _line_of_table(meaning, structure_of(told, meaning), on_page)
    else:
        found = _target(meaning, operation, on_page)
    if isinstance(found, FailedCheck):
        return found
    if operation.value.endswith(("replace", "insert")) and not folded(meaning.new):
        return FailedCheck("no_replacement", "it does not quote what is to stand there")
    if operation.value.endswith("replace") and folded(meaning.new) == folded(found.target):
        return FailedCheck("same_text", f"“{_short(meaning.new, 40)}” stands there already")
    return meaning, found


def _same_but_for_the_table(one: Operation, other: Operation) -> bool:
    """Whether both do the same to text: where the target stands decides then, not whether the words say `table`."""
    verbs = {each.value.rpartition("_")[2] for each in (one, other)}
    return len(verbs) == 1 and verbs <= {"replace", "insert", "delete"}


def _target(meaning: InstructionMeaning, operation: Operation, on_page: PageIndex) -> FailedCheck | UniqueTarget:
    in_table = operation.value.startswith("table")
    if in_table and meaning.row and meaning.column and not meaning.row.startswith("#"):
        found = _cell(meaning, on_page)
        if found is not None:
            return found
    if not meaning.target:
        return FailedCheck("no_target", "it quotes no text of the page")
    shown = f"“{_short(meaning.target, 60)}”"
    places = on_page.places(meaning.target)
    if len(places) > 1 and meaning.within:
        places = _inside(places, on_page.places(meaning.within)) or places
    if not places:
        return FailedCheck("target_not_on_page", f"{shown} is not on the page")
    right = [place for place in places if (place.cell is not None) == in_table]
    if not right and (on_page.grids or not in_table):
        return FailedCheck("wrong_operation", f"{shown} stands {'outside' if in_table else 'in'} a table")
    if in_table and right and meaning.operation.value.startswith("table"):  # it says so: nothing else can be meant
        places = right
    if len(places) > 1:
        return FailedCheck("target_not_unique", f"{shown} stands on the page {len(places)} times")
    return UniqueTarget(meaning.target, places[0].block.box)


def _inside(places: list[TextPlace], around: list[TextPlace]) -> list[TextPlace]:
    return [
        place
        for place in places
        if any(a.block is place.block and a.start <= place.start and place.end <= a.end for a in around)
    ]


def _cell(meaning: InstructionMeaning, on_page: PageIndex) -> FailedCheck | UniqueTarget | None:
    """The cell of a named row and column; nothing where they are no cells, so that the target decides."""
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
    lacking = [name for name in (meaning.row, meaning.column) if not on_page.cells_reading(name)]
    what = " and ".join(f"“{_short(name, 40)}”" for name in lacking) or "a cell in that row and column"
    return FailedCheck("target_not_on_page", f"{what} is not in a table of the page")


def _line_of_table(
    meaning: InstructionMeaning, structure: StructureRequest, on_page: PageIndex
) -> FailedCheck | UniqueTarget:
    """The row or column that is named by the text of one of its cells: all that names one must be there.

    Where the words do not tell what names a row or column, it is the first quotation that is a cell.
    """
    named = structure.named
    if structure.verb == "delete" and not structure.what:
        return FailedCheck("two_places", "it speaks of rows or columns")
    lacking = FailedCheck("no_target", "it quotes no row or column of the table")
    found: UniqueTarget | None = None
    for name in named or dict.fromkeys(filter(None, (meaning.target, *meaning.quoted))):
        cells = on_page.cells_reading(name)
        if not cells:
            lacking = FailedCheck("target_not_on_page", f"no cell of a table says “{_short(name, 60)}”")
            if named:
                return lacking
            continue
        if len(_headings(cells, on_page)) != 1:
            return FailedCheck("target_not_unique", f"{len(cells)} cells say “{_short(name, 60)}”")
        found = found or UniqueTarget(name, on_page.grids[cells[0].table].block.box)
        if not named:
            break
    if found and (second := _second_line(found.target, structure, on_page)):
        return FailedCheck("two_places", f"it also names “{_short(second, 60)}”")
    return found or lacking


def _second_line(named: str, structure: StructureRequest, on_page: PageIndex) -> str:
    """What else is named of the table: not a cell of the row or column itself, nor what another column is called."""
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
    """Of several cells those that can name a row or column: at the left or at the top."""
    if len(cells) == 1:
        return cells
    return [cell for cell in cells if is_heading(cell, on_page)]


def _restored(words: str, quoted: tuple[str, ...]) -> str:
    return regex.sub(r"⟦(\d+)⟧", lambda number: f"“{_short(quoted[int(number[1])], 20)}”", words)


def _short(text: str, length: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
