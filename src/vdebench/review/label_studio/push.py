"""Push: on every desk what waits for it. Looked up before it is made, so that after a crash nothing is there twice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from vdebench.core.box import Box
from vdebench.core.png import encode_png
from vdebench.errors import InputError
from vdebench.io.files import read_bytes
from vdebench.io.images import open_image
from vdebench.review.label_studio.configs import settings
from vdebench.review.label_studio.poll_state import PollState
from vdebench.review.label_studio.projects import IMAGES, ReviewProject, desks_among, round_of, waiting
from vdebench.review.label_studio.reports import PushReport
from vdebench.review.label_studio.server import LabelStudio
from vdebench.review.state import Item, State

TOGETHER = 20
"""Tasks that are sent at once; what is lost with a connection is looked for again next time."""
MOST_BYTES = 32 * 1024 * 1024
"""Of pictures in one request."""
AROUND = 12
"""Pixels shown around a region."""


class ImagePool(Protocol):
    """What is asked of a `Pool`."""

    def about(self, sample: str) -> dict[str, Any]:
        """The instruction, and more."""

    def picture(self, sample: str, which: str, boxes: Sequence[Box] = (), edit: str = "") -> Path:
        """A PNG of the page's size."""

    def reference(self, sample: str, boxes: Sequence[Box], edit: str = "") -> Path:
        """The finished image."""

    def readings(self, sample: str, boxes: Sequence[Box]) -> list[str] | None:
        """What was read in each region; None while it is not read."""


def push(
    state: State, pool: ImagePool, server: LabelStudio, study: str, name: str, looked: PollState | None = None
) -> PushReport:
    """Make the projects and tasks that are missing; tasks that nobody waits for any more are left as they are."""
    pusher = _Pusher(state, pool, server, study, name, looked or PollState())
    for desk, items in waiting(state).items():
        pusher.push(desk, items)
    return pusher.pushed


class _Pusher:
    def __init__(
        self, state: State, pool: ImagePool, server: LabelStudio, study: str, name: str, looked: PollState
    ) -> None:
        self._state, self._pool, self._server, self._study, self._name = state, pool, server, study, name
        found = server.projects()
        self._projects, self._looked = desks_among(found, study), looked
        looked.expect(found)
        self._urls: dict[str, str] | None = None
        self.pushed = PushReport()

    def push(self, desk: ReviewProject, items: Sequence[Item]) -> None:
        there = {key for project in self._projects.get(desk, ()) for key in self._looked.keys(self._server, project)}
        missing = [item for item in items if (item.id, round_of(self._state, item)) not in there]
        self.pushed.there += len(items) - len(missing)
        batch: list[dict[str, Any]] = []
        files: dict[str, bytes] = {}
        for item in missing:
            task, needed = self._task(desk, item)
            if task is None:
                continue
            batch.append(task)
            files |= needed
            if len(batch) == TOGETHER or sum(map(len, files.values())) > MOST_BYTES:
                self._send(desk, batch, files)
                batch, files = [], {}
        if batch:
            self._send(desk, batch, files)

    def _project(self, desk: ReviewProject) -> int:
        if desk not in self._projects:
            more = {} if desk == IMAGES else settings(desk.step)
            title, description = desk.title(self._name), desk.description(self._study)
            made = self._server.make_project(title=title, description=description, **more)
            self._projects[desk] = [made]
            self.pushed.projects += 1
        return self._projects[desk][0]

    def _task(self, desk: ReviewProject, item: Item) -> tuple[dict[str, Any] | None, dict[str, bytes]]:
        """A task with names of pictures in the place of their addresses, and the pictures; none where it cannot be."""
        try:
            pictures, texts = self._shown(desk, item)
            about = self._pool.about(item.id)
        except (InputError, KeyError) as error:
            self.pushed.broken[item.id] = str(error)
            return None, {}
        if texts is None:
            self.pushed.unready += 1
            return None, {}
        texts = [text.replace("\0", "\ufffd") for text in texts]  # PostgreSQL has no place for it
        names = [f"{hashlib.sha256(content).hexdigest()[:32]}.png" for content in pictures]
        before, after, *regions = names
        data: dict[str, Any] = {
            "sample": item.id,
            "round": round_of(self._state, item),
            "edit": item.edit,
            "width": item.width,
            "height": item.height,
            "instruction": str(about.get("instruction", "")),
            "before": before,
            "after": after,
        }
        if desk.step != "ocr":
            return {"data": data}, dict(zip(names, pictures, strict=True))
        data["regions"] = [{"image": image, "text": text} for image, text in zip(regions, texts, strict=True)]
        return {"data": data, "predictions": [_prefilled(texts)]}, dict(zip(names, pictures, strict=True))

    def _shown(self, desk: ReviewProject, item: Item) -> tuple[list[bytes], list[str] | None]:
        """The pictures of a task: before, after, and for the check every region; with the texts that were read."""
        before = read_bytes(self._pool.picture(item.id, "before"))
        if desk.step not in ("screen", "ocr"):
            return [before, read_bytes(self._pool.picture(item.id, "after", edit=item.edit))], []
        reference = self._pool.reference(item.id, item.boxes, item.edit)
        shown = [before, read_bytes(reference)]
        if desk.step == "screen":
            return shown, []
        return [*shown, *_regions(reference, item.boxes)], self._pool.readings(item.id, item.boxes)

    def _send(self, desk: ReviewProject, batch: Sequence[dict[str, Any]], files: dict[str, bytes]) -> None:
        urls = self._uploaded(files)
        for task in batch:
            data = task["data"]
            data["before"], data["after"] = urls[data["before"]], urls[data["after"]]
            for region in data.get("regions", ()):
                region["image"] = urls[region["image"]]
        self._server.add_tasks(self._project(desk), batch)
        self.pushed.tasks[desk.step] += len(batch)

    def _uploaded(self, files: dict[str, bytes]) -> dict[str, str]:
        """Addresses of pictures, each uploaded once for all projects: they are named by what is in them."""
        project = self._project(IMAGES)
        if self._urls is None:
            self._urls = self._server.uploads(project)
        new = {name: content for name, content in files.items() if name not in self._urls}
        if new:
            self._urls |= self._server.upload(project, new)
            self.pushed.images += len(new)
        return self._urls


def _regions(page: Path, boxes: Sequence[Box]) -> list[bytes]:
    """Every region of a page, with a little around it."""
    image = open_image(page)
    found = []
    for x1, y1, x2, y2 in boxes:
        left, top = max(0, int(x1) - AROUND), max(0, int(y1) - AROUND)
        found.append(encode_png(image[top : int(y2) + AROUND, left : int(x2) + AROUND]))
    return found


def _prefilled(texts: Sequence[str]) -> dict[str, Any]:
    """The texts that were read, so that they stand in their fields."""
    fields = [
        {"from_name": f"text_{n}", "to_name": f"region_{n}", "type": "textarea", "value": {"text": [text]}}
        for n, text in enumerate(texts)
    ]
    return {"model_version": "read", "result": fields}
