"""`build.toml`: what a workspace is to become, from what, by whom.

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
"""What marks the folder of a package."""


class Component(NamedTuple):
    """A generator, an editor or a reader, with its options."""

    name: str
    options: Mapping[str, Any] = {}


TEMPLATE, EDITOR, READER = Component("template"), Component("overlay"), Component("rapidocr")


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Where pages come from, and what is said of all of them."""

    path: str
    """A file or a folder; where it is relative, to the workspace."""
    images: str = ""
    """The folder of an OmniDocBench file's images; `images` beside it where nothing is said."""
    pages: str = ""
    """Of PDFs: `1-3,7`; all where nothing is said."""
    ppi: int = 150
    """Pixels per inch that PDFs are drawn with."""
    document: str = ""
    """The kind of document, as `research_report`."""
    language: str = ""
    """english, simplified_chinese or en_ch_mixed; found out where nothing is said."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """All of `build.toml`."""

    name: str
    licence: str = "unknown"
    preset: str = "v3"
    seed: int = 0
    generators: tuple[Component, ...] = (TEMPLATE,)
    editor: Component = EDITOR
    reader: Component = READER
    sources: tuple[SourceSettings, ...] = field(default=())


def generators_of(names: Sequence[str], options: Mapping[str, Any]) -> tuple[Component, ...]:
    """Generators as a command line names them; an option without a generator's name is for all models.

    >>> generators_of(["template", "qwen"], {"url": "http://here/v1", "qwen.model": "qwen3-vl"})[1].options
    {'url': 'http://here/v1', 'model': 'qwen3-vl'}
    """
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in options.items():
        owner = max((name for name in found if key.startswith(f"{name}.")), key=len, default="")
        for name in [owner] if owner else [name for name in found if name != "template"]:
            found[name][key.removeprefix(f"{owner}.") if owner else key] = value
    return tuple(Component(name, told) for name, told in found.items())


def write_settings(folder: Path, settings: BuildSettings) -> None:
    """Write `build.toml`; refused where a path is no text."""
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
        told = {each.name: getattr(source, each.name) for each in fields(SourceSettings)}
        lines += ["", "[[sources]]", *(f"{key} = {_toml(value)}" for key, value in told.items() if value)]
    write_text(folder / FILE, "\n".join(lines) + "\n")


def _key(name: str) -> str:
    """A key of TOML: as it is where it may be, else quoted.

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
        raise InputError(f"{value!r}: is no text that a file could hold; rename it") from None
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_settings(folder: Path) -> BuildSettings:
    """What `build.toml` says, or an error that names the line's key and what was expected."""
    file = folder / FILE
    try:
        told = tomllib.loads(read_bytes(file).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{file}: not TOML: {error}") from None
    _require(file, "", told, BuildSettings)
    if not told.get("name"):
        raise InputError(f"{file}: 'name' is missing: what the benchmark is called")
    plain: dict[str, Any] = {name: told[name] for name in ("name", "licence", "preset", "seed") if name in told}
    plain |= {name: _chosen(file, f"[{name}]", told[name]) for name in ("editor", "reader") if name in told}
    if "generators" in told:
        generators = tuple(_chosen(file, "[[generators]]", each) for each in told["generators"])
        plain["generators"] = _distinct(file, generators)
    sources = tuple(_source(file, each) for each in told.get("sources", ()))
    return BuildSettings(**plain, sources=sources)


_KINDS = {"str": str, "int": int, "Component": dict}


def _require(file: Path, where: str, told: Mapping[str, Any], kind: type[Any]) -> None:
    """Refuse keys that nobody knows, and values of another kind."""
    known = {each.name: _KINDS.get(str(each.type), list) for each in fields(kind)}
    for key, value in told.items():
        if key not in known:
            raise InputError(f"{file}: {where}{key!r} is not known, expected one of {', '.join(known)}")
        if not isinstance(value, known[key]) or isinstance(value, bool):
            names = {str: "text", int: "a whole number", dict: "a [table]", list: "[[tables]]"}
            raise InputError(f"{file}: {where}{key!r} is {value!r}, expected {names[known[key]]}")


def _chosen(file: Path, where: str, told: Any) -> Component:
    if not isinstance(told, dict) or not isinstance(told.get("name"), str) or not told["name"]:
        raise InputError(f"{file}: {where} has no 'name'")
    return Component(told["name"], {key: value for key, value in told.items() if key != "name"})


def _distinct(file: Path, generators: tuple[Component, ...]) -> tuple[Component, ...]:
    names = [each.name for each in generators]
    if len(set(names)) < len(names) or not names:
        found = ", ".join(names) or "none"
        raise InputError(f"{file}: generators are {found}, expected at least one, each of its own name")
    return generators


def _source(file: Path, told: Any) -> SourceSettings:
    if not isinstance(told, dict) or not told.get("path"):
        raise InputError(f"{file}: [[sources]] has no 'path'")
    _require(file, "[[sources]] ", told, SourceSettings)
    return SourceSettings(**told)
