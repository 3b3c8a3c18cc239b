"""CTC decoding and likelihoods, against enumeration of all paths."""

from __future__ import annotations

from itertools import groupby, product

import numpy as np
import pytest

from vdebench.readers.lines.ctc import decode, log_likelihood


def enumerated(logits, text: tuple[int, ...]) -> float:
    """Sum of the probabilities of all paths that collapse to a text."""
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    total = 0.0
    for path in product(range(logits.shape[1]), repeat=len(logits)):
        if tuple(each for each, _ in groupby(path) if each) == text:
            total += float(np.prod([shares[step, each] for step, each in enumerate(path)]))
    return total


@pytest.mark.parametrize("text", [(), (1,), (2, 1), (1, 1), (1, 2, 1), (2, 2, 2), (1, 1, 1, 1)])
def test_the_likelihood_is_the_sum_over_all_paths(text):
    logits = np.random.default_rng(7).normal(size=(5, 3)).astype(np.float32)
    found = log_likelihood(logits, [[each] for each in text])
    expected = enumerated(logits, text)  # four equal characters need seven steps: 0
    assert np.exp(found) == pytest.approx(expected, rel=1e-5, abs=1e-12)


def test_a_character_with_two_classes_counts_both():
    logits = np.random.default_rng(8).normal(size=(4, 4)).astype(np.float32)
    either = np.exp(log_likelihood(logits, [[1], [2, 3]]))
    # paths that mix both classes within one character, 1 2 3, are texts of their own for `enumerated`
    apart = enumerated(logits, (1, 2)) + enumerated(logits, (1, 3))
    assert apart < either < 1
    assert log_likelihood(logits, [[1], []]) == -np.inf


def test_decoding_merges_repetitions_and_drops_blanks():
    logits = np.full((7, 4), -5, np.float32)
    for step, each in enumerate([0, 2, 2, 0, 2, 3, 0]):
        logits[step, each] = 5
    decoded = decode(logits)
    assert (decoded.classes, decoded.starts, decoded.ends) == ([2, 2, 3], [1, 4, 5], [3, 5, 6])
    assert decoded.probabilities == (1.0, 1.0, 1.0)  # 1 - 3 exp(-10), rounded to three digits


def test_an_empty_line_has_no_characters():
    logits = np.zeros((4, 3), np.float32)
    logits[:, 0] = 1
    assert decode(logits).classes == []
    assert decode(logits).probabilities == ()
