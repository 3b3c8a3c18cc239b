"""The interface of judges, and lookup by name; other packages add judges by entry points."""

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
"""Judge classes by the prefix before the colon; names without one are models on an OpenAI-compatible server."""


@dataclass(frozen=True)
class JudgeRequest:
    """A prompt with images, the schema of the answer, and further turns of the conversation."""

    prompt: str
    pictures: tuple[ImagePayload, ...]
    schema: Mapping[str, Any]
    turns: tuple[str, ...] = ()
    """For a repair: the judge's answer and the problem with it."""


@dataclass(frozen=True)
class JudgeSettings:
    """Settings of a judge."""

    model: str
    base_url: str = ""
    key_variable: str = ""
    temperature: float | None = 0.0
    """None for the model's default."""
    timeout: float = 300.0
    connections: int = 64
    dry: bool = False
    """Dry run: no key and no package is needed."""


class Judge(ABC):
    """A model that grades. Subclasses implement one API; they send a request once and return failures as answers."""

    provider: ClassVar[str]
    package: ClassVar[str]
    """Required package; checked without importing it."""
    install: ClassVar[str]
    key_variable: ClassVar[str]

    def __init__(self, settings: JudgeSettings) -> None:
        if not settings.dry and not _installed(self.package):
            raise MissingPartError(
                f"the judge {self.provider}:{settings.model} needs the package {self.package}\n  {self.install}"
            )
        if settings.base_url and (problem := bad_address(settings.base_url)):
            raise VdeError(f"--base-url: {problem}")
        self.settings = settings
        self.model = settings.model
        self.secret = NO_KEY if settings.dry else self._key()
        self.takes_schema = True
        """False after the server rejected a schema and accepted the same question without it."""

    @abstractmethod
    def _key(self) -> Secret:
        """Return the key."""

    @abstractmethod
    async def send(self, request: JudgeRequest, *, schema: bool) -> ModelAnswer:
        """Send a request once."""

    async def close(self) -> None:  # noqa: B027 (some have nothing to close)
        """Close connections."""

    async def ask(self, request: JudgeRequest) -> ModelAnswer:
        """Send a request with the schema; if the server rejects the schema, without it."""
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
        """The name, as in `--judge`."""
        return self.model if self.provider == "openai" else f"{self.provider}:{self.model}"

    @property
    def server(self) -> str:
        """The host, for records; without path, user and password."""
        parts = urlsplit(self.settings.base_url)
        return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")

    @property
    def identity(self) -> dict[str, str]:
        """Everything about the judge that answers depend on."""
        return {
            "name": self.provider,
            "model": self.model,
            "server": self.server,
            "temperature": format_temperature(self.settings.temperature),
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
    """Create a judge by name: `gpt-4o`, `gemini:gemini-2.5-pro`, `anthropic:claude-sonnet-4-5`."""
    provider, colon, model = name.partition(":")
    if not colon or not _is_provider(provider):  # the name of a model may contain a colon: `qwen2.5vl:7b`
        provider, model = "openai", name
    if not model.strip():
        raise VdeError(f"--judge is {name!r}, expected a model's name, as in gpt-4o or {provider}:MODEL")
    judge: Judge = find("judges", provider, JUDGES)(
        JudgeSettings(
            model.strip(),
            base_url,
            key_variable,
            parse_temperature(temperature),
            seconds(timeout, "--timeout"),
            connections,
            dry,
        )
    )
    return judge


def _is_provider(name: str) -> bool:
    try:
        find("judges", name, JUDGES)
    except VdeError:
        return False
    return True


def parse_temperature(value: float | str | None) -> float | None:
    """Parse the option --temperature; None for the model's default.

    >>> parse_temperature("0"), parse_temperature("default")
    (0.0, None)
    """
    if value is None or str(value).strip().lower() == "default":
        return None
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 2:
        raise VdeError(f"--temperature is {value!r}, expected a number from 0 to 2, or `default`")
    return number


def format_temperature(temperature: float | None) -> str:
    """Return a temperature for signatures.

    >>> format_temperature(0.0), format_temperature(None)
    ('0', 'default')
    """
    return "default" if temperature is None else f"{temperature:g}"


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # the parent package is not installed
        return False
