"""Push, pull and sync between a workspace's review and Label Studio."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.build.workspace import Workspace
from vdebench.errors import MissingPartError, VdeError
from vdebench.io.files import locked, make_folder
from vdebench.review.connection import opened_review
from vdebench.review.label_studio.people import members_of
from vdebench.review.label_studio.poll_state import PollState
from vdebench.review.label_studio.projects import study_id
from vdebench.review.label_studio.pull import pull
from vdebench.review.label_studio.push import push
from vdebench.review.label_studio.reports import PullReport, PushReport, RefusedAnnotation
from vdebench.review.label_studio.server import AwayError, LabelStudio
from vdebench.review.pool import Pool
from vdebench.review.preparation import PreparationReport, prepare
from vdebench.review.state import Member
from vdebench.review.store import Store


class SyncReport(NamedTuple):
    """Result of a pull, the preparation and a push."""

    pulled: PullReport
    prepared: PreparationReport
    pushed: PushReport

    def lines(self) -> list[str]:
        """For people."""
        made, failed = len(self.prepared.made), self.prepared.failed
        told = f"prepared: {made} reference images" + (f", {len(failed)} failed" if failed else "")
        return [*self.pulled.lines(), *failed.values(), told, *self.pushed.lines()]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        prepared = {**self.prepared._asdict(), "written": dict(self.prepared.written)}
        return {"pulled": self.pulled.to_json(), "prepared": prepared, "pushed": self.pushed.to_json()}


class LabelStudioBridge:
    """Connects the review of a workspace with a Label Studio server."""

    def __init__(self, folder: Path, database: str, url: str, *, workers: int = 0) -> None:
        self.folder, self.database, self._workers, self._looked = folder, database, workers, PollState()
        self._known: tuple[dict[str, str], tuple[Member, ...]] = {}, ()
        self.name = Workspace(folder).settings.name
        with opened_review(folder, database) as store:
            self.study = study_id(next(store.events()))
        self._server = LabelStudio(url)
        try:
            self._server.require()
        except BaseException:
            self._server.close()
            raise

    def __enter__(self) -> LabelStudioBridge:
        """Return the bridge; its connections are closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._server.close()

    def pull(self, people: Path) -> PullReport:
        """Submit annotations to the review."""
        with self._alone() as store:
            known = members_of(people, store), store.study().members
            if known != self._known:  # annotations refused for their author may be valid now
                self._known, self._looked.pulled = known, {}
            return pull(store, self._server, self.study, known[0], self._looked)

    def push(self, people: Path | None = None) -> PushReport:
        """Create the missing tasks; with a people file, new people join first."""
        with self._alone() as store:
            if people:
                members_of(people, store)
            return push(store.state(), Pool(self.folder), self._server, self.study, self.name, self._looked)

    def sync(self, people: Path) -> SyncReport:
        """Pull, prepare reference images, push."""
        pulled = self.pull(people)
        return SyncReport(pulled, prepare(self.folder, self.database, workers=self._workers), self.push())

    @contextmanager
    def _alone(self) -> Iterator[Store]:
        """Open the review under a lock: two pushes at the same time would create duplicates."""
        own = self.folder / "label-studio"
        make_folder(own)
        with locked(own, wait=True), opened_review(self.folder, self.database) as store:
            yield store


def sync_for_ever(
    bridge: LabelStudioBridge,
    people: Path,
    every: float,
    tell: Callable[[SyncReport], None],
    complain: Callable[[str], None],
) -> None:
    """Sync until interrupted. Errors are reported and retried; refusals are reported once.

    Until the first success, only an unreachable server is retried: other errors would stay.
    """
    told: set[RefusedAnnotation] = set()
    went_well = False
    while True:
        try:
            synced = bridge.sync(people)
            new = [each for each in synced.pulled.refused if each not in told]
            told.update(new)
            synced.pulled.refused[:] = new
            tell(synced)
            went_well = True
        except MissingPartError:
            raise
        except VdeError as error:
            if not went_well and not isinstance(error, AwayError):
                raise
            complain(f"{error}\n  next try in {every:g} seconds")
        time.sleep(every)
