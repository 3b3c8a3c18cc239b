"""Claude by Anthropic's API (`anthropic:MODEL`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vdebench.errors import InputError
from vdebench.judges.http_judge import HttpJudge
from vdebench.judges.judge import JudgeRequest
from vdebench.net.addresses import excerpt
from vdebench.net.answer import ModelAnswer, Usage
from vdebench.net.json_path import at, count_at, list_at, text_at

if TYPE_CHECKING:
    from vdebench.net.http import Reply

_MAX_TOKENS = 4096
"""The API requires a limit."""
_VERSION = "2023-06-01"


class AnthropicJudge(HttpJudge):
    """Uses `messages`."""

    provider = "anthropic"
    key_variable = "ANTHROPIC_API_KEY"
    home = "https://api.anthropic.com"

    def _headers(self) -> dict[str, str]:
        key = {"x-api-key": self.secret.reveal()} if self.secret else {}
        return {"anthropic-version": _VERSION, **key}

    def _path(self) -> str:
        return "/v1/messages"

    def _body(self, request: JudgeRequest, *, schema: bool) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": request.prompt}]
        for picture in request.pictures:
            source = {"type": "base64", "media_type": picture.media, "data": picture.base64}
            content += [{"type": "text", "text": picture.label}, {"type": "image", "source": source}]
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        for number, turn in enumerate(request.turns):
            messages.append({"role": "user" if number % 2 else "assistant", "content": turn})
        body: dict[str, Any] = {"model": self.model, "max_tokens": _MAX_TOKENS, "messages": messages}
        if self.settings.temperature is not None:
            body["temperature"] = self.settings.temperature
        if schema:
            body["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
        return body

    def _read(self, reply: Reply, *, schema: bool) -> ModelAnswer:
        try:
            body = reply.json()
        except InputError as error:
            return ModelAnswer.unusable(str(error), reply.text)
        if not isinstance(at(body, "content"), list):
            return ModelAnswer.unusable("the answer has no content", reply.text)
        text = "".join(text_at(block, "text") for block in list_at(body, "content") if at(block, "type") == "text")
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        counts = [count_at(body, "usage", name) for name in names]
        sent = None if counts[0] is None else sum(count or 0 for count in counts)
        about: Any = {
            "model": text_at(body, "model"),
            "usage": Usage(sent, count_at(body, "usage", "output_tokens")),
            "asked_for": "schema" if schema else "plain",
            "finish": text_at(body, "stop_reason"),
        }
        if about["finish"] == "refusal":
            return ModelAnswer("refused", reason=f"the model refused: {excerpt(text, 300) or 'no reason'}", **about)
        return ModelAnswer("answered", text=text, **about)
