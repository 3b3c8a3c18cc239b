"""The runs of a report: the suite, and every editor's edits and scores by protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.io.files import is_file, read_json
from vdebench.pipeline.editing import EditRecord, images_of
from vdebench.pipeline.output_record import run_options
from vdebench.protocols import protocol_for
from vdebench.protocols.masks.protocol import MaskProtocol
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.report.run_columns import with_run_columns
from vdebench.report.site.sources import OutputSource, scored_source
from vdebench.report.tracks import Track, track_of
from vdebench.runs.search import run_folders
from vdebench.runs.summary import read_summary
from vdebench.suites.suite import Suite, load_suite

_NO_PICTURES = "text and boxes are shown without images"


class ScoredEditor(NamedTuple):
    """One editor scored by one protocol: the content of its run folder."""

    editor: str
    protocol: PageProtocol | MaskProtocol
    folder: Path
    summary: Mapping[str, Any]

    @property
    def track(self) -> Track:
        """The kind of the run."""
        return track_of(self.summary)

    def table(self, name: str) -> pl.LazyFrame:
        """One of the run folder's tables."""
        return pl.scan_parquet(self.folder / f"{name}.parquet")

    def pin(self, name: str) -> str:
        """A part of the signature: `local`, `reader`, …"""
        parts = dict(part.partition(":")[::2] for part in str(self.summary["signature"]).split("|"))
        return parts.get(name, "")


class SuiteRuns:
    """Scored runs of one suite, in folders of `vde run`, run folders, and folders that contain run folders."""

    def __init__(self, roots: str | Path | Sequence[str | Path]) -> None:
        self.roots = [Path(root) for root in ([roots] if isinstance(roots, str | Path) else roots)]
        self.notes: list[str] = []
        """Notes on missing scores and images."""
        self.results: list[ScoredEditor] = []
        self._origins: list[str] = []
        self._sources: list[tuple[Path, Callable[[Suite], OutputSource]]] = []
        for root in self.roots:
            about = _about(root)
            if about:
                self._add_runs(root, about)
            else:
                for folder in run_folders(root):
                    self._add_run(folder)
        _require_one_of_each(self.results)
        _require_one_suite(self.results)
        self.notes += [f"{editor}: {source.lacking}: {_NO_PICTURES}" for editor, source in self._lacking()]

    def _add_runs(self, root: Path, about: Mapping[str, Any]) -> None:
        """Add the runs of a folder of `vde run`."""
        self._origins.append(about["suite"])
        before = len(self.results)
        for editor in about["editors"]:
            for name in about["protocols"]:
                result = _result(root / editor / name, editor, name)
                if result is None:
                    self.notes.append(f"{editor}: no scores by {name} yet")
                    continue
                self.results.append(result)
                self._sources.append((result.folder, partial(_run_source, root / editor, about)))
        if len(self.results) == before:
            raise InputError(
                f"{root}: contains no scores: looked for summary.json and scores.parquet in EDITOR/PROTOCOL/\n"
                "  `vde run SUITE --editor NAME --out FOLDER` writes them"
            )

    def _add_run(self, folder: Path) -> None:
        """Add a run folder by itself."""
        summary = read_summary(folder / "summary.json")
        result, options = _result(folder, summary["editor"], summary["protocol"]), run_options(folder)
        if result is None:
            raise InputError(f"{folder}: not all tables of a run are here; score again")
        if not isinstance(options.get("suite"), str):
            raise InputError(f"{folder / 'run.json'}: does not name the suite of the run; score again into this folder")
        self.results.append(result)
        self._origins.append(options["suite"])
        self._sources.append((folder, lambda suite: scored_source(folder, suite, options)))

    def _lacking(self) -> Iterator[tuple[str, OutputSource]]:
        """Editors without images, each once."""
        sources = {
            (result.editor, source.lacking): source for result in self.results if (source := self.source(result))
        }
        return ((editor, source) for (editor, lacking), source in sources.items() if lacking)

    @property
    def root(self) -> Path:
        """The first folder, for messages."""
        return self.roots[0]

    @property
    def origin(self) -> str:
        """The suite as it was passed to the command."""
        return self._origins[0]

    @cached_property
    def suite(self) -> Suite:
        """The suite that was run."""
        return load_suite(self.origin)

    @property
    def editors(self) -> list[str]:
        """Editors with scores, in the order of the run."""
        return list(dict.fromkeys(result.editor for result in self.results))

    @property
    def protocols(self) -> list[str]:
        """Protocols with scores."""
        return list(dict.fromkeys(result.protocol.name for result in self.results))

    @cached_property
    def _source_of(self) -> dict[Path, OutputSource]:
        return {folder: make(self.suite) for folder, make in self._sources}

    def source(self, result: ScoredEditor) -> OutputSource:
        """The outputs of a run."""
        return self._source_of[result.folder]

    def _of(self, editor: str) -> list[OutputSource]:
        return [self.source(result) for result in self.results if result.editor == editor]

    def image(self, editor: str, sample: Sample) -> Path | None:
        """An editor's output for a sample, or None."""
        return next((file for source in self._of(editor) if (file := source.image(sample))), None)

    def lacking(self, editor: str) -> str:
        """Why an editor's images are not available; "" if they are."""
        reasons = [source.lacking for source in self._of(editor)]
        return reasons[0] if all(reasons) else ""

    def redact(self, text: str) -> str:
        """Remove the folders of this machine from a message."""
        folders = [folder for source in self._source_of.values() for folder in source.places]
        for root in (*self.roots, *map(Path, map(os.path.abspath, self.roots)), *folders, self.suite.root):
            text = text.replace(f"{root}{os.sep}", "")
        return text

    @cached_property
    def edits(self) -> dict[str, dict[str, EditRecord]]:
        """Records of the edits, by editor and sample."""
        return {
            editor: {key: edit for source in self._of(editor) for key, edit in source.edits.items()}
            for editor in self.editors
        }


def _run_source(folder: Path, about: Mapping[str, Any], suite: Suite) -> OutputSource:
    """The outputs of one editor of `vde run`."""
    return OutputSource(
        suite,
        images=images_of(folder),
        reader=about["reader"],
        reader_options=about.get("reader_options"),
        truth_read=about.get("ground_truth") == "ocr",
        edits=folder,
    )


def _require_one_of_each(results: Sequence[ScoredEditor]) -> None:
    first_runs: dict[tuple[str, str], ScoredEditor] = {}
    for result in results:
        first = first_runs.setdefault((result.editor, result.protocol.name), result)
        if first is not result:
            raise InputError(
                f"{first.folder} and {result.folder}: two runs of {result.editor} by {result.protocol.name}\n"
                "  pass one of them, or score one again under another name: `vde score SUITE NAME=FOLDER`"
            )


def _require_one_suite(results: Sequence[ScoredEditor]) -> None:
    first = results[0]
    for result in results[1:]:
        if result.summary["suite"] != first.summary["suite"]:
            raise InputError(
                f"{first.folder} is a run on {first.summary['suite']}, {result.folder} on {result.summary['suite']}\n"
                "  pass runs on one suite"
            )


def _result(folder: Path, editor: str, name: str) -> ScoredEditor | None:
    """The content of a run folder, or None if it is incomplete."""
    if not is_file(folder / "summary.json") or not is_file(folder / "scores.parquet"):
        return None
    summary = read_summary(folder / "summary.json")
    track = track_of(summary)
    if not all(is_file(folder / f"{table}.parquet") for table in track.tables):
        return None
    return ScoredEditor(editor, protocol_for(track.name, name), folder, with_run_columns(summary))


def _about(root: Path) -> dict[str, Any]:
    """The `run.json` of `vde run`; {} for folders of other commands."""
    file = root / "run.json"
    if not is_file(file) or is_file(root / "summary.json"):
        return {}
    about = read_object(file)
    kinds = {"suite": str, "reader": str, "editors": list, "protocols": list}
    if not kinds.keys() & about.keys():  # of one editor's edits
        return {}
    for key, kind in kinds.items():
        if not isinstance(about.get(key), kind):
            raise InputError(f"{file}: {key!r} is {about.get(key)!r}, expected {'text' if kind is str else 'a list'}")
    return about


def read_object(file: Path) -> dict[str, Any]:
    """Read a JSON object; raises `InputError` for other data."""
    data = read_json(file)
    if not isinstance(data, dict):
        raise InputError(f"{file}: expected an object")
    return data
