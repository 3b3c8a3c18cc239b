"""Label Studio over plain REST, through the common HTTP client."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.files import parse_json
from vdebench.net.addresses import INSTALL, bad_address, excerpt, redacted, setting
from vdebench.net.errors import Kind, RequestError
from vdebench.net.keys import Secret, checked_key
from vdebench.net.retries import RetryPolicy

URL, KEY = "LABEL_STUDIO_URL", "LABEL_STUDIO_API_KEY"
OLDEST = (1, 23)
SECONDS = 300.0
PAGE = 500
"""Tasks that are asked for at a time."""
_ABSENT = frozenset({"connection", "broken", "timeout", "too_long", "busy", "server"})
_ADVICE: dict[Kind, str] = {
    "connection": "is it running, and is the address right?",
    "key": f"the key in {KEY} is wrong, was revoked, or belongs to an account that may not do that",
    "wall": f"the account of the key in {KEY} may not do that",
    "address": "nothing is there: is it the address of Label Studio, and does the project still exist?",
    "size": "it does not accept so much at once: raise the limit of the server in front of it",
    "request": "compare its version with docs/label-studio.md",
}


class LabelStudioError(VdeError):
    """Label Studio does not do what it was asked: a wrong key, address or version, or something we do not know."""


class AwayError(LabelStudioError):
    """Label Studio does not answer now; it may later."""


class LabelStudio:
    """One server of Label Studio, asked with one key; used by one thread."""

    def __init__(self, url: str = "", *, key: str = "", timeout: float = SECONDS) -> None:
        if not find_spec("httpx2"):
            raise MissingPartError(f"the bridge to Label Studio needs the package httpx2\n  {INSTALL}")
        self.url = setting(url, URL).rstrip("/")
        if not self.url:
            raise LabelStudioError(
                f"no Label Studio was named\n  give its address: --url http://host:8080, or set {URL}"
            )
        if any(mark in self.url for mark in "@?#"):
            raise LabelStudioError(
                f"{redacted(self.url)}: an address has no password and no query; the key goes to {KEY}"
            )
        if gap := bad_address(self.url):
            raise LabelStudioError(gap)
        self._key = _key(key)
        self._access = Secret("")
        from vdebench.net.http import HttpClient

        self._client = HttpClient(timeout, key=self._key, advice=_ADVICE, retries=RetryPolicy())

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def __enter__(self) -> LabelStudio:
        """Itself; closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Its address."""
        return redacted(self.url)

    def require(self) -> str:
        """Its version; an error where it is none that we know, or where the key is wrong."""
        told = self._get("/api/version/")
        release = str(told.get("release", "")) if isinstance(told, Mapping) else ""
        numbers = tuple(int(part) for part in release.split(".")[:2] if part.isdecimal())
        if len(numbers) != 2 or numbers < OLDEST or numbers[0] != OLDEST[0]:
            found = f"is version {release}" if release else "does not say its version: is it Label Studio?"
            expected = ".".join(map(str, OLDEST))
            raise LabelStudioError(f"{self!r}: {excerpt(found)}, expected {expected} or a later one of {OLDEST[0]}.x")
        self._get("/api/current-user/whoami")
        return release

    def projects(self) -> list[dict[str, Any]]:
        """All projects that the key may see."""
        found: list[dict[str, Any]] = []
        while True:
            told = self._get("/api/projects/", page=len(found) // 100 + 1, page_size=100)
            found += _field(told, "results", list)
            if len(found) >= _field(told, "count", int) or not told["results"]:
                return found

    def make_project(self, **settings: Any) -> int:
        """A new project; its id."""
        return int(_field(self._post("/api/projects/", json=settings), "id", int))

    def tasks(self, project: int, *, since: str = "", annotations: bool = True) -> Iterator[dict[str, Any]]:
        """The tasks of a project with what people said; with `since`, those that were changed after that moment.

        Not by its export, which leaves a copy of everything on the server's disk each time it is asked.
        """
        asked: dict[str, Any] = {"project": project, "page_size": PAGE, "resolve_uri": "false"}
        if annotations:
            asked["fields"] = "all"
        if since:
            later = {"filter": "filter:tasks:updated_at", "operator": "greater", "type": "Datetime", "value": since}
            asked["query"] = json.dumps({"filters": {"conjunction": "and", "items": [later]}})
        count, page = 0, 0
        while True:
            page += 1
            told = self._get("/api/tasks/", page=page, **asked)
            tasks = _field(told, "tasks", list)
            yield from tasks
            count += len(tasks)
            if not tasks or count >= _field(told, "total", int):
                return

    def add_tasks(self, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Put tasks into a project."""
        self._post(f"/api/projects/{project}/import", json=list(tasks))

    def uploads(self, project: int, **chosen: str) -> dict[str, str]:
        """What was uploaded to a project with this key: its address for tasks, by the name it was sent under."""
        found = {}
        for each in self._get(f"/api/projects/{project}/file-uploads", **(chosen or {"all": "true"})):
            file = str(_field(each, "file", str))
            name = file.rpartition("/")[2].partition("-")[2]  # before it stands what the server made up
            found[name] = f"{urlsplit(self.url).path}/data/{file}"
        return found

    def upload(self, project: int, files: Mapping[str, bytes]) -> dict[str, str]:
        """Upload pictures to a project; no tasks come of it. Their addresses for tasks, by name."""
        sent = {name: (name, content, "image/png") for name, content in files.items()}
        told = self._post(f"/api/projects/{project}/import?commit_to_project=false", files=sent)
        found = self.uploads(project, ids=json.dumps(_field(told, "file_upload_ids", list)))
        if lost := files.keys() - found.keys():
            raise LabelStudioError(f"{self!r}: {min(lost)} was uploaded, but is not there under its name")
        return found

    def people(self) -> dict[int, str]:
        """The e-mail of everybody who has an account there, in small letters, by id."""
        return {_field(each, "id", int): _field(each, "email", str).lower() for each in self._get("/api/users/")}

    def _get(self, path: str, **asked: Any) -> Any:
        return self._json("GET", path, params=asked)

    def _post(self, path: str, **content: Any) -> Any:
        """Once: a request without an answer may have been carried out, and would be carried out twice."""
        return self._json("POST", path, retry=False, **content)

    def _json(self, method: str, path: str, **content: Any) -> Any:
        try:
            try:
                return self._sent(method, path, **content)
            except RequestError as error:
                if error.status != 401 or not _is_personal(self._key):
                    raise
                self._refresh()  # a personal token gives access for five minutes
            return self._sent(method, path, **content)
        except RequestError as error:
            where = f"{self!r}{path.partition('?')[0]}"
            failed = AwayError if error.retryable or error.kind in _ABSENT else LabelStudioError
            raise failed(self._access.redact(f"{where}: {error}")) from None

    def _refresh(self) -> None:
        told = self._sent("POST", "/api/token/refresh/", json={"refresh": self._key.reveal()})
        self._access = Secret(str(_field(told, "access", str)))

    def _sent(self, method: str, path: str, **content: Any) -> Any:
        if not _is_personal(self._key):
            headers = {"Authorization": f"Token {self._key.reveal()}"}
        else:
            headers = self._access.bearer
        reply = self._client.request(method, f"{self.url}{path}", headers=headers, **content)
        try:
            return parse_json(reply.content, f"{self!r}{path}")
        except InputError as error:
            raise LabelStudioError(f"{error}\n  is it the address of Label Studio?") from None


def _key(given: str) -> Secret:
    value = (given or os.environ.get(KEY, "")).strip()
    if not value:
        where = "its page Account & Settings has one"
        raise LabelStudioError(f"no key for Label Studio: set {KEY} in the environment; {where}")
    try:
        return checked_key(value, KEY)
    except VdeError as error:
        raise LabelStudioError(str(error)) from None


def _is_personal(key: Secret) -> bool:
    """Whether a key is a personal access token, which is a JWT; the older kind is forty characters."""
    return key.reveal().count(".") == 2


def _field(told: Any, name: str, kind: type[Any]) -> Any:
    """A field of an answer, or an error that says what came instead."""
    if not isinstance(told, Mapping) or not isinstance(told.get(name), kind):
        raise LabelStudioError(f"Label Studio answered without {name!r}: {excerpt(repr(told))}")
    return told[name]
