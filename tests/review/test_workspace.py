"""From a workspace into the pool, and what people decide back into it: what passes is what is packaged."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.build.pages import CodeReader
from tests.review.people import NINE, Review
from tests.review.tiny_workspace import boxes_of
from vdebench.build.decisions import PEOPLE
from vdebench.build.funnel import funnel as build_funnel
from vdebench.build.funnel import require_consistent
from vdebench.build.package import package
from vdebench.build.review import review_automatically
from vdebench.core.box import Box
from vdebench.errors import InputError
from vdebench.io.images import open_image
from vdebench.review.commands import Add, Mark, Withdraw
from vdebench.review.event_types import Unmarked
from vdebench.review.events import Event
from vdebench.review.options import Options
from vdebench.review.preparation import make_references
from vdebench.review.ratings import Ratings
from vdebench.review.state import apply
from vdebench.review.steps.conflict import Adjudicate
from vdebench.review.workspace import decisions, pool_from_workspace, write_decisions
from vdebench.suites.suite import load_suite


def opened(workspace, **options):
    return Review(0, Options(**options), Add(tuple(pool_from_workspace(workspace.root))))


def test_what_passes_is_packaged(workspace):
    review = opened(workspace)
    ids = list(review.state.items)
    assert len(ids) == 9
    poor, unclear, misread, gone, *rest = ids
    for id in ids[:-1]:  # the last stays in the pool
        review.score(id, (NINE, Ratings(2, 3, 3) if id == poor else NINE, NINE))
    review.must(Withdraw(gone, "a name is on it"), "root")
    for id in (unclear, misread, *rest[:-1]):
        review.draw(id, [boxes_of(workspace, id)] * 3)
    made = make_references(workspace, review.state, workers=1)
    assert made == ([unclear, misread, *rest[:-1]], {})
    assert make_references(workspace, review.state, workers=1) == ([], {})
    for id in (unclear, misread, *rest[:-1]):
        review.screen(id, (True, id != unclear, True))
    for id in (misread, *rest[:-1]):
        review.check(id, "wrong" if id == misread else "correct")
    counts = write_decisions(workspace, review.state)
    assert counts == {
        "score pass": 7,
        "score reject": 1,
        "screen pass": 5,
        "screen reject": 1,
        "ocr pass": 4,
        "ocr reject": 1,
        "boxes pass": 6,
        "boxes reject": 1,
    }
    assert write_decisions(workspace, review.state) == {}
    steps = {step.name: step for step in build_funnel(workspace)}
    require_consistent(list(steps.values()))
    assert [steps[name].passed for name in ("scored 9", "boxes agreed", "screened", "OCR checked")] == [7, 6, 5, 4]
    assert [dict(steps[name].rejected) for name in ("scored 9", "boxes agreed", "screened", "OCR checked")] == [
        {"low_score": 1},
        {"withdrawn": 1},
        {"screened_out": 1},
        {"misread": 1},
    ]
    assert package(workspace).total() == 4
    suite = load_suite(workspace.package)
    assert list(suite.faults()) == []
    for sample in suite:  # pixels outside the boxes that were agreed on are the page's
        source, reference, mask = (open_image(file) for file in suite.image_files(sample))
        outside = mask[:, :, 0] == 0
        assert (source == reference)[outside].all()
        assert (source != reference)[~outside].any()
        assert sample.extra["reviewed_by_people"]


def test_the_largest_box_is_what_is_pasted(workspace):
    review = opened(workspace)
    id = next(iter(review.state.items))
    (box, *_) = boxes_of(workspace, id)
    wide = Box(0, box.y1 - 1, 600, box.y2 + 1)
    review.score(id)
    review.draw(id, [(wide,), (Box(1, wide.y1, 600, wide.y2),), (wide,)])
    assert review.item(id).boxes == (wide,)
    assert make_references(workspace, review.state, workers=1) == ([id], {})
    instruction = workspace.instructions()[id]
    page, edited = (
        open_image(workspace.page_image(workspace.pages()[instruction.page])),
        open_image(workspace.edit_image(instruction)),
    )
    pasted = open_image(workspace.reference_image(id))
    assert (pasted[wide.y1 : wide.y2, wide.x1 : wide.x2] == edited[wide.y1 : wide.y2, wide.x1 : wide.x2]).all()
    kept = pasted.copy()
    kept[wide.y1 : wide.y2, wide.x1 : wide.x2] = page[wide.y1 : wide.y2, wide.x1 : wide.x2]
    assert (kept == page).all()


def test_people_overrule_the_filter(workspace):
    review_automatically(workspace, workers=1)
    review = opened(workspace, rounds=1)
    id, other = list(review.state.items)[:2]
    review.score(id, (NINE, NINE, Ratings(1, 1, 1)))
    review.score(other)
    (box, *_) = boxes_of(workspace, other)
    far = Box(0, 0, 20, 20)
    review.draw(other, [(box,), (far,), (box,)])
    assert write_decisions(workspace, review.state) == {
        "score reject": 1,
        "score pass": 1,
    }  # no word yet on a conflict
    review.must(Adjudicate(other, 1, "boxes", (box,), "the second group saw a stain"), "judge")
    make_references(workspace, review.state, workers=1)
    assert write_decisions(workspace, review.state) == {"boxes pass": 1}
    last = {decision.step: decision for decision in decisions(review.state) if decision.id == other}
    assert (last["boxes"].by, last["boxes"].boxes, last["boxes"].kind) == ("adjudicator (judge)", (box,), PEOPLE)
    assert last["score"].scores == {"compliance": 3, "authenticity": 3, "satisfaction": 3}
    assert last["score"].by == "group 1 (1a), group 2 (2a), group 3 (3a)"
    decided = workspace.decisions()
    assert decided[id, review.item(id).edit]["score"].verdict == "reject"
    assert decided[other, review.item(other).edit]["boxes"] == last["boxes"]


def checked(workspace, texts):
    """A sample whose reading a person corrects; its id, and the decision on it."""
    review = opened(workspace)
    id = next(iter(review.state.items))
    review.score(id)
    review.draw(id, [boxes_of(workspace, id)] * 3)
    make_references(workspace, review.state, workers=1)
    review.screen(id)
    review.check(id, "corrected", texts)
    write_decisions(workspace, review.state)
    return id, workspace.decisions()[id, review.item(id).edit]["ocr"]


def test_a_corrected_text_goes_into_the_readings(workspace, monkeypatch, tmp_path):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr(CodeReader, "read", misreading(CodeReader.read))
    id, decision = checked(workspace, ["corrected!"])
    assert decision.verdict == "pass"
    assert workspace.reference_reading(id, 0).blocks[0].content == "corrected!"
    contents = [block.content for block in workspace.reference_reading(id).blocks]
    assert contents == ["with corrected! in it", "another misread", "third"]


def misreading(read, page=("with misread in it", "another misread", "third")):
    """A reader that takes every small picture for one word, and a page for three lines."""
    from dataclasses import replace

    def wrong(self, image):
        found = read(self, image)
        words = ["misread"] if image.shape[0] < 80 else page
        blocks = [replace(block, content=word) for block, word in zip(found.blocks, words, strict=False)]
        return replace(found, blocks=tuple(blocks))

    return wrong


def test_a_corrected_text_without_a_place_is_no_truth(workspace, monkeypatch, tmp_path):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "empty"))
    twice = misreading(CodeReader.read, ["misread and misread again", "second", "third"])
    monkeypatch.setattr(CodeReader, "read", twice)
    id, decision = checked(workspace, ["corrected!"])
    assert (decision.verdict, decision.reason) == ("reject", "misread")
    assert "corrected!" in decision.words
    assert workspace.reference_reading(id, 0).blocks[0].content == "misread"  # nothing half done


def test_lines_of_the_review_say_who_and_when(workspace):
    review = opened(workspace)
    id = next(iter(review.state.items))
    review.score(id)
    write_decisions(workspace, review.state)
    (line,) = map(json.loads, workspace.review_file.read_text().splitlines())
    assert line["when"].startswith("2026-11-16T09:00:")
    assert len(line["when"]) == len("2026-11-16T09:00:00Z")
    assert line["scores"] == {"compliance": 3, "authenticity": 3, "satisfaction": 3}
    entry = [entry for entry in workspace.ledger if entry.stage == "review"]
    assert [(each.id, each.what, each.by) for each in entry] == [
        (id, "score pass", "group 1 (1a), group 2 (2a), group 3 (3a)")
    ]


def test_who_has_withdrawn_a_sample(workspace):
    """Also where something was written down of it afterwards, as older versions did."""
    review = opened(workspace)
    id = next(iter(review.state.items))
    review.must(Mark(id, "m", "after", (Box(1, 1, 9, 9),)), "1a")
    review.must(Withdraw(id, "a name is on it"), "root")
    state = apply(review.state, Event("1a", "2027-01-01T00:00:00.000000Z", Unmarked(id, "m")))
    (decision,) = decisions(state)
    assert (decision.by, decision.reason, decision.words) == ("root", "withdrawn", "a name is on it")
    assert decision.when.startswith("2026-11-16")


def test_a_workspace_without_edits(workspace):
    shutil.rmtree(workspace.edits)
    with pytest.raises(InputError, match="no edited images yet"):
        pool_from_workspace(workspace.root)
