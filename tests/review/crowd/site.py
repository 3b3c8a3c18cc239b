"""A server with a real workspace that is attacked, and a look at everything it keeps: nothing of it may change."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from vdebench.core.box import Box
from vdebench.review.accounts import Accounts, SignedIn
from vdebench.review.commands import Add, Command, Join, Open, PoolSample
from vdebench.review.options import Options
from vdebench.review.passwords import Passwords
from vdebench.review.ratings import Ratings
from vdebench.review.refusals import Refusal
from vdebench.review.server.serve import bound
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.ocr import Check
from vdebench.review.steps.score import Rate
from vdebench.review.steps.screen import Screen
from vdebench.review.store import Store

PASSWORD = "a password of everybody"
PEOPLE = {"ann1": "1", "amy1": "1", "bob2": "2", "cyn3": "3", "judge": "", "root": ""}
"""Two annotators of group 1, one of 2 and 3, an adjudicator, an admin."""
VOTERS = {"ann1": "1", "bob2": "2", "cyn3": "3"}
GOALS = ("score", "boxes", "screen", "ocr", "conflict", "passed")
"""Where the first samples of the pool are; in the first, ann1 has voted."""
ODD = ("<script>alert(1)</script>", "../../etc/passwd", "'; DROP TABLE events; --", "a/b?c=d&e#f%2e")
UVICORN: dict[str, Any] = {
    "log_level": "error", "access_log": False, "server_header": False, "proxy_headers": False, "ws": "none",
    "http": "h11", "loop": "asyncio",
}  # fmt: skip
UNCOMPARED = ("sessions", "answers", "alembic_version")


class Browser:
    """Somebody's browser, and what they do with it by hand."""

    def __init__(self, url: str, name: str = "") -> None:
        self.url, self.name, self.csrf = url, name, ""
        self.client = httpx2.Client(base_url=url, timeout=20.0, verify=False)  # loads no certificates: quick
        if name:
            self.sign_in()

    def sign_in(self) -> None:
        """As the page does."""
        answer = self.client.post("/api/login", json={"name": self.name, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        self.csrf = self.client.get("/api/me").json()["csrf"]

    @property
    def token(self) -> str:
        """Of the session."""
        return str(self.client.cookies["vde_session"])

    def get(self, path: str, **params: str) -> httpx2.Response:
        """Look at something."""
        return self.client.get(path, params=params or None)

    def post(self, path: str, body: object = None, **more: Any) -> httpx2.Response:
        """Change something."""
        headers = {"X-CSRF-Token": self.csrf, **more.pop("headers", {})}
        told = {"json": body} if body is not None else {}
        return self.client.request(more.pop("method", "POST"), path, headers=headers, **told, **more)

    def command(self, kind: str, key: str = "", **fields: Any) -> httpx2.Response:
        """Send a command as the page does."""
        return self.post("/api/commands", {"key": key or fresh_key(), "command": {"kind": kind, **fields}})


_keys = iter(range(10**9))


def fresh_key() -> str:
    """That no command had."""
    return f"attack-{next(_keys):012}"


class Site:
    """A review that is open, with people and samples."""

    def __init__(self, store: Store, accounts: Accounts, url: str, workspace: Path) -> None:
        self.store, self.accounts, self.url, self.workspace = store, accounts, url, workspace
        self._signed_in: dict[str, Browser] = {}
        self._others: list[Browser] = []
        self.stranger = Browser(url)
        """Somebody who is not signed in."""
        self.ids = list(store.state().items)
        self.at = dict(zip(GOALS, self.ids, strict=False))
        """A sample at each step."""

    def browser(self, name: str) -> Browser:
        """Of somebody who is signed in; always the same one."""
        if name not in self._signed_in:
            self._signed_in[name] = Browser(self.url, name)
        return self._signed_in[name]

    def another(self, name: str = "") -> Browser:
        """One more of somebody's, with a session of its own; or of somebody who is not signed in."""
        self._others.append(Browser(self.url, name))
        return self._others[-1]

    def close(self) -> None:
        """Close all browsers."""
        for browser in (*self._signed_in.values(), *self._others, self.stranger):
            browser.client.close()

    def do(self, command: Command, who: str) -> None:
        """Have something happen without a browser."""
        answer = self.store.submit(command, who=who, now=datetime.now(UTC))
        assert not isinstance(answer, Refusal), answer

    def dump(self) -> dict[str, list[str]]:
        """All tables but those of sessions and keys, and all files of the workspace but what it can make anew."""
        import sqlalchemy as sa

        with self.store.database.reading() as connection:
            names = [name for name in sa.inspect(connection).get_table_names() if name not in UNCOMPARED]
            kept = {name: sorted(map(repr, connection.execute(sa.text(f'SELECT * FROM "{name}"')))) for name in names}
        kept["files"] = sorted(
            f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}"
            for file in self.workspace.rglob("*")
            if file.is_file() and ".sqlite" not in file.name and "pictures" not in file.parts
        )
        assert len(names) >= 6, names
        return kept

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Whatever is done meanwhile changes nothing, and the server answers afterwards."""
        before = self.dump()
        yield
        assert self.dump() == before
        assert self.stranger.get("/api/me").status_code == 401


def told(answer: httpx2.Response, status: int, error: str = "") -> dict[str, Any]:
    """An answer that refuses: with words, of the right kind, and without a word about the machine it comes from."""
    assert answer.status_code == status, (answer.status_code, answer.text[:400])
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    found: dict[str, Any] = answer.json()
    assert set(found) == {"error", "words"}
    assert found["words"]
    assert len(answer.content) < 2000
    for word in ("Traceback", "/tmp/", "sqlalchemy", "sqlite3", "psycopg", "site-packages"):
        assert word not in answer.text
    if error:
        assert found["error"] == error, found
    return found


def fill(store: Store, workspace: Path) -> Accounts:
    """People with passwords, and the samples of a workspace at all steps; ids that look like more beside them."""
    from vdebench.review.workspace import pool_from_workspace

    def do(command: Command, who: str = "root") -> None:
        answer = store.submit(command, who=who, now=datetime.now(UTC))
        assert not isinstance(answer, Refusal), answer

    do(Open(Options(rounds=1)))
    do(Add(tuple(pool_from_workspace(workspace))))
    do(Add(tuple(PoolSample(id, "0" * 64, 2000, 2000) for id in ODD)))
    accounts = Accounts(store, Passwords(rounds=1, memory_kib=8))
    for name, group in PEOPLE.items():
        if name != "root":
            do(Join(name, "annotator" if group else "adjudicator", group))
        opened = accounts.accept(accounts.invite(name=name), name, PASSWORD, datetime.now(UTC))
        assert isinstance(opened, SignedIn), opened
    for sample, goal in zip(list(store.state().items), GOALS, strict=False):
        for number, (who, group) in enumerate(VOTERS.items()):
            if goal != "score":
                do(Rate(sample, 1, group, Ratings(3, 3, 3)), who)
            elif number == 0:
                do(Rate(sample, 1, group, Ratings(3, 3, 2)), who)
        for number, (who, group) in enumerate(VOTERS.items()):
            if goal in ("screen", "ocr", "passed", "conflict"):
                off = 9 * number if goal == "conflict" else 0
                do(Draw(sample, 1, group, (Box(5, 5, 25 + off, 15),)), who)
        for who, group in VOTERS.items():
            if goal in ("ocr", "passed"):
                do(Screen(sample, 1, group, True, "seen"), who)
        if goal == "passed":
            do(Check(sample, 1, "correct"), "bob2")
        assert store.state().items[sample].step == goal
    return accounts


@contextmanager
def opened_site(workspace: Path, database: Path | str, **limits: Any) -> Iterator[Site]:
    """A site that can be attacked; without limits on how often, unless they are given."""
    from vdebench.review.pool import Pool
    from vdebench.review.server.app import create_app
    from vdebench.review.server.settings import ServerSettings

    many = {"requests_per_second": 1e6, "burst": 10**6, "tries_by_name": 10**6, "tries_by_address": 10**6}
    with Store(database) as store, bound("127.0.0.1", 0) as listening:
        accounts = Accounts(store, Passwords(1, 8)) if store.study().opened else fill(store, workspace)
        settings = ServerSettings.at("127.0.0.1", listening.getsockname()[1], **{**many, "body_seconds": 0.5, **limits})
        app = create_app(store, Pool(workspace), settings, accounts)
        with served(app, listening):
            site = Site(store, accounts, settings.origins[0], workspace)
            yield site
            site.close()


@contextmanager
def served(app: Any, listening: socket.socket) -> Iterator[None]:
    """The app behind a real uvicorn, in a thread, as `serve` runs it."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, **UVICORN))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.005)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(10)


def raw(url: str, head: str, body: bytes = b"") -> tuple[bytes, bytes]:
    """Send a request as it stands, and read all that comes back, head and body: clients mend too much."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=10) as connection:
        whole = head.format(host=place.netloc) + "Connection: close\r\n\r\n"
        connection.sendall(whole.encode("utf-8", "surrogateescape") + body)
        parts = b""
        while part := connection.recv(65_536):
            parts += part
    before, _, after = parts.partition(b"\r\n\r\n")
    return before, after
