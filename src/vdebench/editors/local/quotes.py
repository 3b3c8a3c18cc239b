"""Quoted text as LongCat-Image-Edit reads it: letter by letter between quotation marks that it knows."""

from __future__ import annotations

import re

QUOTES = "others-as-curly-1"
"""Version of `known_quotes` and `split_at_quotes`, which change what the model is told."""
KNOWN = (("“", "”"), ('"', '"'), ("‘", "’"), ("'", "'"))
"""Marks within which the model takes every character for itself."""
_OTHERS = (("「", "」"), ("『", "』"), ("«", "»"), ("‹", "›"), ("„", "“"), ("„", "”"), ("＂", "＂"))
_QUOTED = re.compile("|".join(f"{a}[^{a}{b}]*?{b}" for a, b in KNOWN))
_OTHER = re.compile("|".join(f"{a}([^{a}{b}]*){b}" for a, b in _OTHERS))
_WITHIN_A_WORD = re.compile(r"[a-zA-Z]+'[a-zA-Z]+")
_STANDS_IN = "\ue000"


def known_quotes(instruction: str) -> str:
    """The instruction with quotation marks that the model knows in place of those it does not; else as it is.

    >>> known_quotes("把「合计」改为『总计』"), known_quotes('Change “Total” to "Sum"')
    ('把“合计”改为“总计”', 'Change “Total” to "Sum"')
    """
    return _OTHER.sub(_with_known, instruction)


def _with_known(found: re.Match[str]) -> str:
    content = next(group for group in found.groups() if group is not None)
    for opening, closing in KNOWN:
        if opening not in content and closing not in content:
            return f"{opening}{content}{closing}"
    return found[0]


def split_at_quotes(prompt: str, quote_pairs: object = None) -> list[tuple[str, bool]]:
    """Parts of a prompt, and whether each is quoted: what diffusers' `split_quotation` is meant to give.

    That one replaces words with apostrophes by marks and, where there are two such words, puts the wrong ones back, in
    an order that changes from process to process: the model is told something else than was asked.

    >>> split_at_quotes("Don't change the firm's name 'Ayre'")
    [("Don't change the firm's name ", False), ("'Ayre'", True)]
    """
    parts, start = [], 0
    veiled = _WITHIN_A_WORD.sub(lambda word: word[0].replace("'", _STANDS_IN), prompt)
    for found in _QUOTED.finditer(veiled):
        parts += [(veiled[start : found.start()], False), (found[0], True)]
        start = found.end()
    parts.append((veiled[start:], False))
    return [(part.replace(_STANDS_IN, "'"), quoted) for part, quoted in parts if part]
