"""Gemini by Google's API (`gemini:MODEL`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from vdebench.errors import InputError
from vdebench.judges.http_judge import HttpJudge
from vdebench.judges.judge import JudgeRequest
from vdebench.net.answer import ModelAnswer, Usage
from vdebench.net.json_path import count_at, list_at, text_at

if TYPE_CHECKING:
    from vdebench.net.http import Reply

_REFUSALS = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"})


class GeminiJudge(HttpJudge):
    """Uses `generateContent`."""

    provider = "gemini"
    key_variable = "GEMINI_API_KEY"
    home = "https://generativelanguage.googleapis.com"

    def _headers(self) -> dict[str, str]:
        return {"x-goog-api-key": self.secret.reveal()} if self.secret else {}

    def _path(self) -> str:
        return f"/v1beta/models/{quote(self.model, safe='')}:generateContent"

    def _body(self, request: JudgeRequest, *, schema: bool) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [{"text": request.prompt}]
        for picture in request.pictures:
            image = {"mimeType": picture.media, "data": picture.base64}
            parts += [{"text": picture.label}, {"inlineData": image}]
        contents = [{"role": "user", "parts": parts}]
        for at, turn in enumerate(request.turns):
            contents.append({"role": "user" if at % 2 else "model", "parts": [{"text": turn}]})
        config: dict[str, Any] = {"responseMimeType": "application/json"}
        if self.settings.temperature is not None:
            config["temperature"] = self.settings.temperature
        if schema:
            config["responseJsonSchema"] = dict(request.schema)
        return {"contents": contents, "generationConfig": config}

    def _read(self, reply: Reply, *, schema: bool) -> ModelAnswer:
        try:
            body = reply.json()
        except InputError as error:
            return ModelAnswer.unusable(str(error), reply.text)
        counts = [count_at(body, "usageMetadata", name) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
        output = None if counts == [None, None] else sum(count or 0 for count in counts)  # thoughts are paid for
        about: Any = {
            "model": text_at(body, "modelVersion"),
            "usage": Usage(count_at(body, "usageMetadata", "promptTokenCount"), output),
            "asked_for": "schema" if schema else "plain",
            "finish": text_at(body, "candidates", 0, "finishReason"),
        }
        if blocked := text_at(body, "promptFeedback", "blockReason"):
            return ModelAnswer("refused", reason=f"the question was blocked: {blocked}", **about)
        if about["finish"] in _REFUSALS:
            return ModelAnswer("refused", reason=f"the model refused: {about['finish']}", **about)
        if not list_at(body, "candidates"):
            return ModelAnswer.unusable("the answer has no candidate", reply.text)
        parts = [part for part in list_at(body, "candidates", 0, "content", "parts") if not _is_thought(part)]
        return ModelAnswer("answered", text="".join(text_at(part, "text") for part in parts), **about)


def _is_thought(part: Any) -> bool:
    return isinstance(part, dict) and bool(part.get("thought"))
