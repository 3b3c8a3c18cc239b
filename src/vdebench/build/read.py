"""The stage `read`: run OCR on every edited image, whole and in the regions that differ from its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vdebench.build.edit import edited_file_digest, edits_of, record_edits
from vdebench.build.ledger import LedgerEntry
from vdebench.build.records import EditRead
from vdebench.build.regions import IDENTITY, differing
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box, Size
from vdebench.core.images import PixelBox, resized
from vdebench.core.page_text import PageText
from vdebench.errors import ReaderError, VdeError
from vdebench.instructions.records import Instruction, SourcePageRecord
from vdebench.io.cache import digest_of_file
from vdebench.io.files import write_json
from vdebench.io.images import image_size
from vdebench.pipeline.options import Progress
from vdebench.pipeline.read import read_pictures
from vdebench.readers.cached import CachedReader, ImageCrop


class ReadJob(NamedTuple):
    """An edit to be read."""

    instruction: Instruction
    page: SourcePageRecord
    source: ImageCrop
    edited: ImageCrop


def read(workspace: Workspace, *, workers: int = 0, progress: Progress | None = None) -> Counter[str]:
    """Run OCR on all new edits; return the number of read, known and failed ones."""
    with workspace.stage_lock():
        reader = workspace.reader()
        all_jobs = list(_jobs(workspace))
        workspace.require("edit", all_jobs, "it has no edited images yet")
        record_edits(workspace)  # if the process was killed in the stage `edit`
        known = workspace.edits_read()
        jobs = [job for job in all_jobs if not _is_current(known.get(job.instruction.id), job, reader)]
        read_pictures(reader, [picture for job in jobs for picture in job[2:]], workers, progress)
        found = [_regions(job, reader) for job in jobs]
        pairs = list(zip(jobs, found, strict=True))
        crops = [crop for job, boxes in pairs for crop in crops_of(job.edited, job.page, boxes)]
        read_pictures(reader, crops, workers, progress)
        counts: Counter[str] = Counter(known=len(all_jobs) - len(jobs), read=0, failed=0)
        reason = ""
        for job, boxes in pairs:
            line = _write_result(workspace, job, boxes, reader)
            workspace.append(line)
            counts[line.state] += 1
            reason = line.reason or reason
        if counts["failed"]:
            raise ReaderError(f"{reason}\n  {counts['failed']} edits could not be read; run the same command again")
    return counts


def label_of(reader: CachedReader) -> str:
    """Return the label of the reader with the version of the region detection."""
    return f"{reader.label} {IDENTITY}"


def crops_of(picture: ImageCrop, page: SourcePageRecord, boxes: Sequence[Box]) -> Iterator[ImageCrop]:
    """Yield crops of an image of any size; the boxes are in pixels of the page."""
    size = image_size(picture.file)
    for box in boxes:
        scaled = box.scaled(size.width / page.width, size.height / page.height)
        yield picture._replace(crop=PixelBox.holding(scaled, size))


def _jobs(workspace: Workspace) -> Iterator[ReadJob]:
    pages, edits = workspace.pages(), edits_of(workspace)
    for id, instruction in workspace.instructions().items():
        if id in edits and edits[id].state == "edited":
            edited_file_digest(workspace, edits[id])
            page = pages[instruction.page]
            source = ImageCrop.of(workspace.page_image(page), lasting=True)
            yield ReadJob(instruction, page, source, ImageCrop.of(workspace.edit_image(instruction)))


def _is_current(known: EditRead | None, job: ReadJob, reader: CachedReader) -> bool:
    expected = job.edited.content, label_of(reader), "read"
    return known is not None and (known.edit, known.reader, known.state) == expected


def _regions(job: ReadJob, reader: CachedReader) -> list[Box]:
    """Return the boxes where the edit differs from its page; empty if either cannot be read, which is
    reported later.
    """
    size = Size(job.page.width, job.page.height)
    try:
        blocks = _blocks(job.instruction, reader.read(job.source))
        return differing(job.source.open(), resized(job.edited.open(), size), blocks)
    except VdeError:
        return []


def _blocks(instruction: Instruction, page: PageText) -> list[Box]:
    """Return blocks in which a change may continue over lines: tables only if their structure changes."""
    of_tables = instruction.operation == "table_structure"
    if instruction.operation.startswith("table") and not of_tables:
        return []
    place = [instruction.place] if instruction.place else []
    return place + [block.box for block in page.blocks if bool(block.html) == of_tables]


def _write_result(workspace: Workspace, job: ReadJob, boxes: Sequence[Box], reader: CachedReader) -> EditRead:
    """Write OCR output to the workspace; return the record, which is written last."""
    id, folder = job.instruction.id, workspace.readings
    try:
        write_json(folder / "pages" / f"{job.page.id}.json", reader.read(job.source).to_json())
        write_json(workspace.reading_file(folder, id), reader.read(job.edited).to_json())
        for number, crop in enumerate(crops_of(job.edited, job.page, boxes)):
            write_json(workspace.reading_file(folder, id, number), reader.read(crop).to_json())
    except VdeError as error:
        return EditRead(id, job.edited.content, label_of(reader), "failed", reason=str(error))
    outputs = {"reading": digest_of_file(workspace.reading_file(folder, id))}
    words = f"{len(boxes)} regions"
    inputs = {"edit": job.edited.content, "page": job.page.sha256}
    workspace.ledger.note(
        LedgerEntry("read", id, "read", label_of(reader), inputs=inputs, outputs=outputs, words=words)
    )
    return EditRead(id, job.edited.content, label_of(reader), "read", boxes)
