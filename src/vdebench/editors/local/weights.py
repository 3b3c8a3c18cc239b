"""Location and version of weights: a local folder, or a repository of the hub at one commit."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vdebench.errors import EditorUnusableError, MissingPartError, VdeError

_HUB = re.compile(r"[\w.-]+/[\w.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_READ = {".json", ".txt", ".model", ".safetensors", ".bin"}
_HEAVY = {".safetensors", ".bin"}
_WHOLE = 1 << 20
"""Files up to this size are hashed completely; of larger ones the size, the first and the last bytes."""


class Weights(NamedTuple):
    """Arguments of `from_pretrained`, and the identity of the weights, which never contains a local path."""

    place: str
    commit: str | None
    """Commit of the repository; None for a folder."""
    shown: str
    pinned: str
    """Commit, or digest of a folder."""


def find_weights(
    editor: str, weights: str, revision: str, *, holding: str = "model_index.json", subfolder: str = ""
) -> Weights:
    """Return a folder that contains the file `holding`, or a repository with its commit, from the hub's cache or the
    hub. With `subfolder`, the file is there, and the digest of a folder covers only that part.
    """
    holding = f"{subfolder}/{holding}" if subfolder else holding
    folder = Path(weights).expanduser()
    if folder.is_dir():
        if revision:
            raise VdeError(f"{editor}: revision is for weights of the hub; {weights} is a folder")
        if not (folder / holding).is_file():
            raise MissingPartError(
                f"{editor}: {weights}: contains no {holding}\n"
                "  expected a folder as `save_pretrained` or `hf download … --local-dir` writes it"
            )
        return Weights(str(folder), None, "a folder", f"sha256:{digest_of_folder(folder / subfolder)[:16]}")
    if not _HUB.fullmatch(weights) or weights.startswith("."):
        raise MissingPartError(f"{editor}: {weights}: no such folder, and not an id of the hub (owner/name)")
    commit = commit_of(editor, weights, revision or "main", holding)
    return Weights(weights, commit, weights, commit)


def digest_of_folder(folder: Path) -> str:
    """Return a SHA-256 over names and contents of configurations, vocabularies and weights; of large files head and
    tail.
    """
    total = hashlib.sha256()
    for file in _files(folder):
        size = file.stat().st_size
        total.update(f"{file.relative_to(folder).as_posix()}\0{size}\0".encode())
        with file.open("rb") as content:
            if size <= _WHOLE:
                total.update(content.read())
            else:
                total.update(content.read(_WHOLE // 2))
                content.seek(-_WHOLE // 2, 2)
                total.update(content.read())
    return total.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        hidden = any(
            part.startswith(".") for part in file.relative_to(folder).parts
        )  # files of git and huggingface_hub
        if file.suffix in _READ and not hidden and file.is_file():
            yield file


def in_cache(repository: str) -> bool:
    """Whether the hub's cache contains weights of a repository; does not import huggingface_hub."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()
    return _holds_weights(cache / _folder_of(repository) / "snapshots")


def _folder_of(repository: str) -> str:
    return f"models--{repository.replace('/', '--')}"


def _holds_weights(folder: Path) -> bool:
    return any(file.suffix in _HEAVY and file.exists() for file in folder.rglob("*"))


def commit_of(editor: str, repository: str, revision: str, holding: str) -> str:
    """Return the commit of a branch or tag, from the cache or else from the hub, which updates the cache.

    Downloading the file `holding` stores the name in the cache. Loading a pipeline by commit does not, and an offline
    machine could not resolve the name.
    """
    if _COMMIT.fullmatch(revision):
        return revision
    from huggingface_hub import constants, hf_hub_download

    known = Path(constants.HF_HUB_CACHE, _folder_of(repository), "refs", revision)
    if known.is_file():
        return known.read_text().strip()
    try:
        file = Path(hf_hub_download(repository, holding, revision=revision))
        return file.parents[holding.count("/")].name
    except Exception as error:  # huggingface_hub raises many types
        raise explained(editor, repository, error, revision) from error


def is_cached(weights: Weights) -> bool:
    """Whether loading needs no download: weights are cached and no download is incomplete."""
    if weights.commit is None:
        return True
    from huggingface_hub import constants

    folder = Path(constants.HF_HUB_CACHE, _folder_of(weights.place))
    incomplete = any((folder / "blobs").glob("*.incomplete"))
    return not incomplete and _holds_weights(folder / "snapshots" / weights.commit)


def explained(editor: str, place: str, error: BaseException, revision: str = "") -> VdeError:
    """Convert an error while downloading or loading weights to one with advice."""
    kinds = {kind.__name__ for one in _chain(error) for kind in type(one).__mro__}
    message = str(error).strip().partition("\n")[0][:300]
    if "GatedRepoError" in kinds:
        return MissingPartError(
            f"{editor}: the weights {place} are only available after accepting their licence\n"
            "  accept it on the model's page of the hub, then `hf auth login` (or set HF_TOKEN)"
        )
    if "RevisionNotFoundError" in kinds:
        return MissingPartError(f"{editor}: the weights {place} have no revision {revision!r} on the hub")
    if "RepositoryNotFoundError" in kinds:
        return MissingPartError(
            f"{editor}: the hub has no {place}, or access is restricted: `hf auth login` (or set HF_TOKEN)"
        )
    if kinds & {"OfflineModeIsEnabled", "LocalEntryNotFoundError", "ConnectionError", "TransportError"}:
        return MissingPartError(
            f"{editor}: the weights {place} are not on this machine, and the hub cannot be reached ({message})\n"
            f"  on a machine with network: `hf download {place}`, or with --local-dir DIR and here weights=DIR"
        )
    if "EntryNotFoundError" in kinds:
        return MissingPartError(f"{editor}: the weights {place} have no such file on the hub: {message}")
    return EditorUnusableError(f"{editor}: the weights {place} cannot be loaded: {type(error).__name__}: {message}")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
