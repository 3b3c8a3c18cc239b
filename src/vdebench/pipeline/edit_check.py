"""The check of one edit: every change between two images of a page, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vdebench.changes import verdict
from vdebench.changes.change import Change, EditCheck, EditOutcome
from vdebench.changes.engine import PageComparator, PageComparison
from vdebench.changes.outcome import RequestOutcome, mark_asked, outcomes
from vdebench.changes.reference_check import check_against_reference
from vdebench.changes.type_heights import words_by_height
from vdebench.changes.verdict import GeometryLimits
from vdebench.changes.words import compared
from vdebench.core.images import Image
from vdebench.instructions.request import EditRequest
from vdebench.instructions.several import requests_of
from vdebench.io.images import open_image
from vdebench.judges.judge import Judge
from vdebench.pipeline.asked_edits import AskedEdits, asked_edits
from vdebench.readers.reader import LikelihoodReader, get_reader


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
    asked = AskedEdits()
    if reference is not None:
        changes, edit = check_against_reference(comparison, reference, comparator)
    else:
        asked = asked_edits(instruction, comparison.page, judge)
        found = outcomes(comparison, asked.requests, comparator.reader)
        changes, edit = mark_asked(comparison, found), _combined(found)
        if edit == "unknown" and target_text:
            changes, edit = _check_target_text(comparison, target_text, comparator.reader)
    heights = words_by_height(before, comparison.page.lines, changes)
    page = replace(comparison.result, changes=tuple(changes), heights=heights)
    check = verdict.judge(page, edit, limits)
    why = f"{check.why} ({asked.problem})" if asked.problem else check.why
    return replace(check, why=why, requests=asked.to_json())


def is_decidable(instruction: str, target_text: str = "") -> bool:
    """Whether an instruction is understood by rule, or a target text replaces it: if not, every verdict is unknown.

    >>> is_decidable('Replace "2023" with "2024".'), is_decidable("Make it nicer."), is_decidable("Fix it.", "2024")
    (True, False, True)
    """
    return bool(target_text or requests_of(instruction))


def _check_target_text(
    comparison: PageComparison, target_text: str, reader: LikelihoodReader
) -> tuple[list[Change], EditOutcome]:
    """Return the changes, each with whether it writes the target text, and whether the output has this text.

    Only text that the page does not have already can tell. Text that is lost may be what the target text replaces.
    """
    page = "".join(compared(line.text).characters for line in comparison.page.lines)
    pieces = [piece for piece in target_text.splitlines() if compared(piece).characters not in page]
    found = outcomes(comparison, [EditRequest("insert_block", new=piece) for piece in pieces], reader)
    changes = mark_asked(comparison, found)
    return [replace(each, asked=None) if each.kind == "lost" else each for each in changes], _combined(found)


def _combined(found: Sequence[RequestOutcome]) -> EditOutcome:
    """Return the outcome of all requests together."""
    each = {one.outcome for one in found}
    if not each or "unknown" in each:
        return "unknown"
    if len(each) == 1:
        return each.pop()
    return "partly" if each & {"done", "partly"} else "wrong_text"
