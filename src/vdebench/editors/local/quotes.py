"""Quoted text for LongCat-Image-Edit, which renders it letter by letter between quotation marks that it knows."""

from __future__ import annotations

import re

QUOTES = "others-as-curly-1"
"""Version of `known_quotes` and `split_at_quotes`, which change the prompt."""
KNOWN = (("“", "”"), ('"', '"'), ("‘", "’"), ("'", "'"))
"""Quotation marks that the model knows."""
_OTHERS = (("「", "」"), ("『", "』"), ("«", "»"), ("‹", "›"), ("„", "“"), ("„", "”"), ("＂", "＂"))
_QUOTED = re.compile("|".join(f"{a}[^{a}{b}]*?{b}" for a, b in KNOWN))
_OTHER = re.compile("|".join(f"{a}([^{a}{b}]*){b}" for a, b in _OTHERS))
_WITHIN_A_WORD = re.compile(r"[a-zA-Z]+'[a-zA-Z]+")
_PLACEHOLDER = "\ue000"


def known_quotes(instruction: str) -> str:
    """Replace quotation marks that the model does not know by those it knows.

    >>> known_quotes("把「合计」改为『总计』"), known_quotes('Change “Total” to "Sum"')
    ('把“合计”改为“总计”', 'Change “Total” to "Sum"')
    """
    return _OTHER.sub(_with_known, instruction)


def _with_known(match: re.Match[str]) -> str:
    content = next(group for group in match.groups() if group is not None)
    for opening, closing in KNOWN:
        if opening not in content and closing not in content:
            return f"{opening}{content}{closing}"
    return match[0]


def split_at_quotes(prompt: str, quote_pairs: object = None) -> list[tuple[str, bool]]:
    """Split a prompt into parts with a flag whether each is quoted; replaces diffusers' `split_quotation`.

    The original mixes up words with apostrophes if there are two, in an order that changes between processes.

    >>> split_at_quotes("Don't change the firm's name 'Ayre'")
    [("Don't change the firm's name ", False), ("'Ayre'", True)]
    """
    parts, start = [], 0
    masked = _WITHIN_A_WORD.sub(lambda word: word[0].replace("'", _PLACEHOLDER), prompt)
    for match in _QUOTED.finditer(masked):
        parts += [(masked[start : match.start()], False), (match[0], True)]
        start = match.end()
    parts.append((masked[start:], False))
    return [(part.replace(_PLACEHOLDER, "'"), quoted) for part, quoted in parts if part]
