"""Two texts into one number: CDM, BLEU-4, TEDS-like, text similarity.

Candidate first, reference second. Token metrics take sequences of tokens: which tokens is the protocol's choice.
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
"""Two different texts of this length take about a second to compare; a dense page holds a tenth of it."""


def edit_distance(candidate: str, reference: str) -> int:
    """Fewest characters to insert, delete or replace to make one text the other.

    >>> edit_distance("2023", "2024")
    1
    """
    if candidate == reference:
        return 0
    check_length(candidate, reference)
    return Levenshtein.distance(candidate, reference)


@metric("cdm", kind="text", title="CDM")
def character_similarity(candidate: str, reference: str) -> float:
    """Share of characters that need no edit; the papers call it CDM.

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
    """BLEU over the n-gram orders up to 4 that both texts have: an identical text is 1 however short.

    One is added to matches and totals of the orders above the first (Lin and Och, 2004), so that a text that shares
    no token is 0 and one that shares no pair of tokens is not.

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
    """BLEU-4 as the papers compute it: one added to every order, 1e-9 for an order the candidate is too short for.

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
    """Share of tokens that need no edit; the papers call it TEDS-like.

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
    """Twice the longest common subsequence over both lengths; what difflib's ratio approximates.

    >>> common_subsequence_ratio("abcd", "abxd")
    0.75
    """
    if candidate == reference:
        return 1.0
    check_length(candidate, reference)
    return Indel.normalized_similarity(candidate, reference)


@metric("text_similarity_papers", kind="text", column="text_similarity")
def difflib_ratio(candidate: str, reference: str) -> float:
    """Python's `difflib` ratio as the release calls it: reference first, junk heuristic on.

    >>> difflib_ratio("abxd", "abcd")
    0.75
    """
    if candidate == reference:
        return 1.0
    check_length(candidate, reference)
    return float(SequenceMatcher(None, reference, candidate).ratio())


def _shared_ngrams(candidate: Sequence[str], reference: Sequence[str]) -> Iterator[tuple[int, int]]:
    """For n from 1 to 4, how many n-grams of the candidate the reference has too (each as often as there), and how
    many there are.

    An n-gram inside the beginning or the end that both texts share adds as much to one count as to the other, so that
    only those that touch the part between need counting.
    """
    totals = [max(0, len(candidate) - n + 1) for n in range(1, 5)]
    if candidate == reference:
        yield from zip(totals, totals, strict=True)
        return
    begin = Prefix.similarity(candidate, reference)
    end = min(min(len(candidate), len(reference)) - begin, Postfix.similarity(candidate, reference))
    for n, total in enumerate(totals, 1):
        start, left = max(0, begin - n + 1), max(0, end - n + 1)
        found, wanted = (
            _ngrams(candidate[start : len(candidate) - left], n),
            _ngrams(reference[start : len(reference) - left], n),
        )
        both = found.keys() & wanted.keys()
        shared = sum(map(min, map(found.__getitem__, both), map(wanted.__getitem__, both)))
        yield total - found.total() + shared, total


def _ngrams(tokens: Sequence[str], n: int) -> Counter[Any]:
    if n == 1:
        return Counter(tokens)
    return Counter(zip(*[tokens[i:] for i in range(n)], strict=False))


def _brevity(candidate: Sequence[str], reference: Sequence[str]) -> float:
    return 1.0 if len(candidate) > len(reference) else math.exp(1 - len(reference) / len(candidate))


def check_length(candidate: Sequence[str], reference: Sequence[str]) -> None:
    """Refuse texts that take too long to compare."""
    longest = max(len(candidate), len(reference))
    if longest > MAX_COMPARED_CHARACTERS:
        raise TooLargeError(f"a text of {longest:,} characters, more than the {MAX_COMPARED_CHARACTERS:,} we compare")
