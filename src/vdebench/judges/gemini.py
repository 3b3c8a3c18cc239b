"""Gemini by Google's own interface (`gemini:MODEL`)."""

from __future__ import annotations

import asyncio
import json
from functools import cached_property
from typing import Any

from vdebench.judges.judge import Judge, JudgeRequest
from vdebench.net.answer import ModelAnswer, Usage
from vdebench.net.keys import Secret, key_from
from vdebench.net.replies import broken, no_answer_in, of_status, timed_out

_REFUSALS = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"})


class GeminiJudge(Judge):
    """Asks with `generateContent`."""

    provider = "gemini"
    package = "google.genai"
    install = "pip install 'vdebench[gemini]'"
    key_variable = "GEMINI_API_KEY"

    def _key(self) -> Secret:
        """From `--key-variable`, else from GEMINI_API_KEY, which goes to Google alone."""
        named = self.settings.key_variable
        if self.settings.base_url and not named:
            return Secret("none")
        return key_from(named or self.key_variable, needed=f"the judge gemini:{self.model}")

    @property
    def server(self) -> str:
        """The host that is asked."""
        return super().server or "generativelanguage.googleapis.com"

    @cached_property
    def _client(self) -> Any:
        from google import genai
        from google.genai import types

        # Its own retries are off where none are asked for; milliseconds are its unit.
        options = types.HttpOptions(base_url=self.settings.base_url or None, timeout=int(self.settings.timeout * 1000))
        return genai.Client(api_key=self.secret.reveal(), vertexai=False, http_options=options)

    async def send(self, request: JudgeRequest, *, schema: bool) -> ModelAnswer:
        """Send a request once."""
        import httpx2
        from google.genai import errors, types

        config = types.GenerateContentConfig(
            temperature=self.settings.temperature,
            response_mime_type="application/json",
            response_json_schema=dict(request.schema) if schema else None,
        )
        client = self._client  # made before the clock runs
        try:
            async with asyncio.timeout(self.settings.timeout):
                reply = await client.aio.models.generate_content(
                    model=self.model, contents=_contents(request), config=config
                )
        except (TimeoutError, httpx2.TimeoutException):
            return timed_out(self.settings.timeout)
        except errors.APIError as error:
            headers = getattr(error.response, "headers", None) or {}
            return of_status(int(error.code or 0), headers, _body(error))
        except Exception as error:
            if type(error).__module__.partition(".")[0] in ("aiohttp", "httpx", "httpx2"):  # whichever it finds
                return broken(error)
            raise
        return _read(reply, schema=schema)

    async def close(self) -> None:
        """Let go of connections."""
        if "_client" in self.__dict__:  # it was made, because something was asked
            await self._client.aio.aclose()


def _body(error: Any) -> str:
    """What was said, with the details: they may tell how long to wait."""
    try:
        return json.dumps(error.details)
    except (TypeError, ValueError):
        return str(error.message or error.details)


def _contents(request: JudgeRequest) -> list[Any]:
    from google.genai import types

    parts = [types.Part.from_text(text=request.prompt)]
    for picture in request.pictures:
        parts.append(types.Part.from_text(text=picture.label))
        parts.append(types.Part.from_bytes(data=picture.content, mime_type=picture.media))
    contents = [types.Content(role="user", parts=parts)]
    for at, turn in enumerate(request.turns):
        part = types.Part.from_text(text=turn)
        contents.append(types.Content(role="user" if at % 2 else "model", parts=[part]))
    return contents


def _read(reply: Any, *, schema: bool) -> ModelAnswer:
    told = reply.usage_metadata
    output = None if told is None else (told.candidates_token_count or 0) + (told.thoughts_token_count or 0)
    usage = Usage(None if told is None else told.prompt_token_count, output)
    about: Any = {"model": reply.model_version or "", "usage": usage, "asked_for": "schema" if schema else "plain"}
    blocked = reply.prompt_feedback.block_reason if reply.prompt_feedback else None
    if blocked:
        return ModelAnswer("refused", reason=f"the question was blocked: {getattr(blocked, 'value', blocked)}", **about)
    if not reply.candidates:
        return no_answer_in("the answer has no candidate", "")
    candidate = reply.candidates[0]
    end = getattr(candidate.finish_reason, "value", candidate.finish_reason)
    if end in _REFUSALS:
        return ModelAnswer("refused", reason=f"the model refuses: {end}", **about)
    parts = (candidate.content.parts if candidate.content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    return ModelAnswer("answered", text=text, **about)
