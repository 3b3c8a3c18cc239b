"""One running program: its input and output lines, its stderr, and its termination."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from vdebench.errors import EditorError, EditorUnusableError

MAX_LINE_BYTES = 1 << 20
MAX_UNREAD_LINES = 1000
"""Maximum number of unrequested lines; then the program is considered broken."""
EXIT_SECONDS = 5.0
"""Seconds to wait after closing stdin, and again after SIGTERM."""
REMOVED_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
"""Variables that would make another environment's Python find our packages."""


class ProgramProcess:
    """A program in its own process group, so that Ctrl-C reaches only us and we stop it."""

    def __init__(self, who: str, command: Sequence[str], log: Path, gpu: str = "") -> None:
        self._who, self._log = who, log
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        environment = {name: value for name, value in os.environ.items() if name not in REMOVED_VARIABLES}
        environment |= {"CUDA_VISIBLE_DEVICES": gpu} if gpu else {}
        try:
            with log.open("ab") as log_file:
                self._start = log_file.tell()  # the log may contain output of an earlier program
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log_file,
                    env=environment,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            message = getattr(error, "strerror", None) or error
            raise EditorUnusableError(f"{who}: {command[0]}: cannot be started: {message}") from None
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):  # closed while we read
            while self._lines.qsize() < MAX_UNREAD_LINES and (line := self._process.stdout.readline(MAX_LINE_BYTES)):
                self._lines.put(line)
        self._lines.put(None)

    def send(self, line: bytes) -> None:
        """Send a line without waiting, since the program may not be reading."""
        threading.Thread(target=self._write, args=(line,), daemon=True).start()

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it exited: `receive` reports it
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def receive(self, seconds: float, doing: str) -> bytes:
        """Return the next line; raise `EditorError` if there is none."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise EditorError(
                f"{self._who}: no answer within {seconds:g} s while {doing}; it was killed{self.stderr_tail()}"
            ) from None
        if line is None:
            raise EditorError(f"{self._who}: the program {self._end()} while {doing}{self.stderr_tail()}")
        if not line.endswith(b"\n") and len(line) >= MAX_LINE_BYTES:
            raise EditorError(f"{self._who}: a line of more than {MAX_LINE_BYTES:,} bytes while {doing}")
        return line

    def _end(self) -> str:
        """Return how it ended."""
        try:
            code = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its stdout"
        if code < 0:
            return f"was ended by {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"ended: {code}"
        return f"ended with exit code {code}"

    def stderr_tail(self, lines: int = 8) -> str:
        """Return the last lines of its stderr, indented, for error messages."""
        try:
            with self._log.open("rb") as file:
                end = file.seek(0, os.SEEK_END)
                file.seek(max(self._start, end - 4000))
                message = file.read(4000).decode("utf-8", "replace").replace("\r", "\n").split("\n")
        except OSError:
            return ""
        kept = [line.rstrip() for line in message if line.strip()][-lines:]
        return "".join(f"\n  | {line[:300]}" for line in kept)

    @property
    def alive(self) -> bool:
        """Whether it is running."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Close its stdin, then send SIGTERM, then SIGKILL."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.close()
        for number in (signal.SIGTERM, None):
            try:
                self._process.wait(EXIT_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if number:
                    self._signal(number)
        self.kill()

    def kill(self) -> None:
        """Kill it and its child processes."""
        if self.alive:
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self._process.wait()
        self._listener.join(EXIT_SECONDS)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not (pipe is self._process.stdout and self._listener.is_alive()):
                with suppress(OSError, ValueError):
                    pipe.close()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)
