"""The stage `review`: automatic decisions on edits, and reference images of accepted edits.

Decisions of people are stored in the same form (see `decisions.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vdebench.build.automatic_review import (
    IDENTITY,
    RejectedEdit,
    wrong_elsewhere,
    wrong_place,
    wrong_region,
    wrong_surroundings,
    wrong_text,
)
from vdebench.build.change_check import wrong_changes
from vdebench.build.decisions import AUTOMATIC, PEOPLE, Decision, clipped, reached
from vdebench.build.edit import edited_file_digest, edits_of
from vdebench.build.ledger import LedgerEntry, now
from vdebench.build.paste_back import paste_back
from vdebench.build.read import crops_of, label_of
from vdebench.build.records import EditRead
from vdebench.build.workspace import Workspace
from vdebench.changes.identity import CHANGES
from vdebench.core.box import Box, Size
from vdebench.core.images import resized
from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.errors import ReaderError, VdeError
from vdebench.instructions.records import Instruction, SourcePageRecord
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file, write_bytes, write_json
from vdebench.io.images import open_image
from vdebench.pipeline.options import Progress
from vdebench.pipeline.read import read_pictures
from vdebench.readers.cached import CachedReader, ImageCrop

FIRST = ("score", "boxes", "screen")


class ReviewCase(NamedTuple):
    """An edit to be decided, and the decisions so far."""

    instruction: Instruction
    page: SourcePageRecord
    read: EditRead
    steps: dict[str, Decision]


def review_automatically(workspace: Workspace, *, workers: int = 0, progress: Progress | None = None) -> Counter[str]:
    """Let the filter decide on all undecided edits; return the counts of new results."""
    with workspace.stage_lock():  # `review_lock` is not needed: samples of people are not touched
        workspace.require("read", workspace.edits_read(), "its edits have no OCR output yet")
        reader = workspace.reader()
        counts: Counter[str] = Counter(passed=0)
        cases = list(_cases(workspace, label_of(reader), counts))
        for number, case in enumerate(cases, start=1):
            for step in FIRST:
                if step not in case.steps and reached(case.steps)[1] is None:
                    _decide(workspace, case, step, _check_step(workspace, case, step), counts)
            if progress:
                progress(number, len(cases))
        remaining = [case for case in cases if reached(case.steps)[0] == list(FIRST)]
        for case in remaining:
            if not is_file(workspace.reference_image(case.instruction.id)):
                make_reference(workspace, case.instruction, case.page, case.steps["boxes"].boxes)
        pictures = [picture for case in remaining for picture in _pictures(workspace, case)]
        read_pictures(reader, pictures, workers, progress)
        failures = []
        for case in remaining:
            try:
                _decide(workspace, case, "ocr", _check_reference(workspace, case, reader), counts)
            except VdeError as error:
                failures.append(str(error))
        if failures:
            raise ReaderError(f"{failures[0]}\n  {len(failures)} images could not be read; run the same command again")
    return counts


def make_reference(
    workspace: Workspace, instruction: Instruction, page: SourcePageRecord, boxes: Sequence[Box]
) -> None:
    """Write the reference image: the boxes from the edit, everything else from the page."""
    source, edited = (open_image(file) for file in (workspace.page_image(page), workspace.edit_image(instruction)))
    boxes = clipped(boxes, Size(page.width, page.height), instruction.id)
    write_bytes(workspace.reference_image(instruction.id), encode_png(paste_back(source, edited, boxes)))


def _cases(workspace: Workspace, reader: str, counts: Counter[str]) -> Iterator[ReviewCase]:
    """Yield edits read by this reader without a final decision; decisions of earlier filter versions do not count."""
    pages, edits, decided = workspace.pages(), edits_of(workspace), workspace.decisions()
    reads, samples_in_review = workspace.edits_read(), {id for id, _ in workspace.samples_in_review()}
    for id, instruction in workspace.instructions().items():
        read, made = reads.get(id), edits.get(id)
        if read is None or read.state != "read" or made is None or made.state != "edited":
            continue
        if edited_file_digest(workspace, made) != read.edit:
            counts["not read yet"] += 1
            continue
        steps = decided.get((id, read.edit), {})
        if any(decision.kind == PEOPLE for decision in steps.values()):
            counts["decided by people"] += 1
            continue
        if id in samples_in_review:  # even if the edit has changed since
            counts["left to people"] += 1
            continue
        if read.reader != reader:  # source and finished image must be read by the same reader
            counts["not read yet"] += 1
            continue
        steps = {step: decision for step, decision in steps.items() if decision.by == _by(read)}
        passed, ended = reached(steps)
        if ended or len(passed) > len(FIRST):
            counts["known"] += 1
        else:
            yield ReviewCase(instruction, pages[instruction.page], read, steps)


def _by(read: EditRead) -> str:
    return f"{IDENTITY}, {CHANGES}, read by {read.reader}"


def _check_step(workspace: Workspace, case: ReviewCase, step: str) -> RejectedEdit | None:
    """Return what is wrong with an edit in one of the first three steps, None if nothing."""
    size = Size(case.page.width, case.page.height)
    if step == "score":
        if not case.read.regions:
            return wrong_place(case.instruction, (), size)
        after = workspace.edit_reading(case.instruction.id)
        before = workspace.source_reading(case.page)
        boxes, after = case.read.regions, after.scaled_to(size)
        wrong = wrong_text(case.instruction, before, after)
        if wrong is None and len(boxes) == 1:  # several places are reported separately
            wrong = wrong_surroundings(case.instruction, before, after, boxes)
        return wrong
    if step == "boxes":
        return wrong_place(case.instruction, case.read.regions, size)
    source = open_image(workspace.page_image(case.page))
    edited = resized(open_image(workspace.edit_image(case.instruction)), size)
    return wrong_elsewhere(source, edited, case.read.regions)


def _pictures(workspace: Workspace, case: ReviewCase) -> list[ImageCrop]:
    whole = ImageCrop.of(workspace.reference_image(case.instruction.id), lasting=True)
    return [whole, *crops_of(whole, case.page, case.steps["boxes"].boxes)]


def _check_reference(workspace: Workspace, case: ReviewCase, reader: CachedReader) -> RejectedEdit | None:
    """Return what is wrong with the reference: its OCR output, whole and in its regions, or its changes.

    The OCR output is stored.
    """
    id, folder = case.instruction.id, workspace.references / "readings"
    whole, *crops = _pictures(workspace, case)
    page_text = reader.read(whole)
    regions: list[PageText] = [reader.read(crop) for crop in crops]
    write_json(workspace.reading_file(folder, id), page_text.to_json())
    for number, region in enumerate(regions):
        write_json(workspace.reading_file(folder, id, number), region.to_json())
    wrong = wrong_region(case.instruction, regions)
    if wrong is None and (text := wrong_text(case.instruction, workspace.source_reading(case.page), page_text)):
        wrong = RejectedEdit("misread", text.words)
    if wrong is None:
        source = open_image(workspace.page_image(case.page))
        reference = open_image(workspace.reference_image(id))
        wrong = wrong_changes(case.instruction, source, reference, reader.reader)
    return wrong


def _decide(
    workspace: Workspace, case: ReviewCase, step: str, wrong: RejectedEdit | None, counts: Counter[str]
) -> None:
    """Record a decision; the reference image is written before the decision."""
    id, edit = case.instruction.id, case.read.edit
    boxes = case.read.regions if step == "boxes" and wrong is None else ()
    if step == "screen" and wrong is None:
        make_reference(workspace, case.instruction, case.page, case.steps["boxes"].boxes)
    verdict, reason, words = ("pass", "", "") if wrong is None else ("reject", *wrong)
    decision = Decision(id, edit, step, verdict, _by(case.read), AUTOMATIC, now(), reason, words, boxes)
    case.steps[step] = decision
    outputs = {}
    if step == "ocr":
        counts["passed"] += verdict == "pass"
        outputs = {"reference": digest_of_file(workspace.reference_image(id))}
    if wrong is not None:
        counts[wrong.reason] += 1
    details = f"{reason}: {words}" if reason else "automatic"
    entry = LedgerEntry(
        "review", id, f"{step} {verdict}", f"{AUTOMATIC}: {decision.by}", inputs={"edit": edit}, words=details
    )
    workspace.ledger.note(entry._replace(outputs=outputs))
    workspace.append(decision)
