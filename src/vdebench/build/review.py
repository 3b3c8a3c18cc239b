"""The stage `review`: decisions on every edit, and the right answers that come of those that pass.

People's decisions come from elsewhere, in the same form (see `decisions.py`); here the automatic filter stands in.
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
from vdebench.build.decisions import AUTOMATIC, PEOPLE, Decision, clipped, reached
from vdebench.build.edit import edited_file_digest, edits_of
from vdebench.build.ledger import LedgerEntry, now
from vdebench.build.paste_back import paste_back
from vdebench.build.read import crops_of, label_of
from vdebench.build.records import EditRead
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box, Size
from vdebench.core.images import resized
from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.errors import ReaderError, VdeError
from vdebench.instructions.records import Instruction, SourcePageRecord
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file, write_bytes, write_json
from vdebench.io.images import open_image
from vdebench.pipeline.read import read_pictures
from vdebench.pipeline.scoring.stage import Progress
from vdebench.readers.cached import CachedReader, ImageCrop

FIRST = ("score", "boxes", "screen")


class ReviewCase(NamedTuple):
    """An edit that is to be decided on, and what was decided of it."""

    instruction: Instruction
    page: SourcePageRecord
    read: EditRead
    steps: dict[str, Decision]


def review_automatically(workspace: Workspace, *, workers: int = 0, progress: Progress | None = None) -> Counter[str]:
    """Let the filter decide on every edit that it or people have not decided on. How many became what, now."""
    with workspace.at_work():  # not `deciding`: samples come to people only under this, and theirs are not touched
        workspace.require("read", workspace.edits_read(), "its edits are not read yet")
        reader = workspace.reader()
        counts: Counter[str] = Counter(passed=0)
        cases = list(_cases(workspace, label_of(reader), counts))
        for number, case in enumerate(cases, start=1):
            for step in FIRST:
                if step not in case.steps and reached(case.steps)[1] is None:
                    _decide(workspace, case, step, _looked_at(workspace, case, step), counts)
            if progress:
                progress(number, len(cases))
        left = [case for case in cases if reached(case.steps)[0] == list(FIRST)]
        for case in left:
            if not is_file(workspace.reference_image(case.instruction.id)):
                make_reference(workspace, case.instruction, case.page, case.steps["boxes"].boxes)
        pictures = [picture for case in left for picture in _pictures(workspace, case)]
        read_pictures(reader, pictures, workers, progress)
        failures = []
        for case in left:
            try:
                _decide(workspace, case, "ocr", _finished(workspace, case, reader), counts)
            except VdeError as error:
                failures.append(str(error))
        if failures:
            raise ReaderError(f"{failures[0]}\n  {len(failures)} images could not be read; run the same command again")
    return counts


def make_reference(
    workspace: Workspace, instruction: Instruction, page: SourcePageRecord, boxes: Sequence[Box]
) -> None:
    """Write the right answer: what is in the boxes from the edit, all else from the page."""
    source, edited = (open_image(file) for file in (workspace.page_image(page), workspace.edit_image(instruction)))
    boxes = clipped(boxes, Size(page.width, page.height), instruction.id)
    write_bytes(workspace.reference_image(instruction.id), encode_png(paste_back(source, edited, boxes)))


def _cases(workspace: Workspace, reader: str, counts: Counter[str]) -> Iterator[ReviewCase]:
    """Edits that this reader has read, not decided on to the end; what an earlier filter said does not count."""
    pages, edits, decided = workspace.pages(), edits_of(workspace), workspace.decisions()
    reads, given = workspace.edits_read(), {id for id, _ in workspace.given_to_people()}
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
        if id in given:  # also with another edit than people have seen
            counts["left to people"] += 1
            continue
        if read.reader != reader:  # the page before the edit and the finished image are to be read alike
            counts["not read yet"] += 1
            continue
        steps = {step: decision for step, decision in steps.items() if decision.by == _by(read)}
        passed, ended = reached(steps)
        if ended or len(passed) > len(FIRST):
            counts["known"] += 1
        else:
            yield ReviewCase(instruction, pages[instruction.page], read, steps)


def _by(read: EditRead) -> str:
    return f"{IDENTITY}, read by {read.reader}"


def _looked_at(workspace: Workspace, case: ReviewCase, step: str) -> RejectedEdit | None:
    """What is wrong with an edit by one of the first three steps."""
    size = Size(case.page.width, case.page.height)
    if step == "score":
        if not case.read.regions:
            return wrong_place(case.instruction, (), size)
        after = workspace.edit_reading(case.instruction.id)
        before = workspace.source_reading(case.page)
        boxes, after = case.read.regions, after.scaled_to(size)
        wrong = wrong_text(case.instruction, before, after)
        if wrong is None and len(boxes) == 1:  # several places are told as such
            wrong = wrong_surroundings(case.instruction, before, after, boxes)
        return wrong
    if step == "boxes":
        return wrong_place(case.instruction, case.read.regions, size)
    source = open_image(workspace.page_image(case.page))
    edited = resized(open_image(workspace.edit_image(case.instruction)), size)
    return wrong_elsewhere(source, edited, case.read.regions)


def _pictures(workspace: Workspace, case: ReviewCase) -> list[ImageCrop]:
    whole = ImageCrop.of(workspace.reference_image(case.instruction.id))
    return [whole, *crops_of(whole, case.page, case.steps["boxes"].boxes)]


def _finished(workspace: Workspace, case: ReviewCase, reader: CachedReader) -> RejectedEdit | None:
    """What is wrong with what the right answer reads, whole and in its place; its readings are kept."""
    id, folder = case.instruction.id, workspace.references / "readings"
    whole, *crops = _pictures(workspace, case)
    reading = reader.read(whole)
    regions: list[PageText] = [reader.read(crop) for crop in crops]
    write_json(workspace.reading_file(folder, id), reading.to_json())
    for number, region in enumerate(regions):
        write_json(workspace.reading_file(folder, id, number), region.to_json())
    wrong = wrong_region(case.instruction, regions)
    if wrong is None and (text := wrong_text(case.instruction, workspace.source_reading(case.page), reading)):
        wrong = RejectedEdit("misread", text.words)
    return wrong


def _decide(
    workspace: Workspace, case: ReviewCase, step: str, wrong: RejectedEdit | None, counts: Counter[str]
) -> None:
    """Write a decision down; the right answer is in its place before the step that made it is."""
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
    told = f"{reason}: {words}" if reason else "stood in for people"
    entry = LedgerEntry(
        "review", id, f"{step} {verdict}", f"{AUTOMATIC}: {decision.by}", inputs={"edit": edit}, words=told
    )
    workspace.ledger.note(entry._replace(outputs=outputs))
    workspace.append(decision)
