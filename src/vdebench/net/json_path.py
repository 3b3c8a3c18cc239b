"""Values inside a server's JSON, whatever its shape."""

from __future__ import annotations

from typing import Any


def at(data: Any, *path: str | int) -> Any:
    """The value under some keys and indices; None where there is none.

    >>> at({"data": [{"url": "u"}]}, "data", 0, "url"), at({"data": []}, "data", 0, "url")
    ('u', None)
    """
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def text_at(data: Any, *path: str | int) -> str:
    """The text there; an empty one where there is none."""
    found = at(data, *path)
    return found if isinstance(found, str) else ""


def count_at(data: Any, *path: str | int) -> int | None:
    """The count there, if there is one."""
    found = at(data, *path)
    return found if type(found) is int and found >= 0 else None


def list_at(data: Any, *path: str | int) -> list[Any]:
    """The list there; an empty one where there is none."""
    found = at(data, *path)
    return found if isinstance(found, list) else []
