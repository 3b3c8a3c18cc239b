"""A text metric as another package has it. Importing it registers it: only tests that ask for it may do so."""

from __future__ import annotations

from vdebench.metrics import metric


@metric("vowels", kind="text", title="Vowels", version=2, best="lower", digits=4)
def vowel_difference(candidate: str, reference: str) -> float:
    """Share by which the numbers of vowels differ."""
    counts = [sum(text.count(vowel) for vowel in "aeiou") for text in (candidate, reference)]
    return abs(counts[0] - counts[1]) / max(1, *counts)
