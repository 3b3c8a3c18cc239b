"""Between a review and the workspace of `vde build`: its edits into the pool, what people decided back to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vdebench.build.decisions import PEOPLE, STEPS, Decision
from vdebench.build.edit import edited_file_digest, edits_of
from vdebench.build.ledger import Entry
from vdebench.build.lines import add_line
from vdebench.build.read import crops_of
from vdebench.build.review import make_reference
from vdebench.build.workspace import Workspace
from vdebench.files import is_file, write_json
from vdebench.read_ahead import read_pictures
from vdebench.readers.cached import Picture
from vdebench.reading import Reading
from vdebench.review.commands import Sample
from vdebench.review.events import Event
from vdebench.review.facts import Adjudicated, Checked, Closed, Rated
from vdebench.review.ratings import SCALES
from vdebench.review.state import CONFLICT, Item, State


def pool_from_workspace(folder: Path) -> list[Sample]:
    """The samples of a workspace that can be reviewed: everything that was edited, in the order of its draws."""
    workspace = Workspace(folder)
    pages, edits = workspace.pages(), edits_of(workspace)
    found = []
    for id, instruction in workspace.instructions().items():
        made = edits.get(id)
        if made is not None and made.state == "edited":
            page = pages[instruction.page]
            found.append(Sample(id, edited_file_digest(workspace, made), page.width, page.height))
    workspace.require("edit", found, "it has no edited images yet")
    return found


def decisions(state: State) -> list[Decision]:
    """What people have decided so far, in the form of `review.jsonl`: the last word on every step that has ended."""
    ordered = sorted(state.items.values(), key=lambda item: item.position)
    return [decision for item in ordered for decision in _decided(item)]


def _decided(item: Item) -> Iterator[Decision]:
    found: dict[str, Decision] = {}
    for event in item.history:
        closed = event.what
        if isinstance(closed, Closed) and closed.outcome in ("on", "rejected"):
            step = "boxes" if closed.step == CONFLICT else closed.step
            found[step] = _decision(item, step, closed, event)
    if item.step == "withdrawn":
        step = next(step for step in STEPS if step not in found)
        by = item.history[-1]
        when = _seconds(by.when)
        found[step] = Decision(item.id, item.edit, step, "reject", by.who, PEOPLE, when, "withdrawn", item.reason)
    yield from found.values()


def _decision(item: Item, step: str, closed: Closed, event: Event) -> Decision:
    votes = sorted(item.votes(closed.step, closed.round), key=lambda vote: vote.voter)
    verdict = "pass" if closed.outcome == "on" else "reject"
    by = ", ".join(f"{vote.voter.replace(':', ' ')} ({vote.who})" for vote in votes)
    ratings = [vote.what.ratings for vote in votes if isinstance(vote.what, Rated)]
    scores = {scale: min(getattr(each, scale) for each in ratings) for scale in SCALES} if ratings else {}
    words = closed.words or "; ".join(_note(vote) for vote in votes if _note(vote))
    when = _seconds(event.when)
    return Decision(
        item.id, item.edit, step, verdict, by, PEOPLE, when, closed.reason, words, closed.boxes, scores
    )  # fmt: skip


def _note(vote: Event) -> str:
    return vote.what.note if isinstance(vote.what, Checked | Adjudicated) else ""


def _seconds(when: str) -> str:
    return f"{when[:19]}Z"


def make_references(workspace: Workspace, state: State, *, workers: int = 0) -> list[str]:
    """Paste back and read what the groups have agreed on, for the screening and the check; ids of those made now."""
    with workspace.at_work():
        known, made = workspace.decisions(), []
        for decision in decisions(state):
            if decision.step == "boxes" and decision.verdict == "pass":
                kept = known.get((decision.id, decision.edit), {}).get("boxes")
                ready = is_file(workspace.reading_file(workspace.references / "readings", decision.id))
                if kept != decision or not ready:
                    made.append(decision)
        _make(workspace, made, workers)
        for decision in made:
            if known.get((decision.id, decision.edit), {}).get("boxes") != decision:
                _write(workspace, decision)
    return [decision.id for decision in made]


def _make(workspace: Workspace, made: list[Decision], workers: int) -> None:
    pages, instructions, folder = workspace.pages(), workspace.instructions(), workspace.references / "readings"
    pictures: dict[str, list[Picture]] = {}
    for decision in made:
        instruction = instructions[decision.id]
        page = pages[instruction.page]
        make_reference(workspace, instruction, page, decision.boxes)
        whole = Picture.of(workspace.reference_image(decision.id))
        pictures[decision.id] = [whole, *crops_of(whole, page, decision.boxes)]
    if not pictures:
        return
    reader = workspace.reader()
    read_pictures(reader, [picture for each in pictures.values() for picture in each], workers, None)
    for id, (whole, *crops) in pictures.items():
        for number, crop in enumerate(crops):
            write_json(workspace.reading_file(folder, id, number), reader.read(crop).to_json())
        write_json(workspace.reading_file(folder, id), reader.read(whole).to_json())


def write_decisions(workspace: Workspace, state: State, *, workers: int = 0) -> Counter[str]:
    """Bring `review.jsonl` up to what people have decided; corrected texts go into the readings. How many lines now."""
    make_references(workspace, state, workers=workers)
    counts: Counter[str] = Counter()
    with workspace.at_work():
        known = workspace.decisions()
        for decision in decisions(state):
            before = known.get((decision.id, decision.edit), {}).get(decision.step)
            texts = _corrected(state.items[decision.id]) if decision.step == "ocr" else ()
            if texts and before != decision and not _correct(workspace, decision.id, texts):
                words = f"the corrected text could not be placed on the page: {' / '.join(texts)}"
                decision = decision._replace(verdict="reject", reason="misread", words=words)
            if before != decision:
                _write(workspace, decision)
                counts[f"{decision.step} {decision.verdict}"] += 1
    return counts


def _write(workspace: Workspace, decision: Decision) -> None:
    what = f"{decision.step} {decision.verdict}"
    told = f"{decision.reason}: {decision.words}" if decision.reason else decision.words
    entry = Entry("review", decision.id, what, decision.by, decision.when, inputs={"edit": decision.edit}, words=told)
    workspace.ledger.note(entry)
    add_line(workspace.review_file, decision._asdict())


def _corrected(item: Item) -> tuple[str, ...]:
    """What a person says stands in the regions, where they have corrected it."""
    given = [vote.what for vote in item.votes("ocr", item.round) if isinstance(vote.what, Checked)]
    return given[0].texts if given else ()


def _correct(workspace: Workspace, id: str, texts: tuple[str, ...]) -> bool:
    """Put corrected texts into the readings of the regions and of the page; False where their place is not clear."""
    folder = workspace.references / "readings"
    page = workspace.reference_reading(id)
    regions: list[Reading] = []
    for number, text in enumerate(texts):
        region = workspace.reference_reading(id, number)
        if len(region.blocks) != 1:
            return False
        old = region.blocks[0].content
        changed = page if old == text else _with_text(page, old, text)
        if changed is None:
            return False
        page = changed
        regions.append(replace(region, blocks=(replace(region.blocks[0], content=text),)))
    write_json(workspace.reading_file(folder, id), page.to_json())
    for number, region in enumerate(regions):
        write_json(workspace.reading_file(folder, id, number), region.to_json())
    return True


def _with_text(page: Reading, old: str, new: str) -> Reading | None:
    """A page's reading with a text replaced that stands on it once; as it is where that was done before."""
    count = sum(block.content.count(old) for block in page.blocks) if old else 0
    if count == 0 and new and sum(block.content.count(new) for block in page.blocks) == 1:
        return page
    if count != 1:
        return None
    return replace(page, blocks=tuple(replace(each, content=each.content.replace(old, new)) for each in page.blocks))
