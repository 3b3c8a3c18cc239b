"""The external protocol over HTTP, with images inside the JSON."""

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
from vdebench.editors.servers.errors import CallError
from vdebench.editors.servers.images import bytes_of, decoded
from vdebench.errors import EditorError, VdeError
from vdebench.net.addresses import bad_address, excerpt, shown

MAX_BYTES = 1 << 28
HELLO_TIMEOUT = 30.0


def bad_url(url: str) -> str:
    """Return why an address is not accepted, empty if it is; the message does not repeat possible passwords.

    >>> bad_url("http://me:hush@localhost:8000").partition("\\n")[0]
    'url contains a password or a query'
    """
    if any(mark in url for mark in "@?#"):
        return "url contains a password or a query\n  expected http://host:port, or a path below it"
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
        """Return its hello; raise an error if it has changed."""
        hello = parse_hello(self._ask("hello", None, min(HELLO_TIMEOUT, self._start_timeout)), self._who)
        if self._hello is not None and self._hello != hello:
            raise differing(self._who, self._hello, hello)
        self._hello = hello
        return hello

    @property
    def known(self) -> Hello:
        """The last hello."""
        return self._hello or self.hello()

    def edit(self, image: Image, instruction: str, seed: int) -> tuple[ProgramAnswer, Image | None]:
        """Return its answer, and its image if there is one."""
        self.hello()  # the server may have been replaced since the last page
        request_id = uuid.uuid4().hex
        png = base64.b64encode(encode_png(image)).decode()
        request = {"id": request_id, "png": png, "instruction": instruction, "seed": seed}
        limit = self._timeout if self._warm else self._timeout + self._start_timeout
        answer = parse_answer(self._ask("edit", request, limit), request_id, self._who)
        self._warm = True
        return answer, self._image(answer) if answer.state == "edited" else None

    def _image(self, answer: ProgramAnswer) -> Image:
        if not answer.png:
            raise EditorError(f"{self._who}: reported edited, but sent no image (png, in Base64)")
        try:
            return decoded(bytes_of(answer.png))
        except CallError as fault:
            raise EditorError(f"{self._who}: {fault.reason}") from None

    def stop(self) -> None:
        """Do nothing: the server is not ours to stop."""

    def _ask(self, what: str, data: dict[str, Any] | None, limit: float) -> dict[str, Any]:
        body = None if data is None else json.dumps(data).encode()
        request = Request(f"{self._url}/{what}", body, {"Content-Type": "application/json"})
        try:
            with self._opener.open(request, timeout=limit) as reply:
                content: bytes = reply.read(MAX_BYTES + 1)
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
        if len(content) > MAX_BYTES:
            raise EditorError(f"{self._who}: an answer of more than {MAX_BYTES:,} bytes")
        return parse_object(content, self._who)


def _opener(host: str) -> OpenerDirector:
    """Use the proxies of the environment, except for this machine."""
    return build_opener(ProxyHandler({})) if host in ("localhost", "127.0.0.1", "::1") else build_opener()
