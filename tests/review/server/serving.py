"""A review behind the application, with a clock of its own and people who are signed in; no sockets."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

pytest.importorskip("alembic")
pytest.importorskip("argon2")
pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("sqlalchemy")

from starlette.testclient import TestClient

from vdebench.errors import InputError
from vdebench.review.accounts import Accounts
from vdebench.review.commands import Add, Open, PoolSample
from vdebench.review.passwords import Passwords
from vdebench.review.refusals import Refusal
from vdebench.review.server.app import create_app
from vdebench.review.server.settings import ServerSettings
from vdebench.review.store import Store

START = datetime(2026, 11, 16, 9, tzinfo=UTC)
HOME = "http://127.0.0.1:8765"
PASSWORD = "correct horse battery"
PEOPLE = {
    "root": ("admin", ""),
    "judy": ("adjudicator", ""),
    "anna1": ("annotator", "1"),
    "ben1": ("annotator", "1"),
    "cora2": ("annotator", "2"),
    "eve3": ("annotator", "3"),
}
NINE = {"compliance": 3, "authenticity": 3, "satisfaction": 3}
QUICK = Passwords(1, 8)
_keys = count()


class Clock:
    """Goes on when it is told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def ticks(self) -> float:
        return self.seconds

    def go(self, seconds: float) -> None:
        self.seconds += seconds


class FakePool:
    """One picture for all samples; the last sample's edit is gone."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "page.png"
        Image.new("RGB", (40, 30), "white").save(self.file)
        self.read: dict[str, list[str]] = {}
        self.asked: list[tuple[Any, ...]] = []
        self.uploads = {"new": PoolSample("new", "e" * 64, 400, 300)}

    def about(self, sample: str) -> dict[str, str]:
        return {"instruction": f"change {sample}"}

    def picture(self, sample: str, which: str, boxes=(), edit: str = "") -> Path:
        self.asked.append((sample, which))
        if sample == "s3":
            raise InputError("s3: its edit is gone")
        return self.file

    def reference(self, sample: str, boxes, edit: str = "") -> Path:
        self.asked.append((sample, "reference", tuple(boxes)))
        return self.file

    def readings(self, sample: str, boxes) -> list[str] | None:
        return self.read.get(sample)

    def wrong_correction(self, sample: str, boxes, texts) -> str:
        return "it stands on the page twice" if texts == ("unclear",) else ""

    def upload(self, sample: str, content: bytes, who: str) -> PoolSample:
        if content == b"broken":
            raise InputError("new: the image is broken")
        return self.uploads[sample]


def template(folder: Path) -> Path:
    """A database with people and four samples."""
    place = folder / "review.sqlite"
    with Store(place) as store:
        accounts = Accounts(store, QUICK)
        for command in (Open(), Add(tuple(PoolSample(f"s{number}", f"edit{number}", 400, 300) for number in range(4)))):
            assert not isinstance(store.submit(command, who="root", now=START), Refusal)
        for name, (role, group) in PEOPLE.items():
            token = accounts.invite(role, group, name=name if name == "root" else "", now=START)
            accounts.accept(token, name, PASSWORD, START)
    return place


class Site:
    """The application and what is behind it."""

    def __init__(self, place: Path | str, folder: Path, **settings: Any) -> None:
        self.clock = Clock()
        self.store = Store(place)
        self.accounts = Accounts(self.store, QUICK)
        self.pool = FakePool(folder)
        told = {"now": self.clock.now, "ticks": self.clock.ticks, **settings}
        self.settings = ServerSettings.at("127.0.0.1", 8765, **told)
        self.app = create_app(self.store, self.pool, self.settings, self.accounts)
        self.context = self.app.state.context

    def browser(self) -> Browser:
        return Browser(self)

    def signed_in(self, name: str) -> Browser:
        return Browser(self).sign_in(name)

    def events(self) -> int:
        return sum(1 for _ in self.store.events())


class Browser(TestClient):
    """Somebody at the page."""

    def post_json(self, path: str, body: Any) -> Any:
        """Post JSON in plain ASCII: it can hold what is no character."""
        return self.post(path, content=json.dumps(body).encode(), headers={"Content-Type": "application/json"})

    def __init__(self, site: Site) -> None:
        super().__init__(site.app, base_url=HOME)
        self.site = site

    def sign_in(self, name: str, password: str = PASSWORD) -> Browser:
        answer = self.post("/api/login", json={"name": name, "password": password})
        assert answer.status_code == 200, answer.text
        self.show_token()
        return self

    def show_token(self) -> None:
        self.headers["X-CSRF-Token"] = self.get("/api/me").json()["csrf"]

    def tell(self, kind: str, key: str = "", **command: Any) -> Any:
        body = {"key": key or f"a-key-of-a-test-{next(_keys)}", "command": {"kind": kind, **command}}
        return self.post("/api/commands", json=body)

    def must(self, kind: str, **command: Any) -> dict[str, Any]:
        answer = self.tell(kind, **command)
        assert answer.status_code == 200, answer.text
        return answer.json()


def copied(place: Path, folder: Path) -> Path:
    return Path(shutil.copy(place, folder / "review.sqlite"))


def through_boxes(site: Site, sample: str = "s0") -> None:
    """Take a sample to the screening."""
    box = [10, 10, 310, 50]
    for name in ("anna1", "cora2", "eve3"):
        site.signed_in(name).must("rate", sample=sample, round=1, group=name[-1], ratings=NINE)
    for name in ("anna1", "cora2", "eve3"):
        site.signed_in(name).must("draw", sample=sample, round=1, group=name[-1], boxes=[box])
