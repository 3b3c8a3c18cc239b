"""Edits that were made elsewhere: what is taken, what is refused, and that no editor throws them away later."""

from __future__ import annotations

import io
import json
import shutil

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from tests.build.pages import CodeEditor
from tests.review.bad_pictures import png
from tests.review.tiny_workspace import make_workspace, with_our_reader
from vdebench.build.edit import edit, edits_of
from vdebench.build.workspace import Workspace
from vdebench.core.box import Size
from vdebench.errors import InputError, VdeError
from vdebench.io.images import open_image
from vdebench.review import pictures
from vdebench.review.pictures import open_sent
from vdebench.review.pool import Pool
from vdebench.review.workspace import pool_from_workspace


@pytest.fixture(scope="module")
def _refusing(tmp_path_factory):
    """A workspace whose editor refuses to replace anything: two of nine."""
    folder = tmp_path_factory.mktemp("refusing")
    make_workspace(folder, refuse="Replace")
    return folder


@pytest.fixture
def refusing(tmp_path, _refusing, monkeypatch):
    with_our_reader(monkeypatch, tmp_path / "cache")
    shutil.copytree(_refusing, tmp_path, dirs_exist_ok=True)
    return Workspace(tmp_path / "ws")


def drawn(workspace, id, scale=1):
    """What somebody might have drawn: the page, turned dark."""
    page = open_image(workspace.page_image(workspace.pages()[workspace.instructions()[id].page]))
    return Image.fromarray(255 - page).resize((page.shape[1] * scale, page.shape[0] * scale))


def sent(picture, kind="PNG", **more):
    content = io.BytesIO()
    picture.save(content, kind, **more)
    return content.getvalue()


def everything(folder):
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.name != ".lock"}


@pytest.mark.parametrize(("kind", "scale"), [("PNG", 1), ("PNG", 2), ("JPEG", 1), ("WebP", 1)])
def test_an_edit_made_elsewhere(refusing, kind, scale):
    pool = Pool(refusing.root)
    id, *_ = pool.without_edit()
    assert len(pool.without_edit()) == 2
    picture = drawn(refusing, id, scale)
    sample = pool.upload(id, sent(picture, kind), "anna")
    assert sample in pool_from_workspace(refusing.root)
    assert sample.edit == pool.edit_digest(id)
    file = refusing.edit_image(refusing.instructions()[id])
    if kind == "PNG":
        assert np.array_equal(open_image(file), np.asarray(picture))
    made = edits_of(refusing)[id]
    assert (made.state, made.parameters, made.size) == ("edited", {"model": "by hand: anna"}, list(picture.size))
    assert pool.about(id)["editor"] == "by hand: anna"
    assert id not in pool.without_edit()
    entry = [entry for entry in refusing.ledger if entry.stage == "edit" and entry.id == id][-1]
    assert (entry.what, entry.by, entry.outputs) == ("edited", "by hand: anna", {"image": sample.edit})
    assert open_image(pool.picture(id, "after")).shape == open_image(pool.picture(id, "before")).shape


def test_nothing_beside_the_pixels_is_kept(refusing):
    pool = Pool(refusing.root)
    id, *_ = pool.without_edit()
    picture = drawn(refusing, id)
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Author", "anna at home")
    exif = Image.Exif()
    exif[0x010E] = "a secret place"
    pool.upload(id, sent(picture, pnginfo=notes, exif=exif) + b"<script>", "anna")
    content = refusing.edit_image(refusing.instructions()[id]).read_bytes()
    for secret in (b"anna", b"secret", b"script", b"Exif", b"tEXt"):
        assert secret not in content
    with Image.open(io.BytesIO(content)) as kept:
        assert kept.info == {}


def test_no_later_edit_makes_it_anew(refusing, monkeypatch):
    pool = Pool(refusing.root)
    id, _ = pool.without_edit()
    pool.upload(id, sent(drawn(refusing, id)), "anna")
    digest, ledger = pool.edit_digest(id), len(list(refusing.ledger))
    assert edit(refusing, workers=1) == {"edited": 8, "refused": 1, "failed": 0}
    assert pool.edit_digest(id) == digest
    assert len(list(refusing.ledger)) == ledger  # nothing new was done
    asked = []
    monkeypatch.setattr(CodeEditor, "identity", {"name": "code", "version": "2", "refuse": ""})  # another editor
    before = CodeEditor.edit
    monkeypatch.setattr(
        CodeEditor,
        "edit",
        lambda self, image, words, **more: (asked.append(words), before(self, image, words, **more))[1],
    )
    edit(Workspace(refusing.root), workers=1)
    assert len(asked) == 8  # all but the one that was made by hand
    assert pool.edit_digest(id) == digest
    assert edits_of(refusing)[id].parameters == {"model": "by hand: anna"}
    (line,) = [line for line in (refusing.edits / "edits.jsonl").read_text().splitlines() if f"/{id}" in line]
    assert json.loads(line)["parameters"] == {"model": "by hand: anna"}


def test_it_is_made_anew_where_its_instruction_is_another_one(refusing):
    pool = Pool(refusing.root)
    id, *_ = pool.without_edit()
    pool.upload(id, sent(drawn(refusing, id)), "anna")
    lines = refusing.instructions_file.read_text().splitlines()
    changed = [{**told, "instruction": f"{told['instruction']} Please."} for told in map(json.loads, lines)]
    refusing.instructions_file.write_text("".join(f"{json.dumps(told)}\n" for told in changed))
    edit(refusing, workers=1)
    assert edits_of(refusing)[id].state == "refused"


def test_where_there_is_an_edit_none_is_taken(refusing):
    pool = Pool(refusing.root)
    id, *_ = pool.without_edit()
    edited = next(each for each in refusing.instructions() if each not in pool.without_edit())
    pool.upload(id, sent(drawn(refusing, id)), "anna")
    before = everything(refusing.root)
    for again in (id, edited):
        with pytest.raises(InputError, match=f"{again}: already has an edit"):
            pool.upload(again, sent(drawn(refusing, again)), "bob")
    assert everything(refusing.root) == before


def bad(page):
    plain = Image.new("RGB", page)
    return {
        "one pixel": (sent(Image.new("RGB", (1, 1))), "1×1 pixels, expected sides of 16 to 20,000"),
        "a thin one": (sent(Image.new("RGB", (600, 15))), "600×15 pixels, expected sides"),
        "a side of 30,000": (
            sent(Image.new("1", (30_000, 11_000)), optimize=True),
            "30000×11000 pixels|more than 178,956,970 pixels",
        ),
        "a side over the limit": (png(20_001, 7_000), "20001×7000 pixels, expected sides of 16 to 20,000"),
        "a bomb by its header": (png(60_000, 60_000), "more than 178,956,970 pixels|60000×60000"),
        "a bomb within the sides": (png(19_000, 19_000), "more than 178,956,970 pixels|19000×19000"),
        "another shape": (sent(Image.new("RGB", (page[0], page[0]))), "expected the same shape, within 5%"),
        "cut off": (sent(plain)[:-40], "the picture: (is broken|cannot be read)"),
        "no pixels": (png(*page), "the picture: (is broken|cannot be read)"),
        "broken pixels": (png(*page, b"\7" * 100), "the picture: (is broken|cannot be read)"),
        "GIF": (sent(plain, "GIF"), "not an image of a supported format, expected PNG, JPEG, WebP"),
        "TIFF": (sent(plain, "TIFF"), "not an image of a supported format"),
        "a program for a printer": (
            b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 600 216\n",
            "not an image of a supported format",
        ),
        "a page": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image of a supported format"),
        "nothing": (b"", "not an image of a supported format"),
        "only the first bytes": (b"\x89PNG\r\n\x1a\n", "the picture: "),
        "half a JPEG": (sent(plain, "JPEG")[:300], "the picture: "),
        "half a WebP": (sent(plain, "WebP")[:40], "the picture: "),
    }


def test_what_cannot_be_an_edit(refusing):
    pool = Pool(refusing.root)
    id, *_ = pool.without_edit()
    page = open_image(pool.picture(id, "before")).shape[1::-1]
    before = everything(refusing.root)
    for name, (content, words) in bad(page).items():
        with pytest.raises(VdeError, match=words) as refused:
            pool.upload(id, content, "anna")
        assert "/tmp" not in str(refused.value), name
    with pytest.raises(InputError, match="the name of whoever sends an edit is empty"):
        pool.upload(id, sent(drawn(refusing, id)), "")
    assert everything(refusing.root) == before


def test_a_file_that_is_too_large_is_not_opened(monkeypatch):
    monkeypatch.setattr(pictures, "open_checked", lambda file: pytest.fail("was opened"))
    with pytest.raises(VdeError, match="41,943,041 bytes, expected at most 41,943,040"):
        open_sent(b"\x89PNG\r\n\x1a\n".ljust(40 * 2**20 + 1), Size(100, 100))


def test_a_shape_that_is_nearly_the_pages():
    for width, taken in ((1000, True), (1049, True), (1051, False), (952, True), (948, False)):
        content = sent(Image.new("L", (width, 1000)))
        if taken:
            assert open_sent(content, Size(2000, 2000)).shape == (1000, width, 3)
        else:
            with pytest.raises(InputError, match="expected the same shape"):
                open_sent(content, Size(2000, 2000))


def test_while_a_stage_is_at_work(refusing, monkeypatch):
    monkeypatch.setattr("vdebench.review.uploads.PATIENCE", 0.1)
    pool = Pool(refusing.root)
    id, *_ = pool.without_edit()
    with refusing.stage_lock(), pytest.raises(VdeError, match="another process is writing there"):
        pool.upload(id, sent(drawn(refusing, id)), "anna")
    assert id in pool.without_edit()


def test_before_any_editor_was_at_work(refusing):
    shutil.rmtree(refusing.edits)
    pool = Pool(refusing.root)
    id, *_ = pool.without_edit()
    assert len(pool.without_edit()) == 9
    pool.upload(id, sent(drawn(refusing, id)), "anna")
    assert pool.about(id)["editor"] == "by hand: anna"
    assert [given for given, _ in refusing.samples_in_review()] == [id]  # before it is added: no filter decides
    edit(refusing, workers=1)
    assert edits_of(refusing)[id].by_hand
