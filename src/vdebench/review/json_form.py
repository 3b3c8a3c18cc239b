"""Conversion of events and commands to JSON and back, field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from vdebench.core.box import Box
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings


def plain(value: Any) -> Any:
    """Convert dataclasses to dicts and tuples to lists; other values are returned unchanged.

    >>> plain(Ratings(3, 2, 1))
    {'compliance': 3, 'authenticity': 2, 'satisfaction': 1}
    """
    if is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in _names(type(value))[0]}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def from_plain(kind: type[Any], told: Mapping[str, Any]) -> Any:
    """Create a dataclass from its fields; raise `ValueError` or `TypeError` for missing, unknown or invalid ones.

    >>> from_plain(Ratings, {"compliance": 3, "authenticity": 2})
    Traceback (most recent call last):
    ValueError: 'satisfaction' is missing
    """
    known, needed = _names(kind)
    if unknown := [name for name in told if name not in known]:
        raise ValueError(f"{unknown[0]!r} is not known")
    if missing := [name for name in needed if name not in told]:
        raise ValueError(f"{missing[0]!r} is missing")
    return kind(**{name: _READ[name](value) if name in _READ else value for name, value in told.items()})


_KNOWN: dict[type[Any], tuple[tuple[str, ...], tuple[str, ...]]] = {}


def _names(kind: type[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return all fields of a dataclass, and the required ones."""
    if kind in _KNOWN:
        return _KNOWN[kind]
    known = fields(kind)
    needed = (each.name for each in known if each.default is MISSING and each.default_factory is MISSING)
    _KNOWN[kind] = tuple(each.name for each in known), tuple(needed)
    return _KNOWN[kind]


def _list(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError(f"found {type(value).__name__}, expected a list")
    return tuple(value)


def _object(kind: type[Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise TypeError(f"found {type(value).__name__}, expected an object")
        return from_plain(kind, value)

    return read


def _boxes(value: Any) -> tuple[Any, ...]:
    """Convert lists of four values to `Box`; other values stay for the rules to refuse."""
    return tuple(Box(*box) if isinstance(box, list | tuple) and len(box) == 4 else box for box in _list(value))


_READ: dict[str, Callable[[Any], Any]] = {
    "boxes": _boxes,
    "ratings": _object(Ratings),
    "options": _object(Options),
    "groups": _list,
    "samples": _list,
    "texts": _list,
}
