"""`build.toml`: the settings of a workspace.

name = "harbour"
  licence = "cc-by-4.0"
  preset = "v3"                  # v1, v3 or all
  seed = 0

  [[generators]]                 # one table each; all keys but `name` are options
  name = "template"
  [editor]
  name = "overlay"
  [reader]
  name = "rapidocr"
  [[sources]]
  path = "../scans"              # OmniDocBench JSON, a PDF, an image, or a folder of images and PDFs
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.errors import InputError
from vdebench.io.files import read_bytes, write_text

FILE = "build.toml"
PACKAGE = ".vdebench-package.json"
"""Marker file of a package folder."""


class Component(NamedTuple):
    """A generator, editor or reader with its options."""

    name: str
    options: Mapping[str, Any] = {}


TEMPLATE, EDITOR, READER = Component("template"), Component("overlay"), Component("rapidocr")


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A source of pages, and properties of all its pages."""

    path: str
    """A file or folder; relative to the workspace."""
    images: str = ""
    """Image folder of an OmniDocBench file; by default `images` next to it."""
    pages: str = ""
    """Pages of PDFs, such as `1-3,7`; by default all."""
    ppi: int = 150
    """Resolution of PDFs in pixels per inch."""
    document: str = ""
    """Kind of document, such as `research_report`."""
    language: str = ""
    """english, simplified_chinese or en_ch_mixed; detected by default."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """The content of `build.toml`."""

    name: str
    licence: str = "unknown"
    preset: str = "v3"
    seed: int = 0
    generators: tuple[Component, ...] = (TEMPLATE,)
    editor: Component = EDITOR
    reader: Component = READER
    sources: tuple[SourceSettings, ...] = field(default=())


def generators_of(names: Sequence[str], options: Mapping[str, Any]) -> tuple[Component, ...]:
    """Return generators from command-line options; an option without a generator's name applies to all models.

    >>> generators_of(["template", "qwen"], {"url": "http://here/v1", "qwen.model": "qwen3-vl"})[1].options
    {'url': 'http://here/v1', 'model': 'qwen3-vl'}
    """
    by_generator: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in options.items():
        owner = max((name for name in by_generator if key.startswith(f"{name}.")), key=len, default="")
        for name in [owner] if owner else [name for name in by_generator if name != "template"]:
            by_generator[name][key.removeprefix(f"{owner}.") if owner else key] = value
    return tuple(Component(name, values) for name, values in by_generator.items())


def write_settings(folder: Path, settings: BuildSettings) -> None:
    """Write `build.toml`; raise `InputError` if a path is not valid text."""
    lines = [f"{name} = {_toml(getattr(settings, name))}" for name in ("name", "licence", "preset", "seed")]
    for title, chosen in (
        *(("[[generators]]", each) for each in settings.generators),
        ("[editor]", settings.editor),
        ("[reader]", settings.reader),
    ):
        lines += [
            "",
            title,
            *(f"{_key(key)} = {_toml(value)}" for key, value in {"name": chosen.name, **chosen.options}.items()),
        ]
    for source in settings.sources:
        data = {each.name: getattr(source, each.name) for each in fields(SourceSettings)}
        lines += ["", "[[sources]]", *(f"{key} = {_toml(value)}" for key, value in data.items() if value)]
    write_text(folder / FILE, "\n".join(lines) + "\n")


def _key(name: str) -> str:
    """Return a TOML key, quoted if necessary.

    >>> _key("max_tokens"), _key("a = b")
    ('max_tokens', '"a = b"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{value!r}: not valid Unicode text; rename it") from None
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_settings(folder: Path) -> BuildSettings:
    """Read `build.toml`; raise `InputError` with the invalid key and what was expected."""
    file = folder / FILE
    try:
        data = tomllib.loads(read_bytes(file).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{file}: not TOML: {error}") from None
    _require(file, "", data, BuildSettings)
    if not data.get("name"):
        raise InputError(f"{file}: 'name' is missing: the name of the benchmark")
    plain: dict[str, Any] = {name: data[name] for name in ("name", "licence", "preset", "seed") if name in data}
    plain |= {name: _chosen(file, f"[{name}]", data[name]) for name in ("editor", "reader") if name in data}
    if "generators" in data:
        generators = tuple(_chosen(file, "[[generators]]", each) for each in data["generators"])
        plain["generators"] = _distinct(file, generators)
    sources = tuple(_source(file, each) for each in data.get("sources", ()))
    return BuildSettings(**plain, sources=sources)


_KINDS = {"str": str, "int": int, "Component": dict}


def _require(file: Path, where: str, data: Mapping[str, Any], kind: type[Any]) -> None:
    """Raise `InputError` for unknown keys and values of another type."""
    known = {each.name: _KINDS.get(str(each.type), list) for each in fields(kind)}
    for key, value in data.items():
        if key not in known:
            raise InputError(f"{file}: {where}{key!r} is not known, expected one of {', '.join(known)}")
        if not isinstance(value, known[key]) or isinstance(value, bool):
            names = {str: "text", int: "a whole number", dict: "a [table]", list: "[[tables]]"}
            raise InputError(f"{file}: {where}{key!r} is {value!r}, expected {names[known[key]]}")


def _chosen(file: Path, where: str, data: Any) -> Component:
    if not isinstance(data, dict) or not isinstance(data.get("name"), str) or not data["name"]:
        raise InputError(f"{file}: {where} has no 'name'")
    return Component(data["name"], {key: value for key, value in data.items() if key != "name"})


def _distinct(file: Path, generators: tuple[Component, ...]) -> tuple[Component, ...]:
    names = [each.name for each in generators]
    if len(set(names)) < len(names) or not names:
        by_generator = ", ".join(names) or "none"
        raise InputError(f"{file}: generators are {by_generator}, expected at least one, with distinct names")
    return generators


def _source(file: Path, data: Any) -> SourceSettings:
    if not isinstance(data, dict) or not data.get("path"):
        raise InputError(f"{file}: [[sources]] has no 'path'")
    _require(file, "[[sources]] ", data, SourceSettings)
    return SourceSettings(**data)
