"""The text and the page of one edit."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.report.edit_pairs import INSTRUCTION, OUTPUT, PAGE, make_pair, on_output
from tests.report.site_runs import EVIL
from vdebench.changes.change import CHANGE_KINDS, Change, EditCheck, Geometry, PageChanges
from vdebench.core.box import Box, Size
from vdebench.errors import VdeError
from vdebench.report.edit_check import check_text, counts_text, geometry_text, ordered_changes
from vdebench.report.edit_page import write_edit_page
from vdebench.report.edit_page.page import page_data, page_transform

SAME = Geometry("same", PAGE, PAGE)


@pytest.mark.parametrize(
    ("geometry", "text"),
    [
        (SAME, "same: the output shows the whole page"),
        (
            Geometry("scaled", PAGE, Size(450, 600)),
            "scaled: the output shows the whole page; 450×600 pixels instead of 900×1200",
        ),
        (
            # 900 → 927 pixels across, 1200 down: 3 % wider
            Geometry("aspect_changed", PAGE, Size(927, 1200)),
            "aspect changed: the output shows the whole page; stretched by 3.0 % across; 927×1200 pixels instead of 900×1200",
        ),
        (
            Geometry("shifted", PAGE, PAGE, shift=(0.01, -0.005)),
            "shifted: the output shows the whole page; moved by 1.0 % of the width to the right and 0.5 % of the height up",
        ),
        (
            # enlarged around the centre, which stays: 1.005 / 2 − 0.0025 = 0.5
            Geometry(
                "scaled", PAGE, PAGE, 1.005, 1.005, (-0.0025, -0.0025), -0.32, Box(0.0025, 0.0025, 0.9975, 0.9975)
            ),
            "scaled: the output shows 99.5 % of the width and 99.5 % of the height; enlarged ×1.005; rotated by 0.3° counterclockwise",
        ),
        (
            Geometry("cropped", PAGE, PAGE, 1.17, 1.17, visible=Box(0, 0.13, 0.86, 1), cropped_words=23),
            "cropped: the output shows 86 % of the width and 87 % of the height; 23 words cut off; enlarged ×1.17",
        ),
        (
            Geometry("reframed", PAGE, PAGE),
            "reframed: the page was drawn anew; where its parts lie in the output is not known",
        ),
    ],
)
def test_geometry_in_words(geometry, text):
    assert geometry_text(geometry) == text


def test_unasked_facts_are_first_and_asked_changes_last():
    changes = [
        Change("replaced", "a", "b", fact="name", asked=True),
        Change("residue", asked=False),
        Change("moved", "c", asked=False),
        Change("replaced", "1", "2", fact="number"),
        Change("replaced", "3", "4", fact="price", asked=False),
    ]
    assert [changes.index(change) for change in ordered_changes(changes)] == [4, 3, 2, 1, 0]
    assert counts_text(changes[3:4]) == "1 (1 fact); which were asked for is unknown"
    assert counts_text([]) == "none"


def test_text_that_cannot_be_compared():
    check = EditCheck(PageChanges(SAME, words=40, illegible_words=3, unknown="no reader"))
    assert check_text(check, 80).splitlines() == [
        "Edit          unknown",
        "Usable        unknown",
        "Geometry      same: the output shows the whole page",
        "Text          not compared: no reader",
        "Text          3 of 40 words cannot be read on the output",
        "Changes       none",
    ]


def test_control_characters_stay_out_of_the_terminal():
    long = "very " * 60
    changes = Change("replaced", "\x1b[31m1", "2\n3", asked=False), Change("lost", long, asked=False)
    text = check_text(EditCheck(PageChanges(SAME, changes), why="\x1b]0;owned\x07"), 200)
    assert "\x1b" not in text
    assert "2 3" in text
    assert "very…" in text
    assert "\x1b[31m" in check_text(make_check(), 80, colour=True)


def make_check():
    return EditCheck(PageChanges(SAME, (Change("replaced", "1", "2", fact="number", asked=False),)))


def test_boxes_come_back_from_the_output_to_the_page(tmp_path):
    geometry = make_pair(tmp_path).check.page.geometry
    box = Box(300, 400, 500, 450)
    (a, b, e), (c, d, f) = page_transform(geometry)
    there = on_output(box)
    back = [a * there.x1 + b * there.y1 + e, c * there.x1 + d * there.y1 + f]
    assert back == pytest.approx([300, 400])
    # turned by 30° around the corner: scale × (cos, sin) of the page's x axis
    turned = Geometry("scaled", PAGE, PAGE, 2, 2, (0.1, 0), 30)
    (a, b, e), (c, d, f) = page_transform(turned)
    x, y = 90 + 2 * 100 * 3**0.5 / 2, 2 * 100 / 2
    assert [a * x + b * y + e, c * x + d * y + f] == pytest.approx([100, 0], abs=1e-9)


def read_page(page):
    """The data of a page."""
    (found,) = re.findall(r"<script>const EDIT = (.*);</script>", page.read_text("utf-8"))
    return json.loads(found)


def test_the_page_is_one_file_that_loads_nothing(tmp_path):
    pair = make_pair(tmp_path / "pair")
    page = write_edit_page(pair.check, pair.before, pair.after, tmp_path / "page.html", instruction=INSTRUCTION)
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["page.html"]
    html = page.read_text("utf-8")
    assert "default-src 'none'" in html
    assert "img-src data:;" in html
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", html.replace(EVIL, ""))
    data = read_page(page)
    for image, file, media_type in zip(data["images"], pair[:2], ("png", "jpeg"), strict=True):
        head, _, content = image["src"].partition(",")
        assert head == f"data:image/{media_type};base64"
        assert base64.b64decode(content) == file.read_bytes()
    assert (data["sizes"], data["kinds"]) == (
        [list(PAGE), list(OUTPUT)],
        ["replaced", "lost", "cropped", "restyled", "ink_lost", "ink_added"],
    )
    lost = next(change for change in data["changes"] if change["kind"] == "ink_lost")
    # (100, 312) to (820, 320) of 900×1200
    assert lost["box_before"] == pytest.approx([11.111, 26, 80, 0.667], abs=1e-3)
    assert lost["box_after"] is None


def test_what_others_wrote_is_no_markup(tmp_path):
    pair = make_pair(tmp_path / "pair")
    page = write_edit_page(
        replace(pair.check, why=EVIL), pair.before, pair.after, tmp_path / "page.html", instruction=f"{EVIL}<!--"
    )
    html = page.read_text("utf-8")
    assert "<script>document.title" not in html
    assert "<img src=x" not in html
    assert read_page(page)["instruction"] == f"{EVIL}<!--"


@pytest.mark.parametrize("name", ["page.tiff", "page.gif", "turned.jpg"])
def test_images_that_browsers_show_otherwise_become_png(tmp_path, name):
    pixels = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
    exif = Image.Exif()
    exif[0x0112] = 6 if "turned" in name else 1
    Image.fromarray(pixels).save(tmp_path / name, **({"exif": exif} if "turned" in name else {}))
    check = EditCheck(PageChanges(Geometry("same", Size(8, 6), Size(8, 6))))
    page = write_edit_page(check, tmp_path / name, tmp_path / name, tmp_path / "page.html")
    head, _, content = read_page(page)["images"][0]["src"].partition(",")
    assert head == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(content))) as picture:
        assert picture.size == ((6, 8) if "turned" in name else (8, 6))


def test_another_file_is_not_overwritten(tmp_path):
    pair = make_pair(tmp_path)
    with pytest.raises(VdeError, match=r"expected a file that ends with \.html"):
        write_edit_page(pair.check, pair.before, pair.after, pair.after)


def test_every_kind_has_a_colour():
    style = Path("src/vdebench/report/web/changes.css").read_text("utf-8")
    assert [kind for kind in CHANGE_KINDS if f'[data-kind="{kind}"] {{ --kind: #' not in style] == []
    assert page_data(make_check())["kinds"] == ["replaced"]
