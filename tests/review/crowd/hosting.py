"""A server in a process of its own, that can be killed: `python -m tests.review.crowd.hosting DATABASE PORT FOLDER`.

As `vde review serve` runs it, but for a pool without a workspace, quick hashes of passwords, and limits that a simulation
would run into.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from tests.review.crowd.plan import HEIGHT, WIDTH
from vdebench.core.box import Box

ROOT = Path(__file__).parents[3]


class StandIn:
    """In the place of the pool of a workspace: the same picture for all samples."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "page.png"

    def about(self, sample: str) -> dict[str, Any]:
        """The same words for every sample."""
        words = ("operation", "language", "target", "replacement", "document", "editor")
        return {"instruction": f"Replace 2023 by 2024 in {sample}", **dict.fromkeys(words, "x")}

    def picture(self, sample: str, which: str, *_: object, **__: object) -> Path:
        """A page of noise."""
        return self.file

    def reference(self, sample: str, boxes: Sequence[Box], *_: object, **__: object) -> Path:
        """The same."""
        return self.file

    def readings(self, sample: str, boxes: Sequence[Box]) -> list[str]:
        """A word for each region."""
        return ["2024"] * len(boxes)

    def wrong_correction(self, sample: str, boxes: Sequence[Box], texts: Sequence[str]) -> str:
        """Nothing is."""
        return ""


def write_page(folder: Path) -> None:
    """A picture of a page, as large as a scan's file is: half a megabyte."""
    from PIL import Image

    noise = Random(0).randbytes(WIDTH // 2 * (HEIGHT // 2 // 2))
    small = Image.frombytes("L", (WIDTH // 2, HEIGHT // 2 // 2), noise)
    small.resize((WIDTH, HEIGHT)).point(lambda value: value & 0xC0).save(folder / "page.png")


class Hosted:
    """A server that is started, killed and started again on the same port."""

    def __init__(self, database: Path | str, folder: Path) -> None:
        self.database, self.folder = str(database), folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.log = folder / "server.log"
        if not (folder / "page.png").exists():
            write_page(folder)

    def __enter__(self) -> Hosted:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "tests.review.crowd.hosting", self.database, str(self.port), str(self.folder)]
        with self.log.open("ab") as log:
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}
            self.process = subprocess.Popen(command, cwd=ROOT, stderr=log, stdout=log, env=environment)
        end = time.monotonic() + 30
        while not self._answers():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end, "it does not answer"
            time.sleep(0.02)

    def _answers(self) -> bool:
        import httpx2

        try:
            return httpx2.get(f"{self.url}/api/me", timeout=5).status_code == 401
        except httpx2.TransportError:
            return False

    def kill(self) -> None:
        """At once, in the middle of whatever it does."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def wrong(self) -> str:
        """What it has complained about."""
        return self.log.read_text()


def main(database: str, port: str, folder: str) -> None:
    """The child's part."""
    from vdebench.review.accounts import Accounts
    from vdebench.review.passwords import Passwords
    from vdebench.review.server.app import create_app
    from vdebench.review.server.serve import bound, run
    from vdebench.review.server.settings import ServerSettings
    from vdebench.review.store import Store

    limits = {"requests_per_second": 10_000.0, "burst": 10_000, "tries_by_name": 1000, "tries_by_address": 1000}
    with bound("127.0.0.1", int(port)) as listening, Store(database) as store:
        settings = ServerSettings.at("127.0.0.1", int(port), **limits)
        accounts = Accounts(store, Passwords(rounds=1, memory_kib=8))
        run(create_app(store, StandIn(Path(folder)), settings, accounts), listening)


if __name__ == "__main__":
    main(*sys.argv[1:])
