"""Font and size detection on strips drawn by the typesetter."""

import numpy as np
import pytest

from vdebench.editors.overlay.font_match import FontFit, fit_style, place_words, stencil
from vdebench.editors.overlay.fonts import FontStyle, WordRenderer


@pytest.fixture(scope="module")
def setter() -> WordRenderer:
    return WordRenderer()


@pytest.mark.parametrize(
    ("text", "style", "size"),
    [
        ("students leave before their second year", FontStyle("serif"), 16.0),
        ("students leave before their second year", FontStyle("modern", bold=True), 24.0),
        ("hours a week", FontStyle("sans"), 21.0),
        ("海水的盐度一般较高", FontStyle("sans"), 20.0),
    ],
)
def test_face_and_size(setter: WordRenderer, text: str, style: FontStyle, size: float) -> None:
    drawn = stencil(setter, text, style, size)
    assert drawn is not None
    # White all around: a small word must not be found on blank paper, where a correlation is undefined.
    strip = np.pad(drawn.ink, 12)
    samples = text.split() if " " in text else [text[:2], text[3:5]]
    fit = fit_style(setter, strip, text, samples, guess=1.3 * size)
    assert fit.style == style
    assert fit.size == pytest.approx(size, rel=0.03)
    assert fit.likeness > 0.8  # letters snap to whole pixels: a size a little off is a little unlike


def test_words_are_placed_though_white_is_stretched(setter: WordRenderer) -> None:
    style, size = FontStyle("serif"), 24.0
    strip, pens = np.zeros((50, 400), np.float32), [10, 95, 190]
    texts = ["Prices", "fell", "again"]
    for text, pen in zip(texts, pens, strict=True):
        drawn = stencil(setter, text, style, size)
        assert drawn is not None
        top, left = 35 - drawn.baseline, pen - drawn.pen
        strip[top : top + drawn.ink.shape[0], left : left + drawn.ink.shape[1]] = drawn.ink
    placed = place_words(setter, strip, texts, ["", " ", " "], FontFit(style, size, 1.0))
    assert placed.pens == pens
    assert placed.baseline == 35
