"""Redaction of folder names, API keys and addresses from data that leaves the machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_SECRET = re.compile(
    r"(api|access|secret|private|auth)[_-]?(key|token)|token(?!s|i[sz])|secret|passw|authorization|cookie|credential"
    r"|(^|[_-])(keys?|auth)$",
    re.I,
)
_KEYS = re.compile(r"\b(?:sk|hf|ghp|gho|github_pat)[-_][\w-]{8,}|\bBearer\s+\S{8,}")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
_ADDRESSES = re.compile(r"[a-z][a-z0-9+.-]*://[^\s'\"<>()]+", re.I)
# The folders of an absolute or upward path: the file name that follows is kept. Folder names may contain spaces, but
# not start or end with them: there another path begins.
_END = r"\s/\\'\":,;|()<>"
_INSIDE = r"\n/\\'\":,;|()<>"
_FOLDERS = re.compile(
    rf"(?<![^\s'\"(\[=,:;…])(?:~[\w.-]*|[A-Za-z]:|\.\.?)?[/\\]+"
    rf"(?:[^{_END}](?:[^{_INSIDE}]*[^{_END}])?[/\\]+)*(?=[^{_END}])"
)


def is_private(name: str, value: Any) -> bool:
    """Whether an option contains a key, an address or a path.

    >>> is_private("api_key", "x"), is_private("max_tokens", "9"), is_private("url", "http://10.0.0.7/v1")
    (True, False, True)
    """
    text = str(value)
    return (
        bool(_SECRET.search(name) or _ADDRESS.match(text) or _KEYS.search(text))
        or text.startswith(("/", "~", "\\"))
        or "@" in text
    )


def without_places(text: str, roots: tuple[Path, ...] = ()) -> str:
    """Remove folder names, addresses and keys from a text; file names stay.

    >>> without_places("/home/me/out/page_1.png: cannot be read (https://10.0.0.7:80/v1)")
    'page_1.png: cannot be read (…)'
    >>> without_places("rapidocr/3 on and/or 1/2 of it"), without_places(r"C:\\Users\\me\\p.png is bad")
    ('rapidocr/3 on and/or 1/2 of it', 'p.png is bad')
    """
    for root in sorted(map(str, roots), key=len, reverse=True):  # covers relative paths and names with commas
        if root not in ("", ".", "..", "/"):
            text = re.sub(rf"(?<![\w/\\.-]){re.escape(root)}[/\\]+", "", text)
    return _FOLDERS.sub("", _KEYS.sub("…", _ADDRESSES.sub("…", text)))


def public(data: Any, roots: tuple[Path, ...] = ()) -> Any:
    """Return JSON data without folder names, addresses and keys."""
    if isinstance(data, str):
        return without_places(data, roots)
    if isinstance(data, list):
        return [public(item, roots) for item in data]
    if isinstance(data, dict):
        return {key: public(value, roots) for key, value in data.items() if not _SECRET.search(str(key))}
    return data
