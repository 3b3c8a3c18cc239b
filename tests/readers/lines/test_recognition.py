"""The recogniser on lines with known text."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from vdebench.readers.lines.engine import RECOGNIZER, model_file
from vdebench.readers.lines.inference import Model
from vdebench.readers.lines.recognition import FULL, NARROW, LineRecognizer, RecognizedLine, input_width
from vdebench.suites.typeset.language_rules import font_folders

FONT = next(file for folder in font_folders() for file in folder.rglob("NotoSansSC-Regular*"))
TEXTS = [
    "Total: 418.70",
    "Invoice 2024-11-18",
    "基金情况说明",
    "a",
    "The quick brown fox jumps over the lazy dog again",
]


def drawn(text: str, size: int = 32):
    font = ImageFont.truetype(str(FONT), size)
    left, top, right, bottom = font.getbbox(text)
    picture = Pictures.new("RGB", (int(right - left) + 12, int(bottom - top) + 12), "white")
    ImageDraw.Draw(picture).text((6 - left, 6 - top), text, font=font, fill="black")
    return np.asarray(picture, np.uint8)


@pytest.fixture(scope="module")
def recognizer() -> LineRecognizer:
    return LineRecognizer(Model(model_file(RECOGNIZER), logits=True))


@pytest.mark.parametrize("text", TEXTS)
def test_a_line_is_read_with_a_place_and_a_probability_for_each_character(recognizer, text):
    line = recognizer.recognize(drawn(text))
    assert line.text.replace(" ", "") == text.replace(" ", "")
    assert len(line.probabilities) == len(line.text)
    assert min(line.probabilities) > 0.5
    assert list(line.edges) == sorted(line.edges)
    assert len(line.edges) == len(line.text) + 1
    assert 0 <= line.edges[0] < line.edges[-1] <= 1


def test_places_are_where_the_characters_are(recognizer):
    image = drawn("AAAA BBBB")
    font = ImageFont.truetype(str(FONT), 32)
    line = recognizer.recognize(image)
    expected = (6 + font.getlength("AAAA")) / image.shape[1]  # the end of the first word
    assert line.edges[line.text.index("B") - 1] == pytest.approx(expected, abs=0.04)


def test_batches_do_not_change_texts(recognizer):
    lines = [drawn(text, size) for size in (24, 40) for text in TEXTS]
    one_by_one = [recognizer.recognize(line) for line in lines]
    for size in (2, 16):
        batched = recognizer.recognize_batches(lines, size)
        assert [line.text for line in batched] == [line.text for line in one_by_one]
        assert np.allclose(
            np.concatenate([line.probabilities for line in batched]),
            np.concatenate([line.probabilities for line in one_by_one]),
            atol=0.002,
        )
    assert recognizer.recognize_batches(lines[::-1], 4)[::-1] == recognizer.recognize_batches(lines, 4)
    assert recognizer.recognize_batches([], 4) == []


def test_the_right_text_is_the_most_likely(recognizer):
    image = drawn("Total: 418.70")
    right, digit, letter, impossible = recognizer.log_likelihoods(
        image, ["Total: 418.70", "Total: 413.70", "Tofal: 418.70", "Total: 418.7\uffff"]
    )
    assert right > -1 > max(digit, letter)
    assert impossible == -np.inf
    wide, narrow = recognizer.log_likelihoods(drawn("共三项，含税"), ["共三项，含税", "共三项,含税"])
    assert wide == narrow  # readers write punctuation in either width


def test_widths_are_few_and_near_the_proportions():
    for width in range(20, 2000, 7):
        line = np.zeros((40, width, 3), np.uint8)
        for factor in (NARROW, FULL):
            exact = factor * width * 48 / 40
            if exact >= 64:
                assert abs(input_width(line, factor) - exact) <= exact / 16 + 1e-9
    widths = {input_width(np.zeros((40, width, 3), np.uint8), FULL) for width in range(20, 2000)}
    assert len(widths) < 110


def test_json_round_trip_and_damaged_values(recognizer):
    line = recognizer.recognize(drawn("Total: 418.70"))
    assert RecognizedLine.from_json(line.to_json()) == line
    assert RecognizedLine.from_json(RecognizedLine("").to_json()) == RecognizedLine("")
    for damaged in (["ab", [1, 2, 3], [1]], ["ab", [1], [1, 1]], [1, [], []], "text", None, ["a", None, None]):
        with pytest.raises((ValueError, TypeError)):
            RecognizedLine.from_json(damaged)
