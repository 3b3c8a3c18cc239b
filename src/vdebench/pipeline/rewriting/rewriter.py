"""Who rewrites: a model behind an OpenAI-compatible server, or a file of instructions that were rewritten elsewhere."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file, read_bytes
from vdebench.net.addresses import INSTALL, bad_address, excerpt, seconds, setting, shown
from vdebench.net.keys import Secret, key_from

if TYPE_CHECKING:
    from vdebench.net.retrying_client import RetryingClient

URL, KEY = "VDE_REWRITER_URL", "VDE_REWRITER_KEY"
HOME, HOME_KEY = "https://api.openai.com/v1", "OPENAI_API_KEY"
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
        if not find_spec("httpx2"):
            raise MissingPartError(f"the prompt rewriter {model} needs the package httpx2\n  {INSTALL}")
        self.model = model
        self.url = (setting(url, URL) or HOME).rstrip("/")
        if gap := bad_address(self.url):
            raise VdeError(f"the prompt rewriter {model}: {gap}")
        self._prompt = read_bytes(Path(prompt)).decode("utf-8", "replace") if prompt else PROMPT
        self._temperature = _number("temperature", temperature) if temperature != "" else None
        self._timeout = seconds(timeout)
        variable = key_variable or (HOME_KEY if self.url == HOME else KEY)
        self._key: Secret = key_from(variable)
        if self.url == HOME and self._key.reveal() == "none":
            raise MissingPartError(f"the prompt rewriter {model} needs a key: set {variable}, or give url=…")

    @property
    def label(self) -> str:
        """The model, the prompt's hash, and the temperature where it is not 0: `default` is the server's own."""
        warmth = "default" if self._temperature is None else f"{self._temperature:g}"
        prompt = hashlib.sha256(self._prompt.encode()).hexdigest()[:8]
        return f"{self.model}#{prompt}" + (f",t={warmth}" if warmth != "0" else "")

    @cached_property
    def _client(self) -> RetryingClient:
        from vdebench.net.retrying_client import RetryingClient

        key = self._key.reveal()
        return RetryingClient(self._timeout, headers={"Authorization": f"Bearer {key}"} if key != "none" else {})

    def rewrite(self, sample: str, image: Image, instruction: str) -> str:
        """What the model answers."""
        picture = f"data:image/png;base64,{b64encode(encode_png(image)).decode()}"
        content = [
            {"type": "image_url", "image_url": {"url": picture}},
            {"type": "text", "text": f"{self._prompt}\nThe instruction:\n{instruction}"},
        ]
        asked: dict[str, Any] = {"model": self.model, "messages": [{"role": "user", "content": content}]}
        if self._temperature is not None:
            asked["temperature"] = self._temperature
        return plain(self._said(self._post(asked)), self._who)

    @property
    def _who(self) -> str:
        return f"the prompt rewriter {self.model} at {shown(self.url)}"

    def _post(self, asked: Mapping[str, Any]) -> bytes:
        import httpx2

        from vdebench.net.retrying_client import no_answer, not_done

        try:
            response = self._client.post(f"{self.url}/chat/completions", json=asked)
        except httpx2.HTTPError as error:
            clean = type(error)(self._key.out_of(str(error)))  # before it is shortened, or part of the key could stay
            raise RewritingError(str(no_answer(self._who, clean))) from None
        if not response.is_success:
            shown_body = httpx2.Response(response.status_code, text=self._key.out_of(response.text))
            raise RewritingError(str(not_done(self._who, shown_body, "key_variable=NAME")))
        return response.content

    def _said(self, answer: bytes) -> str:
        try:
            return self._key.out_of(str(json.loads(answer)["choices"][0]["message"]["content"] or ""))
        except (ValueError, KeyError, IndexError, TypeError):
            said = excerpt(self._key.out_of(answer.decode("utf-8", "replace")))
            raise RewritingError(f"{self._who}: no answer in {said!r}") from None


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
