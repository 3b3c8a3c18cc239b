"""Push: create the tasks that wait for each voter. Existing tasks are listed first: a crash leaves no duplicates."""

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
from vdebench.review.label_studio.projects import IMAGES, ReviewProject, projects_by_key, waiting
from vdebench.review.label_studio.reports import PushReport
from vdebench.review.label_studio.server import LabelStudio
from vdebench.review.state import Item, State, current_step
from vdebench.review.workflow import WORKFLOW

TOGETHER = 20
"""Tasks per request; tasks lost with a connection are created by the next push."""
MOST_BYTES = 32 * 1024 * 1024
"""Limit on the image bytes in one request."""
AROUND = 12
"""Margin around a region, in pixels."""


class ImagePool(Protocol):
    """The part of `Pool` that `push` uses."""

    def about(self, sample: str) -> dict[str, Any]:
        """Return the instruction and other facts of a sample."""

    def picture(self, sample: str, which: str, boxes: Sequence[Box] = (), edit: str = "") -> Path:
        """Return a PNG file of the size of the page."""

    def reference(self, sample: str, boxes: Sequence[Box], edit: str = "") -> Path:
        """Return the reference image."""

    def readings(self, sample: str, boxes: Sequence[Box]) -> list[str] | None:
        """Return the OCR text of each region; None before it has been read."""


def push(
    state: State, pool: ImagePool, server: LabelStudio, study: str, name: str, poll: PollState | None = None
) -> PushReport:
    """Create missing projects and tasks; obsolete tasks are not deleted."""
    pusher = _Pusher(state, pool, server, study, name, poll or PollState())
    for key, items in waiting(state).items():
        pusher.push(key, items)
    return pusher.pushed


class _Pusher:
    def __init__(
        self, state: State, pool: ImagePool, server: LabelStudio, study: str, name: str, poll: PollState
    ) -> None:
        self._state, self._pool, self._server, self._study, self._name = state, pool, server, study, name
        found = server.projects()
        self._projects, self._poll = projects_by_key(found, study), poll
        poll.expect(found)
        self._urls: dict[str, str] | None = None
        self.pushed = PushReport()

    def push(self, key: ReviewProject, items: Sequence[Item]) -> None:
        there = {key for project in self._projects.get(key, ()) for key in self._poll.keys(self._server, project)}
        missing = [item for item in items if (item.id, current_step(self._state.study, item)[1]) not in there]
        self.pushed.there += len(items) - len(missing)
        batch: list[dict[str, Any]] = []
        files: dict[str, bytes] = {}
        for item in missing:
            task, needed = self._task(key, item)
            if task is None:
                continue
            batch.append(task)
            files |= needed
            if len(batch) == TOGETHER or sum(map(len, files.values())) > MOST_BYTES:
                self._send(key, batch, files)
                batch, files = [], {}
        if batch:
            self._send(key, batch, files)

    def _project(self, key: ReviewProject) -> int:
        if key not in self._projects:
            more = {} if key == IMAGES else settings(key.step)
            title, description = key.title(self._name), key.description(self._study)
            made = self._server.make_project(title=title, description=description, **more)
            self._projects[key] = [made]
            self.pushed.projects += 1
        return self._projects[key][0]

    def _task(self, key: ReviewProject, item: Item) -> tuple[dict[str, Any] | None, dict[str, bytes]]:
        """Return a task with image names in place of URLs, and the images by name; None if it cannot be created yet."""
        try:
            pictures, texts = self._images(key, item)
            about = self._pool.about(item.id)
        except (InputError, KeyError) as error:
            self.pushed.broken[item.id] = str(error)
            return None, {}
        if texts is None:
            self.pushed.unready += 1
            return None, {}
        texts = [text.replace("\0", "\ufffd") for text in texts]  # PostgreSQL cannot store NUL
        names = [f"{hashlib.sha256(content).hexdigest()[:32]}.png" for content in pictures]
        before, after, *regions = names
        data: dict[str, Any] = {
            "sample": item.id,
            "round": current_step(self._state.study, item)[1],
            "edit": item.edit,
            "width": item.width,
            "height": item.height,
            "instruction": str(about.get("instruction", "")),
            "before": before,
            "after": after,
        }
        if "texts" not in WORKFLOW[key.step].form.fields:
            return {"data": data}, dict(zip(names, pictures, strict=True))
        data["regions"] = [{"image": image, "text": text} for image, text in zip(regions, texts, strict=True)]
        return {"data": data, "predictions": [_prefilled(texts)]}, dict(zip(names, pictures, strict=True))

    def _images(self, key: ReviewProject, item: Item) -> tuple[list[bytes], list[str] | None]:
        """Return the images of a task (before, after or reference, regions of a text check) and the OCR texts."""
        step = WORKFLOW[key.step]
        before = read_bytes(self._pool.picture(item.id, "before"))
        if step.image != "reference":
            return [before, read_bytes(self._pool.picture(item.id, "after", edit=item.edit))], []
        reference = self._pool.reference(item.id, item.boxes, item.edit)
        images = [before, read_bytes(reference)]
        if "texts" not in step.form.fields:
            return images, []
        return [*images, *_regions(reference, item.boxes)], self._pool.readings(item.id, item.boxes)

    def _send(self, key: ReviewProject, batch: Sequence[dict[str, Any]], files: dict[str, bytes]) -> None:
        urls = self._upload(files)
        for task in batch:
            data = task["data"]
            data["before"], data["after"] = urls[data["before"]], urls[data["after"]]
            for region in data.get("regions", ()):
                region["image"] = urls[region["image"]]
        self._server.add_tasks(self._project(key), batch)
        self.pushed.tasks[key.step] += len(batch)

    def _upload(self, files: dict[str, bytes]) -> dict[str, str]:
        """Upload images and return their URLs by name. Names are digests, so each image is uploaded once."""
        project = self._project(IMAGES)
        if self._urls is None:
            self._urls = self._server.uploads(project)
        new = {name: content for name, content in files.items() if name not in self._urls}
        if new:
            self._urls |= self._server.upload(project, new)
            self.pushed.images += len(new)
        return self._urls


def _regions(page: Path, boxes: Sequence[Box]) -> list[bytes]:
    """Return the regions of a page as PNG, with a margin."""
    image = open_image(page)
    regions = []
    for x1, y1, x2, y2 in boxes:
        left, top = max(0, int(x1) - AROUND), max(0, int(y1) - AROUND)
        regions.append(encode_png(image[top : int(y2) + AROUND, left : int(x2) + AROUND]))
    return regions


def _prefilled(texts: Sequence[str]) -> dict[str, Any]:
    """Return a prediction that fills the text fields with the OCR text."""
    fields = [
        {"from_name": f"text_{n}", "to_name": f"region_{n}", "type": "textarea", "value": {"text": [text]}}
        for n, text in enumerate(texts)
    ]
    return {"model_version": "read", "result": fields}
