"""Quotations in an instruction: what is quoted, and what is left when each stands as a number in brackets."""

from __future__ import annotations

import regex

_PAIRS = {"“": "”", "‘": "’", "「": "」", "『": "』", "﹁": "﹂", '"': '"', "'": "'", "„": "“", "«": "»"}
_LOOSE = {"“": '”"', '"': '"”', "‘": "’'", "'": "'’", "„": "“”"}
"""What also closes: people mix curly and straight marks."""
_SINGLE = "'‘"
_BEFORE_SINGLE = regex.compile(r"[\s(\[{:,;—-]|\p{Han}|[，：；（、。]")
_AFTER_SINGLE = regex.compile(r"[\s)\]}:,;.!?—-]|\p{Han}|[，：；）、。！？]")


def cut_quotes(instruction: str) -> tuple[str, list[str]]:
    """The instruction with ⟦0⟧, ⟦1⟧ … for what it quotes, and what that is.

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


def _closing(text: str, at: int) -> int | None:
    """Where the quotation ends that begins at a place; none where none begins."""
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
