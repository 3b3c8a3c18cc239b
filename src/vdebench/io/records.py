"""JSON objects as typed records: a `NamedTuple` whose annotations say which values are valid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Record = TypeVar("Record", bound=tuple[Any, ...])
_NAMES: dict[Any, str] = {str: "text", bool: "true or false", int: "an integer", float: "a number", NoneType: "null"}


def parse_record(kind: type[Record], data: Any) -> Record:
    """Return the record that a JSON object describes; raise ValueError where a field is missing, unknown or invalid.

    A record type may have a method `validate`, which raises ValueError for values that its annotations cannot exclude.

    >>> from vdebench.core.box import Size
    >>> parse_record(Size, {"width": 3, "height": 4.5})
    Size(width=3, height=4.5)
    >>> parse_record(Size, {"width": 3, "height": "4"})
    Traceback (most recent call last):
    ValueError: 'height' is '4', expected a number
    """
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    optional: Mapping[str, Any] = kind._field_defaults  # type: ignore[attr-defined]
    missing = [name for name in fields if name not in data and name not in optional]
    if missing:
        raise ValueError(f"missing {len(missing)} required fields: {', '.join(missing)}")
    if unknown := sorted(set(data) - set(fields)):
        raise ValueError(f"unknown fields: {', '.join(unknown)}")
    types = _types(kind)
    record = kind(**{name: _parse(types[name], value, repr(name)) for name, value in data.items()})
    if validate := getattr(record, "validate", None):
        validate()
    return record


@cache
def _types(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _parse(kind: Any, value: Any, where: str) -> Any:
    """Return a JSON value as the annotated type; raise ValueError where it is of another type."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any or (origin is Literal and value in inner and isinstance(value, str)):
        return value
    if origin in (Union, UnionType):
        return _parse_union(inner, value, where)
    if origin is Mapping and isinstance(value, dict):
        return {key: _parse(inner[1], each, f"{where}[{key!r}]") for key, each in value.items()}
    if origin in (Sequence, list) and isinstance(value, list):
        return [_parse(inner[0], each, f"{where}[{at}]") for at, each in enumerate(value)]
    if hasattr(kind, "_fields") and isinstance(value, list) and len(value) == len(kind._fields):
        types = _types(kind)
        return kind(*(_parse(types[name], each, where) for name, each in zip(kind._fields, value, strict=True)))
    if type(value) is kind and (kind is not float or math.isfinite(value)):
        return value
    if kind is float and type(value) is int and abs(value) < 1 << 1000:
        return value
    raise ValueError(f"{where} is {_excerpt(value)}, expected {_describe(kind)}")


def _parse_union(kinds: Sequence[Any], value: Any, where: str) -> Any:
    for kind in kinds:
        try:
            return _parse(kind, value, where)
        except ValueError:
            continue
    raise ValueError(f"{where} is {_excerpt(value)}, expected {' or '.join(map(_describe, kinds))}")


def _describe(kind: Any) -> str:
    origin = get_origin(kind)
    if origin is Literal:
        return " or ".join(map(repr, get_args(kind)))
    if origin in (Sequence, list):
        return "a list"
    if origin is Mapping:
        return "an object"
    return _NAMES.get(kind) or f"a list of {', '.join(kind._fields)}"


def _excerpt(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
