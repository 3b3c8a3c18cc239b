"""A program that edits, started when it is needed and again when it died; one for each process of ours."""

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

GLANCE = 0.05
"""Seconds between two looks at whether a program that is to end has been started meanwhile."""
IN_A_ROW = 3
"""Times that a program may die with no answer between before it is no longer started."""


class Program:
    """A command that speaks the protocol on stdin and stdout; `card` is the one GPU that it may see, if given."""

    def __init__(
        self,
        who: str,
        command: Sequence[str],
        timeout: float,
        start_timeout: float,
        logs: str = "",
        card: str = "",
    ) -> None:
        self._who, self._command, self._logs, self._card = who, tuple(command), logs, card
        self._timeout, self._start_timeout = timeout, start_timeout
        self._lock = threading.Lock()
        self._running: ProgramProcess | None = None
        self._hello: Hello | None = None
        self._known: Hello | None = None
        self._folder: Path | None = None
        self._warm = False
        self._deaths = self._starts = self._asked = self._stops = 0
        self._why = ""

    def hello(self) -> Hello:
        """Who it is; it is started where it does not run."""
        stops = self._stops
        with self._lock:
            if self._hello is None:
                self._started(stops)
            assert self._hello is not None
            return self._hello

    @property
    def known(self) -> Hello:
        """Who it last said it is, also when it was stopped since."""
        return self._known or self.hello()

    def edit(self, image: Image, instruction: str, seed: int) -> tuple[ProgramAnswer, Image | None]:
        """Its answer, and its image where it made one."""
        stops = self._stops
        with self._lock:
            running = self._started(stops)
            self._asked += 1
            asked = str(self._asked)
            source, out = self._place() / f"{asked}.png", self._place() / f"{asked}-out.png"
            try:
                source.write_bytes(encode_png(image))
                request = {"id": asked, "image": str(source), "instruction": instruction, "seed": seed}
                answer = self._answered(running, asked, {**request, "out": str(out)})
                return answer, self._image(answer, out) if answer.state == "edited" else None
            except OSError as error:
                raise InputError(f"{source}: cannot be written: {error.strerror}; is the disk full?") from None
            finally:
                for file in (source, out):
                    with suppress(OSError):
                        file.unlink(missing_ok=True)

    def _answered(self, running: ProgramProcess, asked: str, request: dict[str, object]) -> ProgramAnswer:
        """The answer to a request; who gives none is ended, for it might come when another page is asked for."""
        try:
            running.send(json.dumps(request).encode())
            # The first edit may be the moment when the model is loaded.
            limit = self._timeout if self._warm else self._timeout + self._start_timeout
            line = running.receive(limit, f"editing (request {asked})")
            answer = parse_answer(parse_object(line, self._who), asked, self._who)
        except EditorError as error:
            self._lost(error)
            raise
        except (KeyboardInterrupt, SystemExit):
            self._end()
            raise
        self._warm, self._deaths = True, 0
        return answer

    def _image(self, answer: ProgramAnswer, out: Path) -> Image:
        if answer.out and Path(answer.out) != out:
            raise EditorError(f"{self._who}: wrote to {answer.out}, asked was {out}")
        if not out.is_file():
            raise EditorError(f"{self._who}: said edited, and wrote no file {out.name}")
        try:
            return open_image(out)
        except VdeError as error:
            raise EditorError(f"{self._who}: its image cannot be opened: {error}") from None

    def _started(self, stops: int) -> ProgramProcess:
        """The running program, started where there is none; not for who asked before it was stopped."""
        if self._running is not None and self._running.alive:
            return self._running
        if stops != self._stops:
            raise EditorError(f"{self._who}: the program was stopped before it was asked")
        self._end()  # where it died between two requests, nothing is lost but its warmth
        if self._deaths >= IN_A_ROW:
            raise EditorUnusableError(
                f"{self._who}: the program failed {self._deaths} times in a row and is not started again;"
                f" mend it and run the same command again. The last time:\n  {self._why}"
            )
        self._warm = False
        try:
            self._running = ProgramProcess(self._who, self._command, self._log(), self._card)
            line = self._running.receive(self._start_timeout, "starting (no hello yet)")
            hello = parse_hello(parse_object(line, self._who), self._who)
            if self._hello is not None and self._hello != hello:
                raise differing(self._who, self._hello, hello)
        except EditorError as error:
            self._lost(error)
            raise
        self._hello = self._known = hello
        return self._running

    def _lost(self, error: EditorError) -> None:
        """Give up on the running program: the next request starts another."""
        self._deaths, self._why = self._deaths + 1, str(error)
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
            raise InputError(f"{self._logs}: cannot be made: {error.strerror}; choose another folder of logs") from None
        card = f"-{self._card}" if self._card else ""
        return Path(self._logs) / f"{self._who}-{os.getpid()}{card}-{self._starts}.log"

    def stop(self) -> None:
        """End it, and leave nothing behind but its logs. In the middle of an edit it is killed, and the edit fails."""
        self._stops += 1
        while not self._lock.acquire(timeout=GLANCE):  # held for the whole of an edit, which may take an hour
            if (running := self._running) is not None:
                running.kill()
        try:
            self._hello, self._deaths = None, 0
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
    who: str, command: Sequence[str], timeout: float, start_timeout: float, logs: str = "", card: str = ""
) -> Program:
    """This process's program of a command: a warm one is used again."""
    key = (who, tuple(command), timeout, start_timeout, logs, card)
    with _choosing:
        if key not in _programs:
            _programs[key] = Program(who, command, timeout, start_timeout, logs, card)
        return _programs[key]


@atexit.register
def stop_programs() -> None:
    """End all programs of this process; who still holds one may use it again, and then it is started anew."""
    with _choosing:
        for each in _programs.values():
            each.stop()
