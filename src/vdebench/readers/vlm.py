"""Any vision-language model behind an OpenAI-compatible server (vLLM, SGLang, a provider), with our own prompt."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from vdebench.core.box import Size
from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.errors import InputError, MissingPartError, ReaderError, VdeError
from vdebench.net.addresses import INSTALL, bad_address, one_of, seconds, setting, shown
from vdebench.readers.reader import Reader
from vdebench.readers.vlm_answer import SCHEMA, answer_text, page_text_from_answer

if TYPE_CHECKING:
    from openai import OpenAI

URL, KEY, MODEL = "VDE_VLM_URL", "VDE_VLM_KEY", "VDE_VLM_MODEL"
PROMPT = files("vdebench.readers").joinpath("prompts/page.txt").read_text("utf-8")
_FORMAT: Any = {"type": "json_schema", "json_schema": {"name": "page", "strict": True, "schema": SCHEMA}}


class VlmReader(Reader):
    """A model that returns the blocks of a page as JSON.

    The model name is part of the cache key. Therefore an answer from another model than requested is an error: the
    requested name may be an alias whose target changes. Request the full name, or accept it with `answers_as=`.
    """

    name = "openai-vlm"

    def __init__(
        self,
        *,
        url: str = "",
        key: str = "",
        model: str = "",
        answers_as: str = "",
        schema: str = "auto",
        temperature: float | str = 0,
        max_tokens: int | str = "",
        timeout: float | str = 600,
    ) -> None:
        if problem := self.missing(url=url, model=model):
            raise MissingPartError(problem)
        one_of(self.name, "schema", schema, ("auto", "strict", "plain"))
        self.url = setting(url, URL, "OPENAI_BASE_URL")
        self.model = setting(model, MODEL)
        self.answers_as = answers_as
        self.schema = schema
        self.timeout = seconds(timeout)
        self.sampling = _sampling(temperature, max_tokens)
        is_own_server = bool(url or setting("", URL))  # never send OpenAI's key to another server
        self._key = setting(key, KEY) or ("none" if is_own_server else setting("", "OPENAI_API_KEY") or "none")
        self._accepts_schema = True

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing and how to get it, or ""."""
        if not find_spec("openai"):
            return f"the reader {cls.name} needs the package openai\n  {INSTALL}"
        url = setting(str(options.get("url") or ""), URL, "OPENAI_BASE_URL")
        if not url and not setting("", "OPENAI_API_KEY"):
            return f"the reader {cls.name} has no server\n  set its address: url=http://host:8000/v1, or {URL}"
        if url and (problem := bad_address(url)):
            return f"the reader {cls.name}: {problem}"
        if not setting(str(options.get("model") or ""), MODEL):
            return f"the reader {cls.name} has no model\n  set its name on the server: model=…, or {MODEL}"
        return ""

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, model, hash of the prompt, request format, sampling."""
        return {
            "name": self.name,
            "model": self.model,
            **({"answers_as": self.answers_as} if self.answers_as else {}),
            "prompt": hashlib.sha256(PROMPT.encode()).hexdigest()[:12],
            "schema": self.schema,
            **{option: f"{value:g}" for option, value in self.sampling.items()},
        }

    @property
    def _label(self) -> str:
        return f"{self.name} {self.model} at {shown(self.url) or 'OpenAI'}"

    @cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        from vdebench.net.retrying_client import RetryingClient

        client = RetryingClient(self.timeout)  # retries itself
        return OpenAI(base_url=self.url or None, api_key=self._key, max_retries=0, http_client=client)

    def read(self, image: Image) -> PageText:
        """Ask the model for the blocks of a page."""
        from openai import APIConnectionError, APIStatusError

        from vdebench.net.retrying_client import no_answer, not_done

        try:
            answer, request_format = self._ask(f"data:image/png;base64,{b64encode(encode_png(image)).decode()}")
        except APIStatusError as error:
            raise not_done(self._label, error.response, f"key=…, or set {KEY}") from error
        except APIConnectionError as error:
            cause = error.__cause__
            raise no_answer(self._label, cause if isinstance(cause, Exception) else error) from error
        try:
            text, model = answer_text(answer)
            self._check_model(model)
            page_text = page_text_from_answer(text, Size(image.shape[1], image.shape[0]))
        except InputError as error:
            raise ReaderError(f"{self._label}: {error}") from None
        return replace(page_text, extra={"model": model or "not stated", "asked_for": request_format})

    def _ask(self, image_url: str) -> tuple[bytes, str]:
        """Return the server's answer and the request format: "schema" or "plain"."""
        from openai import BadRequestError

        content = [{"type": "image_url", "image_url": {"url": image_url}}, {"type": "text", "text": PROMPT}]
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": content}],
            **self.sampling,
        }
        create = self._client.chat.completions.with_raw_response.create
        if self.schema == "strict" or (self.schema == "auto" and self._accepts_schema):
            try:
                return create(**request, response_format=_FORMAT).content, "schema"
            except BadRequestError:
                if self.schema == "strict":
                    raise
        answer = create(**request).content
        self._accepts_schema = False  # the plain request succeeded: do not try a schema again
        return answer, "plain"

    def _check_model(self, model: str) -> None:
        if model and model != (self.answers_as or self.model):
            raise ReaderError(
                f"{self._label}: answered by {model!r}\n"
                f"  OCR output is cached by model name: request this model, model={model}, "
                f"or accept it, answers_as={model}"
            )


def _sampling(temperature: float | str, max_tokens: int | str) -> dict[str, float]:
    """Return the sampling parameters to send. An empty option is not sent, because some servers reject it."""
    sampling: dict[str, float] = {}
    try:
        if temperature != "":
            sampling["temperature"] = float(temperature)
        if max_tokens != "":
            sampling["max_tokens"] = int(max_tokens)
    except ValueError:
        raise VdeError(f"temperature={temperature} max_tokens={max_tokens}: expected numbers") from None
    return sampling
