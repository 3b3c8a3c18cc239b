"""Generators that are models behind an OpenAI-compatible server; keys are read from the environment only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vdebench.core.images import Image
from vdebench.core.sample import Operation
from vdebench.errors import VdeError
from vdebench.instructions.ambiguity import KINDS
from vdebench.instructions.generator import GeneratedAnswer, GenerationRequest, Generator, GeneratorError
from vdebench.instructions.prompt_pool import pool, read_prompt
from vdebench.net.addresses import redacted, setting
from vdebench.net.chat import hosted_chat, image_part, text_part
from vdebench.net.image_payloads import ImageInput, encode_image

URL, KEY = "VDE_GENERATOR_URL", "VDE_GENERATOR_KEY"


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
        self.name = name
        self.model = model or name
        self._chat = hosted_chat(
            f"the generator {name}",
            self.model,
            url=setting(url, URL),
            key_variable=key_variable,
            own_key_variable=KEY,
            timeout=timeout,
            error=GeneratorError,
        )
        self._temperature = _number("temperature", temperature, name) if temperature != "" else None
        self._longest_side = int(_number("longest_side", longest_side, name))

    @property
    def label(self) -> str:
        """The model, its server and all settings that change answers."""
        temperature_suffix = "" if self._temperature is None else f",t={self._temperature:g}"
        size_suffix = f",side={self._longest_side}" if self._longest_side else ""
        return f"{self.model}@{redacted(self._chat.url)}{temperature_suffix}{size_suffix}"

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

    def _ask(self, question: str, images: Sequence[Path | Image] = ()) -> GeneratedAnswer:
        pages = [image_part(encode_image(ImageInput("page", image), self._longest_side).url) for image in images]
        sampling = {} if self._temperature is None else {"temperature": self._temperature}
        answer = self._chat.ask(*pages, text_part(question), sampling=sampling)
        return GeneratedAnswer(answer.text, answer.model or self.model)


def _number(option: str, value: float | str, name: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise VdeError(f"the generator {name}: {option} is {value!r}, expected a number") from None
