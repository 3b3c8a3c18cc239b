"""The external protocol over HTTP, with images inside the JSON."""

from __future__ import annotations

import base64
import threading
import uuid
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.editors.external.protocol import Hello, ProgramAnswer, differing, parse_answer, parse_hello, parse_object
from vdebench.editors.servers.images import bytes_of, decoded
from vdebench.errors import EditorError, VdeError
from vdebench.net.addresses import INSTALL, bad_address, redacted
from vdebench.net.errors import RequestError

if TYPE_CHECKING:
    from vdebench.net.http import HttpClient

MAX_BYTES = 1 << 28
HELLO_TIMEOUT = 30.0


def bad_url(url: str) -> str:
    """Return why an address is not accepted, empty if it is; the message does not repeat possible passwords.

    >>> bad_url("http://me:hush@localhost:8000").partition("\\n")[0]
    'url contains a password or a query'
    """
    if any(mark in url for mark in "@?#"):
        return "url contains a password or a query\n  expected http://host:port, or a path below it"
    if not find_spec("httpx2"):
        return f"an editor with url=… needs the package httpx2\n  {INSTALL}"
    return bad_address(url)


class Server:
    """A server that answers `GET /hello` and `POST /edit`."""

    def __init__(self, who: str, url: str, timeout: float, start_timeout: float) -> None:
        if problem := bad_url(url):
            raise VdeError(f"{who}: {problem}")
        self._who, self._url = f"{who} at {redacted(url)}", url.rstrip("/")
        self._timeout, self._start_timeout = timeout, start_timeout
        self._hello: Hello | None = None
        self._warm = False
        self._lock = threading.Lock()
        self._client: HttpClient | None = None

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
        except RequestError as fault:
            raise EditorError(f"{self._who}: {fault.reason}") from None

    def stop(self) -> None:
        """Close the connections; the server is not ours to end."""
        with self._lock:
            client, self._client = self._client, None
        if client:
            client.close()

    def _http(self) -> HttpClient:
        from vdebench.net.http import HttpClient

        with self._lock:
            if self._client is None:
                self._client = HttpClient(self._timeout, max_bytes=MAX_BYTES)
            return self._client

    def _ask(self, what: str, data: dict[str, Any] | None, limit: float) -> dict[str, Any]:
        content: dict[str, Any] = {} if data is None else {"json": data}
        method = "GET" if data is None else "POST"
        try:
            reply = self._http().request(method, f"{self._url}/{what}", timeout=limit, **content)
        except RequestError as error:
            raise EditorError(f"{self._who}: /{what}: {error}") from None
        return parse_object(reply.content, self._who)
