"""Claude by Anthropic's own interface (`anthropic:MODEL`)."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Any

from vdebench.judges.judge import Judge, JudgeRequest
from vdebench.net.answer import ModelAnswer, Usage
from vdebench.net.keys import Secret, key_from
from vdebench.net.replies import broken, no_answer_in, of_status, timed_out

_ROOM = 4096
"""Tokens that an answer may have: this interface must be told."""


class AnthropicJudge(Judge):
    """Asks with `messages`."""

    provider = "anthropic"
    package = "anthropic"
    install = "pip install 'vdebench[anthropic]'"
    key_variable = "ANTHROPIC_API_KEY"

    def _key(self) -> Secret:
        """From `--key-variable`, else from ANTHROPIC_API_KEY, which goes to Anthropic alone."""
        named = self.settings.key_variable
        if self.settings.base_url and not named:
            return Secret("none")
        return key_from(named or self.key_variable, needed=f"the judge anthropic:{self.model}")

    @property
    def server(self) -> str:
        """The host that is asked."""
        return super().server or "api.anthropic.com"

    @cached_property
    def _client(self) -> Any:
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(
            api_key=self.secret.reveal(),
            base_url=self.settings.base_url or "https://api.anthropic.com",
            max_retries=0,
            timeout=self.settings.timeout,
        )

    async def send(self, request: JudgeRequest, *, schema: bool) -> ModelAnswer:
        """Send a request once."""
        from anthropic import APIConnectionError, APIStatusError, APITimeoutError

        asked: dict[str, Any] = {"model": self.model, "max_tokens": _ROOM, "messages": _messages(request)}
        if self.settings.temperature is not None:
            asked["extra_body"] = {"temperature": self.settings.temperature}  # the newest clients have no word for it
        if schema:
            asked["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
        client = self._client  # made before the clock runs
        try:
            async with asyncio.timeout(self.settings.timeout):
                reply = await client.messages.create(**asked)
        except (APITimeoutError, TimeoutError):
            return timed_out(self.settings.timeout)
        except APIStatusError as error:
            return of_status(error.status_code, error.response.headers, error.response.text)
        except APIConnectionError as error:
            return broken(error)
        return _read(reply, schema=schema)

    async def close(self) -> None:
        """Let go of connections."""
        if "_client" in self.__dict__:  # it was made, because something was asked
            await self._client.close()


def _messages(request: JudgeRequest) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = [{"type": "text", "text": request.prompt}]
    for picture in request.pictures:
        source = {"type": "base64", "media_type": picture.media, "data": picture.base64}
        content += [{"type": "text", "text": picture.label}, {"type": "image", "source": source}]
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    for at, turn in enumerate(request.turns):
        messages.append({"role": "user" if at % 2 else "assistant", "content": turn})
    return messages


def _read(reply: Any, *, schema: bool) -> ModelAnswer:
    try:
        text = "".join(block.text for block in reply.content if block.type == "text")
        cached = (reply.usage.cache_creation_input_tokens or 0) + (reply.usage.cache_read_input_tokens or 0)
        usage = Usage(reply.usage.input_tokens + cached, reply.usage.output_tokens)
    except (AttributeError, TypeError):
        return no_answer_in("the answer has no content", str(reply))
    about: Any = {"model": reply.model or "", "usage": usage, "asked_for": "schema" if schema else "plain"}
    if reply.stop_reason == "refusal":
        return ModelAnswer("refused", reason=f"the model refuses: {text[:300] or 'without a word'}", **about)
    return ModelAnswer("answered", text=text, **about)
