"""Zip files: reproducible writing, and safe reading of untrusted archives."""

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

MAX_MEMBERS = 400_000
MAX_TOTAL_BYTES = 64 << 30
MAX_MEMBER_BYTES = {".json": 256 << 20, ".jsonl": 256 << 20, ".parquet": 1 << 30}
MAX_OTHER_BYTES = 256 << 20
MAX_COMPRESSION_RATIO = 250
"""Largest accepted compression ratio of a member: deflate reaches at most 1,032, our tables 40."""
_SMALL = 1 << 20
_CHUNK = 1 << 20
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ZipMember(NamedTuple):
    """Size and hash of a file in a zip."""

    size: int
    sha256: str


def write_zip(out: Path, contents: Mapping[str, bytes | Path], expected: Mapping[str, str]) -> None:
    """Write a zip atomically; the same contents give the same bytes.

    Raises `InputError` if a member does not have the hash in `expected`: the file changed while it was packed.
    """
    with replacing(out) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name in sorted(contents):
            content = contents[name]
            info = zipfile.ZipInfo(name, _TIMESTAMP)
            info.create_system, info.external_attr = 3, (stat.S_IFREG | 0o644) << 16  # the same on every system
            compress = isinstance(content, bytes) and not name.endswith(".parquet")
            info.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
            with archive.open(info, "w", force_zip64=True) as member:
                written = _copy(_chunks(content), member)
            if name in expected and written.sha256 != expected[name]:
                raise InputError(f"{content!s:.200}: changed while it was packed; run the command again")


def _chunks(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    try:
        with content.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise InputError(f"{content}: cannot read it: {error.strerror}") from None


def _copy(chunks: Iterable[bytes], to: IO[bytes] | None) -> ZipMember:
    """Write chunks to a file, if there is one; return their size and hash."""
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        digest.update(chunk)
        size += len(chunk)
        if to is not None:
            to.write(chunk)
    return ZipMember(size, digest.hexdigest())


class Archive:
    """An untrusted zip. The constructor rejects unsafe names, links, oversized members and zip bombs."""

    def __init__(self, file: Path, archive: zipfile.ZipFile) -> None:
        self.file = file
        self._archive = archive
        self._members = {info.filename: info for info in archive.infolist()}
        self._check()

    @property
    def names(self) -> list[str]:
        """Names of the members."""
        return list(self._members)

    def _check(self) -> None:
        infos = self._archive.infolist()
        if len(infos) > MAX_MEMBERS:
            raise TooLargeError(f"{self.file}: {len(infos):,} files, the limit is {MAX_MEMBERS:,}")
        if len(infos) != len(self._members):
            raise InputError(f"{self.file}: two files have the same name; not written by `vde submit`")
        for info in infos:
            self._check_member(info)
        total = sum(info.file_size for info in infos)
        if total > MAX_TOTAL_BYTES:
            raise TooLargeError(f"{self.file}: unpacks to {total:,} bytes, the limit is {MAX_TOTAL_BYTES:,}")
        if sum(info.compress_size for info in infos) > self.file.stat().st_size:
            raise TooLargeError(f"{self.file}: its files overlap, as in a zip bomb; refused")

    def _check_member(self, info: zipfile.ZipInfo) -> None:
        name, where = info.filename, f"{self.file}: {info.filename!r}"
        if not is_safe_name(name):
            raise InputError(f"{where}: not a safe relative path; refused")
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG) or info.is_dir():
            raise InputError(f"{where}: is a folder or a link, expected files only; refused")
        if info.flag_bits & 1 or info.compress_type not in _COMPRESSIONS:
            raise InputError(f"{where}: is encrypted, or uses a compression that `vde submit` does not use; refused")
        limit = MAX_MEMBER_BYTES.get(PurePosixPath(name).suffix, MAX_OTHER_BYTES)
        if info.file_size > limit:
            raise TooLargeError(f"{where}: {info.file_size:,} bytes, the limit is {limit:,}")
        if info.file_size > max(_SMALL, MAX_COMPRESSION_RATIO * info.compress_size):
            raise TooLargeError(f"{where}: {info.compress_size:,} bytes that unpack to {info.file_size:,}; refused")

    def read(self, name: str) -> bytes:
        """Return the content of a member."""
        return b"".join(self._read(name))

    def member(self, name: str) -> ZipMember:
        """Return the size and hash of a member."""
        return _copy(self._read(name), None)

    def unpack(self, name: str, to: Path) -> ZipMember:
        """Write a member to a new file; return its size and hash."""
        try:
            to.parent.mkdir(parents=True, exist_ok=True)
            with to.open("xb") as file:
                return _copy(self._read(name), file)
        except OSError as error:
            raise InputError(f"{self.file}: cannot unpack {name}: {error.strerror or error}") from None

    def _read(self, name: str) -> Iterator[bytes]:
        info = self._members.get(name)
        if info is None:
            raise InputError(f"{self.file}: contains no {name}; not a complete file written by `vde submit`")
        size = 0
        with _readable_zip(self.file, name), self._archive.open(info) as member:
            while chunk := member.read(_CHUNK):
                size += len(chunk)
                yield chunk
        if size != info.file_size:
            raise InputError(f"{self.file}: {name} ends early: {size:,} bytes of {info.file_size:,}")


@contextmanager
def open_zip(file: Path) -> Iterator[Archive]:
    """Open an untrusted zip; raises `InputError` or `TooLargeError` before anything is unpacked."""
    if is_folder(file):
        raise InputError(f"{file}: is a folder; pack it first with `vde submit {file} --out run.zip`")
    if not is_file(file):
        raise InputError(f"{file}: no such file; expected one written by `vde submit RUN --out run.zip`")
    with ExitStack() as opened:
        with _readable_zip(file, "it"):
            archive = Archive(file, opened.enter_context(zipfile.ZipFile(file)))
        yield archive  # outside _readable_zip: errors of the caller are not errors of the zip


@contextmanager
def _readable_zip(file: Path, name: str) -> Iterator[None]:
    """Turn the exceptions of a damaged zip into `InputError`."""
    try:
        yield
    except zipfile.BadZipFile as error:
        raise InputError(
            f"{file}: {name} is not a complete zip file ({error}); expected one written by `vde submit`"
        ) from None
    except (EOFError, zipfile.LargeZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        # zipfile raises NotImplementedError for an unknown compression, RuntimeError for a password
        raise InputError(f"{file}: {name} cannot be unpacked: {error}") from None
    except OSError as error:
        raise InputError(f"{file}: {name} cannot be read: {error.strerror or error}") from None


def is_safe_name(name: str) -> bool:
    """Whether a name is a relative path without "..", drives, backslashes or control characters.

    >>> is_safe_name("images/text/p 1.png")
    True
    >>> any(is_safe_name(name) for name in ("../p.png", "/p.png", "a//p.png", "C:p.png", "a\\\\p.png"))
    False
    """
    parts = name.split("/")
    odd = any(character in name for character in "\\\0:") or any(ord(character) < 32 for character in name)
    return not odd and len(name) < 1024 and all(part not in ("", ".", "..") for part in parts)
