"""`vde review serve`: run the application with uvicorn."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from vdebench.errors import InputError, MissingPartError
from vdebench.review.accounts import Accounts
from vdebench.review.connection import database_of, opened_review
from vdebench.review.pool import Pool
from vdebench.review.server.app import create_app
from vdebench.review.server.preparer import Preparer
from vdebench.review.server.settings import ServerSettings, is_loopback
from vdebench.review.tables import INSTALL

log = logging.getLogger("vdebench.review.server")
GRACE_SECONDS = 10


def serve(
    folder: Path,
    database: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    url: str = "",
    https: bool = False,
    preparing: bool = True,
    forwarded: bool = False,
) -> None:
    """Serve the review of a workspace until SIGTERM or Ctrl-C."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    with bound(host, port) as listening, opened_review(folder, database) as store:
        port = listening.getsockname()[1]
        settings = ServerSettings.at(host, port, url=url, https=https, forwarded=forwarded)
        pool = Pool(folder)
        app = create_app(store, pool, settings)
        say_where(settings, host, Accounts(store))
        with Preparer.of(store, pool, folder, database_of(folder, database)) if preparing else nullcontext() as beside:
            if beside:
                app.state.context.stuck = beside.stuck
            run(app, listening)


def say_where(settings: ServerSettings, host: str, accounts: Accounts) -> None:
    """Print the address, a link for an admin without a password, and a warning if traffic is not encrypted."""
    print(f"The review is at {settings.origins[0]}", flush=True)
    if not is_loopback(host) and not settings.secure:
        print(f"Warning: {host} is reached over the network without https: passwords and votes are not encrypted.")
        print("  Run an https proxy in front of it and give --url https://…", flush=True)
    admins = [each for each in accounts.store.study().members if each.active and each.role == "admin"]
    for admin in admins:
        if not accounts.has_password(admin.name):
            link = f"{settings.origins[0]}/#join={accounts.invite(name=admin.name, days=1)}"
            print(f"{admin.name} has no password yet; to set one, open within a day: {link}", flush=True)


@contextmanager
def bound(host: str, port: int) -> Iterator[socket.socket]:
    """Return a listening socket; raise `InputError` if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with an explicit protocol, asyncio disables Nagle's algorithm; else answers are delayed by 40 ms
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen(128)  # early connections wait instead of being refused
        except (OSError, OverflowError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise InputError(
                f"{host}, port {port}: cannot serve there: {why}; choose another --port or --host"
            ) from None
        yield listening
    finally:
        listening.close()


def run(app: Any, listening: socket.socket) -> None:
    """Serve until stopped; running requests are answered first."""
    try:
        import uvicorn
    except ImportError:
        raise MissingPartError(f"the server of a review needs uvicorn: {INSTALL}") from None
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,  # the events record what people do
        server_header=False,
        proxy_headers=False,
        ws="none",
        http="h11",
        loop="asyncio",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    with _quiet_signals():
        uvicorn.Server(config).run(sockets=[listening])


@contextmanager
def _quiet_signals() -> Iterator[None]:
    """Ignore the signal that uvicorn sends again after its shutdown."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
