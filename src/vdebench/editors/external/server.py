"""The same protocol over HTTP, for a program that runs elsewhere: images travel inside the JSON."""

from __future__ import annotations

import base64
import json
import uuid
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import OpenerDirector, ProxyHandler, Request, build_opener

from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.editors.external.protocol import Hello, ProgramAnswer, differing, parse_answer, parse_hello, parse_object
from vdebench.editors.servers.images import bytes_of, decoded
from vdebench.errors import EditorError, VdeError
from vdebench.net.addresses import bad_address, excerpt, shown
from vdebench.net.errors import RequestError

MOST_BYTES = 1 << 28
HELLO_TIMEOUT = 30.0


def bad_url(url: str) -> str:
    """Why an address is not taken, or nothing. What may be a password is not repeated.

    >>> bad_url("http://me:hush@localhost:8000").partition("\\n")[0]
    'url holds a password or a query, which no address here has'
    """
    if any(mark in url for mark in "@?#"):
        return "url holds a password or a query, which no address here has\n  give http://host:port, or a path below it"
    return bad_address(url)


class Server:
    """A server that answers `GET /hello` and `POST /edit`."""

    def __init__(self, who: str, url: str, timeout: float, start_timeout: float) -> None:
        if problem := bad_url(url):
            raise VdeError(f"{who}: {problem}")
        self._who, self._url = f"{who} at {shown(url)}", url.rstrip("/")
        self._timeout, self._start_timeout = timeout, start_timeout
        self._hello: Hello | None = None
        self._warm = False
        self._opener = _opener(urlsplit(url).hostname or "")

    def hello(self) -> Hello:
        """Who it is; an error where it is another than before."""
        hello = parse_hello(self._ask("hello", None, min(HELLO_TIMEOUT, self._start_timeout)), self._who)
        if self._hello is not None and self._hello != hello:
            raise differing(self._who, self._hello, hello)
        self._hello = hello
        return hello

    @property
    def known(self) -> Hello:
        """Who it last said it is."""
        return self._hello or self.hello()

    def edit(self, image: Image, instruction: str, seed: int) -> tuple[ProgramAnswer, Image | None]:
        """Its answer, and its image where it made one."""
        self.hello()  # a server may be another one since the last page
        asked = uuid.uuid4().hex
        png = base64.b64encode(encode_png(image)).decode()
        request = {"id": asked, "png": png, "instruction": instruction, "seed": seed}
        limit = self._timeout if self._warm else self._timeout + self._start_timeout
        answer = parse_answer(self._ask("edit", request, limit), asked, self._who)
        self._warm = True
        return answer, self._image(answer) if answer.state == "edited" else None

    def _image(self, answer: ProgramAnswer) -> Image:
        if not answer.png:
            raise EditorError(f"{self._who}: said edited, and sent no image (png, in Base64)")
        try:
            return decoded(bytes_of(answer.png))
        except RequestError as fault:
            raise EditorError(f"{self._who}: {fault.reason}") from None

    def stop(self) -> None:
        """Nothing is held: the server is not ours to end."""

    def _ask(self, what: str, data: dict[str, Any] | None, limit: float) -> dict[str, Any]:
        body = None if data is None else json.dumps(data).encode()
        request = Request(f"{self._url}/{what}", body, {"Content-Type": "application/json"})
        try:
            with self._opener.open(request, timeout=limit) as reply:
                content: bytes = reply.read(MOST_BYTES + 1)
        except HTTPError as error:
            with error:
                told = excerpt(error.read(1000).decode("utf-8", "replace"))
            raise EditorError(f"{self._who}: /{what} answered {error.code} {error.reason}: {told}") from None
        except TimeoutError:
            raise EditorError(f"{self._who}: no answer to /{what} within {limit:g} s") from None
        except URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise EditorError(f"{self._who}: cannot be reached within {limit:g} s") from None
            cause = getattr(error.reason, "strerror", None) or error.reason
            raise EditorError(f"{self._who}: cannot be reached: {cause}; is it running?") from None
        except (OSError, HTTPException) as error:
            raise EditorError(f"{self._who}: the connection broke: {error or type(error).__name__}") from None
        if len(content) > MOST_BYTES:
            raise EditorError(f"{self._who}: an answer of more than {MOST_BYTES:,} bytes")
        return parse_object(content, self._who)


def _opener(host: str) -> OpenerDirector:
    """Proxies as the environment says, but none to this very machine."""
    return build_opener(ProxyHandler({})) if host in ("localhost", "127.0.0.1", "::1") else build_opener()
