"""Judges on OpenAI or an OpenAI-compatible server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from vdebench.errors import InputError
from vdebench.judges.http_judge import HttpJudge
from vdebench.judges.judge import JudgeRequest
from vdebench.net.addresses import bad_address
from vdebench.net.answer import ModelAnswer
from vdebench.net.chat import HOME, HOME_KEY, PATH, chat_body, image_part, read_envelope, text_part
from vdebench.net.keys import NO_KEY, Secret, key_from

if TYPE_CHECKING:
    from vdebench.net.http import Reply


class OpenAiJudge(HttpJudge):
    """Uses `chat/completions`."""

    provider = "openai"
    key_variable = HOME_KEY
    home = HOME

    def _key(self) -> Secret:
        """Return the key in `--key-variable`, or OpenAI's key for OpenAI's server or the one in OPENAI_BASE_URL."""
        if variable := self.settings.key_variable:
            return key_from(variable, needed=f"the judge {self.model}")
        if self._is_home or not self.settings.base_url:
            return key_from(self.key_variable, needed=f"the judge {self.model}" if self._is_home else "")
        return NO_KEY

    @property
    def _address(self) -> str:
        return self.settings.base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or HOME

    @property
    def _is_home(self) -> bool:
        return urlsplit(self._address).hostname == urlsplit(HOME).hostname

    @property
    def server(self) -> str:
        """The host."""
        if problem := bad_address(self._address):
            raise InputError(f"OPENAI_BASE_URL: {problem}")
        return super().server

    def _headers(self) -> dict[str, str]:
        return self.secret.bearer

    def _path(self) -> str:
        return PATH

    def _body(self, request: JudgeRequest, *, schema: bool) -> dict[str, Any]:
        content = [text_part(request.prompt)]
        for picture in request.pictures:
            content += [text_part(picture.label), image_part(picture.url, detail="high")]
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        for at, turn in enumerate(request.turns):
            messages.append({"role": "user" if at % 2 else "assistant", "content": turn})
        temperature = self.settings.temperature
        sampling = {} if temperature is None else {"temperature": temperature}
        return chat_body(self.model, messages, sampling, request.schema if schema else None, "grade")

    def _read(self, reply: Reply, *, schema: bool) -> ModelAnswer:
        return read_envelope(reply.text, schema=schema)
