"""`external`: an editor whose model runs in another environment, or on another machine."""

from __future__ import annotations

import os
import queue
import shutil
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from vdebench.core.images import Image
from vdebench.editors.editor import About, Edit, Editor
from vdebench.editors.external.commands import split_command, told_command
from vdebench.editors.external.program import Program, program
from vdebench.editors.external.protocol import Hello, differing
from vdebench.editors.external.server import Server, bad_url
from vdebench.editors.servers.options import whole
from vdebench.errors import EditorError, VdeError
from vdebench.net.addresses import seconds, shown

GIVE = (
    "needs command= or url=\n"
    "  a program: --editor-option external.command='/path/to/python program.py', or a server: external.url=http://host:port"
    "\n  docs/external-editors.md says what it must speak"
)


class ExternalEditor(Editor):
    """A program (`command`) or a server (`url`) that speaks the protocol of docs/external-editors.md.

    `at_once` is how many programs are started, each with a GPU of its own; or how many pages a server gets at a time.
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
        at_once: int | str = 1,
    ) -> None:
        if bool(command) == bool(url):
            raise VdeError(
                f"the editor {self.name} {GIVE}" if not url else f"{self.name}: give command or url, not both"
            )
        self.at_once = whole(self.name, "at_once", at_once, least=1)
        self._command = split_command(command, self.name) if command else []
        limits = seconds(timeout), seconds(start_timeout, "start_timeout")
        self._place = {} if command else {"url": shown(url)}
        self._hello: Hello | None = None
        self._there: list[Program | Server]
        if command:
            cards = cards_for(self.at_once)
            self._there = [program(self.name, self._command, *limits, logs, card) for card in cards]
        else:
            self._there = [Server(self.name, url, *limits)] * self.at_once
        self._free: queue.LifoQueue[Program | Server] = queue.LifoQueue()  # the warm one first
        for each in reversed(self._there):
            self._free.put(each)

    @classmethod
    def missing(cls, command: str | Sequence[str] = "", url: str = "", **options: Any) -> str:
        """A program, where none is given or the one given is not there."""
        if url:
            return bad_url(url)
        if not command:
            return GIVE
        try:
            first = split_command(command, cls.name)[0]
        except VdeError as error:
            return str(error)
        return "" if shutil.which(first) else f"{first}: no such program"

    @property
    def identity(self) -> Mapping[str, str]:
        """Our name and the program's own words; its command too, where it does not tell its parameters."""
        hello = self._hello = self._hello or self._there[0].hello()  # asked once: it would be started for it
        told = {"name": self.name, "version": "1", **hello.identity}
        if hello.parameters is None:
            told |= {"command": told_command(self._command)} if self._command else self._place
        return told

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """What the program makes of the page."""
        there = self._free.get()
        try:
            answer, made = there.edit(image, instruction, seed)
            hello = there.known
        finally:
            self._free.put(there)
        self._hello = self._hello or hello
        if hello != self._hello:
            raise differing(self.name, self._hello, hello)
        if answer.state == "failed":
            raise EditorError(f"{self.name}: {answer.reason or 'the program gives no reason'}")
        reason = "" if made is not None else answer.reason or "the program gives no reason"
        parameters = {**answer.parameters, "model": hello.model, "program": f"{hello.name} {hello.version}"}
        return Edit(answer.state, made, reason, parameters, answer.metadata, answer.seconds)

    def close(self) -> None:
        """End the programs; whoever asks again starts them anew."""
        for each in self._there:
            each.stop()


def cards_for(programs: int) -> list[str]:
    """The GPU of each of several programs, in turn, by its number or name; one program sees them all.

    >>> cards_for(1), cards_for(3)
    ([''], ['0', '1', '2'])
    """
    if programs == 1:
        return [""]
    visible = list(filter(None, os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")))
    return [visible[number % len(visible)] if visible else str(number) for number in range(programs)]
