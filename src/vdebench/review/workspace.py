"""Exchange with the workspace of `vde build`: edits for the pool, decisions back to `review.jsonl`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

from vdebench.build.decisions import PEOPLE, STEPS, Decision
from vdebench.build.edit import edited_file_digest, edits_of
from vdebench.build.ledger import LedgerEntry, now
from vdebench.build.records import PoolEntry
from vdebench.build.workspace import Workspace
from vdebench.errors import InputError, VdeError
from vdebench.io.files import write_json
from vdebench.pipeline.options import Progress
from vdebench.review.commands import PoolSample
from vdebench.review.event_types import Closed, Withdrawn
from vdebench.review.events import Event
from vdebench.review.image_cache import AT_ONCE
from vdebench.review.pictures import open_checked
from vdebench.review.ratings import SCALES
from vdebench.review.reference_ocr import ReferenceText, corrected, finished
from vdebench.review.state import Item, State
from vdebench.review.steps.ocr import STEP as TEXT_CHECK
from vdebench.review.steps.ocr import Checked
from vdebench.review.workflow import WORKFLOW

PATIENCE = 60.0
"""Seconds to wait for a running stage of the workspace."""


class WorkspaceEdits(NamedTuple):
    """The edits of a workspace for the pool."""

    samples: list[PoolSample]
    """In the order of the workspace's draws."""
    left_out: dict[str, str]
    """Samples whose images cannot be shown, with the error."""


def require_edits(workspace: Workspace) -> list[str]:
    """Return the ids of all edits, in the order of the draws; raise an error if there are none."""
    edits = edits_of(workspace)
    found = [id for id in workspace.instructions() if id in edits and edits[id].state == "edited"]
    workspace.require("edit", found, "it has no edited images yet")
    return found


def pool_from_workspace(folder: Path) -> list[PoolSample]:
    """Return all edits of a workspace; raise `InputError` if an image cannot be shown."""
    found = gather(folder)
    if found.left_out:
        raise InputError("\n  ".join(found.left_out.values()))
    return found.samples


def gather(folder: Path, known: Collection[str] = (), progress: Progress | None = None) -> WorkspaceEdits:
    """Return all edits except `known` samples, and separately those whose images cannot be shown."""
    workspace = Workspace(folder)
    edited = require_edits(workspace)
    pages, edits, instructions = workspace.pages(), edits_of(workspace), workspace.instructions()
    whole_page = cache(lambda page: open_checked(workspace.page_image(pages[page])).shape)  # many edits share a page

    def looked_at(id: str) -> PoolSample | str:
        page = pages[instructions[id].page]
        try:
            sample = PoolSample(id, edited_file_digest(workspace, edits[id]), page.width, page.height)
            open_checked(workspace.edits / edits[id].file)
            if whole_page(page.id)[:2] != (page.height, page.width):
                raise InputError(f"{workspace.page_image(page)}: no longer has {page.width}×{page.height} pixels")
        except VdeError as error:
            return str(error)
        return sample

    gathered = WorkspaceEdits([], {})
    wanted = [id for id in edited if id not in known]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for done, (id, found) in enumerate(zip(wanted, threads.map(looked_at, wanted), strict=True), start=1):
            if isinstance(found, PoolSample):
                gathered.samples.append(found)
            else:
                gathered.left_out[id] = found
            if progress:
                progress(done, len(wanted))
    return gathered


def note_given(workspace: Workspace, given: Mapping[str, str]) -> None:
    """Record which edits people decide on, so that no filter does; needs `review_lock`."""
    known = workspace.samples_in_review()
    for id, edit in given.items():
        if (id, edit) not in known:
            workspace.append(PoolEntry(id, edit, now()))


def decisions(state: State) -> list[Decision]:
    """Return people's decisions as lines of `review.jsonl`: the last one for every step that has ended."""
    ordered = sorted(state.items.values(), key=lambda item: item.position)
    return [decision for item in ordered for decision in _decided(item)]


def _decided(item: Item) -> Iterator[Decision]:
    found: dict[str, Decision] = {}
    for event in item.history:
        closed = event.what
        if isinstance(closed, Closed) and closed.outcome in ("on", "rejected"):
            step = WORKFLOW[closed.step].review_step
            found[step] = _decision(item, step, closed, event)
    if item.step == "withdrawn":
        step = next(step for step in STEPS if step not in found)
        by = next(event for event in reversed(item.history) if isinstance(event.what, Withdrawn))
        when = _seconds(by.when)
        found[step] = Decision(item.id, item.edit, step, "reject", by.who, PEOPLE, when, "withdrawn", item.reason)
    yield from found.values()


def _decision(item: Item, step: str, closed: Closed, event: Event) -> Decision:
    votes = sorted(item.votes(closed.step, closed.round), key=lambda vote: vote.voter)
    verdict = "pass" if closed.outcome == "on" else "reject"
    by = ", ".join(f"{vote.voter.replace(':', ' ')} ({vote.who})" for vote in votes)
    ratings = [vote.what.ratings for vote in votes if hasattr(vote.what, "ratings")]
    scores = {scale: min(getattr(each, scale) for each in ratings) for scale in SCALES} if ratings else {}
    single = WORKFLOW[closed.step].voters in ("person", "adjudicator")
    words = closed.words or (getattr(votes[0].what, "note", "") if single else "")
    when = _seconds(event.when)
    return Decision(
        item.id, item.edit, step, verdict, by, PEOPLE, when, closed.reason, words, closed.boxes, scores
    )  # fmt: skip


def _seconds(when: str) -> str:
    return f"{when[:19]}Z"


def write_decisions(workspace: Workspace, state: State) -> Counter[str]:
    """Write new decisions to `review.jsonl`; return their number by step and verdict.

    Decisions that need a reference image wait until it exists (see `preparation.py`).
    """
    counts: Counter[str] = Counter()
    known = workspace.decisions()
    wanted = [each for each in decisions(state) if known.get((each.id, each.edit), {}).get(each.step) != each]
    if not wanted:
        return counts
    with workspace.review_lock():
        for decision in wanted:
            item = state.items[decision.id]
            found = finished(workspace, item.id, item.edit, item.boxes) if item.boxes else None
            if (decision.step, decision.verdict) == ("boxes", "pass") and found is None:
                continue
            texts = corrected_texts(item) if decision.step == TEXT_CHECK.review_step else ()
            if texts:
                if found is None:
                    continue
                done = corrected(found, texts)
                if isinstance(done, ReferenceText):
                    write_readings(workspace, item.id, done)
                else:
                    words = f"{done}; the corrected text: {' / '.join(texts)}"
                    decision = decision._replace(verdict="reject", reason="misread", words=words)
                    if known.get((item.id, item.edit), {}).get(TEXT_CHECK.review_step) == decision:
                        continue
            write_decision(workspace, decision)
            counts[f"{decision.step} {decision.verdict}"] += 1
    return counts


def write_readings(workspace: Workspace, id: str, found: ReferenceText) -> None:
    """Write the OCR output of a reference image and its regions to where packaging reads it."""
    folder = workspace.references / "readings"
    for number, region in enumerate(found.regions):
        write_json(workspace.reading_file(folder, id, number), region.to_json())
    write_json(workspace.reading_file(folder, id), found.page.to_json())


def write_decision(workspace: Workspace, decision: Decision) -> None:
    """Append a decision to `review.jsonl` and the ledger; needs `review_lock`."""
    what = f"{decision.step} {decision.verdict}"
    told = f"{decision.reason}: {decision.words}" if decision.reason else decision.words
    entry = LedgerEntry(
        "review", decision.id, what, decision.by, decision.when, inputs={"edit": decision.edit}, words=told
    )
    workspace.ledger.note(entry)
    workspace.append(decision)


def corrected_texts(item: Item) -> tuple[str, ...]:
    """Return the corrected texts of the regions; empty if none were corrected."""
    given = [vote.what for vote in item.votes(TEXT_CHECK.name, item.round) if isinstance(vote.what, Checked)]
    return given[0].texts if given else ()
