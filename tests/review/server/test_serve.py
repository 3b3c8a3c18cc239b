"""The server as people start it: a process with a socket."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.review.server.serving import PASSWORD

pytest.importorskip("uvicorn")

import httpx2
import uvicorn

from tests.review.server.test_preparer import waits_for
from vdebench.errors import InputError
from vdebench.review.accounts import Accounts
from vdebench.review.pool_import import fill_pool
from vdebench.review.server.serve import bound, say_where, serve
from vdebench.review.server.settings import ServerSettings
from vdebench.review.store import Store

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(workspace):
    fill_pool(workspace.root, admin="root")
    return workspace.root


def started(folder, log, *arguments):
    command = [sys.executable, "-m", "vdebench", "review", "serve", str(folder), *arguments]
    with log.open("w") as said:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, cwd=ROOT)


def test_from_start_to_stop(folder, tmp_path):
    log = tmp_path / "log"
    with started(folder, log, "--port", "0") as server:
        address = server.stdout.readline().split()[-1]
        link = server.stdout.readline().split()[-1]
        token = link.partition("#join=")[2]
        assert link.startswith(f"{address}/#join=")
        with httpx2.Client(base_url=address) as browser:
            told = browser.post("/api/invitation", json={"token": token}).json()
            assert (told["name"], told["role"]) == ("root", "admin")
            assert browser.post("/api/join", json={"token": token, "password": PASSWORD}).json() == {"name": "root"}
            me = browser.get("/api/me").json()
            session = browser.cookies["vde_session"]
            invited = browser.post(
                "/api/admin/invitations",
                json={"role": "annotator", "group": "1"},
                headers={"X-CSRF-Token": me["csrf"]},
            )
            sample = browser.get("/api/samples?which=all").json()["ids"][0]
            picture = browser.get(browser.get("/api/sample", params={"id": sample}).json()["images"]["after"])
            assert picture.content.startswith(b"\x89PNG")
            head = browser.head("/api/me")
            assert (head.status_code, head.content) == (200, b"")
        host = address.partition("://")[2]
        too_much(host)
        given_up(host)
        answered_while_stopping(server, host)
        assert server.wait(20) == 0
        rest = server.stdout.read()
    said = log.read_text() + rest
    assert "Traceback" not in said, said
    for secret in (token, session, PASSWORD, me["csrf"], invited.json()["link"].partition("=")[2]):
        assert secret not in said


def connected(host: str) -> socket.socket:
    name, _, port = host.rpartition(":")
    return socket.create_connection((name, int(port)), timeout=10)


def head_of(host, *more):
    lines = ("POST /api/login HTTP/1.1", f"Host: {host}", "Content-Type: application/json", *more)
    return "\r\n".join((*lines, "", "")).encode()


def too_much(host):
    """A body without a length that goes on: refused while it comes, and the connection is closed."""
    with connected(host) as line:
        line.sendall(head_of(host, "Transfer-Encoding: chunked"))
        piece = b"2710\r\n" + b" " * 10_000 + b"\r\n"
        sent = 0
        try:
            while sent < 3_000_000:
                line.sendall(piece)
                sent += 10_000
        except (BrokenPipeError, ConnectionResetError):
            return
        answer = line.recv(65536)
        assert answer.startswith(b"HTTP/1.1 413")


def given_up(host):
    """Somebody who goes away in the middle of what they say."""
    with connected(host) as line:
        line.sendall(head_of(host, "Content-Length: 100") + b'{"name": ')


def answered_while_stopping(server, host):
    """Who has begun to ask is answered, though the server was told to stop."""
    body = json.dumps({"name": "root", "password": PASSWORD}).encode()
    with connected(host) as line:
        line.sendall(head_of(host, f"Content-Length: {len(body)}", "Expect: 100-continue"))
        assert b"100 Continue" in line.recv(1000)
        server.send_signal(signal.SIGTERM)
        line.sendall(body)
        answer = line.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.slow
def test_ctrl_c(folder, tmp_path):
    with started(folder, tmp_path / "log", "--port", "0", "--no-prepare") as server:
        address = server.stdout.readline().split()[-1]
        assert httpx2.get(f"{address}/api/me").status_code == 401
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


def test_a_port_that_is_taken(folder):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"127.0.0.1, port {port}: cannot serve there: Address already in use"):
            serve(folder, folder / "review.sqlite", port=port)


def test_hosts_that_are_none():
    for host, port in (("127.0.0.1", 70_000), ("203.0.113.7", 0), ("no.such.host.invalid", 0)):
        with pytest.raises(InputError, match="cannot serve there"), bound(host, port):
            pass


def test_each_part_of_an_answer_is_sent_at_once():
    """asyncio asks for it only where the socket names its protocol; without, every answer takes 40 ms longer."""
    with bound("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def said_of(place, capsys, host, **more):
    with Store(place) as store:
        say_where(ServerSettings.at(host, 8765, **more), host, Accounts(store))
    return capsys.readouterr().out


def test_what_is_said(site, capsys):
    place = Path(site.store.database.url.database)
    assert said_of(place, capsys, "127.0.0.1") == "The review is at http://127.0.0.1:8765\n"
    open_words = said_of(place, capsys, "192.0.2.7")
    assert "http://192.0.2.7:8765" in open_words
    assert "without https: passwords and votes are not encrypted" in open_words
    assert "Warning" not in said_of(place, capsys, "0.0.0.0", url="https://review.example")
    assert "https://review.example" in said_of(place, capsys, "0.0.0.0", url="https://review.example")
    with pytest.raises(InputError, match="that people open with --url"):
        said_of(place, capsys, "0.0.0.0")


@pytest.mark.parametrize(
    ("host", "url", "hosts"),
    [
        ("127.0.0.1", "", {"127.0.0.1:80", "localhost:80", "[::1]:80", "127.0.0.1", "localhost", "[::1]"}),
        ("10.0.0.5", "", {"10.0.0.5:80", "10.0.0.5"}),
        ("2001:db8::1", "", {"[2001:db8::1]:80", "[2001:db8::1]"}),
        ("10.0.0.5", "https://Review.example/", {"10.0.0.5:80", "10.0.0.5", "review.example", "review.example:443"}),
    ],
)
def test_hosts_that_are_ours(host, url, hosts):
    assert ServerSettings.at(host, 80, url=url).hosts == hosts


@pytest.mark.parametrize(
    "url", ["review.example", "ftp://x", "https://", "https://x/path", "https://x:port", "http://["]
)
def test_addresses_that_are_none(url):
    with pytest.raises(InputError, match="expected an address"):
        ServerSettings.at("127.0.0.1", 8765, url=url)


def test_votes_do_not_wait_for_passwords_and_images(make_site, monkeypatch):
    """Whoever floods the doors makes others wait at the doors, not at their work."""
    site = make_site(tries_by_name=1000, tries_by_address=1000, ticks=lambda: 0.0, burst=1000)
    free = threading.Event()
    monkeypatch.setattr(site.accounts, "sign_in", lambda *_: free.wait(20) and None)
    picture = site.pool.picture
    monkeypatch.setattr(site.pool, "picture", lambda *given: free.wait(20) and picture(*given))
    opened = site.accounts.accept(site.accounts.invite(name="anna1"), "", PASSWORD, site.clock.now())
    with bound("127.0.0.1", 0) as listening:
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        object.__setattr__(site.settings, "origins", (f"http://{host}",))
        config = uvicorn.Config(site.app, log_config=None, access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        serving.start()
        waits_for(lambda: server.started)
        lines = [connected(host) for _ in range(60)]
        try:
            for number, line in enumerate(lines):
                if number % 2:
                    line.sendall(head_of(host, "Content-Length: 32") + b'{"name": "a", "password": "bcd"}')
                else:
                    cookie = f"Cookie: vde_session={opened.token}"
                    asked = (f"GET /api/image?id=s0&which=after HTTP/1.1\r\nHost: {host}", cookie, "", "")
                    line.sendall("\r\n".join(asked).encode())
            with httpx2.Client(base_url=f"http://{host}", cookies={"vde_session": opened.token}) as browser:
                word = browser.get("/api/me").json()["csrf"]
                taken = browser.post("/api/take", json={}, headers={"X-CSRF-Token": word})
                assert taken.status_code == 200
            assert not free.is_set()
            free.set()
            assert {line.recv(100).split()[1] for line in lines} == {b"200", b"401"}
        finally:
            free.set()
            for line in lines:
                line.close()
            server.should_exit = True
            serving.join(20)


CHILD = """
import sys
from vdebench.readers.reader import READERS
READERS["code"] = "tests.build.pages:CodeReader"
from vdebench.review.server.child import main
sys.exit(main())
"""


@pytest.mark.slow
def test_what_was_agreed_on_is_read_beside_the_server(folder):
    from tests.review.people import NINE, at
    from vdebench.core.box import Box
    from vdebench.review.commands import Join
    from vdebench.review.pool import Pool
    from vdebench.review.refusals import Refusal
    from vdebench.review.server.preparer import Preparer
    from vdebench.review.steps.boxes import Draw
    from vdebench.review.steps.score import Rate

    with Store(folder / "review.sqlite") as store:
        pool, (id, *_) = Pool(folder), store.state().items
        box = Box(24, 90, 300, 125)
        for group in "123":
            for command in (Join(f"{group}a", "annotator", group),):
                assert not isinstance(store.submit(command, who="root", now=at(0)), Refusal)
        for command in (Rate, Draw):
            for group in "123":
                last = NINE if command is Rate else (box,)
                assert not isinstance(store.submit(command(id, 1, group, last), who=f"{group}a", now=at(1)), Refusal)
        assert pool.readings(id, [box]) is None
        made = Preparer.of(store, pool, folder, folder / "review.sqlite")
        made.command, made.every = [sys.executable, "-c", CHILD, str(folder)], 0.05
        made.environment["PYTHONPATH"] = str(ROOT)
        with made:
            waits_for(lambda: pool.readings(id, [box]) is not None, 60)
            waits_for(lambda: not made.unfinished())
        assert made.passes == 1
        assert re.search(r"\w", pool.readings(id, [box])[0])
