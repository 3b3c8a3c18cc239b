"""A review beside other stages that are at work, edits that are made anew, and instructions that are gone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PIL import Image
from typer.testing import CliRunner

from tests.review.people import NINE
from tests.review.tiny_workspace import boxes_of
from tests.review.typed import filled, vde
from tests.review.voting import Voting
from vdebench.build import package as packaging
from vdebench.build.read import read
from vdebench.build.workspace import DECIDING
from vdebench.cli.main import app
from vdebench.errors import InputError, ReaderError, RunFolderError
from vdebench.io.files import locked
from vdebench.io.images import open_image
from vdebench.review.commands import Add, Open, PoolSample, Withdraw
from vdebench.review.idempotency import AcceptedCommand
from vdebench.review.pool_import import fill_pool
from vdebench.review.preparation import bring_decisions, prepare
from vdebench.review.ratings import Ratings
from vdebench.review.store import Store

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")


def passes(workspace, people, id):
    people.score(id)
    people.draw(id, boxes_of(workspace, id))
    people.screen(id)
    people.check(id)


def edit_anew(workspace, id):
    """Another image in place of an edit; what it was."""
    file = workspace.edit_image(workspace.instructions()[id])
    kept = file.read_bytes()
    Image.fromarray(255 - open_image(file)).save(file)
    return kept


def test_an_editor_at_work_for_hours_keeps_nobody_waiting(workspace, store):
    people = Voting(store)
    id = next(iter(store.state().items))
    people.score(id)
    people.draw(id, boxes_of(workspace, id))
    with workspace.stage_lock():
        done = prepare(workspace.root, workers=1)
    assert (done.made, done.failed) == ([id], {})
    assert done.written == {"score pass": 1, "boxes pass": 1}


def test_nothing_is_decided_while_a_package_is_written(workspace, store, monkeypatch):
    passes(workspace, Voting(store), next(iter(store.state().items)))
    prepare(workspace.root, workers=1)
    asked, count = [], packaging.funnel

    def counting(found):
        with pytest.raises(RunFolderError, match="another process"), locked(found.root, name=DECIDING):
            pass
        asked.append(found)
        return count(found)

    monkeypatch.setattr(packaging, "funnel", counting)
    vde("build", "package", workspace.root)
    assert asked


def test_what_was_turned_down_and_edited_anew_is_out_for_good(workspace, store):
    people = Voting(store)
    poor, gone, good, left, *others = store.state().items
    people.score(poor, (NINE, Ratings(1, 1, 1), NINE))
    people.must(Withdraw(gone, "a name is on it"), "root")
    passes(workspace, people, good)
    people.score(left)
    prepare(workspace.root, workers=1)
    people.draw(left, boxes_of(workspace, left))  # and is not pasted back before it is edited anew
    kept = {id: edit_anew(workspace, id) for id in (poor, gone, good, left)}
    told = CliRunner().invoke(app, ["build", "review", str(workspace.root), "--workers", "1"]).stdout
    assert f"{poor} was edited again after it was rejected: it stays rejected\n" in told
    assert f"{gone} was edited again after it was withdrawn: it stays withdrawn\n" in told
    assert f"{good} was edited again after it had passed: it is packaged only with the edit that passed\n" in told
    assert f"{left} was edited again after it was added to the pool: restore the old edit, or withdraw" in told
    people.must(Withdraw(left, "edited anew"), "root")
    told = filled(workspace)
    assert "bring the old edit back" not in told
    assert "0 samples added to the pool, 9 were in it" in told
    steps = {id: steps for (id, _), steps in workspace.decisions().items() if "edited_anew" in _reasons(steps)}
    assert sorted(steps) == sorted([poor, gone, left])
    length = len(workspace.review_file.read_text().splitlines())
    filled(workspace)
    assert len(workspace.review_file.read_text().splitlines()) == length
    for id in others:
        people.must(Withdraw(id, "enough"), "root")
    workspace.edit_image(workspace.instructions()[good]).write_bytes(kept[good])
    filled(workspace)
    assert f"next: vde build package {workspace.root}" in vde("build", "status", workspace.root)


def _reasons(steps):
    return [decision.reason for decision in steps.values()]


def test_no_filter_takes_what_was_edited_anew(workspace, store):
    people = Voting(store)
    gone, *others = store.state().items
    people.must(Withdraw(gone, "a name is on it"), "root")
    edit_anew(workspace, gone)
    read(workspace, workers=1)
    told = vde("build", "review", workspace.root, "--automatic", "--workers", 1)
    assert f"{len(others) + 1} left to people" in told
    assert not workspace.decisions()


def test_an_instruction_that_is_gone_stops_nothing_else(workspace, store):
    people = Voting(store)
    lost, lost_too, good, *_ = store.state().items
    for id in (lost, lost_too, good):
        passes(workspace, people, id)
    kept = workspace.instructions_file.read_text()
    lines = [line for line in kept.splitlines() if f'"{lost}"' not in line and f'"{lost_too}"' not in line]
    workspace.instructions_file.write_text("\n".join(lines) + "\n")
    done = prepare(workspace.root, workers=1)
    assert (done.made, sorted(done.failed)) == ([good], sorted([lost, lost_too]))
    assert f"instructions.jsonl: has no {lost}, which the review has; restore its line" in done.failed[lost]
    assert {id for id, _ in workspace.decisions()} == {good}
    with pytest.raises(ReaderError, match=rf"2 samples of the review failed: {lost}, {lost_too}; everything else"):
        vde("review", "prepare", workspace.root, "--workers", 1)
    assert not fill_pool(workspace.root).added
    told = vde("build", "package", workspace.root)
    assert f"warning: {workspace.instructions_file}: has no {lost}," in told
    assert "package: 1 samples" in told
    workspace.instructions_file.write_text(kept)
    assert prepare(workspace.root, workers=1).made == [lost, lost_too]


def test_what_people_have_turned_down_is_not_missed(workspace, store):
    lost, *_ = store.state().items
    Voting(store).must(Withdraw(lost, "a name is on it"), "root")
    lines = [line for line in workspace.instructions_file.read_text().splitlines() if f'"{lost}"' not in line]
    workspace.instructions_file.write_text("\n".join(lines) + "\n")
    assert prepare(workspace.root, workers=1).failed == {}


def test_a_database_of_another_workspace(workspace, store, tmp_path):
    file = tmp_path / "another.sqlite"
    with Store(file) as other:
        for command in (Open(), Add((PoolSample("strange", "e", 100, 100),))):
            assert isinstance(other.submit(command, who="root", now=datetime.now(UTC)), AcceptedCommand)
    for act in (prepare, fill_pool):
        with pytest.raises(InputError, match="has no instruction strange, nor any other of the review"):
            act(workspace.root, file)
    with pytest.raises(InputError, match="nor any other of the review"):
        bring_decisions(workspace, file)
