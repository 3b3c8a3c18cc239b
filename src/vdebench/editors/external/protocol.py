"""Messages of the external protocol: a hello, then one answer per request, all JSON objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, cast

from vdebench.editors.external.commands import redacted_parameters
from vdebench.errors import EditorError, EditorUnusableError
from vdebench.net.addresses import excerpt

PROTOCOL = 1
State = Literal["edited", "refused", "failed"]


@dataclass(frozen=True)
class Hello:
    """Self-description of a program."""

    name: str
    version: str
    model: str
    parameters: Mapping[str, Any] | None = None
    """Settings (steps, guidance); None if not reported."""
    packages: Mapping[str, Any] = field(default_factory=dict)
    """Versions of packages that affect its output."""

    @property
    def identity(self) -> dict[str, str]:
        """The hello as an editor's identity: text by name."""
        texts = {"program": self.name, "program_version": self.version, "model": self.model}
        if self.parameters is not None:
            texts["parameters"] = json.dumps(self.parameters, sort_keys=True, ensure_ascii=False)
        if self.packages:
            texts["packages"] = json.dumps(self.packages, sort_keys=True, ensure_ascii=False)
        return texts


@dataclass(frozen=True)
class ProgramAnswer:
    """Answer to a request."""

    state: State
    reason: str
    out: str
    png: str
    parameters: Mapping[str, Any]
    metadata: Mapping[str, Any]
    seconds: float | None


def parse_object(line: bytes, who: str) -> dict[str, Any]:
    """Parse a JSON object; raise `EditorError` that shows the input if it is not one.

    >>> parse_object(b'Loading weights: 40%', "external")
    Traceback (most recent call last):
    vdebench.errors.EditorError: external: expected a JSON object, found 'Loading weights: 40%'
      (messages for people belong on stderr; stdout is for answers)
    """
    try:
        data = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        found = excerpt(line[:1000].decode("utf-8", "replace"))
        raise EditorError(
            f"{who}: expected a JSON object, found {found!r}\n"
            "  (messages for people belong on stderr; stdout is for answers)"
        )
    return data


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def parse_hello(data: Mapping[str, Any], who: str) -> Hello:
    """Parse a hello without secrets; raise an error that names what is missing.

    >>> parse_hello({"hello": {"name": "mine", "version": "1", "model": "m", "protocol": 1}}, "external").model
    'm'
    """
    hello = data.get("hello")
    if not isinstance(hello, dict):
        raise EditorError(
            f'{who}: expected {{"hello": …}} first, found {excerpt(json.dumps(redacted_parameters(dict(data))))}'
        )
    if hello.get("protocol") != PROTOCOL:
        raise EditorUnusableError(f"{who}: implements protocol {hello.get('protocol')!r}, expected {PROTOCOL}")
    for name in ("name", "version", "model"):
        if not isinstance(hello.get(name), str):
            raise EditorError(
                f"{who}: its hello has no text {name!r}: {excerpt(json.dumps(redacted_parameters(hello)))}"
            )
    parameters, packages = hello.get("parameters"), hello.get("packages")
    return Hello(
        hello["name"],
        hello["version"],
        hello["model"],
        redacted_parameters(parameters) if isinstance(parameters, dict) else None,
        # Package names are not options: tiktoken is not a token.
        {name: redacted_parameters(version) for name, version in packages.items()}
        if isinstance(packages, dict)
        else {},
    )


def differing(who: str, before: Hello, after: Hello) -> EditorUnusableError:
    """Return the error for a program whose hello has changed during a run."""
    return EditorUnusableError(f"{who}: was {before} and is now {after}; run the same command again")


def parse_answer(data: Mapping[str, Any], asked: str, who: str) -> ProgramAnswer:
    """Parse the answer to request `asked`; raise `EditorError` if it is invalid.

    >>> parse_answer({"id": "7", "state": "edited"}, "8", "external")
    Traceback (most recent call last):
    vdebench.errors.EditorError: external: answered request '7', expected '8'
    """
    if data.get("id") != asked:
        raise EditorError(f"{who}: answered request {data.get('id')!r}, expected {asked!r}")
    state = data.get("state")
    if state not in ("edited", "refused", "failed"):
        raise EditorError(f"{who}: its answer's state is {state!r}, expected edited, refused or failed")
    texts: dict[str, Any] = {name: data.get(name) or "" for name in ("reason", "out", "png")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise EditorError(f"{who}: its answer's {name} is {excerpt(repr(value))}, expected text")
    objects: dict[str, Any] = {name: data.get(name) or {} for name in ("parameters", "metadata")}
    for name, value in objects.items():
        if not isinstance(value, dict):
            raise EditorError(f"{who}: its answer's {name} is {excerpt(repr(value))}, expected an object")
    objects["parameters"] = redacted_parameters(objects["parameters"])
    seconds = data.get("seconds")
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return ProgramAnswer(cast(State, state), **texts, **objects, seconds=seconds if is_number else None)
