"""`external`: an editor whose model runs in another environment, or on another machine."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from vdebench.editors.editor import About, Edit, Editor, Task
from vdebench.editors.external.failures import EditFailedError
from vdebench.editors.external.program import Program, program
from vdebench.editors.external.server import Server
from vdebench.errors import VdeError
from vdebench.readers.http import seconds, shown

GIVE = (
    "needs a program: --editor-option external.command='/path/to/python program.py', or external.url=http://host:port"
    "; docs/external-editors.md says what it must speak"
)


class ExternalEditor(Editor):
    """A program (`command`) or a server (`url`) that speaks the protocol of docs/external-editors.md."""

    about: ClassVar[About] = About("a program or server of your own", "yours", "the model's", "the model's")
    name: ClassVar[str] = "external"
    most_workers: ClassVar[int] = 1
    """Each process of ours starts a program of its own, and most machines have room for one model."""

    def __init__(
        self,
        command: str | Sequence[str] = "",
        url: str = "",
        timeout: float | str = 600,
        start_timeout: float | str = 600,
        logs: str = "",
    ) -> None:
        if bool(command) == bool(url):
            raise VdeError(
                f"the editor {self.name} {GIVE}" if not url else f"{self.name}: give command or url, not both"
            )
        self._command = split_command(command, self.name) if command else []
        limits = seconds(timeout), seconds(start_timeout, "start_timeout")
        self._there: Program | Server
        self._place = {} if command else {"url": shown(url)}
        if command:
            self._there = program(self.name, self._command, *limits, logs)
        else:
            self._there = Server(self.name, url, *limits)

    @classmethod
    def missing(cls, command: str | Sequence[str] = "", url: str = "", **options: Any) -> str:
        """A program, where none is given or the one given is not there."""
        if url:
            return ""
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
        hello = self._there.hello()
        told = {"name": self.name, "version": "1", **hello.identity}
        if hello.parameters is None:
            told |= {"command": shlex.join(self._command)} if self._command else self._place
        return told

    def edit(self, task: Task) -> Edit:
        """What the program makes of the page."""
        answer, image = self._there.edit(task)
        hello = self._there.known
        parameters = {**answer.parameters, "model": hello.model, "program": f"{hello.name} {hello.version}"}
        if answer.seconds is not None:
            parameters["program_seconds"] = answer.seconds
        if answer.state == "failed":
            raise EditFailedError(f"{self.name}: {answer.reason or 'the program gives no reason'}")
        if image is None:
            return Edit("refused", reason=answer.reason or "the program gives no reason", parameters=parameters)
        return Edit("edited", image, parameters={**parameters, "native_size": [image.shape[1], image.shape[0]]})


def split_command(command: str | Sequence[str], who: str) -> list[str]:
    """A command's words: a list, a JSON list, or a line as for a shell. `~` is the home folder in the first.

    >>> split_command("python 'my program.py' --steps 28", "external")
    ['python', 'my program.py', '--steps', '28']
    >>> split_command('["python", "my program.py"]', "external")
    ['python', 'my program.py']
    """
    try:
        if not isinstance(command, str):
            words = [str(word) for word in command]
        elif command.lstrip().startswith("["):
            words = [str(word) for word in json.loads(command)]
        else:
            words = shlex.split(command)
    except ValueError as error:
        raise VdeError(f"{who}: the command {command!r} cannot be split: {error}") from None
    if not words or not words[0]:
        raise VdeError(f"{who}: the command {command!r} is empty")
    return [str(Path(words[0]).expanduser()) if words[0].startswith("~") else words[0], *words[1:]]
