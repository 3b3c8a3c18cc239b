"""Lines that cannot be read are reported with a reason and are not text."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.readers.rendered import CHINESE_TEXT, ENGLISH_TEXT, draw_line
from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText, UnreadLine
from vdebench.protocols import get_protocol
from vdebench.protocols.pages.comparison import compare
from vdebench.readers.lines.engine import LineEngine
from vdebench.readers.lines.legibility import LIMITS, line_height, unread_ink, unread_reason
from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.rapid import RapidReader
from vdebench.readers.reader import source_hash

STRICT = get_protocol("strict")

RUSSIAN = "Портовая служба открывается в восемь часов утра"
GREEK = "Το γραφείο του λιμανιού ανοίγει στις οκτώ"
VIETNAMESE = "Được mở cửa vào lúc tám giờ sáng mỗi ngày"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return LineEngine(1, cache_root=tmp_path_factory.mktemp("cache"))


def reason(engine, image):
    (text,) = engine.recognize([image])
    return unread_reason(image, text)


def text_of(characters: str, probability: float = 0.99) -> RecognizedLine:
    """A text whose characters are evenly spaced."""
    count = len(characters)
    return RecognizedLine(characters, tuple(n / count for n in range(count + 1)), (probability,) * count)


@pytest.mark.parametrize("text", [RUSSIAN, GREEK, VIETNAMESE])
def test_lines_of_scripts_that_the_model_does_not_have_are_unknown(engine, text):
    assert reason(engine, draw_line(text)) == "unknown script"


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH_TEXT[:49],
        CHINESE_TEXT[:20],
        "Le musée de la navigation se trouve derrière l’ancienne douane",
        "Größe und Höhe der Schiffe ändern sich über die Jahre",
        "このグループでのアイテムの位置を表示します",
        "E = mc² + αβ − ∑ 0.5 λ",
        "1,234.56",
        "7",
        "目　　　录",
        "第一章 …………………… 3",
    ],
)
def test_lines_of_known_scripts_are_read(engine, text):
    image = draw_line(text)
    assert reason(engine, image) is None
    assert unread_ink(image, engine.recognize([image])[0]) < LIMITS.unread_ink / 2


def test_low_lines_are_illegible_unless_the_text_is_sure():
    low, high = np.full((8, 200, 3), 255, np.uint8), np.full((9, 200, 3), 255, np.uint8)
    assert unread_reason(low, text_of("abc", 0.85)) == "illegible"
    assert unread_reason(low, text_of("abc", 0.95)) is None
    assert unread_reason(high, text_of("abc", 0.85)) is None


def test_small_type_that_cannot_be_read_is_illegible_whatever_the_sign():
    small, larger = (np.full((height, 200, 3), 255, np.uint8) for height in (13, 14))
    for line in small, larger:
        line[3:11, 0:200:2] = 0
    assert unread_reason(small, text_of("a  b")) == "illegible"
    assert unread_reason(larger, text_of("a  b")) == "unknown script"
    assert unread_reason(small, text_of("abcdefghijklmnop", 0.6)) == "illegible"
    assert unread_reason(larger, text_of("abcdefghijklmnop", 0.6)) == "low confidence"


def test_the_height_of_a_vertical_line_is_its_width():
    assert line_height(np.zeros((200, 8, 3), np.uint8)) == 8
    assert unread_reason(np.full((200, 8, 3), 255, np.uint8), text_of("abc", 0.85)) == "illegible"


def test_text_with_a_low_mean_probability_is_not_text():
    line = np.full((30, 200, 3), 255, np.uint8)
    assert unread_reason(line, text_of("abc", 0.64)) == "low confidence"
    assert unread_reason(line, text_of("abc", 0.66)) is None


def test_where_no_letters_are_nothing_is_unread():
    line = np.full((30, 200, 3), 255, np.uint8)
    line[14:16] = 0  # a rule
    assert unread_reason(line, RecognizedLine("")) is None
    assert unread_reason(line, text_of("—", 0.3)) == "low confidence"


def test_ink_of_words_that_were_read_as_spaces_is_left_over():
    line = np.full((20, 200, 3), 255, np.uint8)
    line[4:16, 0:200:2] = 0  # 100 columns of ink
    # Ten letters, each of 10 columns of ink of at most 22.
    assert unread_ink(line, text_of("abcdefghij")) == 0
    # Four cells of 25 columns: the letters may have 22, the spaces 12, so 3 + 13 + 13 + 3 are left.
    assert unread_ink(line, text_of("a  b")) == pytest.approx(0.32)
    assert unread_ink(line, RecognizedLine("")) == 1


def test_more_ink_may_be_left_over_where_the_text_is_sure():
    line = np.full((20, 200, 3), 255, np.uint8)
    line[4:16, 0:200:2] = 0
    wide = RecognizedLine(
        "ab cd", (0, 0.15, 0.3, 0.7, 0.85, 1), (0.95,) * 5
    )  # the space has 40 columns and may have 12
    assert unread_ink(line, wide) == pytest.approx(0.28)
    assert unread_reason(line, wide) is None
    assert unread_reason(line, wide._replace(probabilities=(0.89,) * 5)) == "unknown script"


def test_low_marks_are_no_letters():
    line = np.full((20, 200, 3), 255, np.uint8)
    line[10:12] = 0  # a rule
    assert unread_ink(line, RecognizedLine("")) == 0


def test_unread_lines_are_on_the_page_but_in_no_block():
    page = np.full((800, 1200, 3), 255, np.uint8)
    boxes = {}
    tiny = cv2.resize(draw_line(CHINESE_TEXT[:20], 40), None, fx=0.12, fy=0.12, interpolation=cv2.INTER_AREA)
    for top, (name, image) in zip(
        (100, 300, 500),
        {"english": draw_line(ENGLISH_TEXT[:49]), "russian": draw_line(RUSSIAN), "tiny": tiny}.items(),
        strict=True,
    ):
        page[top : top + image.shape[0], 100 : 100 + image.shape[1]] = image
        boxes[name] = top
    text = RapidReader(tables=False).read(page)
    assert [block.content for block in text.blocks] == [ENGLISH_TEXT[:49]]
    assert [(line.reason, round(line.box.y1, -2)) for line in text.unread] == [
        ("unknown script", boxes["russian"]),
        ("illegible", boxes["tiny"]),
    ]
    assert text.unread[1].height < LIMITS.small
    assert text.to_json()["unread"][0]["reason"] == "unknown script"


def test_scores_do_not_depend_on_unread_lines():
    block = Block(Box(10, 10, 90, 30), "some text")
    page = PageText((block,), Size(100, 100))
    unread = UnreadLine(Box(10, 50, 90, 58), "illegible", 8, 0.4)
    for other in (page, replace(page, size=Size(200, 200))):
        with_unread = PageText.from_json(replace(other, unread=(unread,)).to_json())
        assert with_unread.unread == (unread,)
        scores = [[unit.values for unit in compare(page, each, STRICT).units] for each in (other, with_unread)]
        assert scores[0] == scores[1]


def test_the_identity_covers_the_code_that_decides(engine):
    assert engine.identity["lines"].endswith(
        source_hash("lines/legibility", "lines/orientation", "lines/vertical_text")
    )
    assert "0.65" in engine.identity["lines"]
