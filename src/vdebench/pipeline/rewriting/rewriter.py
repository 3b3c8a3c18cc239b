"""Who rewrites: a model behind an OpenAI-compatible server, or a file of instructions that were rewritten elsewhere."""

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
LONGEST = 4000
"""Characters of an instruction: what is longer is an essay about it."""


class RewritingError(VdeError):
    """An instruction could not be rewritten."""


class Rewriter(ABC):
    """Puts instructions into other words."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Who it is and by which prompt, for the signature."""

    @abstractmethod
    def rewrite(self, sample: str, image: Image, instruction: str) -> str:
        """The instruction in other words; a `RewritingError` where there is none."""


class ModelRewriter(Rewriter):
    """A vision-language model that is shown the page and the instruction."""

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
        """The model, the prompt's hash, and the temperature where it is not 0: `default` is the server's own."""
        warmth = "default" if self._temperature is None else f"{self._temperature:g}"
        prompt = hashlib.sha256(self._prompt.encode()).hexdigest()[:8]
        return f"{self.model}#{prompt}" + (f",t={warmth}" if warmth != "0" else "")

    def rewrite(self, sample: str, image: Image, instruction: str) -> str:
        """The answer of the model."""
        page = image_part(f"data:image/png;base64,{b64encode(encode_png(image)).decode()}")
        question = text_part(f"{self._prompt}\nThe instruction:\n{instruction}")
        sampling = {} if self._temperature is None else {"temperature": self._temperature}
        answer = self._chat.ask(page, question, sampling=sampling)
        if answer.state != "answered":
            raise RewritingError(f"{self._chat.who}: {answer.reason}")
        return plain(answer.text, self._chat.who)


class FileRewriter(Rewriter):
    """Instructions that were rewritten elsewhere: JSON lines of `sample` and `instruction`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._found: dict[str, str] = {}
        for number, line in enumerate(read_bytes(file).split(b"\n"), start=1):
            if line.strip():
                self._add(line, number)

    def _add(self, line: bytes, number: int) -> None:
        try:
            told = json.loads(line)
            sample, instruction = told["sample"], told["instruction"]
        except (ValueError, KeyError, TypeError):
            sample = instruction = None
        if not isinstance(sample, str) or not isinstance(instruction, str):
            expected = 'expected {"sample": "text/1", "instruction": "…"}'
            raise InputError(f"{self._file}: line {number}: {expected}")
        self._found[sample] = instruction

    @property
    def label(self) -> str:
        """The file's name and content."""
        return f"{self._file.stem}#{digest_of_file(self._file)[:8]}"

    def rewrite(self, sample: str, image: Image, instruction: str) -> str:
        """What the file says."""
        if sample not in self._found:
            raise RewritingError(f"{self._file}: no instruction for sample {sample}")
        return plain(self._found[sample], str(self._file))


def plain(text: str, who: str) -> str:
    """An answer as an instruction, or why it is none.

    >>> plain('```\\nReplace "a" by "b".\\n```', "who")
    'Replace "a" by "b".'
    """
    lines = [line for line in text.strip().splitlines() if not line.startswith("```")]
    found = " ".join(" ".join(lines).split())
    if not found:
        raise RewritingError(f"{who}: the answer is empty")
    if len(found) > LONGEST:
        raise RewritingError(f"{who}: an answer of {len(found):,} characters, at most {LONGEST:,} are an instruction")
    return found


def get_rewriter(named: str, options: Mapping[str, Any] | None = None) -> Rewriter:
    """A file of instructions, or the model of a name on a server (`url`, `key_variable`, `prompt`, …)."""
    known = ("url", "key_variable", "prompt", "temperature", "timeout")
    for option in options or {}:
        if option not in known:
            raise VdeError(f"a prompt rewriter has no option {option!r}; it has: {', '.join(known)}")
    if named.endswith(".jsonl") or is_file(Path(named)):
        return FileRewriter(Path(named))
    return ModelRewriter(named, **dict(options or {}))


def _number(option: str, value: float | str) -> float:
    try:
        return float(value)
    except ValueError:
        raise VdeError(f"{option} is {value!r}, expected a number") from None
