"""Extract quotations from an instruction."""

from __future__ import annotations

from collections.abc import Sequence

import regex

_PAIRS = {"“": "”", "‘": "’", "「": "」", "『": "』", "﹁": "﹂", '"': '"', "'": "'", "„": "“", "«": "»"}
_LOOSE = {"“": '”"', '"': '"”', "‘": "’'", "'": "'’", "„": "“”"}
"""Additional closing marks: curly and straight marks are often mixed."""
MARKERS = frozenset("⟦⟧")
"""Marks around the numbers of quotations; an instruction that has them itself is not understood."""
_SINGLE = "'‘"
_BEFORE_SINGLE = regex.compile(r"[\s(\[{:,;—-]|\p{Han}|[，：；（、。]")
_AFTER_SINGLE = regex.compile(r"[\s)\]}:,;.!?—-]|\p{Han}|[，：；）、。！？]")


def cut_quotes(instruction: str) -> tuple[str, list[str]]:
    """Replace quotations by ⟦0⟧, ⟦1⟧ …; return the text and the quotations.

    >>> cut_quotes("Replace 'don’t' with “do not\\".")
    ('Replace ⟦0⟧ with ⟦1⟧.', ['don’t', 'do not'])
    >>> cut_quotes("将「甲」改为『乙』")
    ('将⟦0⟧改为⟦1⟧', ['甲', '乙'])
    """
    quoted: list[str] = []
    rest, at = "", 0
    while at < len(instruction):
        end = _closing(instruction, at)
        if end is None:
            rest += instruction[at]
            at += 1
            continue
        rest += f"⟦{len(quoted)}⟧"
        quoted.append(instruction[at + 1 : end].strip())
        at = end + 1
    return rest, quoted


def insert_quotes(words: str, quoted: Sequence[str]) -> str:
    """Put quotations back into a text, each in marks that it does not contain.

    >>> insert_quotes("Replace ⟦0⟧ with ⟦1⟧.", ["don’t", "“do not”"])
    'Replace “don’t” with 「“do not”」.'
    """
    return regex.sub(r"⟦(\d+)⟧", lambda number: _in_marks(quoted[int(number[1])]), words)


def _in_marks(text: str) -> str:
    lefts = (left for left in "“「『«﹁" if not set(text) & {left, _PAIRS[left], *_LOOSE.get(left, "")})
    left = next(lefts, "“")
    return f"{left}{text}{_PAIRS[left]}"


def _closing(text: str, at: int) -> int | None:
    """Return the end of the quotation that starts at a position; None if none starts there."""
    opening = text[at]
    if opening not in _PAIRS:
        return None
    if opening in _SINGLE and at and not _BEFORE_SINGLE.match(text[at - 1]):
        return None  # an apostrophe
    closing = _LOOSE.get(opening, _PAIRS[opening])
    depth = 1
    for place in range(at + 1, len(text)):
        letter = text[place]
        if letter == opening and opening not in closing:
            depth += 1
        elif letter in closing:
            if opening in _SINGLE and place + 1 < len(text) and not _AFTER_SINGLE.match(text[place + 1]):
                continue
            depth -= 1
            if depth == 0:
                return place if text[at + 1 : place].strip() else None
    return None
