"""Generators that are models behind an OpenAI-compatible server; keys are read from the environment only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vdebench.core.images import Image
from vdebench.core.sample import Operation
from vdebench.errors import MissingPartError, VdeError
from vdebench.instructions.ambiguity import KINDS
from vdebench.instructions.generator import GeneratedAnswer, GenerationRequest, Generator, GeneratorError
from vdebench.instructions.prompt_pool import pool, read_prompt
from vdebench.net.addresses import INSTALL, bad_address, excerpt, seconds, setting, shown
from vdebench.net.image_payloads import ImageInput, picture
from vdebench.net.keys import Secret, key_from

if TYPE_CHECKING:
    from vdebench.net.retrying_client import RetryingClient

URL, KEY = "VDE_GENERATOR_URL", "VDE_GENERATOR_KEY"
HOME, HOME_KEY = "https://api.openai.com/v1", "OPENAI_API_KEY"


class ModelGenerator(Generator):
    """A vision-language model that receives the page and one prompt of the pool."""

    def __init__(
        self,
        name: str,
        *,
        url: str = "",
        key_variable: str = "",
        model: str = "",
        temperature: float | str = "",
        timeout: float | str = 120,
        longest_side: int | str = 0,
    ) -> None:
        if not find_spec("httpx2"):
            raise MissingPartError(f"the generator {name} needs the package httpx2\n  {INSTALL}")
        self.name = name
        self.model = model or name
        self.url = (setting(url, URL) or HOME).rstrip("/")
        if problem := bad_address(self.url):
            raise VdeError(f"the generator {name}: {problem}")
        self._temperature = _number("temperature", temperature, name) if temperature != "" else None
        self._timeout = seconds(timeout)
        self._longest_side = int(_number("longest_side", longest_side, name))
        variable = key_variable or (HOME_KEY if self.url == HOME else KEY)
        self._key: Secret = key_from(variable)
        if self.url == HOME and self._key.reveal() == "none":
            raise MissingPartError(f"the generator {name} needs a key: set {variable}, or pass url=…")

    @property
    def label(self) -> str:
        """The model, its server and all settings that change answers."""
        temperature_suffix = "" if self._temperature is None else f",t={self._temperature:g}"
        size_suffix = f",side={self._longest_side}" if self._longest_side else ""
        return f"{self.model}@{shown(self.url)}{temperature_suffix}{size_suffix}"

    def answer(self, request: GenerationRequest) -> GeneratedAnswer:
        """Return the model's answer to the page's image and the drawn prompt."""
        if request.image is None:
            raise VdeError(f"the generator {self.name} needs an image of page {request.page.id}")
        question = pool()[request.drawn.prompt].question(request.page.language, request.complaint)
        return self._ask(question, [request.image])

    def classify(self, instruction: str) -> Operation:
        """Classify an instruction with the model; `OTHER` if the answer is not an operation."""
        name = self._ask(f"{read_prompt('classify')}{instruction}").text.strip().strip(".\"'`").lower()
        return Operation(name) if name in set(Operation) else Operation.OTHER

    def infer(self, before: Path | Image, after: Path | Image, language: str) -> GeneratedAnswer:
        """Return the instruction between two images, unchecked; empty text if the model sees no edit."""
        rules = read_prompt("rules").replace("{language}", language.replace("_", " "))
        answer = self._ask(f"{read_prompt('infer')}\n{rules}", [before, after])
        return answer._replace(text="") if answer.text.strip().strip(".").lower() == "none" else answer

    def make_ambiguous(self, instruction: str, kind: str) -> GeneratedAnswer:
        """Return the instruction with one ambiguity, phrased by the model."""
        if kind not in KINDS:
            raise VdeError(f"unknown ambiguity {kind!r}; available: {', '.join(KINDS)}")
        return self._ask(read_prompt("ambiguous").replace("{kind}", KINDS[kind]) + instruction)

    @cached_property
    def _client(self) -> RetryingClient:
        from vdebench.net.retrying_client import RetryingClient

        key = self._key.reveal()
        return RetryingClient(self._timeout, headers={"Authorization": f"Bearer {key}"} if key != "none" else {})

    @property
    def _who(self) -> str:
        return f"the generator {self.name} at {shown(self.url)}"

    def _ask(self, question: str, images: Sequence[Path | Image] = ()) -> GeneratedAnswer:
        content: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": picture(ImageInput("page", image), self._longest_side).url}}
            for image in images
        ]
        content.append({"type": "text", "text": question})
        payload: dict[str, Any] = {"model": self.model, "messages": [{"role": "user", "content": content}]}
        if self._temperature is not None:
            payload["temperature"] = self._temperature
        return self._parse_answer(self._post(payload))

    def _post(self, payload: Mapping[str, Any]) -> bytes:
        import httpx2

        from vdebench.net.retrying_client import no_answer, not_done

        try:
            response = self._client.post(f"{self.url}/chat/completions", json=payload)
        except httpx2.HTTPError as error:
            raise GeneratorError(self._key.out_of(str(no_answer(self._who, error)))) from None
        if not response.is_success:
            raise GeneratorError(self._key.out_of(str(not_done(self._who, response, "key_variable=NAME")))) from None
        return response.content

    def _parse_answer(self, answer: bytes) -> GeneratedAnswer:
        try:
            data = json.loads(answer)
            text = data["choices"][0]["message"].get("content") or ""
            if not isinstance(text, str):
                raise TypeError
            model = data.get("model")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            body = self._key.out_of(excerpt(answer.decode("utf-8", "replace")))
            raise GeneratorError(f"{self._who}: no answer in {body!r}") from None
        return GeneratedAnswer(
            self._key.out_of(text), self._key.out_of(model) if isinstance(model, str) else self.model
        )


def _number(option: str, value: float | str, name: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise VdeError(f"the generator {name}: {option} is {value!r}, expected a number") from None
