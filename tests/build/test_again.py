"""Changes after a stage: another reader, other attempts, newer edits, an outdated package."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from tests.build.pages import CodeReader
from vdebench.build.card import body
from vdebench.build.decisions import PEOPLE, Decision, latest_decisions
from vdebench.build.edit import edits_of
from vdebench.build.funnel import funnel
from vdebench.build.instruct import instruct
from vdebench.build.ledger import LedgerEntry
from vdebench.build.package import package
from vdebench.build.package_contents import PackagedSuite
from vdebench.build.read import read
from vdebench.build.records import EditRead
from vdebench.build.review import make_reference, review_automatically
from vdebench.build.settings import Component, write_settings
from vdebench.build.status import status_json
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box
from vdebench.errors import InputError, VdeError
from vdebench.instructions.generator import GeneratedAnswer, Generator, GeneratorError
from vdebench.io.images import open_image
from vdebench.readers.reader import READERS
from vdebench.suites.suite import load_suite


class OtherReader(CodeReader):
    """Reads the same, as another."""

    @property
    def identity(self):
        return {"name": "other", "version": "2"}


def test_another_reader_has_not_read_the_edits_yet(reviewed, monkeypatch):
    monkeypatch.setitem(READERS, "other", "tests.build.test_again:OtherReader")
    reviewed.review_file.unlink()
    write_settings(reviewed.root, replace(reviewed.settings, reader=Component("other")))
    workspace = Workspace(reviewed.root)
    assert review_automatically(workspace, workers=1) == {"passed": 0, "not read yet": 9}
    assert not workspace.review_file.exists()  # nothing was decided by two readers
    assert status_json(workspace)["next"].startswith("vde build read")
    assert read(workspace, workers=1)["read"] == 9
    assert review_automatically(workspace, workers=1)["passed"] == 9
    assert all("other@2" in steps["ocr"].by for steps in workspace.decisions().values())


class Faltering(Generator):
    """Its first answer is none, and there is no second."""

    name = label = "faltering"

    def answer(self, asked):
        if asked.attempt > 1:
            raise GeneratorError("the server is away")
        return GeneratedAnswer("")


def test_draws_do_not_stay_open_after_fewer_attempts(workspace, monkeypatch):
    monkeypatch.setattr("vdebench.build.instruct.generator", lambda name, options: Faltering())
    with pytest.raises(VdeError, match="the server is away"):
        instruct(workspace, parallelism=1)
    assert funnel(workspace)[1].pending == 9
    assert instruct(workspace, attempts=1) == {"known": 0, "empty": 9, "answers": 1}  # eight gave up before the ninth
    assert (funnel(workspace)[1].pending, funnel(workspace)[1].rejected) == (0, {"empty": 9})
    assert instruct(workspace, attempts=1) == {"known": 9, "answers": 0}


def decide(workspace, ids, kind=PEOPLE, **told):
    for id in ids:
        edit = workspace.edits_read()[id].edit
        for step in ("score", "boxes", "screen", "ocr"):
            boxes = workspace.edits_read()[id].regions if step == "boxes" else ()
            decision = Decision(id, edit, step, "pass", "group 1", kind, "2026-11-16T00:00:00Z", boxes=boxes)
            workspace.append(decision._replace(**told if step == "boxes" else {}))


@pytest.mark.parametrize(
    ("by_people", "begins", "also"),
    [
        (0, "**This data set was not reviewed by people.** An automatic filter stood in for them:", "a filter in place of"),
        (4, "**Only 4 of 9 samples were reviewed by people.** An automatic filter stood in for them for the others:",
         "| people, a filter in place of some |"),
        (9, "Every sample was reviewed by people.", "| people |"),
    ],
)  # fmt: skip
def test_the_card_says_who_has_reviewed_how_much(reviewed, by_people, begins, also):
    decide(reviewed, list(reviewed.instructions())[:by_people])
    suite = PackagedSuite(reviewed)
    card = "\n".join(body(suite, reviewed.settings, funnel(reviewed), "code 1", "code@1"))
    assert begins in card
    assert also in card
    assert card.count("reviewed by people") == 1
    assert ("Every sample" in card) == (by_people == 9)


def test_status_looks_at_the_edits_as_they_are(reviewed):
    assert status_json(reviewed)["next"].startswith("vde build package")
    id, made = next(iter(edits_of(reviewed).items()))
    gone = EditRead("an older instruction", "0" * 64, "code", "read")
    reviewed.append(gone)
    failed = reviewed.edits_read()[id]._replace(state="failed", reason="no memory")
    reviewed.append(failed)  # so there are as many lines as edits, and more
    assert status_json(reviewed)["next"].startswith("vde build read")
    reviewed.append(failed._replace(state="read"))
    assert status_json(reviewed)["next"].startswith("vde build package")
    other = next(file for file in (reviewed.edits / "images" / "text").iterdir() if file.stem != id)
    shutil.copy(other, reviewed.edits / made.file)
    assert status_json(reviewed)["next"].startswith("vde build read")


def test_status_notices_a_package_that_is_out_of_date(reviewed):
    package(reviewed)
    assert status_json(reviewed)["next"].startswith("vde run")
    (id, edit), steps = next(iter(reviewed.decisions().items()))
    reviewed.append(steps["screen"]._replace(verdict="reject", kind=PEOPLE, reason="ugly"))
    assert status_json(reviewed)["next"].startswith("vde build package")
    package(reviewed)
    assert len(load_suite(reviewed.package)) == 8
    assert status_json(reviewed)["next"].startswith("vde run")
    sample = next(iter(PackagedSuite(reviewed)))
    reviewed.ledger.note(
        LedgerEntry("review", sample.id, "screen pass", "group 2", inputs={"edit": edit})
    )  # looked at again
    assert status_json(reviewed)["next"].startswith("vde build package")
    assert id not in PackagedSuite(reviewed).passed


@pytest.mark.parametrize("box", [[5, 5, 5, 9], [9, 5, 5, 9], [1, 9, 5, 9], [1, 9, 5, 3]])
def test_boxes_of_no_area_are_refused(box):
    decision = Decision("a", "e", "boxes", "pass", "group 1", PEOPLE, "", boxes=[[0, 0, 9, 9], box])
    with pytest.raises(InputError, match=r"a: boxes are .*right of left and below top"):
        latest_decisions([decision])


def test_boxes_end_where_the_page_does(reviewed):
    id = next(iter(reviewed.instructions()))
    page = reviewed.pages()[reviewed.instructions()[id].page]
    decide(reviewed, [id], boxes=[[-20, -5.0, page.width + 50, page.height + 9]])
    suite = PackagedSuite(reviewed)
    region = next(sample for sample in suite if sample.id == id).regions[0]
    assert (region.x, region.y, region.width, region.height) == (0, 0, 100, 100)
    package(reviewed)
    with pytest.raises(InputError, match=f"{id}: the box .* is not on the page, which has 600×216"):
        make_reference(reviewed, reviewed.instructions()[id], page, [Box(700, 5, 800, 20)])
    make_reference(reviewed, reviewed.instructions()[id], page, [Box(-9, 0, 700, 300)])
    edited = open_image(reviewed.edit_image(reviewed.instructions()[id]))
    assert np.array_equal(open_image(reviewed.reference_image(id)), edited)


def test_what_failures_said_is_not_packaged(reviewed):
    id = next(iter(reviewed.instructions()))
    reviewed.ledger.note(
        LedgerEntry(
            "edit", id, "failed", "code 1: /home/me/w", words="/home/me/weights: no such file (http://10.0.0.7)"
        )
    )
    package(reviewed)
    lines = [json.loads(line) for line in (reviewed.package / "provenance.jsonl").read_text().splitlines()]
    assert [line["words"] for line in lines if line["what"] == "failed"] == [""]
    for file in reviewed.package.rglob("*"):
        assert not file.is_file() or b"/home/me" not in file.read_bytes()


def test_a_whole_line_that_is_no_json_is_named_and_an_unfinished_one_is_not(reviewed):
    with reviewed.review_file.open("ab") as file:
        file.write(b'{"id": "half a')
    journal = reviewed.journal(Decision)
    count = len(list(journal))
    assert len(reviewed.decisions()) == 9
    last = list(journal)[-1]
    journal.append(last._replace(id="z"))  # the half is taken away, or it would be a line
    assert len(list(journal)) == count + 1
    with reviewed.review_file.open("ab") as file:
        file.write(json.dumps(last._replace(id="y")._asdict()).encode())  # whole but for its end
    journal.append(last._replace(id="x"))
    assert [line.id for line in journal][-3:] == ["z", "y", "x"]
    with reviewed.review_file.open("ab") as file:
        file.write(b'{"id": "by hand", }\n\n{"id": "w"}\n')
    with pytest.raises(InputError, match=rf"review\.jsonl: line {count + 4}: not JSON: .*\n  correct that line"):
        list(journal)
