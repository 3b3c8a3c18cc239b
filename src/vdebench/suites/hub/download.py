"""Download a published suite: resolve, confirm the licence, fetch, verify, unpack, arrange, check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.files import locked, write_text
from vdebench.suites.hub.archives import is_archive, unpack
from vdebench.suites.hub.errors import HubAwayError, HubError
from vdebench.suites.hub.layouts import arrange
from vdebench.suites.hub.licence import Licence
from vdebench.suites.hub.record import DownloadRecord, HubFile
from vdebench.suites.hub.repository import Repository, ResolvedRevision
from vdebench.suites.hub.result import DownloadResult, checked
from vdebench.suites.hub.sets import DataSet, manual_instructions
from vdebench.suites.hub.staging import SUITE_FILE, Stage, digest_of
from vdebench.suites.hub.transfer import Fetcher, Progress, retry_while_busy

MAIN = "main"
Tell = Callable[[str], object]
Bars = Callable[[str], Progress | None]
"""Returns a progress bar with a title."""


@dataclass(frozen=True, slots=True)
class DownloadRequest:
    """Options of a download."""

    data_set: DataSet
    folder: Path
    revision: str = ""
    update: bool = False
    only: tuple[str, ...] = ()
    verify: bool = False


def get_suite(
    request: DownloadRequest,
    accept: Callable[[str, ResolvedRevision], bool],
    *,
    tell: Tell = lambda line: None,
    bars: Bars = lambda title: None,
) -> DownloadResult:
    """Download a published suite or resume its download; `accept` asks whether the licence is accepted.

    Nothing is downloaded and no folder is created before acceptance.
    """
    one, folder = request.data_set, request.folder
    old = DownloadRecord.read(folder)
    if old is not None and old.repo != one.repo:
        raise HubError(f"{folder}: contains {old.repo}, not {one.repo}; choose another folder")
    repository = Repository(one.repo)
    try:
        head = _head(repository, request, old)
        newest = _newest(repository, request, old)
        if old is None or old.licence != head.licence.summary:
            _require_accepted(accept(repository.page, head), head.licence, folder)
        files = _chosen(retry_while_busy(lambda: repository.files(head.commit)), request)
    except HubAwayError as error:
        is_pinned = not request.update and old is not None and request.revision in ("", old.revision, old.asked)
        complete = _complete_record(request, old, tell, bars) if is_pinned else None
        if complete is not None:
            return checked(complete, folder, remark=f"the hub could not be reached, nothing was downloaded: {error}")
        raise HubAwayError(
            f"{error}\n  to use a mirror: HF_ENDPOINT=https://MIRROR vde suite get {one.name} …\n"
            + manual_instructions(one, folder, repository.endpoint)
        ) from None
    newer = newest if newest != head.commit else ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HubError(f"{folder}: cannot be created: {error.strerror}; choose another folder") from None
    with locked(folder):
        old = DownloadRecord.read(folder)  # another process may have changed it
        complete = _complete_record(request, old, tell, bars)
        if complete is not None and (complete.revision, set(complete.files)) == (head.commit, set(files)):
            return checked(complete, folder, newer=newer)
        record, fetched = _download(repository, request, head, files, old, tell, bars)
    return checked(record, folder, fetched=fetched, newer=newer)


def take_placed(one: DataSet, folder: Path) -> DownloadResult:
    """Make a suite of files that were placed in a folder by hand: unpack, arrange, check; does not contact the hub."""
    if not folder.is_dir():
        raise HubError(f"{folder}: no such folder\n{manual_instructions(one, folder)}")
    with locked(folder):
        names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
        for name in [name for name in names if is_archive(name) and not name.startswith(".")]:
            unpack(folder / name, folder, keep=frozenset(names))
        suite, toml = arrange(one, folder)
        if toml:
            write_text(folder / SUITE_FILE, toml)
    placed = DownloadRecord(one.name, one.repo, revision="", asked="", licence="", suite=suite)
    return checked(placed, folder, remark="placed by hand: revision and checksums are unknown")


def _head(repository: Repository, request: DownloadRequest, old: DownloadRecord | None) -> ResolvedRevision:
    """Resolve the requested revision: by name, else the pinned one, else the newest."""
    pinned = old.revision if old is not None and not request.update else ""
    head = retry_while_busy(lambda: repository.head(request.revision or pinned or MAIN))
    if pinned and head.commit != pinned:
        raise HubError(
            f"{request.folder}: contains revision {pinned}, requested {head.commit}\n"
            "  choose another folder, or add --update to replace the files"
        )
    return head


def _newest(repository: Repository, request: DownloadRequest, old: DownloadRecord | None) -> str:
    """Return the newest revision if the folder is pinned to another; empty if unknown."""
    if old is None or request.update or request.revision:
        return ""
    try:
        return repository.head(MAIN).commit
    except HubError:
        return ""


def _require_accepted(accepted: bool, licence: Licence, folder: Path) -> None:
    if not accepted:
        raise HubError(
            f"the licence ({licence.summary}) was not accepted: nothing was downloaded to {folder}\n"
            "  read it, then run the command again and agree, or add --accept-licence"
        )


def _chosen(files: Sequence[HubFile], request: DownloadRequest) -> list[HubFile]:
    """Return the files to download: those that match `--only`, else all that the suite needs."""
    visible = [file for file in files if not file.path.startswith(".git")]
    if request.only:
        chosen = [file for file in visible if any(fnmatchcase(file.path, pattern) for pattern in request.only)]
    else:
        chosen = [
            file for file in visible if not any(fnmatchcase(file.path, one) for one in request.data_set.leave_out)
        ]
    if not chosen:
        available = ", ".join(file.path for file in visible[:5]) or "none"
        raise HubError(
            f"{request.data_set.repo}: no file matches {' '.join(request.only) or 'it'}; available: {available}"
        )
    return chosen


def _complete_record(
    request: DownloadRequest, old: DownloadRecord | None, tell: Tell, bars: Bars
) -> DownloadRecord | None:
    """Return the record if all files are present: by size, with `--verify` by checksum; else None."""
    if old is None or not old.complete:
        return None
    files = [*old.files, *old.members]
    bar = bars("verifying") if request.verify else None
    total, done, is_whole = sum(file.size for file in files), 0, True
    for file in files:
        place = request.folder / file.path
        if (request.verify or not file.has_size(place)) and (fault := file.fault(place)):
            tell(f"{place}: {fault}")
            is_whole = False
        done += file.size
        if bar:
            bar(done, total)
    return old if is_whole else None


def _download(
    repository: Repository,
    request: DownloadRequest,
    head: ResolvedRevision,
    files: Sequence[HubFile],
    old: DownloadRecord | None,
    tell: Tell,
    bars: Bars,
) -> tuple[DownloadRecord, int]:
    """Download missing files, unpack and arrange; return the complete record and the number of downloaded files."""
    one, folder = request.data_set, request.folder
    if old is not None and old.complete:
        old = old.write(folder, complete=False)
    stage = Stage(folder)
    missing = stage.gather(files, old, bars("looking at what is there"))
    requested = request.revision or (old.asked if old is not None and old.revision == head.commit else MAIN)
    record = DownloadRecord(
        one.name, one.repo, head.commit, requested, head.licence.summary, request.only, tuple(files)
    ).write(folder)
    archives = [file for file in files if is_archive(file.path)]
    stage.require_space(missing, archives)
    if missing:
        amount = sum(file.size for file in missing) / 1e6
        tell(f"fetching {len(missing)} of {len(files)} files, {amount:,.1f} MB, revision {head.commit}")
    Fetcher(repository, head.commit, stage.files, stage.parts).fetch(missing, bars(f"fetching {one.name}"))
    unpacked = {}
    own = frozenset(file.path for file in files)
    for archive in archives:
        tell(f"unpacking {archive.path}")
        unpacked[archive.path] = tuple(unpack(stage.files / archive.path, stage.files, keep=own))
    failure = None
    try:
        suite, toml = arrange(one, stage.files)
    except VdeError as error:  # the downloaded files are valid and stay
        suite, toml, failure = "", "", error
    written = digest_of(toml.encode()) if toml else ""
    record = record.write(folder, unpacked=unpacked, suite=suite, suite_toml=written)
    stage.settle(toml)
    record = record.write(folder, when=datetime.now(UTC).isoformat(timespec="seconds"), complete=True)
    if failure is not None:
        raise HubError(str(failure).replace(str(stage.files), str(folder)))
    return record, len(missing)
