"""Worker processes of this machine: starting one, and the loop that runs in it."""

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
from vdebench.parallel.scheduler import READY, TaskRunner, pickled_error

_PROGRAM = """\
import sys
pipe, parent, *sys.path = sys.argv[1:]
del sys.argv[1:]
from multiprocessing.connection import Connection
pipe = Connection(int(pipe))
try:
    work = pipe.recv_bytes()
except EOFError:  # the parent has exited
    sys.exit(1)
from vdebench.parallel.worker_process import serve
serve(pipe, work, int(parent))
"""
"""Main program of a worker. It receives the work before it imports, so that the parent does not have to wait."""


def start(pipe: Connection, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a worker that communicates over `pipe` and has the same module path as this process.

    The worker is a separate Python program. Unlike `multiprocessing`, it does not import the caller's script, so
    scripts need no `if __name__ == "__main__":` and may come from standard input.
    """
    command = [sys.executable, *(f"-W{option}" for option in sys.warnoptions), "-c", _PROGRAM]
    arguments = [str(pipe.fileno()), str(os.getpid()), *filter(_is_text, sys.path)]
    try:
        with _block_interrupts():  # a starting worker would print a traceback on Ctrl-C
            return subprocess.Popen(
                [*command, *arguments], stdin=subprocess.DEVNULL, env=environment, pass_fds=[pipe.fileno()]
            )
    except OSError as error:
        raise VdeError(
            f"{sys.executable}: cannot start a worker process: {error.strerror}; use fewer workers"
        ) from None


def _is_text(entry: object) -> bool:
    return isinstance(entry, str)  # the import system ignores other entries


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl-C; processes started meanwhile inherit the blocked signal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(pipe: Connection, work: bytes, parent: int) -> None:
    """Run in the worker: answer tasks from the pipe until it is closed."""
    os.set_inheritable(pipe.fileno(), False)  # child programs must not keep the pipe open
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # runs clean-up handlers
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)  # the parent has exited

    threading.Thread(target=watch, daemon=True).start()
    with suppress(EOFError, OSError):
        try:
            runner = TaskRunner(work)
        except Exception as error:
            pipe.send_bytes(pickled_error(error))
            return
        pipe.send_bytes(READY)
        while True:
            pipe.send_bytes(runner.answer(pipe.recv_bytes()))
