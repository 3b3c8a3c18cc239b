"""Evidence for a difference between two readings of a line: likelihoods of both texts on both images, and pixels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vdebench.changes.alignment import AlignedPages, PlacedCrop
from vdebench.changes.words import Difference, LineText, is_meaningful
from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.reader import LikelihoodReader

MAX_RATIO = 200.0
"""Greatest log-likelihood ratio that is stated: more is no more certain."""
MOST_CHARACTERS = 8
"""Greatest number of characters by which a ratio is divided: no reader misreads so many as other words for certain."""


class LinePair(NamedTuple):
    """A line of the page and its reading on the output, with the images that were read."""

    box: Box
    """On the page."""
    before: LineText
    after: LineText
    image_before: Image
    image_after: Image
    box_after: Box
    """Box of `image_after`, in the page's coordinates; in the output's own if the output is not registered."""
    place: PlacedCrop | None = None
    """Where the line is on the output; None if it moved or the output is not registered."""


class Evidence(NamedTuple):
    """Evidence for one difference."""

    before: float
    """Log-likelihood ratio of the text before against the text after, on the page."""
    after: float
    """Log-likelihood ratio of the text after against the text before, on the output."""
    characters: int
    """Number of characters that differ."""
    drop: float | None
    """How far the correlation of the characters is below that of the rest of their line; None if it moved."""
    correlation: float | None
    probability: float
    """Least probability of the differing characters as read on the output."""

    @property
    def score(self) -> float:
        """Evidence per character: the weaker of both likelihood ratios, and the drop of the correlation."""
        ratio = min(self.before, self.after) / min(self.characters, MOST_CHARACTERS)
        return ratio + DROP_WEIGHT * (DEFAULT_DROP if self.drop is None else self.drop)

    @property
    def confidence(self) -> float:
        """Probability that the text differs."""
        return 1 / (1 + math.exp(-SLOPE * (self.score - THRESHOLD)))

    @property
    def is_weak(self) -> bool:
        """Whether the text is doubtful rather than another: the glyphs look as before, and the evidence is small.

        In a line that is reproduced exactly, small evidence is enough, unless the glyphs are reproduced as exactly.
        """
        if self.drop is None or self.correlation is None:
            return False
        if self.drop + self.correlation >= EXACT and (self.drop >= SAME_DROP or self.score >= SAME_SCORE):
            return False
        return min(self.before, self.after) < MAX_RATIO and self.score < WEAK_SCORE and self.drop < WEAK_DROP

    def to_json(self) -> dict[str, float]:
        """Return the values that are known."""
        values = {"likelihood_before": self.before, "likelihood_after": self.after, "probability": self.probability}
        if self.drop is not None and self.correlation is not None:
            values |= {"correlation": self.correlation, "correlation_drop": self.drop}
        return {**values, "score": self.score}


DROP_WEIGHT, DEFAULT_DROP = 10.0, 0.1
MIN_USUAL = 0.5
"""Least correlation of the rest of a line that stands where it was."""
THRESHOLD, SLOPE = 4.0, 1.0
"""See docs/changes.md for how they were chosen."""
WEAK_SCORE, WEAK_DROP = 9.0, 0.12
"""Score and drop below which a difference makes a character doubtful. Planted changes have more, unless an autoencoder
has garbled the line."""

EXACT, SAME_DROP, SAME_SCORE = 0.93, 0.04, 6.5
"""Correlation of the rest of a line from which it is reproduced exactly. After JPEG compression, blur, or a resize to
1 MP and back, 99 % of lines have more; at 70 % of the size a tenth, after the autoencoder those of large type. And the
drop and score below which a glyph is reproduced as exactly as its line."""


def gather(
    pair: LinePair, found: Sequence[Difference], reader: LikelihoodReader, pages: AlignedPages | None
) -> list[Evidence]:
    """Return the evidence for each difference of a pair of lines."""
    one, other = pair.before.text, pair.after.text
    on_output = reader.likelihood(pair.image_after, [other, *(_reverted(one, each, other) for each in found)])
    drops = _drops(pair, found, pages)
    result = []
    for each, reverted, (drop, correlation) in zip(found, on_output[1:], drops, strict=True):
        sides = one[each.before.start : each.before.stop], other[each.after.start : each.after.stop]
        changed = max(1, *(sum(not character.isspace() for character in side) for side in sides))
        probability = pair.after.probability(each.after.start, each.after.stop)
        # The ratio on the page can only lower the score: it is measured where that of the output is enough.
        result.append(Evidence(MAX_RATIO, _ratio(on_output[0], reverted), changed, drop, correlation, probability))
    enough = [index for index, each in enumerate(result) if each.score >= THRESHOLD]
    if enough:
        on_page = reader.likelihood(pair.image_before, [one, *(_applied(one, found[index], other) for index in enough)])
        for index, applied in zip(enough, on_page[1:], strict=True):
            result[index] = result[index]._replace(before=_ratio(on_page[0], applied))
    return result


def _ratio(one: float, other: float) -> float:
    if one == -math.inf:
        return 0.0
    return float(np.clip(one - other, -MAX_RATIO, MAX_RATIO))


def _applied(one: str, difference: Difference, other: str) -> str:
    """The text before, with this one difference applied."""
    new = other[difference.after.start : difference.after.stop]
    return one[: difference.before.start] + new + one[difference.before.stop :]


def _reverted(one: str, difference: Difference, other: str) -> str:
    """The text after, with this one difference reverted."""
    old = one[difference.before.start : difference.before.stop]
    return other[: difference.after.start] + old + other[difference.after.stop :]


def _drops(
    pair: LinePair, found: Sequence[Difference], pages: AlignedPages | None
) -> list[tuple[float | None, float | None]]:
    """Return for each difference how far its correlation is below that of the line's other characters, and itself.

    They are not known where the rest of the line moved, as beside inserted words.
    """
    if pair.place is None or pages is None:
        return [(None, None)] * len(found)
    text = pair.before.text
    touched = {
        at for each in found for at in (each.before or range(max(0, each.before.start - 1), each.before.start + 1))
    }
    others = [at for at in range(len(text)) if at not in touched and is_meaningful(text[at])]
    others = others[:: max(1, len(others) // 24)]
    spans = [pair.before.span(at, at + 1) for at in others]
    wanted = [_span(pair, each) for each in found]
    values = pages.glyph_correlations(pair.box, pair.place, [*spans, *wanted])
    usual = float(np.median(values[: len(spans)])) if spans else 0.9
    if usual < MIN_USUAL:
        return [(None, None)] * len(found)
    return [(usual - value, value) for value in values[len(spans) :]]


def _span(pair: LinePair, difference: Difference) -> tuple[float, float]:
    start, stop = difference.before.start, difference.before.stop
    if start == stop:  # something was inserted: the neighbours on both sides
        start, stop = max(0, start - 1), min(len(pair.before.text), start + 1)
    return pair.before.span(start, max(stop, start + 1) if pair.before.text else start)
