"""What a server shows of a workspace's samples: pictures of the page's size, finished images, readings."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from tests.review.people import Review
from tests.review.tiny_workspace import boxes_of
from vdebench.core.box import Box, Size
from vdebench.core.images import resized
from vdebench.errors import InputError
from vdebench.io.images import open_image
from vdebench.review import image_cache as shown
from vdebench.review.commands import Add
from vdebench.review.pool import Pool
from vdebench.review.preparation import make_references
from vdebench.review.workspace import pool_from_workspace


@pytest.fixture
def pool(workspace):
    return Pool(workspace.root)


@pytest.fixture
def id(workspace):
    return next(iter(workspace.instructions()))


def files_of(workspace, id):
    instruction = workspace.instructions()[id]
    return workspace.page_image(workspace.pages()[instruction.page]), workspace.edit_image(instruction)


def test_what_was_asked(pool, id):
    assert pool.about(id) == {
        "instruction": 'Replace "May 2023" with "October 2023".',
        "operation": "text_replace",
        "language": "english",
        "target": "May 2023",
        "replacement": "October 2023",
        "document": "note",
        "editor": "code 1",
    }


def test_pictures_have_the_size_of_the_page(pool, workspace, id):
    source, edit = map(open_image, files_of(workspace, id))
    small = Image.fromarray(edit).resize((311, 107))
    small.save(files_of(workspace, id)[1], pnginfo=None)
    before, after = (open_image(pool.picture(id, which)) for which in ("before", "after"))
    assert np.array_equal(before, source)
    height, width = source.shape[:2]
    assert np.array_equal(after, resized(np.asarray(small), Size(width, height)))


@pytest.mark.parametrize("mode", ["RGBA", "P", "I;16", "L"])
def test_any_kind_of_page_is_shown_as_plain_rgb(pool, workspace, id, mode):
    file = files_of(workspace, id)[0]
    grey = Image.open(file).convert("L")
    changed = Image.fromarray(np.asarray(grey).astype(np.uint16) * 257) if mode == "I;16" else grey.convert(mode)
    changed.save(file)
    with Image.open(pool.picture(id, "before")) as picture:
        assert (picture.mode, picture.info) == ("RGB", {})
        assert np.array_equal(np.asarray(picture)[:, :, 0], np.asarray(grey))


def test_the_finished_image_is_the_page_outside_its_boxes(pool, workspace, id):
    source, edit = open_image(files_of(workspace, id)[0]), 255 - open_image(files_of(workspace, id)[1])
    Image.fromarray(edit).save(files_of(workspace, id)[1])  # so that every pixel differs from the page's
    boxes = (Box(20, 30, 200, 61), Box(300, 90, 401, 130))
    pasted = open_image(pool.reference(id, boxes))
    outside = np.ones(source.shape[:2], bool)
    for x1, y1, x2, y2 in boxes:
        outside[y1:y2, x1:x2] = False
    assert np.array_equal(pasted[outside], source[outside])
    assert np.array_equal(pasted[~outside], edit[~outside])
    assert pool.reference(id, boxes[:1]) != pool.reference(id, boxes)
    assert pool.picture(id, "reference", boxes) == pool.reference(id, boxes)


def test_each_picture_is_made_once_however_many_ask(pool, id, monkeypatch):
    made, all_here = [], threading.Barrier(8)
    encode = shown.encode_png
    monkeypatch.setattr(shown, "encode_png", lambda image: (made.append(1), encode(image))[1])

    def ask(_):
        all_here.wait()
        return pool.picture(id, "after")

    with ThreadPoolExecutor(8) as people:
        files = set(people.map(ask, range(8)))
    assert (len(files), len(made)) == (1, 1)
    pool.picture(id, "after")
    assert len(made) == 1


def test_a_picture_of_an_edit_that_was_made_anew(pool, workspace, id):
    seen, first = pool.edit_digest(id), pool.picture(id, "after")
    file = files_of(workspace, id)[1]
    Image.fromarray(255 - open_image(file)).save(file)
    assert pool.picture(id, "after") != first
    for which, boxes in (("after", ()), ("reference", [Box(1, 1, 20, 20)])):
        with pytest.raises(InputError, match=f"{id}: was edited again after it was added to the review"):
            pool.picture(id, which, boxes, edit=seen)


def test_samples_that_nobody_knows(pool):
    for name in ("nobody", "../../etc/passwd", "", "harbour-0\0"):
        for ask in (
            pool.about,
            pool.edit_digest,
            lambda name: pool.picture(name, "before"),
            lambda name: pool.reference(name, [Box(0, 0, 5, 5)]),
            lambda name: pool.readings(name, []),
            lambda name: pool.upload(name, b"", "anna"),
        ):
            with pytest.raises(KeyError):
                ask(name)


def test_pictures_that_cannot_be_shown(pool, workspace, id):
    page, edit = files_of(workspace, id)
    with pytest.raises(InputError, match="not agreed on its boxes yet"):
        pool.picture(id, "reference")
    with pytest.raises(InputError, match="no image 'other'"):
        pool.picture(id, "other")
    edit.write_bytes(edit.read_bytes()[:200])
    with pytest.raises(InputError, match=r"is broken|cannot be read") as broken:
        pool.picture(id, "after")
    assert str(workspace.root) not in str(broken.value)
    edit.unlink()
    with pytest.raises(InputError, match=r"^edits/images/.*is missing; run `vde build edit`"):
        pool.picture(id, "after")
    assert pool.readings(id, [Box(0, 0, 9, 9)]) is None
    page.unlink()
    with pytest.raises(InputError, match=r"^pages/.*is missing"):
        pool.picture(id, "before")


def test_readings_of_these_boxes_and_no_others(pool, workspace, id):
    review = Review(0, pool=Add(tuple(pool_from_workspace(workspace.root))))
    boxes = boxes_of(workspace, id)
    assert pool.readings(id, boxes) is None
    assert pool.wrong_correction(id, boxes, ["x"]) == "its regions have not been read yet"
    review.score(id)
    review.draw(id, [boxes] * 3)
    assert make_references(workspace, review.state, workers=1) == ([id], {})
    (text,) = pool.readings(id, boxes)
    assert "October 2023" in text
    assert pool.readings(id, (Box(0, 0, 50, 50),)) is None
    assert pool.wrong_correction(id, boxes, [text]) == ""
    assert pool.wrong_correction(id, boxes, [f"{text}!"]) == ""
    assert pool.wrong_correction(id, boxes, []) == "0 texts, expected 1: one for every region"
    file = files_of(workspace, id)[1]
    Image.fromarray(255 - open_image(file)).save(file)
    assert pool.readings(id, boxes) is None  # they are of another edit


def test_what_stages_write_meanwhile_is_seen(pool, workspace, id):
    assert pool.without_edit() == []
    journal = workspace.edits / "edits.jsonl"
    journal.write_text("\n".join(line for line in journal.read_text().splitlines() if id not in line) + "\n")
    assert pool.without_edit() == [id]
    with pytest.raises(InputError, match=f"{id}: has no edited image"):
        pool.picture(id, "after")
