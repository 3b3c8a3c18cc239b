"""Text metrics: CDM, BLEU-4, TEDS-like, text similarity.

Arguments are candidate and reference. Token metrics take sequences of tokens; the protocol chooses the tokeniser.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from cydifflib import SequenceMatcher
from rapidfuzz.distance import Indel, Levenshtein, Postfix, Prefix

from vdebench.errors import TooLargeError
from vdebench.metrics.registry import Metric, metric, register

MAX_COMPARED_CHARACTERS = 100_000
"""Limit of the comparison, about a second; ten times a dense page."""


def edit_distance(candidate: str, reference: str) -> int:
    """Return the Levenshtein distance.

    >>> edit_distance("2023", "2024")
    1
    """
    if candidate == reference:
        return 0
    check_length(candidate, reference)
    return Levenshtein.distance(candidate, reference)


@metric("cdm", kind="text", title="CDM")
def character_similarity(candidate: str, reference: str) -> float:
    """One minus the edit distance divided by the longer length; CDM in the papers.

    >>> character_similarity("2023", "2024")
    0.75
    >>> character_similarity("", "")
    1.0
    """
    longest = max(len(candidate), len(reference))
    return 1.0 if longest == 0 else 1.0 - edit_distance(candidate, reference) / longest


register(
    Metric(name="cdm_strict", kind="text", title="CDM-strict", main=False, function=character_similarity),
    Metric(name="text_correctness", kind="mean", title="Text", main=False),
    Metric(name="page_text", kind="page", title="Page"),
)


@metric("bleu", kind="tokens", title="BLEU")
def bleu4(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU over the n-gram orders up to 4 that both texts have; 1 for identical texts of any length.

    Add-one smoothing of the orders above the first (Lin and Och, 2004): texts without a common token have 0, texts
    without a common bigram do not.

    >>> bleu4(["Total"], ["Total"])
    1.0
    >>> bleu4(["Total"], ["Sum"])
    0.0
    """
    if not candidate or not reference:
        return float(candidate == reference)
    orders = min(4, len(candidate), len(reference))
    logs = 0.0
    for n, (shared, total) in enumerate(islice(_shared_ngrams(candidate, reference), orders), 1):
        add = 0 if n == 1 else 1
        if shared + add == 0:
            return 0.0
        logs += math.log((shared + add) / (total + add))
    return _brevity(candidate, reference) * math.exp(logs / orders)


@metric("bleu_papers", kind="tokens", column="bleu")
def bleu4_papers(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """BLEU-4 of the papers: add-one smoothing of every order, 1e-9 for orders longer than the candidate.

    >>> round(bleu4_papers(["a", "b", "c"], ["a", "b", "c"]), 4)
    0.0056
    """
    if not candidate or not reference:
        return float(not candidate and not reference)
    logs = 0.0
    for shared, total in _shared_ngrams(candidate, reference):
        logs += math.log((shared + 1) / (total + 1) if total > 0 else 1e-9)
    return _brevity(candidate, reference) * math.exp(logs / 4)


@metric("teds_like", kind="tokens", title="TEDS-like", main=False)
def token_similarity(candidate: Sequence[str], reference: Sequence[str]) -> float:
    """One minus the token edit distance divided by the longer length; TEDS-like in the papers.

    >>> token_similarity(["net", "of", "tax"], ["net", "of", "all", "tax"])
    0.75
    """
    longest = max(len(candidate), len(reference))
    if longest == 0 or candidate == reference:
        return 1.0
    check_length(candidate, reference)
    return 1.0 - Levenshtein.distance(candidate, reference) / longest


@metric("text_similarity", kind="text", title="Similar", main=False)
def common_subsequence_ratio(candidate: str, reference: str) -> float:
    """Twice the longest common subsequence divided by the sum of lengths; approximated by difflib's ratio.

    >>> common_subsequence_ratio("abcd", "abxd")
    0.75
    """
    if candidate == reference:
        return 1.0
    check_length(candidate, reference)
    return Indel.normalized_similarity(candidate, reference)


@metric("text_similarity_papers", kind="text", column="text_similarity")
def difflib_ratio(candidate: str, reference: str) -> float:
    """Python's `difflib` ratio as in the release: reference first, with the junk heuristic.

    >>> difflib_ratio("abxd", "abcd")
    0.75
    """
    if candidate == reference:
        return 1.0
    check_length(candidate, reference)
    return float(SequenceMatcher(None, reference, candidate).ratio())


def _shared_ngrams(candidate: Sequence[str], reference: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield for n from 1 to 4 the number of clipped n-gram matches and of n-grams of the candidate.

    N-grams inside a common prefix or suffix match, so only those that touch the part between are counted.
    """
    totals = [max(0, len(candidate) - n + 1) for n in range(1, 5)]
    if candidate == reference:
        yield from zip(totals, totals, strict=True)
        return
    begin = Prefix.similarity(candidate, reference)
    end = min(min(len(candidate), len(reference)) - begin, Postfix.similarity(candidate, reference))
    for n, total in enumerate(totals, 1):
        start, left = max(0, begin - n + 1), max(0, end - n + 1)
        candidate_counts, reference_counts = (
            _ngrams(candidate[start : len(candidate) - left], n),
            _ngrams(reference[start : len(reference) - left], n),
        )
        both = candidate_counts.keys() & reference_counts.keys()
        shared = sum(map(min, map(candidate_counts.__getitem__, both), map(reference_counts.__getitem__, both)))
        yield total - candidate_counts.total() + shared, total


def _ngrams(tokens: Sequence[str], n: int) -> Counter[Any]:
    if n == 1:
        return Counter(tokens)
    return Counter(zip(*[tokens[i:] for i in range(n)], strict=False))


def _brevity(candidate: Sequence[str], reference: Sequence[str]) -> float:
    return 1.0 if len(candidate) > len(reference) else math.exp(1 - len(reference) / len(candidate))


def check_length(candidate: Sequence[str], reference: Sequence[str]) -> None:
    """Raise an error for texts that take too long to compare."""
    longest = max(len(candidate), len(reference))
    if longest > MAX_COMPARED_CHARACTERS:
        raise TooLargeError(f"a text of {longest:,} characters, more than the limit of {MAX_COMPARED_CHARACTERS:,}")
