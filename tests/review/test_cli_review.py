"""`vde build review`, `vde review …` and `vde build package` as they are typed: from edits to what is shipped."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from PIL import Image

from tests.build.pages import write_line
from tests.review.bad_pictures import png
from tests.review.people import NINE
from tests.review.tiny_workspace import boxes_of, make_workspace, with_our_reader
from tests.review.typed import agreed, filled, vde
from tests.review.voting import Voting
from vdebench.build.funnel import funnel as build_funnel
from vdebench.build.funnel import require_consistent
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box
from vdebench.errors import VdeError
from vdebench.io.images import open_image
from vdebench.review.commands import Withdraw
from vdebench.review.funnel import funnel, passed_through
from vdebench.review.options import Options
from vdebench.review.pool import Pool
from vdebench.review.preparation import prepare
from vdebench.review.ratings import Ratings
from vdebench.review.reference_ocr import finished
from vdebench.review.steps.conflict import Adjudicate
from vdebench.review.store import Store
from vdebench.suites.suite import load_suite

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")

LOW = Ratings(3, 2, 3)


def numbers(workspace, store):
    """How many have come through each step and why others have not, by the review and by the workspace."""
    state = store.state()
    found, through = funnel(state), passed_through(state.items.values())
    steps = build_funnel(workspace)
    require_consistent(steps)
    reasons = dict(found.rejected)
    if found.places["withdrawn"]:
        reasons["withdrawn"] = found.places["withdrawn"]
    by_workspace: dict[str, int] = {}
    for step in steps[3:]:
        for reason, count in step.rejected.items():
            by_workspace[reason] = by_workspace.get(reason, 0) + count
    ended = found.places["rejected"] + found.places["withdrawn"] + found.places["OCR checked"]
    theirs = [step.passed for step in steps[3:]], by_workspace, sum(step.pending for step in steps[3:])
    return (list(through.values()), reasons, found.total - ended), theirs


def test_what_people_let_pass_is_what_is_packaged(workspace, store):
    people = Voting(store)
    ids = list(store.state().items)
    low, out, misread, gone, conflict, *good, waiting = ids
    for id in ids[:-1]:
        people.score(id, (NINE, LOW, NINE) if id == low else (NINE, NINE, NINE))
    people.must(Withdraw(gone, "a name is on it"), "root")
    for id in (out, misread, *good):
        people.draw(id, boxes_of(workspace, id))
    for _ in range(3):  # the third group sees something else, to the last round
        people.draw(conflict, boxes_of(workspace, conflict), [(Box(0, 0, 30, 30),)])
    ours, theirs = numbers(workspace, store)
    assert ours != theirs  # nobody has brought it over yet
    assert f"{workspace.root}: {2 + len(good)} reference images created and read" in vde(
        "review", "prepare", workspace.root, "--workers", 1
    )
    ours, theirs = numbers(workspace, store)
    assert ours == theirs == ([7, 2 + len(good), 0, 0], {"low_score": 1, "withdrawn": 1}, 7)
    people.must(Adjudicate(conflict, 3, "boxes", boxes_of(workspace, conflict), "the third group is wrong"), "judge")
    prepare(workspace.root, workers=1)
    good = [conflict, *good]
    for id in (out, misread, *good):
        people.screen(id, (True, id != out, True))
    for id in (misread, *good):
        people.check(id, "wrong" if id == misread else "correct")
    packaged = vde("build", "package", workspace.root)
    assert f"{len(good)} samples" in packaged
    ours, theirs = numbers(workspace, store)
    reasons = {"low_score": 1, "withdrawn": 1, "screened_out": 1, "misread": 1}
    assert ours == theirs == ([7, 6, 5, 4], reasons, 1)
    assert store.check() == []
    status = json.loads(vde("review", "status", workspace.root, "--json"))
    assert status["funnel"]["places"]["OCR checked"] == len(good)
    assert status["through"] == {"score": 7, "boxes": 6, "screen": 5, "ocr": 4}

    suite = load_suite(workspace.package)
    assert sorted(sample.id for sample in suite) == sorted(good)
    assert list(suite.faults()) == []
    card = (workspace.package / "README.md").read_text()
    assert "Every sample was reviewed by people." in card
    assert "| screened | `screened_out` | 1 | a group said no at the final screening |" in card
    state = store.state()
    for sample in suite:
        source, reference, mask = (open_image(file) for file in suite.image_files(sample))
        edit = open_image(workspace.edit_image(workspace.instructions()[sample.id]))
        outside = np.ones(source.shape[:2], bool)
        for x1, y1, x2, y2 in state.items[sample.id].boxes:
            outside[y1:y2, x1:x2] = False
        assert np.array_equal(mask[:, :, 0] == 0, outside)
        assert np.array_equal(reference[outside], source[outside])
        assert np.array_equal(reference[~outside], edit[~outside])
        assert not np.array_equal(reference, source)
        assert sample.extra["reviewed_by_people"]
        replacement = sample.extra.get("replacement", "")
        assert replacement in " ".join(block.content for block in suite.ground_truth(sample).blocks)
    assert f"next: vde review serve {workspace.root}" in vde("build", "status", workspace.root)
    assert state.items[waiting].step == "score"
    before = workspace.review_file.read_bytes(), workspace.pool_file.read_bytes(), workspace.ledger.file.read_bytes()
    done = prepare(workspace.root, workers=1)
    assert (done.made, done.written, done.failed) == ([], {}, {})
    filled(workspace)
    assert before == (
        workspace.review_file.read_bytes(),
        workspace.pool_file.read_bytes(),
        workspace.ledger.file.read_bytes(),
    )


def test_corrected_texts_are_packaged(workspace, store):
    people, pool = Voting(store), Pool(workspace.root)
    id = next(iter(store.state().items))
    agreed(workspace, people, id)
    boxes = store.state().items[id].boxes
    (text,) = pool.readings(id, boxes)
    people.check(id, "corrected", [f"{text}{text}"])  # holds the old text: done twice it would be another
    prepare(workspace.root, workers=1)
    lines = workspace.review_file.read_text().splitlines()
    workspace.review_file.write_text("".join(f"{line}\n" for line in lines if '"step": "ocr"' not in line))
    shutil.rmtree(workspace.references / "readings" / "regions")  # killed in between
    vde("build", "package", workspace.root)
    suite = load_suite(workspace.package)
    (sample,) = suite
    assert [block.content for block in suite.ground_truth_regions(sample)[0].blocks] == [f"{text}{text}"]
    whole = " ".join(block.content for block in suite.ground_truth(sample).blocks)
    assert (whole.count(f"{text}{text}"), whole.count(text)) == (1, 2)
    assert finished(workspace, id, store.state().items[id].edit, boxes).texts == [text]  # as it was read
    shutil.rmtree(workspace.references)  # made anew, with the correction
    vde("review", "prepare", workspace.root, "--workers", 1)
    assert workspace.reference_reading(id, 0).blocks[0].content == f"{text}{text}"


def test_a_correction_without_a_place_is_told(workspace, store):
    people = Voting(store)
    id = next(iter(store.state().items))
    people.score(id)
    people.draw(id, (Box(0, 0, 600, 200),))  # the whole page: three lines
    prepare(workspace.root, workers=1)
    people.screen(id)
    boxes = store.state().items[id].boxes
    assert "read as 3 blocks" in Pool(workspace.root).wrong_correction(id, boxes, ["other"])
    people.check(id, "corrected", ["other"])
    assert prepare(workspace.root, workers=1).written == {"screen pass": 1, "ocr reject": 1}
    assert prepare(workspace.root, workers=1).written == {}
    shown = vde("review", "status", workspace.root)
    assert "passed, but not packaged: a corrected text has no clear place" in " ".join(shown.split())
    assert json.loads(vde("review", "status", workspace.root, "--json"))["not_placed"] == [id]
    with pytest.raises(VdeError, match="no edit has passed the review"):
        vde("build", "package", workspace.root)


def test_edits_that_nobody_could_look_at_are_told(workspace):
    ids = list(workspace.instructions())
    files = [workspace.edit_image(workspace.instructions()[id]) for id in ids]
    Image.new("RGB", (1, 1)).save(files[0])
    files[1].write_bytes(files[1].read_bytes()[:300])
    files[2].write_bytes(png(60_000, 60_000))
    Image.new("1", (20_001, 20)).save(files[3])
    files[4].unlink()
    told = filled(workspace)
    assert "4 samples added to the pool, 0 were in it" in told
    for id, words in zip(
        ids,
        (
            "1×1 pixels, expected sides of 16 to 20,000",
            "is broken",
            "more than 178,956,970 pixels",
            "20001×20 pixels",
            "missing; run `vde build edit",
        ),
        strict=False,
    ):
        (line,) = [line for line in told.splitlines() if line.startswith(f"warning: {id} is left out: ")]
        assert words in line or "cannot be read" in line
    with Store(workspace.root / "review.sqlite") as store:
        assert list(store.state().items) == ids[5:]
    assert {entry.id for entry in workspace.ledger if entry.what == "left out"} == set(ids[:5])
    for file in files[5:]:
        Image.new("RGB", (1, 1)).save(file)
    assert f"warning: {ids[5]} was edited again after it was added to the pool" in filled(workspace)


def test_none_that_can_be_looked_at(workspace):
    for instruction in workspace.instructions().values():
        Image.new("RGB", (1, 1)).save(workspace.edit_image(instruction))
    with pytest.raises(VdeError, match=r"none of its 9 edits can be reviewed:\n.*1×1 pixels"):
        filled(workspace)
    with pytest.raises(VdeError, match="there is no review"):
        vde("review", "status", workspace.root)


def test_what_is_done_again_changes_nothing_and_goes_on(workspace):
    assert "review opened; its admin is root" in filled(workspace)
    told = filled(workspace, "--groups", "1,2,3", "--rounds", 3)
    assert "0 samples added to the pool, 9 were in it" in told
    assert "opened" not in told
    for option, words in (
        (("--groups", "a,b"), "opened with groups 1,2,3, not a,b"),
        (("--rounds", 4), "opened with rounds 3, not 4"),
        (("--agreement", 0.9), r"opened with agreement 0\.95, not 0\.9"),
        (("--rescore",), "opened with rescore false, not true"),
        (("--needed-total", 8), "opened with needed_total 9, not 8"),
        (("--lease-minutes", 60), "opened with lease_minutes 30, not 60"),
        (("--admin", "eve"), "'eve' is not an admin of this review; its admins are root"),
    ):
        with pytest.raises(VdeError, match=words):
            vde("build", "review", workspace.root, *option)


def test_options_of_a_new_review(workspace):
    with pytest.raises(VdeError, match="agreement is 95"):
        filled(workspace, "--agreement", 95)
    with pytest.raises(VdeError, match="needed_total is 10, expected a whole number from 3 to 9"):
        filled(workspace, "--needed-total", 10)
    told = ("--groups", "a, b", "--rounds", 1, "--agreement", 0.9, "--rescore")
    filled(workspace, *told, "--needed-total", 8, "--lease-minutes", 60)
    with Store(workspace.root / "review.sqlite") as store:
        assert store.study().options == Options(("a", "b"), 8, 0.9, 1, rescore=True, lease_minutes=60)


def test_a_filter_leaves_to_people_what_is_theirs(workspace):
    vde("build", "review", workspace.root, "--automatic", "--workers", 1)
    assert "OCR checked    9       9" in vde("build", "status", workspace.root)
    filled(workspace)
    shown = vde("build", "status", workspace.root)
    assert "scored 9       9       0         0        9" in shown
    assert f"next: vde review serve {workspace.root}" in shown
    assert "9 left to people" in vde("build", "review", workspace.root, "--automatic", "--workers", 1)
    with Store(workspace.root / "review.sqlite") as store:
        people = Voting(store)
        id = next(iter(store.state().items))
        people.score(id)
    vde("review", "prepare", workspace.root)
    told = vde("build", "review", workspace.root, "--automatic", "--workers", 1)
    assert "0 passed, 1 decided by people, 8 left to people" in told
    with pytest.raises(VdeError, match="no edit has passed the review"):  # one vote of people and a filter's others
        vde("build", "package", workspace.root)
    with pytest.raises(VdeError, match="takes no admin, groups"):
        vde("build", "review", workspace.root, "--automatic", "--groups", "1,2")


def test_status_fits_a_terminal(workspace, store):
    people = Voting(store)
    first, second, *_ = store.state().items
    people.score(first, (NINE, LOW, NINE))
    people.score(second)
    people.draw(second, boxes_of(workspace, second), [(Box(0, 0, 30, 30),)])
    shown = vde("review", "status", workspace.root)
    assert max(map(len, shown.replace(str(workspace.root), "ws").splitlines())) <= 80
    told = " ".join(shown.split())
    assert "rounds: 8 in round 1, 1 in round 2" in told
    assert "rejected: 1 low_score (a group's total was too low)" in told
    assert f"next: vde review serve {workspace.root}" in told
    assert "group 1 2 7 1 1 0 0" in told
    status = json.loads(vde("review", "status", workspace.root, "--json"))
    assert status["groups"]["3"]["score"] == {"done": 2, "waiting": 7}
    assert status["rounds"] == {"1": 8, "2": 1}


def test_files_of_what_people_said(workspace, store, tmp_path):
    people = Voting(store)
    people.score(next(iter(store.state().items)))
    assert "9 ratings" in vde("review", "ratings", workspace.root, "-o", tmp_path / "votes.csv")
    assert "0 ratings" in vde("review", "ratings", workspace.root, "-o", tmp_path / "pilot.csv", "--pilot")
    assert "instruction compliance" in vde("review", "agreement", tmp_path / "votes.csv")
    vde("review", "events", workspace.root, "-o", tmp_path / "events.jsonl")
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [event.to_json() for event in store.events()]


def test_invitations(workspace, store):
    pytest.importorskip("argon2")
    links = vde("review", "invite", workspace.root, "--group", 1, "--number", 3).splitlines()
    assert len(set(links)) == 3
    assert all(link.startswith("http://127.0.0.1:8765/#join=") for link in links)
    (link,) = vde("review", "invite", workspace.root, "--name", "root", "--url", "https://r.example/").splitlines()
    assert link.startswith("https://r.example/#join=")
    with pytest.raises(VdeError, match="group"):
        vde("review", "invite", workspace.root, "--group", "nobody's")


VERBS = [
    ("status",),
    ("prepare",),
    ("ratings", "-o", "x.csv"),
    ("events", "-o", "x.jsonl"),
    ("invite", "--group", "1"),
    ("serve",),
]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_where_there_is_no_review(workspace, verb, tmp_path):
    pytest.importorskip("argon2")
    words = ("review", verb[0], workspace.root, *verb[1:])
    with pytest.raises(VdeError, match=r"review\.sqlite: there is no review; run `vde build review"):
        vde(*words)
    assert not (workspace.root / "review.sqlite").exists()
    (workspace.root / "review.sqlite").write_bytes(b"SQLite format 3\0" + bytes(2000))
    with pytest.raises(VdeError, match=r"review\.sqlite: cannot be opened as a database of a review"):
        vde(*words)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as made:
        made.execute("CREATE TABLE songs (name TEXT)")
        made.commit()
    before = other.read_bytes()
    with pytest.raises(VdeError, match=r"other\.sqlite: is not a database of a review"):
        vde(*words, "--database", other)
    assert other.read_bytes() == before
    with pytest.raises(VdeError, match="unsupported database"):
        vde(*words, "--database", "mysql://a@b/c")


def test_a_database_that_is_locked_or_newer(workspace, store, monkeypatch):
    store.close()
    file = workspace.root / "review.sqlite"
    monkeypatch.setattr("vdebench.review.connection.WAITED", 0.1)
    with closing(sqlite3.connect(file)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(VdeError, match=r"review\.sqlite: cannot be opened as a database of a review: .*locked"):
            vde("review", "status", workspace.root)
        other.rollback()
    with closing(sqlite3.connect(file)) as other:
        other.execute("UPDATE alembic_version SET version_num = 'r9999'")
        other.commit()
    with pytest.raises(VdeError, match="was written by a newer vdebench"):
        vde("review", "status", workspace.root)


def test_the_database_of_a_team_is_named(workspace, tmp_path, monkeypatch):
    place = tmp_path / "team.sqlite"
    monkeypatch.setenv("VDE_REVIEW_DATABASE", str(place))
    filled(workspace)
    assert "9" in vde("review", "status", workspace.root)
    monkeypatch.delenv("VDE_REVIEW_DATABASE")
    with pytest.raises(VdeError, match=r"it has a review, but review\.sqlite is missing: give the review's database"):
        vde("build", "package", workspace.root)
    for option in (("--database", place), ("--as-written",)):
        with pytest.raises(VdeError, match="people have not decided on any edit yet"):
            vde("build", "package", workspace.root, *option)


def test_an_edit_by_hand_goes_all_the_way(tmp_path, monkeypatch):
    with_our_reader(monkeypatch, tmp_path / "cache")
    workspace = Workspace(make_workspace(tmp_path, refuse="Replace"))
    filled(workspace)
    pool = Pool(workspace.root)
    id, *_ = pool.without_edit()
    page = open_image(pool.picture(id, "before")).copy()
    write_line(page, 36, "Written by hand")
    content = io.BytesIO()
    Image.fromarray(page).save(content, "PNG")
    sample = pool.upload(id, content.getvalue(), "anna")
    assert "1 samples added to the pool, 7 were in it" in filled(workspace)
    with Store(workspace.root / "review.sqlite") as store:
        assert store.state().items[id].edit == sample.edit
        people = Voting(store)
        people.score(id)
        people.draw(id, (Box(0, 30, 600, 66),))
        prepare(workspace.root, workers=1)
        people.screen(id)
        people.check(id)
    vde("build", "edit", workspace.root, "--workers", 1)
    vde("build", "package", workspace.root)
    (packaged,) = load_suite(workspace.package)
    assert packaged.id == id
    assert (packaged.extra["editor"], packaged.extra["editor_model"]) == ({"name": "by hand"}, "by hand: anna")
    told = [json.loads(line) for line in (workspace.package / "provenance.jsonl").read_text().splitlines()]
    assert "by hand: anna" in {line["by"] for line in told if line["stage"] == "edit" and line["what"] == "edited"}
    assert "by hand" in (workspace.package / "README.md").read_text()
