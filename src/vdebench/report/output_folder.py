"""Folders of generated pages: replaced atomically; folders with other content are never changed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vdebench._version import __version__
from vdebench.errors import RunFolderError
from vdebench.io.files import list_folder, umask, write_json


def require_generated(target: Path, marker: str, kind: str) -> None:
    """Raise `RunFolderError` if a folder is not empty and has no marker file of a generated folder."""
    if not target.exists():
        return
    names = list_folder(target)
    if names and marker not in names:
        listing = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        raise RunFolderError(
            f"{target}: is not empty and is no {kind} written by vdebench: contains {listing}\n"
            f"  choose another folder: an old {kind} is replaced, other folders are not changed"
        )


@contextmanager
def replacing_folder(target: Path, marker: str, kind: str) -> Iterator[Path]:
    """Yield a temporary folder that replaces `target` when the block ends without an error."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise RunFolderError(f"{target}: cannot be written: {error.strerror or error}; choose another folder") from None
    try:
        fresh, old = temporary / "new", temporary / "old"
        fresh.mkdir()
        yield fresh
        write_json(fresh / marker, {"made_by": "vdebench", "version": __version__})
        fresh.chmod(0o777 & ~umask())
        if target.exists():
            require_generated(target, marker, kind)  # it may have changed meanwhile
            target.rename(old)
        try:
            fresh.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    except OSError as error:
        raise RunFolderError(f"{target}: cannot be written: {error.strerror or error}; choose another folder") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
