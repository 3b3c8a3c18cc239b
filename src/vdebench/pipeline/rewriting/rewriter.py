"""Rewriters: a model on an OpenAI-compatible server, or a file of rewritten instructions."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.errors import InputError, VdeError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file, read_bytes
from vdebench.net.addresses import setting
from vdebench.net.chat import hosted_chat, image_part, text_part

URL, KEY = "VDE_REWRITER_URL", "VDE_REWRITER_KEY"
PROMPT = files("vdebench.pipeline.rewriting").joinpath("prompts/instruction.txt").read_text("utf-8")
MAX_LENGTH = 4000
"""Maximum length of an instruction in characters."""


class RewritingError(VdeError):
    """An instruction could not be rewritten."""


class Rewriter(ABC):
    """Rephrases instructions."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Name of the rewriter and hash of its prompt, for the signature."""

    @abstractmethod
    def rewrite(self, sample: str, image: Image, instruction: str) -> str:
        """Return the rephrased instruction; raise `RewritingError` if there is none."""


class ModelRewriter(Rewriter):
    """A vision-language model that gets the page and the instruction."""

    def __init__(
        self,
        model: str,
        *,
        url: str = "",
        key_variable: str = "",
        prompt: str = "",
        temperature: float | str = 0,
        timeout: float | str = 120,
    ) -> None:
        self.model = model
        self._chat = hosted_chat(
            f"the prompt rewriter {model}",
            model,
            url=setting(url, URL),
            key_variable=key_variable,
            own_key_variable=KEY,
            timeout=timeout,
            error=RewritingError,
        )
        self._prompt = read_bytes(Path(prompt)).decode("utf-8", "replace") if prompt else PROMPT
        self._temperature = _number("temperature", temperature) if temperature != "" else None

    @property
    def label(self) -> str:
        """The model, the hash of the prompt, and the temperature unless it is 0."""
        temperature = "default" if self._temperature is None else f"{self._temperature:g}"
        prompt = hashlib.sha256(self._prompt.encode()).hexdigest()[:8]
        return f"{self.model}#{prompt}" + (f",t={temperature}" if temperature != "0" else "")

    def rewrite(self, sample: str, image: Image, instruction: str) -> str:
        """Return the answer of the model."""
        page = image_part(f"data:image/png;base64,{b64encode(encode_png(image)).decode()}")
        question = text_part(f"{self._prompt}\nThe instruction:\n{instruction}")
        sampling = {} if self._temperature is None else {"temperature": self._temperature}
        answer = self._chat.ask(page, question, sampling=sampling)
        if answer.state != "answered":
            raise RewritingError(f"{self._chat.who}: {answer.reason}")
        return clean_answer(answer.text, self._chat.who)


class FileRewriter(Rewriter):
    """Rewritten instructions in a file: JSON lines with `sample` and `instruction`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._instructions: dict[str, str] = {}
        for number, line in enumerate(read_bytes(file).split(b"\n"), start=1):
            if line.strip():
                self._add(line, number)

    def _add(self, line: bytes, number: int) -> None:
        try:
            row = json.loads(line)
            sample, instruction = row["sample"], row["instruction"]
        except (ValueError, KeyError, TypeError):
            sample = instruction = None
        if not isinstance(sample, str) or not isinstance(instruction, str):
            expected = 'expected {"sample": "text/1", "instruction": "…"}'
            raise InputError(f"{self._file}: line {number}: {expected}")
        self._instructions[sample] = instruction

    @property
    def label(self) -> str:
        """Name and hash of the file."""
        return f"{self._file.stem}#{digest_of_file(self._file)[:8]}"

    def rewrite(self, sample: str, image: Image, instruction: str) -> str:
        """Return the instruction in the file."""
        if sample not in self._instructions:
            raise RewritingError(f"{self._file}: no instruction for sample {sample}")
        return clean_answer(self._instructions[sample], str(self._file))


def clean_answer(text: str, source: str) -> str:
    """Return an answer as one line without code fences; raise an error if it is empty or too long.

    >>> clean_answer('```\\nReplace "a" by "b".\\n```', "model")
    'Replace "a" by "b".'
    """
    lines = [line for line in text.strip().splitlines() if not line.startswith("```")]
    answer = " ".join(" ".join(lines).split())
    if not answer:
        raise RewritingError(f"{source}: the answer is empty")
    if len(answer) > MAX_LENGTH:
        raise RewritingError(f"{source}: the answer has {len(answer):,} characters, expected at most {MAX_LENGTH:,}")
    return answer


def get_rewriter(name: str, options: Mapping[str, Any] | None = None) -> Rewriter:
    """Return the rewriter for a file of instructions, or for a model on a server."""
    known = ("url", "key_variable", "prompt", "temperature", "timeout")
    for option in options or {}:
        if option not in known:
            raise VdeError(f"a prompt rewriter has no option {option!r}; available: {', '.join(known)}")
    if name.endswith(".jsonl") or is_file(Path(name)):
        return FileRewriter(Path(name))
    return ModelRewriter(name, **dict(options or {}))


def _number(option: str, value: float | str) -> float:
    try:
        return float(value)
    except ValueError:
        raise VdeError(f"{option} is {value!r}, expected a number") from None
