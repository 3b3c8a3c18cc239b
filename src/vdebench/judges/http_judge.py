"""Judges with an HTTP API."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from vdebench.judges.judge import Judge, JudgeRequest
from vdebench.net.addresses import join_path
from vdebench.net.answer import ModelAnswer
from vdebench.net.errors import ADVICE, Kind, RequestError
from vdebench.net.keys import NO_KEY, Secret, key_from

if TYPE_CHECKING:
    from vdebench.net.http import AsyncHttpClient, Reply

_SMALLER = "send smaller images: --image-size PIXELS"
_ADVICE: dict[Kind, str] = {
    **dict.fromkeys(ADVICE, ""),
    "timeout": "increase --timeout",
    "key": "the server requires a key, or a different one",
    "money": "the account has no money left",
    "quota": "the day's quota is used up",
    "size": _SMALLER,
    "temperature": "the model does not accept this temperature: --temperature default",
    "address": "the server does not know this model or address: correct --judge or --base-url",
    "redirect": "requests are not sent to another host: if that address is right, use it with --base-url",
}


class HttpJudge(Judge):
    """A judge with a JSON API over HTTP."""

    package = "httpx2"
    install = "pip install 'vdebench[servers]'"
    home: ClassVar[str]
    """The provider's address."""

    def _key(self) -> Secret:
        """Return the key in `--key-variable`, or the provider's, which is sent to the provider only."""
        if self.settings.base_url and not self.settings.key_variable:
            return NO_KEY
        return key_from(self.settings.key_variable or self.key_variable, needed=f"the judge {self.name}")

    @property
    def _address(self) -> str:
        return self.settings.base_url or self.home

    @property
    def server(self) -> str:
        """The host, for records; without path, user and password."""
        parts = urlsplit(self._address)
        return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")

    @cached_property
    def _client(self) -> AsyncHttpClient:
        from vdebench.net.http import AsyncHttpClient

        return AsyncHttpClient(self.settings.timeout, key=self.secret, headers=self._headers(), advice=_ADVICE)

    async def send(self, request: JudgeRequest, *, schema: bool) -> ModelAnswer:
        """Send a request once."""
        try:
            url = join_path(self._address, self._path())
            reply = await self._client.request("POST", url, json=self._body(request, schema=schema))
        except RequestError as error:
            return ModelAnswer.of_error(error)
        return self._read(reply, schema=schema)

    async def close(self) -> None:
        """Close all connections."""
        if "_client" in self.__dict__:  # a request was sent
            await self._client.close()

    @abstractmethod
    def _headers(self) -> dict[str, str]:
        """Return the headers with the key."""

    @abstractmethod
    def _path(self) -> str:
        """Return the path below the address."""

    @abstractmethod
    def _body(self, request: JudgeRequest, *, schema: bool) -> dict[str, Any]:
        """Return the JSON body of a request."""

    @abstractmethod
    def _read(self, reply: Reply, *, schema: bool) -> ModelAnswer:
        """Parse the answer, refusal or failure in a successful response."""
