"""Reading and writing files so that a bad one is named and a written one is whole."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vdebench.errors import InputError, RunFolderError
from vdebench.io.stores.mounts import mount_of

MAX_JSON_BYTES = 512 * 1024 * 1024
_UMASK = os.umask(0o077)  # once: it can only be asked for by changing it, for all threads
os.umask(_UMASK)


def fetched(path: Path) -> Path:
    """The same path, its file brought here first where it is in a store: for whoever opens files without us."""
    mount = mount_of(path)
    if mount is not None:
        mount.fetch(path)
    return path


def read_bytes(path: Path) -> bytes:
    """Content of a file, or an error that names it."""
    fetched(path)
    try:
        size = path.stat().st_size
        if size > MAX_JSON_BYTES:
            raise InputError(f"{path}: {size:,} bytes, more than the {MAX_JSON_BYTES:,} we read")
        return path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a file") from None
    except OSError as error:
        raise InputError(f"{_short(path)}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: is no name of a file") from None


def parse_json(content: bytes, where: Path | str) -> Any:
    """Parsed JSON, or an error that says where it breaks."""
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text)
        return _whole_characters(data) if "\\ud" in text.lower() else data
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise InputError(f"{where}: not JSON we can read: nested too deeply") from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise InputError(f"{where}: not JSON we can read: {error}") from None


def _whole_characters(data: Any) -> Any:
    """JSON with halves of characters (lone surrogates, which no file could hold) replaced by the replacement mark."""
    if isinstance(data, str):
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, list):
        return [_whole_characters(item) for item in data]
    if isinstance(data, dict):
        return {_whole_characters(key): _whole_characters(value) for key, value in data.items()}
    return data


def read_json(path: Path) -> Any:
    """Parsed JSON of a file."""
    return parse_json(read_bytes(path), path)


def is_file(path: Path) -> bool:
    """Whether there is such a file; an error where that cannot be found out."""
    mount = mount_of(path)
    if mount is not None:
        found = mount.find(path)
        return found is not None and not found.is_folder
    return _asked(path, path.is_file)


def is_folder(path: Path) -> bool:
    """Whether there is such a folder; an error where that cannot be found out."""
    mount = mount_of(path)
    if mount is not None:
        found = mount.find(path)
        return found is not None and found.is_folder
    return _asked(path, path.is_dir)


def size_of(path: Path) -> int:
    """Bytes of a file, which need not be fetched for it."""
    mount = mount_of(path)
    if mount is not None and (found := mount.find(path)) and found.size is not None:
        return found.size
    try:
        return fetched(path).stat().st_size
    except OSError as error:
        raise InputError(f"{_short(path)}: cannot be read: {error.strerror}") from None


def _asked(path: Path, question: Callable[[], bool]) -> bool:
    try:
        return question()
    except OSError as error:  # no permission on the way there, a name too long, a link to itself
        raise InputError(f"{_short(path)}: cannot be looked at: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: is no name of a file") from None


def _short(path: Path) -> str:
    name = str(path)
    return name if len(name) < 300 else f"{name[:150]}…{name[-50:]}"


def list_folder(path: Path) -> list[str]:
    """Names in a folder, sorted, or an error that names it."""
    mount = mount_of(path)
    if mount is not None:
        return mount.names(path)
    try:
        return sorted(entry.name for entry in path.iterdir())
    except NotADirectoryError:
        raise InputError(f"{path}: is a file, expected a folder") from None
    except OSError as error:
        raise InputError(f"{_short(path)}: cannot be listed: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: is no name of a folder") from None


def make_folder(path: Path) -> None:
    """Have a folder, in a store too, whose folders are there only as long as something is in them."""
    mount = mount_of(path)
    if mount is not None:
        mount.make_folder(path)
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be made: {error.strerror}") from None


def remove_file(path: Path) -> None:
    """Remove a file, from its store too; nothing happens where there is none."""
    mount = mount_of(path)
    if mount is not None:
        mount.remove(path)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be removed: {error.strerror}") from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and goes when it does not.

    Where the place is in a store, that is when the store has it.
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


def umask() -> int:
    """Permissions that new files go without."""
    return _UMASK


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")  # names of files may be no text


def write_json(path: Path, data: Any) -> None:
    """Write JSON for people and programs, whole or not at all."""
    write_text(path, json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


@contextmanager
def locked(folder: Path, *, wait: bool = False, name: str = ".lock") -> Iterator[None]:
    """Keep other processes out of a folder; where one is at work there, wait for it, or an error.

    Locks of different names do not know of each other.
    """
    try:
        import fcntl
    except ImportError:  # Windows: nobody is kept out
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
    """Write a whole file or nothing."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)
