"""Validation of names and texts, so that database, logs and page can hold them."""

from __future__ import annotations

import unicodedata

LONGEST_NAME, LONGEST_TEXT = 200, 20_000


def wrong_text(text: object, longest: int = LONGEST_TEXT) -> str:
    r"""Describe what is wrong with a text; empty if it is valid.

    >>> wrong_text("a\x00b")
    'contains a character that cannot be stored: U+0000'
    """
    if not isinstance(text, str):
        return f"is {type(text).__name__}, expected text"
    if len(text) > longest:
        return f"has {len(text):,} characters, expected at most {longest:,}"
    for character in text:
        if character == "\0" or unicodedata.category(character) == "Cs":
            return f"contains a character that cannot be stored: U+{ord(character):04X}"
    return ""


def wrong_name(name: object) -> str:
    r"""Describe what is wrong with a name or id; empty if it is valid.

    >>> wrong_name("Zoë"), wrong_name(" a"), wrong_name("a\nb")
    ('', 'begins or ends with a space', 'contains a character that is not printable: U+000A')
    """
    if problem := wrong_text(name, LONGEST_NAME):
        return problem
    assert isinstance(name, str)
    if not name:
        return "is empty"
    for character in name:
        if not character.isprintable():
            return f"contains a character that is not printable: U+{ord(character):04X}"
    return "begins or ends with a space" if name.strip() != name else ""
