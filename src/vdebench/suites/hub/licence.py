"""The licence of a repository."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Licence(NamedTuple):
    """A licence as named in the repository's card; `name` is empty if it names none."""

    name: str = ""
    link: str = ""
    files: tuple[str, ...] = ()
    """Files of the repository that seem to hold a licence."""

    @property
    def summary(self) -> str:
        """The licence in a few words.

        >>> Licence("cc-by-4.0").summary
        'cc-by-4.0'
        >>> Licence(files=("LICENSE",)).summary
        'none named in the card; see its file LICENSE'
        """
        text = self.name or "none named in the card"
        if self.link:
            text += f" ({self.link})"
        return text + (f"; see its file {', '.join(self.files)}" if self.files else "")

    @property
    def advice(self) -> str:
        """The obligations of the user."""
        if self.name:
            return "read it before you use or share the data"
        return "without one you may not have the right to use or share the data: ask its authors"


def licence_of_card(card: Mapping[str, Any], names: Sequence[str] = ()) -> Licence:
    """Return the licence named in a card's data, and files with a licence name.

    >>> licence_of_card({"license": "other", "license_name": "research-only", "license_link": "LICENSE.md"}).summary
    'research-only (LICENSE.md)'
    >>> licence_of_card({"license": ["mit", "cc-by-4.0"]}).name
    'mit, cc-by-4.0'
    """
    licence = card.get("license")
    listed = licence if isinstance(licence, list) else [licence]
    named = ", ".join(_line(one) for one in listed if isinstance(one, str) and one.strip())
    own = card.get("license_name")
    if isinstance(own, str) and own.strip() and named in ("", "other"):
        named = _line(own)
    link = card.get("license_link")
    files = tuple(name for name in names if name.upper().startswith(("LICENSE", "LICENCE", "COPYING")))
    return Licence(named, _line(link) if isinstance(link, str) else "", files)


def front_matter(text: str) -> dict[str, Any]:
    """Parse plain fields of a README's front matter: `key: value`, and lists of values; nested values are skipped.

    >>> front_matter("---\\nlicense: cc-by-4.0\\nlanguage:\\n- en\\n- zh\\n---\\n# Title")
    {'license': 'cc-by-4.0', 'language': ['en', 'zh']}
    """
    head = re.match(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*$", text, re.DOTALL | re.MULTILINE)
    fields: dict[str, Any] = {}
    key = ""
    for line in head[1].splitlines() if head else ():
        if field := re.fullmatch(r"(\w+):(?:\s+(.*?))?\s*", line):
            key = field[1]
            fields[key] = _unquoted(field[2] or "") or []
        elif (item := re.fullmatch(r"\s*-\s+([^:]+?)\s*", line)) and isinstance(fields.get(key), list):
            fields[key].append(_unquoted(item[1]))
    return fields


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _line(text: str) -> str:
    """Return one line of printable characters, safe for a terminal."""
    return "".join(character for character in " ".join(text.split()) if character.isprintable())[:200]
