"""A dataset repository on the hub; the only module that uses `huggingface_hub`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from vdebench._version import __version__
from vdebench.errors import MissingPartError
from vdebench.net.retries import requested_wait
from vdebench.suites.hub.errors import HubAwayError, HubBusyError, HubError, WrongBytesError
from vdebench.suites.hub.licence import Licence, front_matter, licence_of_card
from vdebench.suites.hub.record import HubFile, is_safe

SECONDS = 30
"""Seconds without data after which a connection is considered dead."""
_OFF = {"", "0", "false", "no", "off"}


class ResolvedRevision(NamedTuple):
    """The commit of a revision, and its licence."""

    commit: str
    licence: Licence


class Repository:
    """A dataset repository; uses `HF_ENDPOINT` and `HF_TOKEN` if they are set."""

    def __init__(self, repo: str) -> None:
        self.repo = repo
        self.hub = _package()
        self.endpoint = os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or str(self.hub.constants.ENDPOINT)
        token = os.environ.get("HF_TOKEN", "").strip()
        self._token: str | bool = token or False  # False: never use a stored token
        library = {"library_name": "vdebench", "library_version": __version__}
        self._headers = self.hub.utils.build_hf_headers(token=self._token, **library)
        self._api = self.hub.HfApi(endpoint=self.endpoint, token=self._token, **library)

    @property
    def page(self) -> str:
        """URL of the repository's page."""
        return f"{self.endpoint}/datasets/{self.repo}"

    def head(self, revision: str) -> ResolvedRevision:
        """Resolve a branch, tag or commit id; return the commit and the licence of its card."""
        with self._converted_errors(revision=revision):
            self._require_online()
            info = self._api.dataset_info(self.repo, revision=revision, timeout=SECONDS)
            commit = info.sha
            if not isinstance(commit, str) or not commit.isalnum():
                raise ValueError(f"no commit id but {commit!r}")
            names = [sibling.rfilename for sibling in info.siblings or []]
            if info.card_data:
                card = info.card_data.to_dict()
            else:
                card = self._front_matter(commit) if "README.md" in names else {}
        return ResolvedRevision(commit, licence_of_card(card, names))

    def _front_matter(self, commit: str) -> dict[str, Any]:
        """Return the card's data from README.md, for mirrors that do not provide it."""
        url = self._url("README.md", commit)
        response = self.hub.get_session().get(url, headers=self._headers, timeout=SECONDS)
        self.hub.utils.hf_raise_for_status(response)
        return front_matter(response.text)

    def files(self, commit: str) -> list[HubFile]:
        """Return all files of a commit with sizes and checksums."""
        with self._converted_errors(revision=commit):
            self._require_online()
            files = [_hub_file(entry) for entry in self._entries(commit) if entry["type"] == "file"]
        for file in files:
            if not is_safe(file.path):
                raise HubError(
                    f"{self.repo}: the file {file.path!r} would be outside the folder; nothing was downloaded"
                )
        return files

    def _entries(self, commit: str) -> Iterator[dict[str, Any]]:
        """Yield all entries of a listing, page by page. `HfApi.list_repo_tree` has no timeout."""
        offset = f"{self.endpoint}/api/datasets/{self.repo}/tree/{commit}?"
        query = "recursive=true&expand=false"
        while query:
            response = self.hub.get_session().get(offset + query, headers=self._headers, timeout=SECONDS)
            self.hub.utils.hf_raise_for_status(response)
            yield from response.json()
            link = response.links.get("next", {}).get("url", "")
            query = urlsplit(link).query  # always use our endpoint: mirrors may return links to the hub

    @contextmanager
    def opened(self, file: HubFile, commit: str, start: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Open a file from `start` on if the hub supports it, else from 0; return the actual start and the bytes."""
        headers = {**self._headers, "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        with (
            self._converted_errors(revision=commit, path=file.path),
            self.hub.get_session().stream(
                "GET", self._url(file.path, commit), headers=headers, timeout=SECONDS
            ) as response,
        ):
            if response.status_code == 416:
                raise WrongBytesError(f"{self.repo}: {file.path}: the hub has no bytes from {start:,} on")
            if response.status_code >= 400:
                response.read()
                self.hub.utils.hf_raise_for_status(response)
            agreed = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
            offset = start if response.status_code == 206 and agreed else 0
            yield (
                offset,
                response.iter_bytes(),
            )  # in chunks as received, so that nothing is lost if the connection breaks

    def _url(self, path: str, commit: str) -> str:
        url = self.hub.hf_hub_url(self.repo, path, repo_type="dataset", revision=commit, endpoint=self.endpoint)
        return str(url)

    def _require_online(self) -> None:
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            if os.environ.get(name, "").strip().lower() not in _OFF:
                raise HubAwayError(
                    f"{self.repo}: {name} is set, so the hub was not contacted; unset it to download files"
                )
        if not self.endpoint.startswith(("http://", "https://")):
            raise HubAwayError(f"HF_ENDPOINT is {self.endpoint!r}, expected an address such as https://MIRROR")

    @contextmanager
    def _converted_errors(self, *, revision: str, path: str = "") -> Iterator[None]:
        """Convert errors of huggingface_hub to ours, with advice."""
        errors = self.hub.errors
        where = f"{self.repo}: {path}" if path else self.repo
        try:
            yield
        except HubError:
            raise
        except errors.GatedRepoError:
            raise HubError(self._gated()) from None
        except errors.RevisionNotFoundError:
            raise HubError(
                f"{self.repo}: no revision {revision!r} there, expected a branch, a tag or a commit id"
            ) from None
        except errors.RepositoryNotFoundError:
            raise HubError(
                f"{self.repo}: {self.endpoint} has no such dataset repository, or access is restricted\n"
                f"  look at {self.page}; if it is private, set HF_TOKEN"
            ) from None
        except errors.EntryNotFoundError:
            raise HubError(f"{where}: is listed, but not available at revision {revision[:12]}") from None
        except errors.OfflineModeIsEnabled:
            raise HubAwayError(f"{self.repo}: the hub was not contacted: offline mode is on (HF_HUB_OFFLINE)") from None
        except errors.HfHubHTTPError as error:
            raise self._http_error(where, error.response) from None
        except _request_errors(self.hub) as error:
            kind = "timed out" if "Timeout" in type(error).__name__ else str(error) or type(error).__name__
            failed = HubAwayError if "Connect" in type(error).__name__ and not path else HubBusyError
            raise failed(f"{where}: {self.endpoint} cannot be reached: {kind}") from None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise HubError(
                f"{where}: {self.endpoint} gave an unexpected answer ({error})\n"
                "  is HF_ENDPOINT the address of a mirror, or does a proxy answer in its place?"
            ) from None

    def _http_error(self, where: str, response: Any) -> HubError:
        status = response.status_code
        if status in (408, 429) or status >= 500:
            return HubBusyError(f"{where}: the hub answered {status}", requested_wait(response.headers))
        if status == 401:
            return HubError(f"{where}: the hub answered 401: it does not accept HF_TOKEN; set a valid one, or none")
        if status == 403:
            return HubError(f"{where}: the hub answered 403: access denied\n  {self._gated()}")
        return HubError(f"{where}: the hub answered {status}; look at {self.page}")

    def _gated(self) -> str:
        token = "the account of HF_TOKEN has not accepted them" if self._token else "HF_TOKEN is not set"
        return (
            f"{self.repo}: its files require accepting its conditions: {token}\n"
            f"  1. log in and agree at {self.page}\n"
            "  2. create a read token of that account, and set HF_TOKEN to it (it is never stored)\n"
            "  3. run the same command again"
        )


def _package() -> Any:
    """Import `huggingface_hub` without telemetry."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # read when the package is imported
    try:
        hub = importlib.import_module("huggingface_hub")
        for part in ("constants", "errors", "utils"):
            importlib.import_module(f"huggingface_hub.{part}")
        hub.constants.HF_HUB_DISABLE_TELEMETRY = True  # where it was imported before
    except ImportError as error:
        raise MissingPartError(
            f"downloading from the hub requires the package huggingface_hub ({error})\n"
            "  pip install 'vdebench[hub]'; or place the files by hand: see --by-hand"
        ) from None
    return hub


def _request_errors(hub: Any) -> tuple[type[Exception], ...]:
    """Return the network errors of the HTTP package that huggingface_hub uses."""
    package = importlib.import_module(type(hub.get_session()).__module__.partition(".")[0])
    return package.RequestError, package.InvalidURL


def _hub_file(entry: dict[str, Any]) -> HubFile:
    if large := entry.get("lfs"):
        return HubFile(str(entry["path"]), int(large["size"]), sha256=str(large["oid"]).removeprefix("sha256:"))
    return HubFile(str(entry["path"]), int(entry["size"]), git_sha1=str(entry["oid"]))
