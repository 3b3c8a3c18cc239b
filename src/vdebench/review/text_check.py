"""Words that people give: what a database, a log line and a page can all hold."""

from __future__ import annotations

import unicodedata

LONGEST_NAME, LONGEST_TEXT = 200, 20_000


def wrong_text(text: object, longest: int = LONGEST_TEXT) -> str:
    r"""What is wrong with a text; nothing where it can be kept.

    >>> wrong_text("a\x00b")
    'holds a character that cannot be kept: U+0000'
    """
    if not isinstance(text, str):
        return f"is {type(text).__name__}, expected text"
    if len(text) > longest:
        return f"has {len(text):,} characters, expected at most {longest:,}"
    for character in text:
        if character == "\0" or unicodedata.category(character) == "Cs":
            return f"holds a character that cannot be kept: U+{ord(character):04X}"
    return ""


def wrong_name(name: object) -> str:
    r"""What is wrong with a name or an id; nothing where it can be one.

    >>> wrong_name("Zoë"), wrong_name(" a"), wrong_name("a\nb")
    ('', 'begins or ends with a space', 'holds a character that is not printed: U+000A')
    """
    if problem := wrong_text(name, LONGEST_NAME):
        return problem
    assert isinstance(name, str)
    if not name:
        return "is empty"
    for character in name:
        if not character.isprintable():
            return f"holds a character that is not printed: U+{ord(character):04X}"
    return "begins or ends with a space" if name.strip() != name else ""
