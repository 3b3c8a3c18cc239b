"""Any vision-language model behind an OpenAI-compatible server (vLLM, SGLang, a provider), with our own prompt."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from vdebench.core.box import Size
from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.errors import InputError, MissingPartError, ReaderError, VdeError
from vdebench.net.addresses import INSTALL, bad_address, one_of, seconds, setting
from vdebench.net.chat import HOME, ChatClient, image_part, text_part
from vdebench.net.errors import Kind
from vdebench.net.keys import NO_KEY, checked_key
from vdebench.readers.reader import Reader
from vdebench.readers.vlm_answer import SCHEMA, answer_text, page_text_from_answer

URL, KEY, MODEL = "VDE_VLM_URL", "VDE_VLM_KEY", "VDE_VLM_MODEL"
PROMPT = files("vdebench.readers").joinpath("prompts/page.txt").read_text("utf-8")


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
        value = setting(key, KEY) or ("" if is_own_server else setting("", "OPENAI_API_KEY"))
        self._key = checked_key(value.strip(), KEY) if value else NO_KEY

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing and how to get it, or ""."""
        if not find_spec("httpx2"):
            return f"the reader {cls.name} needs the package httpx2\n  {INSTALL}"
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

    @cached_property
    def _chat(self) -> ChatClient:
        advice: dict[Kind, str] = {
            "key": f"the server requires a key, or a different one: key=…, or set {KEY}",
            "address": "nothing is served under this address or name: correct the address (url=…) or the model's name",
        }
        role = f"{self.name} {self.model}"
        return ChatClient(
            role, self.model, self.url or HOME, self._key, timeout=self.timeout, error=ReaderError, advice=advice
        )

    def read(self, image: Image) -> PageText:
        """Ask the model for the blocks of a page."""
        page = image_part(f"data:image/png;base64,{b64encode(encode_png(image)).decode()}")
        content = (page, text_part(PROMPT))
        if self.schema == "plain":
            answer = self._chat.ask(*content, sampling=self.sampling)
        else:
            strict = self.schema == "strict"
            answer = self._chat.ask_for(SCHEMA, *content, sampling=self.sampling, strict=strict)
        try:
            text = answer_text(answer)
            self._check_model(answer.model)
            page_text = page_text_from_answer(text, Size(image.shape[1], image.shape[0]))
        except InputError as error:
            raise ReaderError(f"{self._chat.who}: {error}") from None
        return replace(page_text, extra={"model": answer.model or "not stated", "asked_for": answer.asked_for})

    def _check_model(self, model: str) -> None:
        if model and model != (self.answers_as or self.model):
            raise ReaderError(
                f"{self._chat.who}: answered by {model!r}\n"
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
