"""Unpack archives safely: no paths outside the folder, no links, no decompression bombs."""

from __future__ import annotations

import hashlib
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from vdebench.io.files import replacing
from vdebench.suites.hub.errors import HubError
from vdebench.suites.hub.record import HubFile, is_safe

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
MAX_MEMBERS = 1_000_000
MAX_BYTES = 1 << 40
MAX_RATIO = 1000
"""Maximum ratio of unpacked to packed size: deflate reaches at most 1,032, images about 2."""
RESERVE = 64 << 20
"""Disk space that must stay free."""
_CHUNK = 1 << 20


class _Member(NamedTuple):
    name: str
    size: int
    is_plain: bool
    stream: IO[bytes] | None


def is_archive(path: str) -> bool:
    """Whether a file is an archive that is unpacked.

    >>> [is_archive(name) for name in ("data.ZIP", "a/data.tar.gz", "data.json")]
    [True, True, False]
    """
    return path.lower().endswith(ENDINGS)


def unpack(archive: Path, root: Path, *, keep: frozenset[str] = frozenset()) -> list[HubFile]:
    """Unpack an archive into its own folder below `root`; return the files with paths relative to `root`.

    Files in `keep` belong to the repository itself and are not overwritten.
    """
    files: list[HubFile] = []
    inside = archive.parent.relative_to(root)
    limit = min(MAX_BYTES, max(archive.stat().st_size, 1 << 20) * MAX_RATIO)
    total = 0
    try:
        for number, member in enumerate(_members(archive)):
            name = member.name.replace("\\", "/")
            while name.startswith("./"):
                name = name[2:]
            if _is_litter(name):
                continue
            path = (PurePosixPath(inside) / name).as_posix()
            if not is_safe(name) or not is_safe(path):
                raise HubError(f"{archive.name}: {member.name!r} would be unpacked outside the folder: refused")
            if not member.is_plain or member.stream is None:
                raise HubError(f"{archive.name}: {member.name!r} is a link or a device, expected plain files: refused")
            total += member.size
            if number >= MAX_MEMBERS or total > limit:
                raise HubError(
                    f"{archive.name}: unpacks to more than {limit:,} bytes or {MAX_MEMBERS:,} files: refused"
                )
            if member.size > (free := shutil.disk_usage(root).free - RESERVE):
                raise HubError(
                    f"{archive.name}: the disk is full: {member.name} needs {member.size:,} of {free:,} bytes"
                )
            if path not in keep:
                files.append(_write(member.stream, member.size, root / path, path))
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise HubError(f"{archive.name}: cannot be unpacked, although its checksum is correct: {error}") from None
    except (NotADirectoryError, FileExistsError, IsADirectoryError) as error:
        raise HubError(f"{archive.name}: a file and a folder have the same name: {error.filename}") from None
    return files


def _is_litter(name: str) -> bool:
    """Whether a member is a folder or a file that file managers leave in archives."""
    parts = PurePosixPath(name).parts
    return name.endswith("/") or not parts or "__MACOSX" in parts or parts[-1] in (".DS_Store", "Thumbs.db")


def _members(archive: Path) -> Iterator[_Member]:
    if archive.name.lower().endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            for info in packed.infolist():
                mode = stat.S_IFMT(info.external_attr >> 16)
                is_plain = mode in (0, stat.S_IFREG, stat.S_IFDIR)
                if info.is_dir() or not is_plain:
                    yield _Member(info.filename, 0, is_plain, None)
                else:
                    with packed.open(info) as stream:
                        yield _Member(info.filename, info.file_size, True, stream)
        return
    with tarfile.open(archive, "r|*") as tar:
        for one in tar:
            name = f"{one.name}/" if one.isdir() else one.name
            yield _Member(name, one.size, one.isreg() or one.isdir(), tar.extractfile(one) if one.isreg() else None)


def _write(stream: IO[bytes], size: int, file: Path, path: str) -> HubFile:
    digest = hashlib.sha256()
    written = 0
    with replacing(file) as temporary, temporary.open("wb") as out:
        while chunk := stream.read(_CHUNK):
            written += len(chunk)
            if written > size:
                raise HubError(f"{path}: unpacks to more bytes than the archive says: refused")
            digest.update(chunk)
            out.write(chunk)
    return HubFile(path, written, sha256=digest.hexdigest())
