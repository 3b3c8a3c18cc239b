"""One started program: lines to it, lines from it, its last words, and its end."""

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

LONGEST_LINE = 1 << 20
MOST_WAITING = 1000
"""Lines from a program that nobody asked for, after which we stop listening: it is broken."""
PATIENCE = 5.0
"""Seconds for a program to end when it is asked to, and again when it is told to."""
OURS = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
"""Variables that would lead another environment's Python to our packages."""


class ProgramProcess:
    """A program in a process group of its own: Ctrl-C reaches us, and we end it."""

    def __init__(self, who: str, command: Sequence[str], log: Path, card: str = "") -> None:
        self._who, self._log = who, log
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        environment = {name: value for name, value in os.environ.items() if name not in OURS}
        environment |= {"CUDA_VISIBLE_DEVICES": card} if card else {}
        try:
            with log.open("ab") as words:
                self._start = words.tell()  # a log may hold an earlier program's words
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=words,
                    env=environment,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            told = getattr(error, "strerror", None) or error
            raise EditorUnusableError(f"{who}: {command[0]}: cannot be started: {told}") from None
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):  # closed while we read
            while self._lines.qsize() < MOST_WAITING and (line := self._process.stdout.readline(LONGEST_LINE)):
                self._lines.put(line)
        self._lines.put(None)

    def send(self, line: bytes) -> None:
        """A line to the program, without waiting: it may not be listening."""
        threading.Thread(target=self._write, args=(line,), daemon=True).start()

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it died: reading will tell
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def receive(self, seconds: float, doing: str) -> bytes:
        """The next line, or why there is none."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise EditorError(
                f"{self._who}: no answer within {seconds:g} s while {doing}; it was ended{self.last_words()}"
            ) from None
        if line is None:
            raise EditorError(f"{self._who}: the program {self._end()} while {doing}{self.last_words()}")
        if not line.endswith(b"\n") and len(line) >= LONGEST_LINE:
            raise EditorError(f"{self._who}: a line of more than {LONGEST_LINE:,} bytes while {doing}")
        return line

    def _end(self) -> str:
        """How it ended."""
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return "closed its stdout"
        if code < 0:
            return f"was ended by {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"ended: {code}"
        return f"ended with exit code {code}"

    def last_words(self, lines: int = 8) -> str:
        """The end of its stderr, indented, to stand after a message."""
        try:
            with self._log.open("rb") as file:
                end = file.seek(0, os.SEEK_END)
                file.seek(max(self._start, end - 4000))
                told = file.read(4000).decode("utf-8", "replace").replace("\r", "\n").split("\n")
        except OSError:
            return ""
        kept = [line.rstrip() for line in told if line.strip()][-lines:]
        return "".join(f"\n  | {line[:300]}" for line in kept)

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Ask it to end by closing its stdin, then tell it, then make it."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.close()
        for number in (signal.SIGTERM, None):
            try:
                self._process.wait(PATIENCE)
                break
            except subprocess.TimeoutExpired:
                if number:
                    self._signal(number)
        self.kill()

    def kill(self) -> None:
        """End it now, and whatever it started."""
        if self.alive:
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self._process.wait()
        self._listener.join(PATIENCE)
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
