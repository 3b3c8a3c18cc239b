from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText, UnreadLine
from vdebench.core.sample import OPERATION_CLASSES, Operation
from vdebench.errors import InputError, TooLargeError

sizes = st.builds(Size, st.floats(1, 10_000), st.floats(1, 10_000))
sides = st.floats(0, 100)


@given(sides, sides, sides, sides, sizes)
def test_percent_and_pixels_convert_back_and_forth(x, y, width, height, page):
    found = Box.from_percent(x, y, width, height, page).to_percent(page)
    assert found == pytest.approx((x, y, width, height), abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Box(0, 0, 10, 10), Box(0, 0, 10, 10), 1.0),
        (Box(0, 0, 10, 10), Box(5, 0, 15, 10), 50 / 150),
        (Box(0, 0, 10, 10), Box(10, 0, 20, 10), 0.0),  # an edge is no area
        (Box(5, 5, 5, 5), Box(5, 5, 5, 5), 0.0),  # nothing over nothing
        (Box(10, 10, 0, 0), Box(0, 0, 10, 10), 0.0),  # inside out
    ],
)
def test_iou(one, other, expected):
    assert one.iou(other) == other.iou(one) == pytest.approx(expected)


PADDLE = {
    "input_path": "page.png",
    "page_index": None,
    "width": 1240,
    "height": 1754,
    "model_settings": {"use_layout_detection": True},
    "parsing_res_list": [
        {
            "block_label": "text",
            "block_content": "hi",
            "block_bbox": [1, 2, 30, 40],
            "block_id": 0,
            "block_order": 1,
            "group_id": 0,
        },
        {
            "block_label": "image",
            "block_content": "",
            "block_bbox": None,
            "block_id": 1,
            "block_order": None,
            "note": "kept",
        },
        {
            "block_label": "text",
            "block_content": "x",
            "block_bbox": [1, 2, float("nan"), 4],
            "block_id": 2,
            "block_order": 2,
        },
        {
            "block_label": "table",
            "block_content": "<table></table>",
            "block_bbox": [5.5, 6, 7, 8],
            "block_id": 3,
            "block_order": None,
        },
    ],
}


def test_a_reading_survives_a_round_trip_with_all_it_holds():
    reading = PageText.from_json(PADDLE)
    assert [block.id for block in reading.blocks] == [0, 3]
    assert [(left.position, "four finite numbers" in left.reason) for left in reading.left_out] == [
        (1, True),
        (2, True),
    ]
    assert json.dumps(reading.to_json(), sort_keys=True) == json.dumps(PADDLE, sort_keys=True)


def test_labels_and_contents_that_are_no_text_are_written_back():
    page = {
        "parsing_res_list": [
            {"block_bbox": [0, 0, 1, 1], "block_label": 7, "block_content": None, "block_id": 1, "block_order": 2}
        ]
    }
    assert PageText.from_json(page).blocks[0].label == ""
    assert PageText.from_json(page).to_json() == page


def test_the_wrapped_form_reads_the_same():
    assert json.dumps(PageText.from_json({"res": PADDLE}).to_json()) == json.dumps(PageText.from_json(PADDLE).to_json())


def test_a_size_that_is_none_is_kept_as_found():
    page = {"width": 0, "height": None, "parsing_res_list": []}
    assert PageText.from_json(page).size is None
    assert PageText.from_json(page).to_json() == page


@pytest.mark.parametrize("data", [None, [], "text", 3, {}, {"parsing_res_list": {}}, {"parsing_res_list": None}])
def test_what_is_no_reading_is_named(data):
    with pytest.raises(InputError, match=r"page\.json"):
        PageText.from_json(data, "page.json")


def test_content_of_another_type_is_an_error_and_a_huge_one_too():
    box = [0, 0, 1, 1]
    with pytest.raises(InputError, match="block 0: 'block_content' is a number"):
        PageText.from_json({"parsing_res_list": [{"block_bbox": box, "block_content": 5}]})
    with pytest.raises(TooLargeError, match="10,485,760 characters"):
        PageText.from_json({"parsing_res_list": [{"block_bbox": box, "block_content": "x" * (10 << 20)}]})


@pytest.mark.parametrize(
    "box", [[0, 0, 1], [0, 0, 1, "1"], [0, 0, 1, True], {"x": 1}, [0, 0, 1, 10**400], [0, 0, 1, float("inf")]]
)
def test_boxes_that_are_none_are_left_out_and_reported(box):
    reading = PageText.from_json({"parsing_res_list": [{"block_bbox": box, "block_content": "x"}]})
    assert not reading.blocks
    assert len(reading.left_out) == 1


def test_plain_text_follows_the_papers():
    cell = "<table><tr><td>p < 0.05 and q > 2</td></tr></table>"
    assert Block(Box(0, 0, 1, 1), cell, "table").plain_text == "p   2"
    assert Block(Box(0, 0, 1, 1), cell, "text").plain_text == cell  # only tables
    assert Block(Box(0, 0, 1, 1), " <b>x</b>", "table").plain_text == " <b>x</b>"  # only where it starts with <


@pytest.mark.parametrize(
    ("name", "in_table", "expected"),
    [
        ("Text Replacement", False, "text_replace"),
        ("text_modify", False, "text_replace"),
        ("modification", False, "text_replace"),
        ("text insertion", False, "text_insert"),
        ("add", False, "text_insert"),
        ("Text Addition", True, "table_insert"),
        ("delete", False, "text_delete"),
        ("in-table text deletion", False, "table_delete"),
        ("table_structure_edit", False, "table_structure"),
        ("Table Structure Modification", True, "table_structure"),
        ("text_replace", False, "text_replace"),
        ("table_structure", False, "table_structure"),
        ("", False, "other"),
        ("replace everything", False, "other"),
    ],
)
def test_operation_names(name, in_table, expected):
    assert Operation.parse(name, in_table=in_table).value == expected


def test_every_operation_of_the_paper_stands_in_one_of_the_four_classes():
    classes = {op: op.edit_class for op in Operation}
    outside = {Operation.TEXT_RELOCATION, Operation.SCALING, Operation.TEXT_ATTRIBUTE, Operation.NONE, Operation.OTHER}
    assert {value for op, value in classes.items() if op not in outside} == set(OPERATION_CLASSES)
    assert {classes[op] for op in outside} == {"Other"}


@pytest.mark.parametrize("name", ["text_relocation", "scaling", "text_attribute"])
def test_operations_of_textedit_are_known_by_their_names(name):
    assert Operation.parse(name).value == name


def unread_page(*unread: object) -> dict[str, object]:
    return {"width": 100, "height": 200, "parsing_res_list": [], "unread": list(unread)}


def test_unread_lines_are_parsed_written_back_and_scaled():
    line = {"bbox": [10, 20, 90, 27], "reason": "illegible", "height": 7, "confidence": 0.4}
    page = PageText.from_json(unread_page(line))
    assert page.unread == (UnreadLine(Box(10, 20, 90, 27), "illegible", 7, 0.4),)
    assert page.extra == {}
    assert page.to_json() == unread_page(line)
    (scaled,) = page.scaled_to(Size(200, 600)).unread  # twice as wide, three times as high
    assert scaled == UnreadLine(Box(20, 60, 180, 81), "illegible", 21, 0.4)


def test_a_page_without_unread_lines_has_no_such_field():
    assert "unread" not in PageText().to_json()


@pytest.mark.parametrize(
    "invalid", [5, None, {"bbox": [1, 2, 3], "reason": "illegible"}, {"bbox": [1, 2, 3, 4], "reason": "tired"}]
)
def test_invalid_unread_lines_are_kept_but_not_counted(invalid):
    valid = {"bbox": [1, 2, 3, 4], "reason": "low confidence", "height": 2.0, "confidence": 0.0}
    page = PageText.from_json(unread_page(invalid, valid))
    assert [line.reason for line in page.unread] == ["low confidence"]
    assert page.to_json() == unread_page(valid, invalid)
    assert PageText.from_json(unread_page(invalid)).to_json() == unread_page(invalid)
    assert PageText.from_json({**unread_page(), "unread": "some"}).to_json() == {**unread_page(), "unread": "some"}


def test_numbers_that_are_missing_in_an_unread_line_are_zero():
    page = PageText.from_json(unread_page({"bbox": [1, 2, 3, 4], "reason": "unknown script", "height": "tall"}))
    assert page.unread == (UnreadLine(Box(1, 2, 3, 4), "unknown script", 0.0, 0.0),)
