"""PaddleOCR-VL behind its own server (`paddlex --serve --pipeline PaddleOCR-VL`), or a service with the same API."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from vdebench.core.box import Size
from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.errors import InputError, MissingPartError, ReaderError
from vdebench.net.addresses import INSTALL, bad_address, excerpt, one_of, redacted, seconds, setting
from vdebench.net.errors import Kind, RequestError
from vdebench.net.keys import checked_key
from vdebench.readers.paddle import PIPELINE_VERSIONS, page_text_from_paddle
from vdebench.readers.reader import Reader

if TYPE_CHECKING:
    from vdebench.net.http import HttpClient, Reply

URL, TOKEN = "VDE_PADDLEOCR_URL", "VDE_PADDLEOCR_TOKEN"
_ENDPOINT = "/layout-parsing"
_IMAGE = 1
_NO_PREPROCESSING = {"useDocOrientationClassify": False, "useDocUnwarping": False}
_NO_PICTURES = {"visualize": False, "returnMarkdownImages": False}  # the images are most of the answer and are not used


class ServingReader(Reader):
    """Sends pages to `/layout-parsing` and reads the pruned result.

    The server does not report the version of its pipeline: the user states it with `pipeline_version`.
    """

    name = "paddleocr-vl-server"

    def __init__(
        self, *, url: str = "", token: str = "", pipeline_version: str = "v1", timeout: float | str = 600
    ) -> None:
        if problem := self.missing(url=url):
            raise MissingPartError(problem)
        one_of(self.name, "pipeline_version", pipeline_version, PIPELINE_VERSIONS)
        self.url = setting(url, URL).rstrip("/").removesuffix(_ENDPOINT)
        self.pipeline_version = pipeline_version
        self.timeout = seconds(timeout)
        self._token = checked_key(setting(token, TOKEN).strip(), TOKEN)

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing and how to get it, or ""."""
        if not find_spec("httpx2"):
            return f"the reader {cls.name} needs httpx2\n  {INSTALL}"
        url = setting(str(options.get("url") or ""), URL)
        if not url:
            return f"the reader {cls.name} has no server\n  set its address: url=http://host:8080, or {URL}"
        return (problem := bad_address(url)) and f"the reader {cls.name}: {problem}"

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, the pipeline version stated by the user, preprocessing."""
        return {"name": self.name, "pipeline_version": self.pipeline_version, "page": "as it is"}

    @property
    def _label(self) -> str:
        return f"{self.name} at {redacted(self.url)}"

    @cached_property
    def _client(self) -> HttpClient:
        from vdebench.net.http import HttpClient
        from vdebench.net.retries import RetryPolicy

        advice: dict[Kind, str] = {
            "key": f"the server requires a key, or a different one: token=…, or set {TOKEN}",
            "wall": f"a proxy or firewall rejects the request, or the server requires a key: set {TOKEN}",
            "address": "nothing is served under this address: correct the address (url=…)",
            "busy": "the server is overloaded: run again later, or with fewer workers",
            "size": "the page is too large for the server: raise its limit",
            "request": "the server does not accept this request: compare its version with docs/readers.md",
        }
        # the scheme `token` is the one of the service that Paddle's makers run
        headers = {"Authorization": f"token {self._token.reveal()}"} if self._token else {}
        return HttpClient(self.timeout, key=self._token, headers=headers, advice=advice, retries=RetryPolicy())

    def read(self, image: Image) -> PageText:
        """Send a page to the server and return its blocks."""
        body = {"file": b64encode(encode_png(image)).decode(), "fileType": _IMAGE, **_NO_PREPROCESSING, **_NO_PICTURES}
        try:
            reply = self._client.request("POST", self.url + _ENDPOINT, json=body)
        except RequestError as error:
            raise ReaderError(f"{self._label}: {error}") from None
        return self._reading(reply, Size(image.shape[1], image.shape[0]))

    def _reading(self, reply: Reply, page: Size) -> PageText:
        try:
            data = reply.json()
        except InputError as error:
            raise ReaderError(
                f"{self._label}: {error}: {excerpt(reply.text)}\n  is this PaddleOCR's serving API? See docs/readers.md"
            ) from None
        if isinstance(data, dict) and data.get("errorCode"):
            message = excerpt(str(data.get("errorMsg")))
            raise ReaderError(f"{self._label}: error {data['errorCode']}: {message}\n  see the server's log")
        try:
            pages = data["result"]["layoutParsingResults"]
            (result,) = (page["prunedResult"] for page in pages)
        except (KeyError, TypeError, ValueError):
            raise ReaderError(
                f"{self._label}: the answer has no result.layoutParsingResults[0].prunedResult: {excerpt(reply.text)}\n"
                "  is this PaddleOCR's serving API? See docs/readers.md"
            ) from None
        return page_text_from_paddle(result, self._label, page)
