"""The check of one edit: every change between two images of a page, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vdebench.changes import verdict
from vdebench.changes.change import EditCheck, EditOutcome
from vdebench.changes.engine import PageComparator
from vdebench.changes.outcome import RequestOutcome, mark_asked, outcomes
from vdebench.changes.reference_check import check_against_reference
from vdebench.changes.type_heights import words_by_height
from vdebench.changes.verdict import GeometryLimits
from vdebench.core.images import Image
from vdebench.io.images import open_image
from vdebench.judges.judge import Judge
from vdebench.pipeline.asked_edits import AskedEdits, asked_edits
from vdebench.readers.reader import get_reader


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
    reference: Image | None = None,
    limits: GeometryLimits = GeometryLimits(),  # noqa: B008
    judge: Judge | None = None,
) -> EditCheck:
    """Check one edit, given as images. A reference decides what was asked; without one, the instruction does."""
    comparison = comparator.compare(before, after)
    asked = AskedEdits()
    if reference is not None:
        changes, edit = check_against_reference(comparison, reference, comparator)
    else:
        asked = asked_edits(instruction, comparison.page, judge)
        found = outcomes(comparison, asked.requests, comparator.reader)
        changes, edit = mark_asked(comparison, found), _combined(found)
    heights = words_by_height(before, comparison.page.lines, changes)
    page = replace(comparison.result, changes=tuple(changes), heights=heights)
    check = verdict.judge(page, edit, limits)
    why = f"{check.why} ({asked.problem})" if asked.problem else check.why
    return replace(check, why=why, requests=asked.to_json())


def _combined(found: Sequence[RequestOutcome]) -> EditOutcome:
    """Return the outcome of all requests together."""
    each = {one.outcome for one in found}
    if not each or "unknown" in each:
        return "unknown"
    if len(each) == 1:
        return each.pop()
    return "partly" if each & {"done", "partly"} else "wrong_text"
