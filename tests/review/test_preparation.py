"""What is made between two steps of people: killed at any moment, beside other work, where some of it cannot be made."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from tests.build.pages import CodeReader
from tests.review.tiny_workspace import boxes_of
from tests.review.typed import agreed, vde
from tests.review.voting import Voting
from vdebench.build.workspace import Workspace
from vdebench.errors import ReaderError
from vdebench.io import files
from vdebench.io import journal as lines
from vdebench.io.images import open_image
from vdebench.review.pool import Pool
from vdebench.review.preparation import prepare

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")


class Killed(BaseException):
    """Nobody catches it."""


@pytest.fixture
def kill_at(monkeypatch):
    """Have the nth write end in the middle, as a kill does; returns a function that says which."""
    left = [0]
    replacing, append_line = files.replacing, lines._append_line

    def dies():
        left[0] -= 1
        return left[0] == 0

    def killed_replacing(path):
        if dies():
            raise Killed
        return replacing(path)

    def killed_append_line(file, record):
        if dies():
            with file.open("ab") as half:
                half.write(json.dumps(record)[:20].encode())
            raise Killed
        return append_line(file, record)

    monkeypatch.setattr(files, "replacing", killed_replacing)
    monkeypatch.setattr(lines, "_append_line", killed_append_line)
    return lambda number: left.__setitem__(0, number)


def outcome(workspace):
    """All that a review leaves in a workspace."""
    readings = sorted((workspace.references / "readings").rglob("*.json"))
    entries = [(entry.id, entry.what) for entry in workspace.ledger if entry.stage == "review"]
    return (
        sorted(workspace.review_file.read_text().splitlines()),
        sorted(workspace.samples_in_review()),
        sorted(entries),
        [(file.name, file.read_bytes()) for file in readings],
        [file.read_bytes() for file in sorted(workspace.references.glob("*.png"))],
    )


def test_prepare_may_be_killed_at_any_write(workspace, store, kill_at, tmp_path):
    people = Voting(store)
    id = next(iter(store.state().items))
    agreed(workspace, people, id)
    (text,) = Pool(workspace.root).readings(id, store.state().items[id].boxes)
    people.check(id, "corrected", [f"{text}{text}"])  # holds the old text: done twice it would be another
    store.close()
    for made in ("review.jsonl", "ledger.jsonl", "pool.jsonl"):
        (workspace.root / made).unlink()
    for made in ("references", "pictures"):
        shutil.rmtree(workspace.root / made)
    shutil.copytree(workspace.root, tmp_path / "whole")
    prepare(tmp_path / "whole", workers=1)
    wanted = outcome(Workspace(tmp_path / "whole"))
    assert len(wanted[0]) == 4
    for number in range(1, 100):
        shutil.copytree(workspace.root, tmp_path / f"{number}")
        kill_at(number)
        try:
            prepare(tmp_path / f"{number}", workers=1)
        except Killed:
            kill_at(0)
            prepare(tmp_path / f"{number}", workers=1)
            assert outcome(Workspace(tmp_path / f"{number}")) == wanted, number
        else:
            break
    assert number > 20  # so many places there are


def test_other_stages_may_work_while_pages_are_read(workspace, store, monkeypatch, tmp_path):
    """Nor is anything forgotten that is decided meanwhile."""
    people = Voting(store)
    first, second, *_ = store.state().items
    people.score(first)
    people.draw(first, boxes_of(workspace, first))
    read, asked = CodeReader.read, []

    def reading(self, image):
        with Workspace(workspace.root).stage_lock():  # refused where somebody is
            asked.append(image.shape)
        if len(asked) == 1:
            people.score(second)
            people.draw(second, boxes_of(workspace, second))
        return read(self, image)

    monkeypatch.setattr(CodeReader, "read", reading)
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "empty"))
    assert prepare(workspace.root, workers=1).made == [first, second]
    assert asked


def test_two_at_once_write_everything_once(workspace, store):
    people = Voting(store)
    ids = list(store.state().items)[:4]
    for id in ids:
        people.score(id)
        people.draw(id, boxes_of(workspace, id))
    with ThreadPoolExecutor(3) as others:
        done = list(others.map(lambda _: prepare(workspace.root, workers=1), range(3)))
    assert sorted(id for each in done for id in each.made) == sorted(ids)
    assert len(workspace.review_file.read_text().splitlines()) == 2 * len(ids)


def test_what_cannot_be_made_or_read_does_not_stop_the_rest(workspace, store, monkeypatch, tmp_path):
    people = Voting(store)
    gone, changed, good, unread, *_ = store.state().items
    for id in (gone, changed, good, unread):
        people.score(id)
        people.draw(id, boxes_of(workspace, id))
    files_of = {id: workspace.edit_image(workspace.instructions()[id]) for id in (gone, changed, unread)}
    kept = files_of[gone].read_bytes()
    files_of[gone].unlink()
    Image.fromarray(255 - open_image(files_of[changed])).save(files_of[changed])
    read, page = CodeReader.read, workspace.instructions()[unread].page
    shape = open_image(Pool(workspace.root).reference(unread, boxes_of(workspace, unread)))
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "empty"))

    def reading(self, image):
        if np.array_equal(image, shape):
            raise ReaderError(f"{page}: the server is away")
        return read(self, image)

    monkeypatch.setattr(CodeReader, "read", reading)
    with pytest.raises(ReaderError, match=r"3 samples of the review failed"):
        vde("review", "prepare", workspace.root, "--workers", 1)
    decided = workspace.decisions()
    steps = {id: sorted(found) for (id, _), found in decided.items()}
    assert steps == {gone: ["score"], changed: ["score"], unread: ["score"], good: ["boxes", "score"]}
    monkeypatch.setattr(CodeReader, "read", read)
    files_of[gone].write_bytes(kept)
    done = prepare(workspace.root, workers=1)
    assert (sorted(done.made), list(done.failed)) == (sorted([gone, unread]), [changed])
    assert "was edited again after it was added to the review" in done.failed[changed]
