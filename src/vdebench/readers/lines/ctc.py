"""CTC (connectionist temporal classification): decoding, and the likelihood of a given text.

A recogniser returns, for each step along a line, a logit for every class: class 0 is the blank, the others are
characters. A text is the sequence of classes with repetitions merged and blanks removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BLANK = 0
Logits = NDArray[np.float32]


class Decoded(NamedTuple):
    """The most probable class at each step, merged into characters."""

    classes: list[int]
    starts: list[int]
    """First step of each character."""
    ends: list[int]
    """Step after the last one of each character."""
    probabilities: tuple[float, ...]
    """Probability of each character at its first step."""


def decode(logits: Logits) -> Decoded:
    """Decode the best class of each step.

    >>> step = np.eye(3, dtype=np.float32) * 9
    >>> decoded = decode(step[[1, 1, 0, 1, 2]])
    >>> decoded.classes, decoded.starts, decoded.ends
    ([1, 1, 2], [0, 3, 4], [2, 4, 5])
    """
    best = logits.argmax(1)
    first = np.flatnonzero(np.diff(best, prepend=-1))
    last = np.append(first[1:], len(best))
    shown = best[first] != BLANK
    first, last = first[shown], last[shown]
    rows = logits[first]
    chosen = rows[np.arange(len(first)), best[first]]
    shares = np.exp(chosen - _log_sum(rows)) if len(first) else chosen
    return Decoded(best[first].tolist(), first.tolist(), last.tolist(), tuple(round(float(each), 3) for each in shares))


def log_likelihood(logits: Logits, classes: Sequence[Sequence[int]]) -> float:
    """Return the log-probability that the line has a text, over all alignments (the forward algorithm).

    A character may have several classes, such as the two widths of a comma; one without classes makes the result -inf.

    >>> logits = np.log(np.array([[0.1, 0.8, 0.1], [0.6, 0.3, 0.1]], np.float32))
    >>> round(float(np.exp(log_likelihood(logits, [[1]]))), 3)  # 1-blank .48, blank-1 .03, 1-1 .24
    0.75
    """
    if not all(classes):
        return -np.inf
    log_shares = logits - _log_sum(logits)[:, None]
    blank = log_shares[:, BLANK].astype(np.float64)
    emitted = np.array([np.logaddexp.reduce(log_shares[:, list(each)], axis=1) for each in classes], np.float64)
    emitted = emitted.reshape(len(classes), len(logits)).T
    # States: blank, first character, blank, second character, …, blank.
    states = 2 * len(classes) + 1
    scores = np.full((len(logits), states), 0.0)
    scores[:, 0::2] = blank[:, None]
    scores[:, 1::2] = emitted
    can_skip = np.zeros(states, bool)  # the blank between two characters may be skipped unless they are equal
    can_skip[3::2] = [set(one).isdisjoint(other) for one, other in pairwise(classes)]
    forward = np.full(states, -np.inf)
    forward[:2] = scores[0, :2]
    for step in scores[1:]:
        stay = np.logaddexp(forward, np.concatenate([[-np.inf], forward[:-1]]))
        skip = np.where(can_skip, np.concatenate([[-np.inf, -np.inf], forward[:-2]])[:states], -np.inf)
        forward = np.logaddexp(stay, skip) + step
    return float(np.logaddexp.reduce(forward[-2:]))


def _log_sum(rows: Logits) -> Logits:
    """Return the logarithm of the sum of exponentials of each row."""
    top = rows.max(1, keepdims=True)
    total: Logits = np.log(np.exp(rows - top).sum(1)) + top[:, 0]
    return total
