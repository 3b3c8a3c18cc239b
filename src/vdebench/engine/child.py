"""A process of this machine that works for another: how it is started, and its life."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection

from vdebench.engine.crew import READY, Doing, raised


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Variables for a child, from its first import on; what the user has set stays, but for the GPU."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update({name: value for name, value in variables.items() if before[name] is None or "CUDA" in name})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C waits; who is started meanwhile starts deaf to it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(line: Connection, work: bytes, parent: int) -> None:
    """The life of a worker: answers to what comes down the line, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what it started is cleared away
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)  # the parent was killed: nobody wants the results

    threading.Thread(target=watch, daemon=True).start()
    with suppress(EOFError, OSError):
        try:
            doing = Doing(work)
        except Exception as error:
            line.send_bytes(raised(error))
            return
        line.send_bytes(READY)
        while True:
            line.send_bytes(doing.answer(line.recv_bytes()))
