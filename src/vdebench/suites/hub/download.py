"""From a name to a suite that loads: find out, ask, fetch, verify, unpack, arrange, check."""

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
from vdebench.suites.hub.sets import DataSet, by_hand
from vdebench.suites.hub.staging import SUITE_FILE, Stage, digest_of
from vdebench.suites.hub.transfer import Fetcher, Progress, patiently

MAIN = "main"
Tell = Callable[[str], object]
Bars = Callable[[str], Progress | None]
"""Gives a bar of a title."""


@dataclass(frozen=True, slots=True)
class DownloadRequest:
    """What a user asks for."""

    data_set: DataSet
    folder: Path
    revision: str = ""
    update: bool = False
    only: tuple[str, ...] = ()
    verify: bool = False


def get_suite(
    wish: DownloadRequest,
    accept: Callable[[str, ResolvedRevision], bool],
    *,
    tell: Tell = lambda line: None,
    bars: Bars = lambda title: None,
) -> DownloadResult:
    """Fetch a published suite, or go on with it; `accept` is asked whether the licence is.

    Nothing is fetched, and no folder made, before it is accepted.
    """
    one, folder = wish.data_set, wish.folder
    old = DownloadRecord.read(folder)
    if old is not None and old.repo != one.repo:
        raise HubError(f"{folder}: holds {old.repo}, not {one.repo}; choose another folder")
    repository = Repository(one.repo)
    try:
        head = _head(repository, wish, old)
        newest = _newest(repository, wish, old)
        if old is None or old.licence != head.licence.told:
            _require_accepted(accept(repository.page, head), head.licence, folder)
        files = _chosen(patiently(lambda: repository.files(head.commit)), wish)
    except HubAwayError as error:
        is_asked = not wish.update and old is not None and wish.revision in ("", old.revision, old.asked)
        whole = _whole(wish, old, tell, bars) if is_asked else None
        if whole is not None:
            return checked(whole, folder, remark=f"the hub was not reached, nothing was fetched: {error}")
        raise HubAwayError(
            f"{error}\n  a mirror can be named: HF_ENDPOINT=https://MIRROR vde suite get {one.name} …\n"
            + by_hand(one, folder, repository.endpoint)
        ) from None
    newer = newest if newest != head.commit else ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HubError(f"{folder}: cannot be made: {error.strerror}; choose another folder") from None
    with locked(folder):
        old = DownloadRecord.read(folder)  # another process may have been there
        whole = _whole(wish, old, tell, bars)
        if whole is not None and (whole.revision, set(whole.files)) == (head.commit, set(files)):
            return checked(whole, folder, newer=newer)
        record, fetched = _fetched(repository, wish, head, files, old, tell, bars)
    return checked(record, folder, fetched=fetched, newer=newer)


def take_placed(one: DataSet, folder: Path) -> DownloadResult:
    """Make a suite of files that someone placed in a folder: unpack, arrange, check; the hub is not asked."""
    if not folder.is_dir():
        raise HubError(f"{folder}: no such folder\n{by_hand(one, folder)}")
    with locked(folder):
        names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
        for name in [name for name in names if is_archive(name) and not name.startswith(".")]:
            unpack(folder / name, folder, keep=frozenset(names))
        suite, toml = arrange(one, folder)
        if toml:
            write_text(folder / SUITE_FILE, toml)
    placed = DownloadRecord(one.name, one.repo, revision="", asked="", licence="", suite=suite)
    return checked(placed, folder, remark="placed by hand: revision and checksums are not known")


def _head(repository: Repository, wish: DownloadRequest, old: DownloadRecord | None) -> ResolvedRevision:
    """What is asked for: a revision by name, else the one the folder is pinned to, else the newest."""
    pinned = old.revision if old is not None and not wish.update else ""
    head = patiently(lambda: repository.head(wish.revision or pinned or MAIN))
    if pinned and head.commit != pinned:
        raise HubError(
            f"{wish.folder}: holds revision {pinned}, asked for is {head.commit}\n"
            "  choose another folder, or add --update to replace what is there"
        )
    return head


def _newest(repository: Repository, wish: DownloadRequest, old: DownloadRecord | None) -> str:
    """The newest revision, to say so where the folder keeps to another; nothing where that is not known."""
    if old is None or wish.update or wish.revision:
        return ""
    try:
        return repository.head(MAIN).commit
    except HubError:
        return ""


def _require_accepted(accepted: bool, licence: Licence, folder: Path) -> None:
    if not accepted:
        raise HubError(
            f"the licence ({licence.told}) was not accepted: nothing was fetched into {folder}\n"
            "  read it, then run the command again and agree, or add --accept-licence"
        )


def _chosen(files: Sequence[HubFile], wish: DownloadRequest) -> list[HubFile]:
    """The files that are fetched: what `--only` names, else all that the suite needs."""
    shown = [file for file in files if not file.path.startswith(".git")]
    if wish.only:
        chosen = [file for file in shown if any(fnmatchcase(file.path, pattern) for pattern in wish.only)]
    else:
        chosen = [file for file in shown if not any(fnmatchcase(file.path, one) for one in wish.data_set.leave_out)]
    if not chosen:
        there = ", ".join(file.path for file in shown[:5]) or "none"
        raise HubError(f"{wish.data_set.repo}: no file is meant by {' '.join(wish.only) or 'it'}; there are {there}")
    return chosen


def _whole(wish: DownloadRequest, old: DownloadRecord | None, tell: Tell, bars: Bars) -> DownloadRecord | None:
    """The folder's record where all of it is there: in size, with `--verify` to the last byte."""
    if old is None or not old.complete:
        return None
    files = [*old.files, *old.members]
    bar = bars("verifying") if wish.verify else None
    total, done, is_whole = sum(file.size for file in files), 0, True
    for file in files:
        place = wish.folder / file.path
        if (wish.verify or not file.has_size(place)) and (fault := file.fault(place)):
            tell(f"{place}: {fault}")
            is_whole = False
        done += file.size
        if bar:
            bar(done, total)
    return old if is_whole else None


def _fetched(
    repository: Repository,
    wish: DownloadRequest,
    head: ResolvedRevision,
    files: Sequence[HubFile],
    old: DownloadRecord | None,
    tell: Tell,
    bars: Bars,
) -> tuple[DownloadRecord, int]:
    """Fetch what is missing, unpack, arrange; the record, complete, and how many files came."""
    one, folder = wish.data_set, wish.folder
    if old is not None and old.complete:
        old = old.write(folder, complete=False)
    stage = Stage(folder)
    missing = stage.gather(files, old, bars("looking at what is there"))
    asked = wish.revision or (old.asked if old is not None and old.revision == head.commit else MAIN)
    record = DownloadRecord(one.name, one.repo, head.commit, asked, head.licence.told, wish.only, tuple(files)).write(
        folder
    )
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
    except VdeError as error:  # what was fetched is right all the same, and stays
        suite, toml, failure = "", "", error
    written = digest_of(toml.encode()) if toml else ""
    record = record.write(folder, unpacked=unpacked, suite=suite, suite_toml=written)
    stage.settle(toml)
    record = record.write(folder, when=datetime.now(UTC).isoformat(timespec="seconds"), complete=True)
    if failure is not None:
        raise HubError(str(failure).replace(str(stage.files), str(folder)))
    return record, len(missing)
