"""Folders of pages that we made: replaced whole or not at all, and never a folder of anybody else's."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vdebench._version import __version__
from vdebench.errors import RunFolderError
from vdebench.io.files import list_folder, umask, write_json


def require_ours(target: Path, marker: str, what: str) -> None:
    """Refuse a folder with anything else in it than what we made, which its marker tells."""
    if not target.exists():
        return
    names = list_folder(target)
    if names and marker not in names:
        shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        raise RunFolderError(
            f"{target}: is not empty and no {what} of ours: found {shown}\n"
            f"  choose another folder for the {what}: an old {what} is replaced, anything else is left alone"
        )


@contextmanager
def replacing_folder(target: Path, marker: str, what: str) -> Iterator[Path]:
    """A temporary folder beside `target` that takes its place when the block ends well, and goes when it does not."""
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
            require_ours(target, marker, what)  # something may have come while we worked
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
