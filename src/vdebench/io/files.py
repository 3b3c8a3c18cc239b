"""Reading files with errors that name them, and writing files atomically; local files and files in object stores."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from vdebench.errors import InputError, RunFolderError
from vdebench.io.stores.mounts import mount_of

MAX_JSON_BYTES = 512 * 1024 * 1024
_TEMPORARY = re.compile(r"\..+\.(json|jsonl|parquet)\.[a-z0-9_]{8}")
"""Names of the temporary files of `replacing`, as tempfile makes them."""
_UMASK = os.umask(0o077)  # read once: reading it means changing it, for all threads
os.umask(_UMASK)


def fetched(path: Path) -> Path:
    """Download the file if it is in an object store; return the path, for code that opens files itself."""
    mount = mount_of(path)
    if mount is not None:
        mount.fetch(path)
    return path


def read_bytes(path: Path) -> bytes:
    """Return the content of a file; raises `InputError`."""
    fetched(path)
    try:
        size = path.stat().st_size
        if size > MAX_JSON_BYTES:
            raise InputError(f"{path}: {size:,} bytes, the limit is {MAX_JSON_BYTES:,}")
        return path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a file") from None
    except OSError as error:
        raise InputError(f"{_short_name(path)}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: is no name of a file") from None


def parse_json(content: bytes, where: Path | str) -> Any:
    """Parse JSON; raises `InputError` with the position of the error."""
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text)
        return _replace_surrogates(data) if "\\ud" in text.lower() else data
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise InputError(f"{where}: unsupported JSON: nested too deeply") from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise InputError(f"{where}: unsupported JSON: {error}") from None


def _replace_surrogates(data: Any) -> Any:
    """Replace lone surrogates, which cannot be written as UTF-8, with the replacement character."""
    if isinstance(data, str):
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, list):
        return [_replace_surrogates(item) for item in data]
    if isinstance(data, dict):
        return {_replace_surrogates(key): _replace_surrogates(value) for key, value in data.items()}
    return data


def read_json(path: Path) -> Any:
    """Read and parse a JSON file; raises `InputError`."""
    return parse_json(read_bytes(path), path)


def is_file(path: Path) -> bool:
    """Whether the path is a file; raises `InputError` if that cannot be determined."""
    mount = mount_of(path)
    if mount is not None:
        entry = mount.find(path)
        return entry is not None and not entry.is_folder
    return _check_path(path, path.is_file)


def is_folder(path: Path) -> bool:
    """Whether the path is a folder; raises `InputError` if that cannot be determined."""
    mount = mount_of(path)
    if mount is not None:
        entry = mount.find(path)
        return entry is not None and entry.is_folder
    return _check_path(path, path.is_dir)


def size_of(path: Path) -> int:
    """Size of a file in bytes, without downloading it if the store reports it."""
    mount = mount_of(path)
    if mount is not None and (entry := mount.find(path)) and entry.size is not None:
        return entry.size
    try:
        return fetched(path).stat().st_size
    except OSError as error:
        raise InputError(f"{_short_name(path)}: cannot be read: {error.strerror}") from None


def _check_path(path: Path, check: Callable[[], bool]) -> bool:
    try:
        return check()
    except OSError as error:  # no permission for a parent folder, name too long, circular link
        raise InputError(f"{_short_name(path)}: cannot be looked at: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: is no name of a file") from None


def _short_name(path: Path) -> str:
    name = str(path)
    return name if len(name) < 300 else f"{name[:150]}…{name[-50:]}"


def list_folder(path: Path) -> list[str]:
    """Return the names in a folder, sorted; raises `InputError`."""
    mount = mount_of(path)
    if mount is not None:
        return mount.names(path)
    try:
        return sorted(entry.name for entry in path.iterdir())
    except NotADirectoryError:
        raise InputError(f"{path}: is a file, expected a folder") from None
    except OSError as error:
        raise InputError(f"{_short_name(path)}: cannot be listed: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: is no name of a folder") from None


def make_folder(path: Path) -> None:
    """Create a folder with its parents. In a store, where empty folders do not exist, it is only remembered."""
    mount = mount_of(path)
    if mount is not None:
        mount.make_folder(path)
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be made: {error.strerror}") from None


def remove_file(path: Path) -> None:
    """Remove a file, also from its store, if it exists."""
    mount = mount_of(path)
    if mount is not None:
        mount.remove(path)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be removed: {error.strerror}") from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` when the block ends, and is removed if it raises.

    A file in a store is uploaded first.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~umask())
        mount = mount_of(path)
        if mount is not None:
            mount.put(temporary, path)
        else:
            temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove temporary files that killed processes left in a folder; the caller has locked it."""
    for file in folder.glob(".*"):
        if _TEMPORARY.fullmatch(file.name):
            with suppress(OSError):
                file.unlink()


def umask() -> int:
    """The umask of the process."""
    return _UMASK


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")  # file names may be invalid Unicode


def write_json(path: Path, data: Any) -> None:
    """Write indented JSON atomically."""
    write_text(path, json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


@contextmanager
def locked(folder: Path, *, wait: bool = False, name: str = ".lock") -> Iterator[None]:
    """Lock a folder against other processes; if it is locked, wait or raise `RunFolderError`.

    Locks with different names are independent.
    """
    try:
        import fcntl
    except ImportError:  # Windows: no lock
        yield
        return
    try:
        file = (folder / name).open("w")
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be written: {error.strerror}; choose another folder") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunFolderError(
                f"{folder}: another process is writing there; wait, or choose another folder"
            ) from None
        yield


def write_bytes(path: Path, content: bytes) -> None:
    """Write a binary file atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)
