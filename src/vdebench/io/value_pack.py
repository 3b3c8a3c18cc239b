"""A store for many small values, such as the text of every line of a page: one SQLite file per maker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.cache import Digest, folder_name
from vdebench.io.cache_files import PackKind
from vdebench.io.cache_limit import note_written
from vdebench.io.files import is_file, write_json
from vdebench.io.locations import cache_folder
from vdebench.io.pack_file import PackFile

MAX_BYTES = 2 * 1024**3
"""Size above which a pack removes the values that were not used for the longest time."""


class ValuePack:
    """Values of one kind by one maker: `<kind>/<maker>-<identity>/values-<number>.sqlite`.

    Threads and processes can use it at the same time, also after a fork. No method raises an error for the state of the
    cache: a damaged file is logged and replaced, values that cannot be stored are dropped (see `PackFile`).

    >>> import tempfile
    >>> from vdebench.io.cache import digest_of
    >>> pack = ValuePack("lines", {"name": "recognizer", "version": "1"}, Path(tempfile.mkdtemp()))
    >>> pack.put_many({digest_of("line"): b"text"})
    >>> list(pack.find_many([digest_of("line"), digest_of("other")]).values())
    [b'text']
    """

    def __init__(
        self, kind: PackKind, identity: Mapping[str, str], root: Path | None = None, limit: int = MAX_BYTES
    ) -> None:
        self.identity = dict(identity)
        self.limit = limit
        self._root = root or cache_folder()
        self.folder = self._root / kind / folder_name(identity)
        self._file = PackFile(self.folder)

    @classmethod
    def of_maker(cls, identity: Mapping[str, str], root: Path | None = None) -> ValuePack:
        """Create the pack of text lines of one OCR engine with one set of versions and options."""
        return cls("lines", identity, root)

    def find_many(self, keys: Sequence[Digest]) -> dict[Digest, bytes]:
        """Return the stored values of those keys that have one."""
        found = self._file.find([bytes.fromhex(key) for key in keys]) if keys else {}
        return {Digest(key.hex()): value for key, value in found.items()}

    def put_many(self, values: Mapping[Digest, bytes]) -> None:
        """Store values in one transaction; a value with the same key is replaced."""
        if values:
            self._describe()
            self._file.put({bytes.fromhex(key): value for key, value in values.items()}, self.limit)
            note_written(self._root, sum(map(len, values.values())))

    def _describe(self) -> None:
        """Write the maker's identity to the folder, for people."""
        with suppress(VdeError):
            if not is_file(self.folder / "maker.json"):
                write_json(self.folder / "maker.json", self.identity)
