"""Find quotations that are not part of the edit: neither its place nor a repetition of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import ModuleType

from vdebench.instructions.folding import folded


def is_place(words: str, number: int, language_words: ModuleType) -> bool:
    """Whether a quotation only says where something is: in which sentence, after what, between what.

    >>> from vdebench.instructions import words_en
    >>> [is_place("In the ⟦0⟧ section, delete ⟦1⟧ and ⟦2⟧.", number, words_en) for number in range(3)]
    [True, False, False]
    """
    marked = _marked(words, number)
    if any(language_words.matches(sign, marked) for sign in language_words.BETWEEN):
        return True
    joined = any(language_words.matches(sign, marked) for sign in language_words.JOINED)
    return not joined and any(language_words.matches(sign, marked) for sign in language_words.PLACE)


def is_other_end(words: str, number: int, language_words: ModuleType) -> bool:
    """Whether a quotation is the second of two between which something is."""
    return any(language_words.matches(sign, _marked(words, number)) for sign in language_words.BETWEEN)


def others(words: str, quoted: Sequence[str], claimed: Collection[int], language_words: ModuleType) -> tuple[int, ...]:
    """Return quotations that neither belong to the edit nor locate it: further texts to edit or write."""
    own = [folded(quoted[number]) for number in claimed]
    return tuple(
        number
        for number, text in enumerate(quoted)
        if number not in claimed
        and not is_place(words, number, language_words)
        and not _is_said_again(folded(text), own, _marked(words, number), language_words)
    )


def _is_said_again(text: str, own: Sequence[str], marked: str, language_words: ModuleType) -> bool:
    """Whether a quotation repeats the edit's text, a part of it or more of it; never if it continues a list."""
    if any(language_words.matches(sign, marked) for sign in (*language_words.JOINED, language_words.LISTED)):
        return False
    return any(text in each or each in text for each in own if each)


def _marked(words: str, number: int) -> str:
    return words.replace(f"⟦{number}⟧", "⟦@⟧")
