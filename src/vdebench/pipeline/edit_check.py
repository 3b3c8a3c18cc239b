"""The check of one edit: every change between two images of a page, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vdebench.changes import verdict
from vdebench.changes.change import Change, EditCheck, EditOutcome
from vdebench.changes.engine import PageComparator, PageComparison
from vdebench.changes.meant_places import read_places
from vdebench.changes.outcome import RequestOutcome, can_tell, mark_asked, outcomes, placed_lines
from vdebench.changes.reference_check import check_against_reference
from vdebench.changes.targets import find_in
from vdebench.changes.type_heights import words_by_height
from vdebench.changes.verdict import GeometryLimits
from vdebench.changes.words import compared, count_words
from vdebench.core.images import Image
from vdebench.instructions.request import EditRequest
from vdebench.instructions.several import requests_of
from vdebench.io.images import open_image
from vdebench.judges.judge import Judge
from vdebench.pipeline.asked_edits import AskedEdits, asked_edits
from vdebench.readers.reader import LikelihoodReader, ReadLines, get_reader


def check_edit(
    before: Path,
    after: Path,
    *,
    instruction: str = "",
    reference: Path | None = None,
    reader: str = "rapidocr",
    limits: GeometryLimits = GeometryLimits(),  # noqa: B008
    judge: Judge | None = None,
) -> EditCheck:
    """Compare two images of a page; with an instruction or a reference, decide which changes were asked for.

    A judge is asked what an instruction means that the rules do not understand.
    """
    page, output = open_image(before), open_image(after)
    answer = open_image(reference) if reference is not None else None
    comparator = PageComparator(get_reader(reader))
    return check_images(page, output, comparator, instruction=instruction, reference=answer, limits=limits, judge=judge)


def check_images(
    before: Image,
    after: Image,
    comparator: PageComparator,
    *,
    instruction: str = "",
    target_text: str = "",
    reference: Image | None = None,
    limits: GeometryLimits = GeometryLimits(),  # noqa: B008
    judge: Judge | None = None,
) -> EditCheck:
    """Check one edit, given as images.

    A reference decides what was asked; without one the instruction does, or, where it does not tell, the target text:
    all text that the edit writes, one piece in each line.
    """
    comparison = comparator.compare(before, after)
    if reference is None:
        return check_comparison(
            comparison, comparator.reader, instruction=instruction, target_text=target_text, limits=limits, judge=judge
        )
    return _judged(comparison, *check_against_reference(comparison, reference, comparator), AskedEdits(), limits)


def check_comparison(
    comparison: PageComparison,
    reader: LikelihoodReader,
    *,
    instruction: str = "",
    target_text: str = "",
    limits: GeometryLimits = GeometryLimits(),  # noqa: B008
    judge: Judge | None = None,
) -> EditCheck:
    """Check one edit without a reference, given the comparison of its images."""
    asked = asked_edits(instruction, comparison.page, judge)
    found = outcomes(comparison, asked.requests, reader)
    changes, edit = mark_asked(comparison, found), _combined(found)
    if edit == "unknown" and target_text:
        changes, edit = _check_target_text(comparison, target_text, reader)
    return _judged(comparison, changes, edit, asked, limits)


def _judged(
    comparison: PageComparison, changes: Sequence[Change], edit: EditOutcome, asked: AskedEdits, limits: GeometryLimits
) -> EditCheck:
    heights = words_by_height(comparison.before, comparison.page.lines, changes)
    page = replace(comparison.result, changes=tuple(changes), heights=heights)
    check = verdict.judge(page, edit, limits)
    why = f"{check.why} ({asked.problem})" if asked.problem else check.why
    return replace(check, why=why, requests=asked.to_json())


def is_decidable(instruction: str, target_text: str = "", page: ReadLines | None = None) -> bool:
    """Whether an instruction is understood by rule, or a target text replaces it: if not, every verdict is unknown.

    A target text that the page, where it was read, has already cannot tell whether the edit was made.

    >>> is_decidable('Replace "2023" with "2024".'), is_decidable("Make it nicer."), is_decidable("Fix it.", "2024")
    (True, False, True)
    """
    pieces = _pieces(target_text)
    tells = bool(pieces) and (page is None or not _has_any(page, pieces))
    requests = requests_of(instruction)
    return tells or (bool(requests) and all(map(can_tell, requests)))


def _pieces(target_text: str) -> list[str]:
    return [piece for piece in target_text.splitlines() if compared(piece).characters]


def _has_any(page: ReadLines, pieces: Sequence[str]) -> bool:
    lines = placed_lines(page)
    return any(read_places(piece, lines) for piece in pieces)


def _check_target_text(
    comparison: PageComparison, target_text: str, reader: LikelihoodReader
) -> tuple[list[Change], EditOutcome]:
    """Return the changes, each with whether it writes the target text, and whether the output has this text.

    If the page has a piece of it already, nothing is known. Text that is lost, also among replaced words, may be what
    the target text replaces, or not.
    """
    pieces = _pieces(target_text)
    if not pieces or _has_any(comparison.page, pieces):
        return list(comparison.result.changes), "unknown"
    requests = [EditRequest("insert_block", new=piece) for piece in dict.fromkeys(pieces)]
    found = [_counted(each, comparison, pieces) for each in outcomes(comparison, requests, reader)]
    changes = mark_asked(comparison, found)
    return [replace(each, asked=None) if _loses_words(each) else each for each in changes], _combined(found)


def _counted(found: RequestOutcome, comparison: PageComparison, pieces: Sequence[str]) -> RequestOutcome:
    """Correct the outcome of a piece that is not read as often as the pieces have it, each by itself or in others.

    If it is read more often, it is not known which of the places was asked for.
    """
    piece = found.request.new
    wanted = sum(len(find_in(each, piece)) for each in pieces)
    read = len(read_places(piece, placed_lines(comparison.output)))
    if found.outcome != "done" or read == wanted:
        return found
    return found._replace(outcome="partly" if read < wanted else "unknown")


def _loses_words(change: Change) -> bool:
    replaces_more = change.kind == "replaced" and count_words(change.before) > count_words(change.after)
    return change.kind == "lost" or (replaces_more and change.asked is True)


def _combined(found: Sequence[RequestOutcome]) -> EditOutcome:
    """Return the outcome of all requests together."""
    each = {one.outcome for one in found}
    if not each or "unknown" in each:
        return "unknown"
    if len(each) == 1:
        return each.pop()
    return "partly" if each & {"done", "partly"} else "wrong_text"
