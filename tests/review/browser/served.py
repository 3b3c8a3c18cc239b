"""A small review behind a real server, that can be stopped and started again at its place."""

from __future__ import annotations

import socket
import threading
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image, ImageDraw

from vdebench.review.accounts import Accounts
from vdebench.review.commands import Add, Join, Open, PoolSample
from vdebench.review.options import Options
from vdebench.review.passwords import Passwords
from vdebench.review.refusals import Refusal
from vdebench.review.server.app import create_app
from vdebench.review.server.settings import ServerSettings
from vdebench.review.store import Store

PASSWORD = "correct horse battery"
SIZE = 400, 300
CHANGED = (120, 100, 280, 140)
"""Where the pages differ."""
EVIL = '<img src=x onerror="document.title=1"><script>document.title="owned"</script>\u202eevil'
ANNOTATORS = {f"{name}{group}": group for group in "123" for name in ("ann", "bob")}


class Pages:
    """Pages with a grey bar that the edit makes blue, in the place of a workspace's."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.ids = folder, [f"page_{number}-0" for number in range(count)]
        self.read = True
        for which, colour in (("before", "grey"), ("after", "blue")):
            page = Image.new("RGB", SIZE, "white")
            draw = ImageDraw.Draw(page)
            for y in range(20, 290, 20):
                draw.line((20, y, 380, y), "black")
            draw.rectangle((*CHANGED[:2], CHANGED[2] - 1, CHANGED[3] - 1), colour)
            page.save(folder / f"{which}.png")

    def samples(self) -> tuple[PoolSample, ...]:
        return tuple(PoolSample(id, f"edit of {id}", *SIZE) for id in self.ids)

    def about(self, sample: str) -> dict[str, str]:
        text = f'Replace "grey" by "blue" on {sample}. {EVIL} {"W" * 300}'
        facts = {"operation": "text_replace", "language": "en", "document": EVIL, "editor": "code"}
        return {"instruction": text, "target": "grey", "replacement": "blue", **facts}

    def picture(self, sample: str, which: str, *_: object) -> Path:
        return self.folder / f"{which}.png"

    def reference(self, sample: str, *_: object) -> Path:
        return self.folder / "after.png"

    def readings(self, sample: str, boxes: list[object], *_: object) -> list[str] | None:
        return ["blue O0l1I"] * len(boxes) if self.read else None


class Served:
    """The review at an address."""

    def __init__(self, folder: Path, pool, options: Options = Options(), database: str = "review.sqlite") -> None:  # noqa: B008
        self.pool, self.store = pool, Store(folder / database)
        self.accounts = Accounts(self.store, Passwords(1, 1024))
        self.port = 0
        self.do("root", Open(options), Add(pool.samples()))
        self.accounts.accept(self.accounts.invite(name="root"), "root", PASSWORD, datetime.now(UTC))
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def people(self, names: dict[str, str] = ANNOTATORS, judge: str = "judy") -> None:
        """Have these take part, with accounts."""
        for name, role, group in [
            *((name, "annotator", group) for name, group in names.items()),
            (judge, "adjudicator", ""),
        ]:
            made = self.accounts.accept(self.accounts.invite(role, group), name, PASSWORD, datetime.now(UTC))
            assert hasattr(made, "token"), made

    def do(self, who: str, *commands: object) -> None:
        for command in commands:
            answer = self.store.submit(command, who=who, now=datetime.now(UTC))
            assert not isinstance(answer, Refusal), answer

    def join(self, name: str, group: str) -> None:
        self.do("root", Join(name, "annotator", group))

    def start(self) -> None:
        import uvicorn

        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        more = {"requests_per_second": 1000, "burst": 5000, "tries_by_name": 1000, "tries_by_address": 1000}
        app = create_app(self.store, self.pool, ServerSettings.at("127.0.0.1", self.port, **more), self.accounts)
        config = uvicorn.Config(
            app, log_config=None, access_log=False, ws="none", http="h11", loop="asyncio", timeout_graceful_shutdown=1
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]})
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive()
            threading.Event().wait(0.01)
        self.listening = listening

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.listening.close()

    def close(self) -> None:
        if self.thread.is_alive():
            self.stop()
        self.store.close()
