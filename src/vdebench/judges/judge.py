"""The interface of judges: one request out, one typed answer back. Found by name, other people's by entry points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar
from urllib.parse import urlsplit

from vdebench.errors import MissingPartError, VdeError
from vdebench.net.addresses import bad_address, seconds
from vdebench.net.answer import ModelAnswer
from vdebench.net.image_payloads import ImagePayload
from vdebench.net.keys import NO_KEY, Secret
from vdebench.registry import find

JUDGES = {
    "openai": "vdebench.judges.openai:OpenAiJudge",
    "gemini": "vdebench.judges.gemini:GeminiJudge",
    "anthropic": "vdebench.judges.anthropic:AnthropicJudge",
}
"""Makers of judges by what stands before the colon; a plain name is a model behind an OpenAI-compatible server."""


@dataclass(frozen=True)
class JudgeRequest:
    """What is sent: a prompt with images, the schema of the answer, and what was said since."""

    prompt: str
    pictures: tuple[ImagePayload, ...]
    schema: Mapping[str, Any]
    turns: tuple[str, ...] = ()
    """The judge's answer and what is wrong with it, where it is asked again."""


@dataclass(frozen=True)
class JudgeSettings:
    """How a judge is asked."""

    model: str
    base_url: str = ""
    key_variable: str = ""
    temperature: float | None = 0.0
    """Nothing: the model's own, for those that take no other."""
    timeout: float = 300.0
    connections: int = 64
    dry: bool = False
    """Only to count what would be asked: no key and no package is needed."""


class Judge(ABC):
    """A model that grades. Subclasses know one way to ask; they try once and raise nothing for what servers do."""

    provider: ClassVar[str]
    package: ClassVar[str]
    """The package it needs, to be looked for without importing it."""
    install: ClassVar[str]
    key_variable: ClassVar[str]

    def __init__(self, settings: JudgeSettings) -> None:
        if not settings.dry and not _installed(self.package):
            raise MissingPartError(
                f"the judge {self.provider}:{settings.model} needs the package {self.package}\n  {self.install}"
            )
        if settings.base_url and (gap := bad_address(settings.base_url)):
            raise VdeError(f"--base-url: {gap}")
        self.settings = settings
        self.model = settings.model
        self.secret = NO_KEY if settings.dry else self._key()
        self.takes_schema = True
        """Until the server has refused one and taken the same question without it."""

    @abstractmethod
    def _key(self) -> Secret:
        """The key that is sent."""

    @abstractmethod
    async def send(self, request: JudgeRequest, *, schema: bool) -> ModelAnswer:
        """Send a request once."""

    async def close(self) -> None:  # noqa: B027 (some have nothing to close)
        """Let go of connections."""

    async def ask(self, request: JudgeRequest) -> ModelAnswer:
        """Ask once: with the schema, and where the server refuses that, in plain words."""
        if not self.takes_schema:
            return (await self.send(request, schema=False)).without(self.secret)
        answer = await self.send(request, schema=True)
        if answer.state == "failed" and answer.schema_refused:
            plain = await self.send(request, schema=False)
            if plain.state == "answered":
                self.takes_schema = False
            if not plain.schema_refused:
                answer = plain
        return answer.without(self.secret)

    @property
    def name(self) -> str:
        """As `--judge` has it."""
        return self.model if self.provider == "openai" else f"{self.provider}:{self.model}"

    @property
    def server(self) -> str:
        """The host that is asked, for the records: never a path, a name or a password."""
        parts = urlsplit(self.settings.base_url)
        return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")

    @property
    def identity(self) -> dict[str, str]:
        """All of a judge that an answer depends on."""
        return {
            "name": self.provider,
            "model": self.model,
            "server": self.server,
            "temperature": temperature_told(self.settings.temperature),
        }


def get_judge(
    name: str,
    *,
    base_url: str = "",
    key_variable: str = "",
    temperature: float | str | None = 0.0,
    timeout: float | str = 300,
    connections: int = 64,
    dry: bool = False,
) -> Judge:
    """A judge by name: `gpt-4o`, `gemini:gemini-2.5-pro`, `anthropic:claude-sonnet-4-5`."""
    maker, colon, model = name.partition(":")
    if not colon or not _is_maker(maker):  # a model's own name may have a colon: `qwen2.5vl:7b`
        maker, model = "openai", name
    if not model.strip():
        raise VdeError(f"--judge is {name!r}, expected a model's name, as in gpt-4o or {maker}:MODEL")
    made: Judge = find("judges", maker, JUDGES)(
        JudgeSettings(
            model.strip(),
            base_url,
            key_variable,
            as_temperature(temperature),
            seconds(timeout, "--timeout"),
            connections,
            dry,
        )
    )
    return made


def _is_maker(name: str) -> bool:
    try:
        find("judges", name, JUDGES)
    except VdeError:
        return False
    return True


def as_temperature(given: float | str | None) -> float | None:
    """A temperature, or nothing for the model's own.

    >>> as_temperature("0"), as_temperature("default")
    (0.0, None)
    """
    if given is None or str(given).strip().lower() == "default":
        return None
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 2:
        raise VdeError(f"--temperature is {given!r}, expected a number from 0 to 2, or `default` for the model's own")
    return number


def temperature_told(temperature: float | None) -> str:
    """A temperature as signatures say it.

    >>> temperature_told(0.0), temperature_told(None)
    ('0', 'default')
    """
    return "default" if temperature is None else f"{temperature:g}"


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # the package around it is not there
        return False
