"""An external program, started when needed and again after a crash; one per process and command."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.editors.external.process import ProgramProcess
from vdebench.editors.external.protocol import Hello, ProgramAnswer, differing, parse_answer, parse_hello, parse_object
from vdebench.errors import EditorError, EditorUnusableError, InputError, VdeError
from vdebench.io.images import open_image

POLL_SECONDS = 0.05
"""Seconds between checks whether a program to be stopped has been started meanwhile."""
MAX_FAILURES = 3
"""Consecutive failures after which a program is not started again."""


class Program:
    """A command that implements the protocol on stdin and stdout; `gpu` is the only GPU it may see, if given."""

    def __init__(
        self,
        who: str,
        command: Sequence[str],
        timeout: float,
        start_timeout: float,
        logs: str = "",
        gpu: str = "",
    ) -> None:
        self._who, self._command, self._logs, self._gpu = who, tuple(command), logs, gpu
        self._timeout, self._start_timeout = timeout, start_timeout
        self._lock = threading.Lock()
        self._running: ProgramProcess | None = None
        self._hello: Hello | None = None
        self._known: Hello | None = None
        self._folder: Path | None = None
        self._warm = False
        self._failures = self._starts = self._requests = self._stops = 0
        self._last_error = ""

    def hello(self) -> Hello:
        """Return its hello; start it if necessary."""
        stops = self._stops
        with self._lock:
            if self._hello is None:
                self._started(stops)
            assert self._hello is not None
            return self._hello

    @property
    def known(self) -> Hello:
        """The last hello, even if it was stopped since."""
        return self._known or self.hello()

    def edit(self, image: Image, instruction: str, seed: int) -> tuple[ProgramAnswer, Image | None]:
        """Return its answer, and its image if there is one."""
        stops = self._stops
        with self._lock:
            running = self._started(stops)
            self._requests += 1
            request_id = str(self._requests)
            source, out = self._place() / f"{request_id}.png", self._place() / f"{request_id}-out.png"
            try:
                source.write_bytes(encode_png(image))
                request = {"id": request_id, "image": str(source), "instruction": instruction, "seed": seed}
                answer = self._request(running, request_id, {**request, "out": str(out)})
                return answer, self._image(answer, out) if answer.state == "edited" else None
            except OSError as error:
                raise InputError(f"{source}: cannot be written: {error.strerror}; is the disk full?") from None
            finally:
                for file in (source, out):
                    with suppress(OSError):
                        file.unlink(missing_ok=True)

    def _request(self, running: ProgramProcess, request_id: str, request: dict[str, object]) -> ProgramAnswer:
        """Return the answer to a request; a program that does not answer is stopped, as it might answer a later
        request.
        """
        try:
            running.send(json.dumps(request).encode())
            # The first edit may include loading the model.
            limit = self._timeout if self._warm else self._timeout + self._start_timeout
            line = running.receive(limit, f"editing (request {request_id})")
            answer = parse_answer(parse_object(line, self._who), request_id, self._who)
        except EditorError as error:
            self._discard(error)
            raise
        except (KeyboardInterrupt, SystemExit):
            self._end()
            raise
        self._warm, self._failures = True, 0
        return answer

    def _image(self, answer: ProgramAnswer, out: Path) -> Image:
        if answer.out and Path(answer.out) != out:
            raise EditorError(f"{self._who}: wrote to {answer.out}, expected {out}")
        if not out.is_file():
            raise EditorError(f"{self._who}: reported edited, but wrote no file {out.name}")
        try:
            return open_image(out)
        except VdeError as error:
            raise EditorError(f"{self._who}: its image cannot be opened: {error}") from None

    def _started(self, stops: int) -> ProgramProcess:
        """Return the running program, starting it if necessary; raise `EditorError` if it was stopped after the
        request.
        """
        if self._running is not None and self._running.alive:
            return self._running
        if stops != self._stops:
            raise EditorError(f"{self._who}: the program was stopped before it was asked")
        self._end()  # it may have exited between two requests
        if self._failures >= MAX_FAILURES:
            raise EditorUnusableError(
                f"{self._who}: the program failed {self._failures} times in a row and is not started again;"
                f" fix it and run the same command again. The last error:\n  {self._last_error}"
            )
        self._warm = False
        try:
            self._running = ProgramProcess(self._who, self._command, self._log(), self._gpu)
            line = self._running.receive(self._start_timeout, "starting (no hello yet)")
            hello = parse_hello(parse_object(line, self._who), self._who)
            if self._hello is not None and self._hello != hello:
                raise differing(self._who, self._hello, hello)
        except EditorError as error:
            self._discard(error)
            raise
        self._hello = self._known = hello
        return self._running

    def _discard(self, error: EditorError) -> None:
        """Discard the running program after an error; the next request starts another."""
        self._failures, self._last_error = self._failures + 1, str(error)
        self._end()

    def _end(self) -> None:
        if self._running is not None:
            self._running.kill()
            self._running = None

    def _place(self) -> Path:
        if self._folder is None or not self._folder.is_dir():
            self._folder = Path(tempfile.mkdtemp(prefix="vde-external-"))
        return self._folder

    def _log(self) -> Path:
        self._starts += 1
        if not self._logs:
            return self._place() / "stderr.log"
        try:
            Path(self._logs).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self._logs}: cannot be created: {error.strerror}; choose another log folder") from None
        gpu = f"-{self._gpu}" if self._gpu else ""
        return Path(self._logs) / f"{self._who}-{os.getpid()}{gpu}-{self._starts}.log"

    def stop(self) -> None:
        """Stop it and delete its temporary files, but not its logs. A running edit is killed and fails."""
        self._stops += 1
        while not self._lock.acquire(timeout=POLL_SECONDS):  # held during an edit, which may take an hour
            if (running := self._running) is not None:
                running.kill()
        try:
            self._hello, self._failures = None, 0
            if self._running is not None:
                self._running.stop()
                self._running = None
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None
        finally:
            self._lock.release()


_programs: dict[tuple[object, ...], Program] = {}
_choosing = threading.Lock()


def program(
    who: str, command: Sequence[str], timeout: float, start_timeout: float, logs: str = "", gpu: str = ""
) -> Program:
    """Return this process's program for a command, reusing a running one."""
    key = (who, tuple(command), timeout, start_timeout, logs, gpu)
    with _choosing:
        if key not in _programs:
            _programs[key] = Program(who, command, timeout, start_timeout, logs, gpu)
        return _programs[key]


@atexit.register
def stop_programs() -> None:
    """Stop all programs of this process; they are started again on the next use."""
    with _choosing:
        for each in _programs.values():
            each.stop()
