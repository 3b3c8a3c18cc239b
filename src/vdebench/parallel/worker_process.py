"""A worker process of this machine: how it is started, and what it does until its parent lets it go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection

from vdebench.errors import VdeError
from vdebench.parallel.scheduler import READY, TaskRunner, raised

_PROGRAM = """\
import sys
line, parent, *sys.path = sys.argv[1:]
del sys.argv[1:]
from multiprocessing.connection import Connection
line = Connection(int(line))
try:
    work = line.recv_bytes()
except EOFError:  # the parent is gone
    sys.exit(1)
from vdebench.parallel.worker_process import serve
serve(line, work, int(parent))
"""
"""The worker's own main program. It takes the work first, so that the parent need not wait for its imports."""


def start(line: Connection, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a worker that talks over `line` and finds the same modules as this process.

    The worker is a Python program of its own: unlike a process of `multiprocessing` it does not run the caller's
    script a second time, so a script needs no `if __name__ == "__main__":`, and may as well come from standard input.
    """
    command = [sys.executable, *(f"-W{option}" for option in sys.warnoptions), "-c", _PROGRAM]
    arguments = [str(line.fileno()), str(os.getpid()), *filter(_is_text, sys.path)]
    try:
        with _interrupts_held():  # Ctrl-C is for the parent: a worker that is just starting would print a traceback
            return subprocess.Popen(
                [*command, *arguments], stdin=subprocess.DEVNULL, env=environment, pass_fds=[line.fileno()]
            )
    except OSError as error:
        raise VdeError(
            f"{sys.executable}: cannot be started as a worker process: {error.strerror}; use one worker, or fewer"
        ) from None


def _is_text(entry: object) -> bool:
    return isinstance(entry, str)  # the import system ignores all else


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block Ctrl-C; a process that is started meanwhile starts with it blocked."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(line: Connection, work: bytes, parent: int) -> None:
    """Run in the worker: answer the tasks that come over the line until it is closed."""
    os.set_inheritable(line.fileno(), False)  # a program that the work starts must not hold the line open
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
            doing = TaskRunner(work)
        except Exception as error:
            line.send_bytes(raised(error))
            return
        line.send_bytes(READY)
        while True:
            line.send_bytes(doing.answer(line.recv_bytes()))
