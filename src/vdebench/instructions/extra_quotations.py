"""Quotations that are no part of the one edit: what says where it is, or says it again, is; all else is one more."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import ModuleType

from vdebench.instructions.folding import folded


def is_place(words: str, number: int, tongue: ModuleType) -> bool:
    """Whether a quotation only says where something stands: in which sentence, after what, between what.

    >>> from vdebench.instructions import words_en
    >>> [is_place("In the ⟦0⟧ section, delete ⟦1⟧ and ⟦2⟧.", number, words_en) for number in range(3)]
    [True, False, False]
    """
    marked = _marked(words, number)
    if any(tongue.matches(sign, marked) for sign in tongue.BETWEEN):
        return True
    joined = any(tongue.matches(sign, marked) for sign in tongue.JOINED)
    return not joined and any(tongue.matches(sign, marked) for sign in tongue.PLACE)


def is_other_end(words: str, number: int, tongue: ModuleType) -> bool:
    """Whether a quotation is the second of two between which something stands."""
    return any(tongue.matches(sign, _marked(words, number)) for sign in tongue.BETWEEN)


def others(words: str, quoted: Sequence[str], claimed: Collection[int], tongue: ModuleType) -> tuple[int, ...]:
    """Quotations beside those that an edit claims: what else is to be edited, or to be written."""
    own = [folded(quoted[number]) for number in claimed]
    return tuple(
        number
        for number, text in enumerate(quoted)
        if number not in claimed
        and not is_place(words, number, tongue)
        and not _is_said_again(folded(text), own, _marked(words, number), tongue)
    )


def _is_said_again(text: str, own: Sequence[str], marked: str, tongue: ModuleType) -> bool:
    """Whether it is what the edit is about, a part of it or more of it; never where it goes on with a list."""
    if any(tongue.matches(sign, marked) for sign in (*tongue.JOINED, tongue.LISTED)):
        return False
    return any(text in each or each in text for each in own if each)


def _marked(words: str, number: int) -> str:
    return words.replace(f"⟦{number}⟧", "⟦@⟧")
