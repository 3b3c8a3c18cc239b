"""Files of a simulated hub in memory."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager

from vdebench.suites.hub.errors import HubBusyError
from vdebench.suites.hub.record import HubFile


def hub_file(path: str, content: bytes) -> HubFile:
    return HubFile(path, len(content), sha256=hashlib.sha256(content).hexdigest())


class Source:
    """Bytes by path; each answer is cut after the next of `cuts`, where there is one."""

    def __init__(self, files: dict[str, bytes], cuts=(), busy: int = 0) -> None:
        self.files, self.cuts, self.busy = files, list(cuts), busy
        self.starts: list[int] = []

    @contextmanager
    def opened(self, file, commit, start):
        self.starts.append(start)
        if self.busy:
            self.busy -= 1
            raise HubBusyError(f"{file.path}: the hub answered 503", 3.0)
        content = self.files[file.path][start:]
        yield start, iter([content[: self.cuts.pop(0)]] if self.cuts else [content])
