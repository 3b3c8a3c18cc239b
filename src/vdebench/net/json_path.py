"""Access to values in JSON of unknown structure."""

from __future__ import annotations

from typing import Any


def at(data: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and indices; None if there is none.

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
    """Return the string at a path; empty if there is none."""
    value = at(data, *path)
    return value if isinstance(value, str) else ""


def count_at(data: Any, *path: str | int) -> int | None:
    """Return the non-negative integer at a path; None if there is none."""
    value = at(data, *path)
    return value if type(value) is int and value >= 0 else None


def list_at(data: Any, *path: str | int) -> list[Any]:
    """Return the list at a path; empty if there is none."""
    value = at(data, *path)
    return value if isinstance(value, list) else []
