"""`external`: an editor whose model runs in another environment or on another machine."""

from __future__ import annotations

import os
import queue
import shutil
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from vdebench.core.images import Image
from vdebench.editors.editor import About, Edit, Editor
from vdebench.editors.external.commands import redacted_command, split_command
from vdebench.editors.external.program import Program, program
from vdebench.editors.external.protocol import Hello, differing
from vdebench.editors.external.server import Server, bad_url
from vdebench.editors.servers.options import whole
from vdebench.errors import EditorError, VdeError
from vdebench.net.addresses import redacted, seconds

USAGE = (
    "needs command= or url=\n"
    "  a program: --editor-option external.command='/path/to/python program.py', or a server: external.url=http://host:port"
    "\n  see docs/external-editors.md for the protocol"
)


class ExternalEditor(Editor):
    """A program (`command`) or a server (`url`) that implements the protocol of docs/external-editors.md.

    `concurrency` is the number of programs, each with its own GPU, or the number of parallel requests to a server.
    """

    about: ClassVar[About] = About("a program or a server of your own", "yours", "the model's", "the model's")
    name: ClassVar[str] = "external"
    waits: ClassVar[bool] = True

    def __init__(
        self,
        command: str | Sequence[str] = "",
        url: str = "",
        timeout: float | str = 600,
        start_timeout: float | str = 600,
        logs: str = "",
        concurrency: int | str = 1,
    ) -> None:
        if bool(command) == bool(url):
            raise VdeError(
                f"the editor {self.name} {USAGE}" if not url else f"{self.name}: pass command or url, not both"
            )
        self.concurrency = whole(self.name, "concurrency", concurrency, least=1)
        self._command = split_command(command, self.name) if command else []
        limits = seconds(timeout), seconds(start_timeout, "start_timeout")
        self._place = {} if command else {"url": redacted(url)}
        self._hello: Hello | None = None
        self._backends: list[Program | Server]
        if command:
            gpus = gpus_for(self.concurrency)
            self._backends = [program(self.name, self._command, *limits, logs, gpu) for gpu in gpus]
        else:
            self._backends = [Server(self.name, url, *limits)] * self.concurrency
        self._free: queue.LifoQueue[Program | Server] = queue.LifoQueue()  # the most recently used first
        for each in reversed(self._backends):
            self._free.put(each)

    @classmethod
    def missing(cls, command: str | Sequence[str] = "", url: str = "", **options: Any) -> str:
        """Return an error if no program is given or the program does not exist."""
        if url:
            return bad_url(url)
        if not command:
            return USAGE
        try:
            first = split_command(command, cls.name)[0]
        except VdeError as error:
            return str(error)
        return "" if shutil.which(first) else f"{first}: no such program"

    @property
    def identity(self) -> Mapping[str, str]:
        """Our name and the program's own description; also its command if it does not report its parameters."""
        hello = self._hello = self._hello or self._backends[0].hello()  # requested once: this starts the program
        identity = {"name": self.name, "version": "1", **hello.identity}
        if hello.parameters is None:
            identity |= {"command": redacted_command(self._command)} if self._command else self._place
        return identity

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """Let the program edit the page."""
        backend = self._free.get()
        try:
            answer, edited = backend.edit(image, instruction, seed)
            hello = backend.known
        finally:
            self._free.put(backend)
        self._hello = self._hello or hello
        if hello != self._hello:
            raise differing(self.name, self._hello, hello)
        if answer.state == "failed":
            raise EditorError(f"{self.name}: {answer.reason or 'the program gives no reason'}")
        reason = "" if edited is not None else answer.reason or "the program gives no reason"
        parameters = {**answer.parameters, "model": hello.model, "program": f"{hello.name} {hello.version}"}
        return Edit(answer.state, edited, reason, parameters, answer.metadata, answer.seconds)

    def close(self) -> None:
        """Stop the programs; they are started again on the next use."""
        for each in self._backends:
            each.stop()


def gpus_for(programs: int) -> list[str]:
    """Return the GPU of each program, in turn, by number or name; a single program sees all GPUs.

    >>> gpus_for(1), gpus_for(3)
    ([''], ['0', '1', '2'])
    """
    if programs == 1:
        return [""]
    visible = list(filter(None, os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")))
    return [visible[number % len(visible)] if visible else str(number) for number in range(programs)]
