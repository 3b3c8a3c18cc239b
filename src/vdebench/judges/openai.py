"""Models behind OpenAI or any OpenAI-compatible server, by chat completions."""

from __future__ import annotations

import asyncio
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from vdebench.errors import InputError
from vdebench.io.files import parse_json
from vdebench.judges.judge import Judge, JudgeRequest
from vdebench.net.addresses import bad_address, excerpt
from vdebench.net.answer import ModelAnswer, Usage
from vdebench.net.keys import Secret, key_from
from vdebench.net.replies import broken, no_answer_in, of_status, timed_out

if TYPE_CHECKING:
    from openai import AsyncOpenAI

HOME = "https://api.openai.com/v1"


class OpenAiJudge(Judge):
    """Asks with `chat.completions`; the answer's envelope is read by us, for servers write it in many ways."""

    provider = "openai"
    package = "openai"
    install = "pip install 'vdebench[servers]'"
    key_variable = "OPENAI_API_KEY"

    def _key(self) -> Secret:
        """The key of `--key-variable`; else OpenAI's, which goes to nobody else unless the environment says so."""
        if named := self.settings.key_variable:
            return key_from(named, needed=f"the judge {self.model}")
        if self._is_home or not self.settings.base_url:
            return key_from(self.key_variable, needed=f"the judge {self.model}" if self._is_home else "")
        return Secret("none")

    @property
    def _address(self) -> str:
        return self.settings.base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or HOME

    @property
    def _is_home(self) -> bool:
        return urlsplit(self._address).hostname == urlsplit(HOME).hostname

    @property
    def server(self) -> str:
        """The host that is asked."""
        if gap := bad_address(self._address):
            raise InputError(f"OPENAI_BASE_URL: {gap}")
        parts = urlsplit(self._address)
        return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")

    @cached_property
    def _client(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        limits = httpx2.Limits(max_connections=self.settings.connections, max_keepalive_connections=None)
        client = httpx2.AsyncClient(limits=limits, timeout=self.settings.timeout)
        return AsyncOpenAI(api_key=self.secret.reveal(), base_url=self._address, max_retries=0, http_client=client)

    async def send(self, request: JudgeRequest, *, schema: bool) -> ModelAnswer:
        """Send a request once."""
        import httpx2
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        asked: dict[str, Any] = {"model": self.model, "messages": _messages(request)}
        if self.settings.temperature is not None:
            asked["temperature"] = self.settings.temperature
        if schema:
            named = {"name": "grade", "strict": True, "schema": dict(request.schema)}
            asked["response_format"] = {"type": "json_schema", "json_schema": named}
        client = self._client  # made before the clock runs
        try:
            async with asyncio.timeout(self.settings.timeout):
                # Not by `chat.completions.create`: that walks through every message for its types, at 3 ms a request.
                reply = await client.post("/chat/completions", cast_to=httpx2.Response, body=asked)
                body = reply.text
        except (APITimeoutError, TimeoutError):
            return timed_out(self.settings.timeout)
        except APIStatusError as error:
            return of_status(error.status_code, error.response.headers, error.response.text)
        except APIConnectionError as error:
            return broken(error)
        return read_envelope(body, schema=schema)

    async def close(self) -> None:
        """Let go of connections."""
        if "_client" in self.__dict__:  # it was made, because something was asked
            await self._client.close()


def _messages(request: JudgeRequest) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = [{"type": "text", "text": request.prompt}]
    for picture in request.pictures:
        content.append({"type": "text", "text": picture.label})
        content.append({"type": "image_url", "image_url": {"url": picture.url, "detail": "high"}})
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    for at, turn in enumerate(request.turns):
        messages.append({"role": "user" if at % 2 else "assistant", "content": turn})
    return messages


def read_envelope(body: str, *, schema: bool) -> ModelAnswer:
    """The answer in an envelope of chat completions.

    >>> read_envelope('{"model": "m-1", "choices": [{"message": {"content": "5"}}]}', schema=True).text
    '5'
    """
    asked_for: Any = "schema" if schema else "plain"
    try:
        told = parse_json(body.encode("utf-8", "replace"), "the answer")
        (choice, *_) = told["choices"]
        message, end = choice["message"], choice.get("finish_reason")
        text, refusal = message.get("content"), message.get("refusal")
    except InputError as error:
        return no_answer_in(str(error), body)
    except (KeyError, TypeError, ValueError, AttributeError):
        return no_answer_in("the answer has no choices[0].message", body)
    model = told.get("model")
    about: Any = {
        "model": model if isinstance(model, str) else "",
        "usage": _usage(told.get("usage")),
        "asked_for": asked_for,
    }
    if refusal:
        return ModelAnswer("refused", reason=f"the model refuses: {excerpt(str(refusal), 300)}", **about)
    if end == "content_filter":
        return ModelAnswer(
            "refused", reason=f"the answer was filtered: {excerpt(str(text or 'nothing is left'))}", **about
        )
    if isinstance(text, list):  # parts, as some servers write them
        text = "".join(str(part.get("text") or "") for part in text if isinstance(part, dict))
    return ModelAnswer("answered", text=text if isinstance(text, str) else "", **about)


def _usage(told: Any) -> Usage:
    def count(name: str) -> int | None:
        value = told.get(name) if isinstance(told, dict) else None
        return value if type(value) is int and value >= 0 else None

    return Usage(count("prompt_tokens"), count("completion_tokens"))
