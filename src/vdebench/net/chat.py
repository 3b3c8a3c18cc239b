"""OpenAI-compatible chat completions, for readers, rewriters, instruction generators and judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.files import parse_json
from vdebench.net.addresses import INSTALL, bad_address, excerpt, join_path, redacted, seconds
from vdebench.net.answer import ModelAnswer, Usage
from vdebench.net.errors import Kind, RequestError
from vdebench.net.json_path import count_at
from vdebench.net.keys import Secret, key_from

if TYPE_CHECKING:
    from vdebench.net.http import HttpClient

HOME, HOME_KEY = "https://api.openai.com/v1", "OPENAI_API_KEY"
PATH = "/chat/completions"


def image_part(url: str, **options: str) -> dict[str, Any]:
    """Return the image part of a message, from a URL or a data URL."""
    return {"type": "image_url", "image_url": {"url": url, **options}}


def text_part(text: str) -> dict[str, Any]:
    """Return the text part of a message."""
    return {"type": "text", "text": text}


def chat_body(
    model: str,
    messages: Sequence[Mapping[str, Any]],
    sampling: Mapping[str, float],
    schema: Mapping[str, Any] | None = None,
    name: str = "answer",
) -> dict[str, Any]:
    """Return the JSON body of a request; with a schema, the server is asked for structured output.

    >>> chat_body("m", [{"role": "user", "content": "hi"}], {"temperature": 0})
    {'model': 'm', 'messages': [{'role': 'user', 'content': 'hi'}], 'temperature': 0}
    """
    body: dict[str, Any] = {"model": model, "messages": list(messages), **sampling}
    if schema is not None:
        form = {"name": name, "strict": True, "schema": dict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    return body


def read_envelope(body: str, *, schema: bool = False) -> ModelAnswer:
    """Parse a chat completion; servers differ in its form.

    >>> read_envelope('{"model": "m-1", "choices": [{"message": {"content": "5"}}]}').text
    '5'
    """
    try:
        reply = parse_json(body.encode("utf-8", "replace"), "the answer")
        (choice, *_) = reply["choices"]
        message, end = choice["message"], choice.get("finish_reason")
        text, refusal = message.get("content"), message.get("refusal")
    except InputError as error:
        return ModelAnswer.unusable(str(error), body)
    except (KeyError, TypeError, ValueError, AttributeError):
        return ModelAnswer.unusable("the answer has no choices[0].message", body)
    model = reply.get("model")
    about: Any = {
        "model": model if isinstance(model, str) else "",
        "usage": _usage(reply.get("usage")),
        "asked_for": "schema" if schema else "plain",
        "finish": end if isinstance(end, str) else "",
    }
    if refusal:
        return ModelAnswer("refused", reason=f"the model refused: {excerpt(str(refusal), 300)}", **about)
    if end == "content_filter":
        reason = f"the answer was filtered: {excerpt(str(text or 'no text left'))}"
        return ModelAnswer("refused", reason=reason, **about)
    if isinstance(text, list):  # some servers return a list of parts
        if not all(isinstance(part, dict) for part in text):
            return ModelAnswer.unusable("the answer's content is not text", body)
        text = "".join(str(part.get("text") or "") for part in text)
    return ModelAnswer("answered", text=text if isinstance(text, str) else "", **about)


def _usage(usage: Any) -> Usage:
    return Usage(count_at(usage, "prompt_tokens"), count_at(usage, "completion_tokens"))


class ChatClient:
    """A model behind a chat server; thread-safe; retries temporary failures."""

    def __init__(
        self,
        role: str,
        model: str,
        url: str,
        key: Secret,
        *,
        timeout: float | str,
        error: type[VdeError],
        advice: Mapping[Kind, str],
    ) -> None:
        self.model, self.url, self.timeout = model, url.rstrip("/"), seconds(timeout)
        self._role, self._key, self._error, self._advice = role, key, error, advice
        self.takes_schema = True
        """False after the server rejected a schema and accepted the same question without it."""

    @property
    def who(self) -> str:
        """Role, model and server, for error messages."""
        return f"{self._role} at {redacted(self.url)}"

    @cached_property
    def http(self) -> HttpClient:
        """The HTTP client, created with the first request."""
        from vdebench.net.http import HttpClient
        from vdebench.net.retries import RetryPolicy

        headers = self._key.bearer
        return HttpClient(self.timeout, key=self._key, headers=headers, advice=self._advice, retries=RetryPolicy())

    def ask(self, *content: Mapping[str, Any], sampling: Mapping[str, float]) -> ModelAnswer:
        """Return the answer to one message, or the model's refusal; raise an error for other failures."""
        try:
            return self._answer(content, sampling)
        except RequestError as error:
            raise self._error(f"{self.who}: {error}") from None

    def ask_for(
        self, schema: Mapping[str, Any], *content: Mapping[str, Any], sampling: Mapping[str, float], strict: bool
    ) -> ModelAnswer:
        """Like `ask`, with a JSON schema; unless `strict`, retry without it if the server rejects it."""
        try:
            if not strict and not self.takes_schema:
                return self._answer(content, sampling)
            try:
                return self._answer(content, sampling, schema)
            except RequestError as error:
                if strict or error.status != 400:
                    raise
            answer = self._answer(content, sampling)
            self.takes_schema = False
            return answer
        except RequestError as error:
            raise self._error(f"{self.who}: {error}") from None

    def _answer(
        self,
        content: Sequence[Mapping[str, Any]],
        sampling: Mapping[str, float],
        schema: Mapping[str, Any] | None = None,
    ) -> ModelAnswer:
        messages = [{"role": "user", "content": list(content)}]
        reply = self.http.request(
            "POST", join_path(self.url, PATH), json=chat_body(self.model, messages, sampling, schema)
        )
        answer = read_envelope(reply.text, schema=schema is not None).without(self._key)
        if answer.state == "failed":
            raise RequestError("answer", answer.reason, "is this an OpenAI-compatible server? The address ends in /v1")
        return answer


def hosted_chat(
    role: str,
    model: str,
    *,
    url: str,
    key_variable: str,
    own_key_variable: str,
    timeout: float | str,
    error: type[VdeError],
) -> ChatClient:
    """Return a client for OpenAI or another server; raise an error if a package or OpenAI's key is missing.

    OpenAI's key is sent to OpenAI only; other servers get the key in `key_variable` or `own_key_variable`.
    """
    if not find_spec("httpx2"):
        raise MissingPartError(f"{role} needs the package httpx2\n  {INSTALL}")
    url = (url or HOME).rstrip("/")
    if problem := bad_address(url):
        raise VdeError(f"{role}: {problem}")
    variable = key_variable or (HOME_KEY if url == HOME else own_key_variable)
    key = key_from(variable)
    if url == HOME and not key:
        raise MissingPartError(f"{role} needs a key: set {variable}, or give url=…")
    advice: dict[Kind, str] = {
        "key": "the server requires a key, or a different one: key_variable=NAME",
        "address": "the server does not know this address or model: correct url=… or the model's name",
    }
    return ChatClient(role, model, url, key, timeout=timeout, error=error, advice=advice)
