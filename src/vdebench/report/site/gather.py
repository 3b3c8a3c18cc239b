"""A folder of runs as the report sees it: the suite, and for every editor its edits and its scores by each protocol."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.editing import Made, images_of, read_edits
from vdebench.errors import InputError, VdeError
from vdebench.files import is_file, is_folder, read_json
from vdebench.protocols import get_protocol
from vdebench.protocols.protocol import Protocol
from vdebench.protocols.textedit import PixelProtocol, get_pixel_protocol
from vdebench.readers.cached import CachedReader, Picture, Readable
from vdebench.reading import Reading
from vdebench.report.site.tracks import PAGES, Track, track_of
from vdebench.sample import Sample
from vdebench.scoring_truth import Truths
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite, load_suite


class Result(NamedTuple):
    """One editor scored by one protocol: what its run folder holds."""

    editor: str
    protocol: Protocol | PixelProtocol
    folder: Path
    summary: Mapping[str, Any]

    @property
    def track(self) -> Track:
        """What kind of run it is."""
        return track_of(self.summary)

    def table(self, name: str) -> pl.LazyFrame:
        """One of the run folder's tables."""
        return pl.scan_parquet(self.folder / f"{name}.parquet")

    def pin(self, name: str) -> str:
        """A part of the signature: `local`, `reader`, …"""
        parts = dict(part.partition(":")[::2] for part in str(self.summary["signature"]).split("|"))
        return parts.get(name, "")


class KeptReader(CachedReader):
    """A reader that only finds what was read before: a report asks no engine and no server."""

    def read(self, picture: Readable | Path) -> Reading:
        """The kept reading, or an error."""
        wanted: Readable = Picture.of(picture) if isinstance(picture, Path) else picture
        if not self.knows(wanted):
            raise InputError(f"{wanted.file}: its reading is not kept any more: score again, then make the report")
        return super().read(wanted)


class Runs:
    """A folder of runs that was scored; an error where nothing was."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.notes: list[str] = []
        """What is not there, in words."""
        self.about = _about(root)
        self.results = self._results()
        if not self.results:
            raise InputError(
                f"{root}: holds no scores: looked for summary.json and scores.parquet in EDITOR/PROTOCOL/\n"
                "  `vde run SUITE --editor NAME --out FOLDER` makes them"
            )

    @cached_property
    def suite(self) -> Suite:
        """The suite that was run."""
        return load_suite(self.about["suite"])

    @property
    def editors(self) -> list[str]:
        """Editors with scores, in the order of the run."""
        return list(dict.fromkeys(result.editor for result in self.results))

    def _results(self) -> list[Result]:
        found = []
        for editor in self.about["editors"]:
            for name in self.about["protocols"]:
                result = _result(self.root / editor / name, editor, name)
                if result:
                    found.append(result)
                else:
                    self.notes.append(f"{editor}: no scores by {name} yet")
        return found

    @cached_property
    def reader(self) -> CachedReader:
        """The reader of the run; an error where it is not installed."""
        return KeptReader.named(self.about["reader"], self.about.get("reader_options") or {})

    @cached_property
    def truths(self) -> Truths:
        """What predictions were held against."""
        return Truths(self.suite, self.reader, all_read=self.about.get("truth") == "read")

    @cached_property
    def _images(self) -> dict[str, Outputs]:
        """The images of every editor that made some."""
        folders = {editor: images_of(self.root / editor) for editor in self.editors}
        return {editor: self.suite.outputs(at) for editor, at in folders.items() if is_folder(at)}

    def image(self, editor: str, sample: Sample) -> Path | None:
        """The image an editor made of a sample, nothing where there is none or that is not certain."""
        try:
            return self._images[editor].find(sample) if editor in self._images else None
        except VdeError:  # the sample's state says why
            return None

    def told(self, text: str) -> str:
        """A message without the folders of this machine: reports are sent to others."""
        for root in (self.root, Path(os.path.abspath(self.root)), self.suite.root):
            text = text.replace(f"{root}{os.sep}", "")
        return text

    @cached_property
    def edits(self) -> dict[str, dict[str, Made]]:
        """What each editor told of each sample."""
        return {editor: {made.sample: made for made in read_edits(self.root / editor)} for editor in self.editors}


def _result(folder: Path, editor: str, name: str) -> Result | None:
    """What a run folder holds, nothing where it is not whole."""
    if not is_file(folder / "summary.json") or not is_file(folder / "scores.parquet"):
        return None
    summary = _object(folder / "summary.json")
    track = track_of(summary)
    if not all(is_file(folder / f"{table}.parquet") for table in track.tables):
        return None
    return Result(editor, get_protocol(name) if track is PAGES else get_pixel_protocol(name), folder, summary)


def _about(root: Path) -> dict[str, Any]:
    file = root / "run.json"
    if not is_file(file):
        raise InputError(
            f"{root}: is no folder of runs: no run.json here\n"
            "  `vde run SUITE --editor NAME --out FOLDER` makes one, with scores to report"
        )
    about = _object(file)
    for key, kind in {"suite": str, "reader": str, "editors": list, "protocols": list}.items():
        if not isinstance(about.get(key), kind):
            raise InputError(f"{file}: {key!r} is {about.get(key)!r}, expected {'text' if kind is str else 'a list'}")
    return about


def _object(file: Path) -> dict[str, Any]:
    data = read_json(file)
    if not isinstance(data, dict):
        raise InputError(f"{file}: expected an object")
    return data
