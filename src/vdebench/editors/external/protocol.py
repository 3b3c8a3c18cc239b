"""What is said between us and a program outside: a hello, then an answer for each request, all of them JSON objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, cast

from vdebench.editors.external.commands import told_parameters
from vdebench.errors import EditorError, EditorUnusableError
from vdebench.net.addresses import excerpt

PROTOCOL = 1
State = Literal["edited", "refused", "failed"]


@dataclass(frozen=True)
class Hello:
    """Who a program says it is."""

    name: str
    version: str
    model: str
    parameters: Mapping[str, Any] | None = None
    """What it edits with (steps, guidance); None where it does not say."""
    packages: Mapping[str, Any] = field(default_factory=dict)
    """Versions of what its pixels depend on."""

    @property
    def identity(self) -> dict[str, str]:
        """The same as an editor's identity has it: text by name."""
        told = {"program": self.name, "program_version": self.version, "model": self.model}
        if self.parameters is not None:
            told["parameters"] = json.dumps(self.parameters, sort_keys=True, ensure_ascii=False)
        if self.packages:
            told["packages"] = json.dumps(self.packages, sort_keys=True, ensure_ascii=False)
        return told


@dataclass(frozen=True)
class ProgramAnswer:
    """What became of a request."""

    state: State
    reason: str
    out: str
    png: str
    parameters: Mapping[str, Any]
    metadata: Mapping[str, Any]
    seconds: float | None


def parse_object(line: bytes, who: str) -> dict[str, Any]:
    """A JSON object, or an error that shows what came instead.

    >>> parse_object(b'Loading weights: 40%', "external")
    Traceback (most recent call last):
    vdebench.errors.EditorError: external: expected a JSON object, found 'Loading weights: 40%'
      (a program prints for people to stderr; stdout is for answers)
    """
    try:
        data = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        found = excerpt(line[:1000].decode("utf-8", "replace"))
        raise EditorError(
            f"{who}: expected a JSON object, found {found!r}\n"
            "  (a program prints for people to stderr; stdout is for answers)"
        )
    return data


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def parse_hello(data: Mapping[str, Any], who: str) -> Hello:
    """Who is there, without keys; or an error that says what is missing.

    >>> parse_hello({"hello": {"name": "mine", "version": "1", "model": "m", "protocol": 1}}, "external").model
    'm'
    """
    hello = data.get("hello")
    if not isinstance(hello, dict):
        raise EditorError(
            f'{who}: expected {{"hello": …}} first, found {excerpt(json.dumps(told_parameters(dict(data))))}'
        )
    if hello.get("protocol") != PROTOCOL:
        raise EditorUnusableError(f"{who}: speaks protocol {hello.get('protocol')!r}, we speak {PROTOCOL}")
    for name in ("name", "version", "model"):
        if not isinstance(hello.get(name), str):
            raise EditorError(f"{who}: its hello has no text {name!r}: {excerpt(json.dumps(told_parameters(hello)))}")
    parameters, packages = hello.get("parameters"), hello.get("packages")
    return Hello(
        hello["name"],
        hello["version"],
        hello["model"],
        told_parameters(parameters) if isinstance(parameters, dict) else None,
        # Of packages the names are no options: there is a tiktoken.
        {name: told_parameters(version) for name, version in packages.items()} if isinstance(packages, dict) else {},
    )


def differing(who: str, before: Hello, now: Hello) -> EditorUnusableError:
    """The error for one who is not the same any more: a run goes on with one editor."""
    return EditorUnusableError(f"{who}: was {before} and is now {now}; run the same command again")


def parse_answer(data: Mapping[str, Any], asked: str, who: str) -> ProgramAnswer:
    """The answer to the request `asked`, or an error that says what is wrong with it.

    >>> parse_answer({"id": "7", "state": "edited"}, "8", "external")
    Traceback (most recent call last):
    vdebench.errors.EditorError: external: answered request '7', asked was '8'
    """
    if data.get("id") != asked:
        raise EditorError(f"{who}: answered request {data.get('id')!r}, asked was {asked!r}")
    state = data.get("state")
    if state not in ("edited", "refused", "failed"):
        raise EditorError(f"{who}: its answer's state is {state!r}, expected edited, refused or failed")
    told: dict[str, Any] = {name: data.get(name) or "" for name in ("reason", "out", "png")}
    for name, value in told.items():
        if not isinstance(value, str):
            raise EditorError(f"{who}: its answer's {name} is {excerpt(repr(value))}, expected text")
    kept: dict[str, Any] = {name: data.get(name) or {} for name in ("parameters", "metadata")}
    for name, value in kept.items():
        if not isinstance(value, dict):
            raise EditorError(f"{who}: its answer's {name} is {excerpt(repr(value))}, expected an object")
    kept["parameters"] = told_parameters(kept["parameters"])
    seconds = data.get("seconds")
    known = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return ProgramAnswer(cast(State, state), **told, **kept, seconds=seconds if known else None)
