"""Zip files: one that is written the same way every time, and somebody else's, of which nothing is believed."""

from __future__ import annotations

import hashlib
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from vdebench.errors import InputError, TooLargeError
from vdebench.io.files import is_file, is_folder, replacing

MOST_MEMBERS = 400_000
MOST_BYTES = 64 << 30
LARGEST = {".json": 256 << 20, ".jsonl": 256 << 20, ".parquet": 1 << 30}
LARGEST_OTHER = 256 << 20
MOST_SHRUNK = 250
"""How many times smaller a member may be packed: deflate's limit is 1,032, and our tables reach 40."""
_SMALL = 1 << 20
_CHUNK = 1 << 20
_WHEN = (1980, 1, 1, 0, 0, 0)
_KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ZipMember(NamedTuple):
    """A file of a zip, as its table of contents has it."""

    size: int
    sha256: str


def write_zip(out: Path, contents: Mapping[str, bytes | Path], expected: Mapping[str, str]) -> None:
    """Write a zip, whole or not at all: the same contents are the same bytes. `expected` are hashes of some."""
    with replacing(out) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name in sorted(contents):
            content = contents[name]
            about = zipfile.ZipInfo(name, _WHEN)
            about.create_system, about.external_attr = 3, (stat.S_IFREG | 0o644) << 16  # not as this system would
            packed = isinstance(content, bytes) and not name.endswith(".parquet")
            about.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
            with archive.open(about, "w", force_zip64=True) as member:
                found = _copy(_pieces(content), member)
            if name in expected and found.sha256 != expected[name]:
                raise InputError(f"{content!s:.200}: was changed while it was packed; run it again")


def _pieces(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    try:
        with content.open("rb") as file:
            while piece := file.read(_CHUNK):
                yield piece
    except OSError as error:
        raise InputError(f"{content}: cannot be read: {error.strerror}") from None


def _copy(pieces: Iterable[bytes], to: IO[bytes] | None) -> ZipMember:
    found, size = hashlib.sha256(), 0
    for piece in pieces:
        found.update(piece)
        size += len(piece)
        if to is not None:
            to.write(piece)
    return ZipMember(size, found.hexdigest())


class Archive:
    """Somebody's zip: its names are relative and plain, its members no larger than it says, none of them a bomb."""

    def __init__(self, file: Path, archive: zipfile.ZipFile) -> None:
        self.file = file
        self._archive = archive
        self._members = {about.filename: about for about in archive.infolist()}
        self._check()

    @property
    def names(self) -> list[str]:
        """Names of all members."""
        return list(self._members)

    def _check(self) -> None:
        listed = self._archive.infolist()
        if len(listed) > MOST_MEMBERS:
            raise TooLargeError(f"{self.file}: {len(listed):,} files, more than the {MOST_MEMBERS:,} we open")
        if len(listed) != len(self._members):
            raise InputError(f"{self.file}: two files bear one name; not made by `vde submit`")
        for about in listed:
            self._check_member(about)
        total = sum(about.file_size for about in listed)
        if total > MOST_BYTES:
            raise TooLargeError(f"{self.file}: would unpack to {total:,} bytes, more than the {MOST_BYTES:,} we open")
        if sum(about.compress_size for about in listed) > self.file.stat().st_size:
            raise TooLargeError(f"{self.file}: its files lie in each other, as in a zip bomb; refused")

    def _check_member(self, about: zipfile.ZipInfo) -> None:
        name, where = about.filename, f"{self.file}: {about.filename!r}"
        if not is_plain(name):
            raise InputError(f"{where}: leads out of its folder, or is no plain name; refused")
        mode = about.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG) or about.is_dir():
            raise InputError(f"{where}: is a folder or a link, expected files only; refused")
        if about.flag_bits & 1 or about.compress_type not in _KINDS:
            raise InputError(f"{where}: is encrypted, or packed in a way that `vde submit` does not use; refused")
        largest = LARGEST.get(PurePosixPath(name).suffix, LARGEST_OTHER)
        if about.file_size > largest:
            raise TooLargeError(f"{where}: {about.file_size:,} bytes, more than the {largest:,} we open")
        if about.file_size > max(_SMALL, MOST_SHRUNK * about.compress_size):
            raise TooLargeError(f"{where}: {about.compress_size:,} bytes that unpack to {about.file_size:,}; refused")

    def read(self, name: str) -> bytes:
        """A member's content."""
        return b"".join(self._read(name))

    def member(self, name: str) -> ZipMember:
        """A member's size and hash."""
        return _copy(self._read(name), None)

    def unpack(self, name: str, to: Path) -> ZipMember:
        """Write a member to a file below a folder of ours."""
        try:
            to.parent.mkdir(parents=True, exist_ok=True)
            with to.open("xb") as file:
                return _copy(self._read(name), file)
        except OSError as error:
            raise InputError(f"{self.file}: {name} cannot be unpacked: {error.strerror or error}") from None

    def _read(self, name: str) -> Iterator[bytes]:
        about = self._members.get(name)
        if about is None:
            raise InputError(f"{self.file}: no {name} in it; not a whole file of `vde submit`")
        size = 0
        with _whole(self.file, name), self._archive.open(about) as member:
            while piece := member.read(_CHUNK):
                size += len(piece)
                yield piece
        if size != about.file_size:
            raise InputError(f"{self.file}: {name} ends early: {size:,} bytes of {about.file_size:,}")


@contextmanager
def open_zip(file: Path) -> Iterator[Archive]:
    """Somebody's zip, looked over before anything is read from it."""
    if is_folder(file):
        raise InputError(f"{file}: is a folder; `vde submit {file} --out run.zip` makes the file that is checked")
    if not is_file(file):
        raise InputError(f"{file}: no such file; expected one made by `vde submit RUN --out run.zip`")
    with ExitStack() as opened:
        with _whole(file, "it"):
            archive = Archive(file, opened.enter_context(zipfile.ZipFile(file)))
        yield archive  # what goes wrong from here on is not the zip's fault


@contextmanager
def _whole(file: Path, name: str) -> Iterator[None]:
    """Say in words that a zip is broken."""
    try:
        yield
    except zipfile.BadZipFile as error:
        raise InputError(
            f"{file}: {name} is not a whole zip file ({error}); expected one made by `vde submit`"
        ) from None
    except (EOFError, zipfile.LargeZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        # zipfile raises NotImplementedError for a compression it does not know, RuntimeError for a password
        raise InputError(f"{file}: {name} cannot be unpacked: {error}") from None
    except OSError as error:
        raise InputError(f"{file}: {name} cannot be read: {error.strerror or error}") from None


def is_plain(name: str) -> bool:
    """Whether a name is a relative path of plain parts, on any system.

    >>> [is_plain(name) for name in ("images/text/p 1.png", "../p.png", "/p.png", "a//p.png", "C:p.png", "a\\\\p.png")]
    [True, False, False, False, False, False]
    """
    parts = name.split("/")
    odd = any(character in name for character in "\\\0:") or any(ord(character) < 32 for character in name)
    return not odd and len(name) < 1024 and all(part not in ("", ".", "..") for part in parts)
