"""The Python interface: `load_suite`, `score`, and what it gives."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import polars as pl

from vdebench.core.images import RESIZING
from vdebench.core.input_policy import InputPolicy
from vdebench.errors import VdeError
from vdebench.io.files import write_json
from vdebench.metrics.image_metrics import require_known
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.ceiling import floor_name, noise_floor
from vdebench.pipeline.editing.journal import editors_images
from vdebench.pipeline.output_record import asked_of, write_outputs
from vdebench.pipeline.read import read_ahead
from vdebench.pipeline.score_masks import masked_run
from vdebench.pipeline.scoring.ground_truth import GroundTruth
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.pipeline.scoring.masks import plan_masked
from vdebench.pipeline.scoring.sample import SETTINGS, ScoringScope
from vdebench.pipeline.scoring.stage import Progress, plan, score_run
from vdebench.protocols.masks.protocol import PixelProtocol
from vdebench.protocols.pages.protocol import Protocol
from vdebench.protocols.protocol import protocol_for
from vdebench.protocols.signature import signature
from vdebench.readers.cached import CachedReader
from vdebench.readers.caveats import caveat_of
from vdebench.readers.folder import FolderReadings
from vdebench.readers.predictions import (
    ImagePredictions,
    Predictions,
    ReadPredictions,
    files_in,
    folder_label,
    holds_readings,
)
from vdebench.readers.reader import DEFAULT as DEFAULT_READER
from vdebench.runs.folder import TABLES, RunFolder, schema_of
from vdebench.runs.provenance import session, stage, update_session
from vdebench.stats.intervals import with_intervals
from vdebench.stats.summary import regions_of, summarise
from vdebench.stats.usable import Rows, Thresholds, usable_summary
from vdebench.suites.name_check import check_names
from vdebench.suites.name_pattern import outputs_of
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite, load_suite

SettingChoice = Literal["global", "local", "both"]
TruthChoice = Literal["suite", "read"]
AnyProtocol = str | Protocol | PixelProtocol
"""A protocol, or the name of one."""
NO_READER = "none"
"""Instead of a reader's name: text is not compared around masks."""


class Score:
    """The scores of one editor by one protocol: the summary, and the rows it is made from."""

    def __init__(self, summary: dict[str, Any], tables: Mapping[str, pl.LazyFrame]) -> None:
        self.summary = summary
        self._tables = tables

    @property
    def signature(self) -> str:
        """The string that pins every choice behind the numbers."""
        return str(self.summary["signature"])

    @property
    def scores(self) -> pl.DataFrame:
        """A row for every sample and setting: state, counts, and the sums that every mean is made from."""
        return self._tables["scores"].collect()

    @property
    def blocks(self) -> pl.DataFrame:
        """A row for every ground-truth block and every invented one."""
        return self._tables["blocks"].collect()

    @property
    def regions(self) -> pl.DataFrame:
        """A row for every region, where the protocol says something of regions."""
        return self._tables["regions"].collect()

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Samples without a score, each with its reason."""
        failed = self._tables["scores"].filter(pl.col("state") == "failed").select("sample", "reason")
        return failed.unique(maintain_order=True).collect().rows()


def open_predictions(
    folder: str | Path,
    suite: Suite,
    *,
    editor: str = "",
    reader: str | CachedReader = "",
    images: str | Path | None = None,
    match: str = "",
) -> Predictions:
    """An editor's outputs in a folder: ready readings where it holds JSON, else images that `reader` reads.

    For ready readings `reader` says who made them, and `images` is the folder of the images they were made from.
    `match` says how files are named, as in `{stem}_edited.*`; see `NamePattern`.
    """
    root = editors_images(folder)
    if images is None and not holds_readings(root, suite, match):
        cached = reader if isinstance(reader, CachedReader) else CachedReader.named(reader or DEFAULT_READER)
        files = files_in(root, suite.samples, "image", match)
        return ImagePredictions(root, suite.samples, cached, name=editor or folder_label(Path(folder)), files=files)
    label = reader.label if isinstance(reader, CachedReader) else reader or "unstated"
    pictures = editors_images(images) if images is not None else None
    return FolderReadings(root, suite.samples, name=editor, reader=label, images=pictures, match=match)


def check_outputs(
    suite: Suite,
    folder: str | Path,
    *,
    protocol: str | Protocol = "strict",
    images: str | Path | None = None,
    match: str = "",
    strict_names: bool = False,
) -> None:
    """Check the names of an editor's outputs and read nothing; `score` does this first."""
    root = editors_images(folder)
    if isinstance(protocol_for(suite.track, protocol), PixelProtocol):
        files: list[Outputs] = [outputs_of(suite, root, match)]
    elif images is None:
        kind: Literal["reading", "image"] = "reading" if holds_readings(root, suite, match) else "image"
        files = [files_in(root, suite.samples, kind, match)]
    else:
        files = [files_in(root, suite.samples, "reading", match)]
        files.append(files_in(editors_images(images), suite.samples, "image", match))
    _check_files(suite, files, protocol, strict_names)


def _check_files(suite: Suite, files: Sequence[Outputs], protocol: AnyProtocol, strict: bool) -> None:
    samples, chosen = suite.samples, protocol_for(suite.track, protocol)
    expected = [sample for sample in samples if chosen.covers(sample)]
    for each in files:
        check_names(each, samples, expected=expected, strict=strict)


def open_outputs(
    folder: str | Path, suite: Suite, *, editor: str = "", reader: str | CachedReader = "", match: str = ""
) -> ImagePredictions:
    """An editor's images in a folder, for comparison around masks; `reader` reads them where text is compared."""
    name = reader if isinstance(reader, str) and reader != NO_READER else ""
    cached = reader if isinstance(reader, CachedReader) else CachedReader.named(name or DEFAULT_READER)
    root, label = editors_images(folder), editor or folder_label(Path(folder))
    return ImagePredictions(root, suite.samples, cached, name=label, files=outputs_of(suite, root, match))


def score(
    suite: Suite | str | Path,
    predictions: str | Path | Predictions,
    *,
    protocol: AnyProtocol = "strict",
    setting: SettingChoice = "both",
    out: str | Path | None = None,
    editor: str = "",
    reader: str | CachedReader = "",
    images: str | Path | None = None,
    match: str = "",
    strict_names: bool = False,
    truth: TruthChoice = "suite",
    metrics: Sequence[str] | None = None,
    floor: str | Path | None = None,
    crossed: Sequence[str] = (),
    given: InputPolicy | None = None,
    workers: int = 0,
    engine: Engine | None = None,
    reading: Progress | None = None,
    progress: Progress | None = None,
) -> Score:
    """Score an editor's outputs against a suite: a folder of images, or of readings that were made of them.

    With `out` the run is kept there, and a second call does only what is new. For `editor`, `reader` and `images` see
    `open_predictions`. `metrics` names image metrics (`vde doctor` lists them), the papers' where it is not given.
    `truth="read"` has the reader read the references too. `floor` is a folder of ready readings of the references, for
    the noise floor of ready readings. `crossed` adds breakdowns such as "operation,language". `given` says what the
    editor was given, where that is not the whole page and the suite's own instruction.

    The names of the files are checked before anything is read: samples without a file, and files without a sample, are
    logged (logger `vdebench.names`). It is an error where no file is any sample's; with `strict_names` all of these are
    errors. `match` says how files are named where they do not bear the names of the reference images, such as
    `{stem}_edited.*` or `run1/{id}.png`; see `vdebench.suites.name_pattern`.

    Images with masks (`textedit:DIR`, or any suite by the protocols `textedit` and `textedit-release`) are compared
    around the masks; `reader="none"` leaves out their text.

    Reading and scoring are spread over `workers` of an `engine`, all of this machine's processors by default.

    >>> result = score("examples/tiny", "examples/tiny/editors/careful")
    >>> round(result.summary["overall"]["global"]["cdm"], 3)
    0.999
    """
    suite = suite if isinstance(suite, Suite) else load_suite(suite)
    suite.require_distinct_keys()
    is_folder_of_files = not isinstance(predictions, Predictions)
    if match and not is_folder_of_files:
        raise VdeError("match= is for a folder of outputs; predictions that are opened already have their files")
    protocol = protocol_for(suite.track, protocol)
    if isinstance(protocol, PixelProtocol):
        if not isinstance(predictions, Predictions):
            predictions = open_outputs(predictions, suite, editor=editor, reader=reader, match=match)
        if is_folder_of_files or strict_names:
            _check_files(suite, predictions.files(), protocol, strict_names)
        predictions.given = given or predictions.given
        read_by = predictions.cached if isinstance(predictions, ReadPredictions) and reader != NO_READER else None
        masked = plan_masked(suite, predictions, protocol, metrics, read_by)
        place = Path(out) if out is not None else None
        with session(place):
            how = {"truth": truth, "metrics": metrics, "crossed": crossed, "match": match or None}
            update_session(asked=asked_of(suite, predictions, how, reader=masked.reader is not None))
            found, rows = masked_run(masked, place, crossed, workers, progress, reading, engine or LOCAL)
        nothing = {name: pl.LazyFrame(schema=schema_of(name)) for name in TABLES}
        return Score(found, {**nothing, "scores": rows.lazy()})
    if not isinstance(predictions, Predictions):
        predictions = open_predictions(predictions, suite, editor=editor, reader=reader, images=images, match=match)
    if is_folder_of_files or strict_names:
        _check_files(suite, predictions.files(), protocol, strict_names)
    predictions.given = given or predictions.given
    cached = predictions.cached if isinstance(predictions, ReadPredictions) else None
    if truth == "read" and cached is None:
        raise VdeError("truth='read' needs predicted images: ready readings come without the reader who made them")
    truths = GroundTruth(suite, cached, all_read=truth == "read")
    settings = SETTINGS if setting == "both" else (setting,)
    asked = protocol.image_metrics if metrics is None else metrics
    require_known(asked)
    measures = ImageMetrics(asked if predictions.has_images else ())
    scope, notes = plan(truths, predictions, protocol, settings, measures)
    if floor is not None and cached is not None:
        raise VdeError("a floor is given for ready readings; of images the reader reads the references itself")
    if cached is not None and (caveat := caveat_of(cached.reader)):
        notes.append(caveat)
    references = FolderReadings(Path(floor), suite.samples, name="reference") if floor is not None else None
    if references is not None:
        _check_files(suite, references.files(), protocol, strict=False)
    with session(out):
        how = {"setting": setting, "truth": truth, "metrics": metrics, "crossed": crossed, "match": match or None}
        update_session(asked=asked_of(suite, predictions, how, images=images))
        read = partial(read_ahead, scope, workers, reading, engine or LOCAL)
        into = partial(score_run, workers=workers, engine=engine or LOCAL)
        if out is not None:
            return _score_into(RunFolder(Path(out)), scope, references, setting, notes, crossed, read, into, progress)
        with tempfile.TemporaryDirectory(prefix="vde-") as temporary:
            folder = RunFolder(Path(temporary))
            kept = _score_into(folder, scope, references, setting, notes, crossed, read, into, progress)
            return Score(kept.summary, {name: getattr(kept, name).lazy() for name in TABLES})


def _score_into(
    folder: RunFolder,
    scope: ScoringScope,
    references: Predictions | None,
    setting: SettingChoice,
    notes: list[str],
    crossed: Sequence[str],
    read: Callable[[], None],
    score_into: Callable[[ScoringScope, RunFolder, Progress | None], None],
    progress: Progress | None,
) -> Score:
    suite, protocol, predictions = scope.suite, scope.protocol, scope.predictions
    about = {"protocol": protocol.name, "suite": suite.name, "editor": predictions.name}
    extra = [_crossed(name) for name in crossed]
    with folder.open(about), stage("summary"):
        read()
        with stage("scoring"):
            score_into(scope, folder, progress)
        settings = SETTINGS if setting == "both" else (setting,)
        found = summarise(folder, protocol, settings, extra, list(scope.measures.loaded))
        found = with_intervals(found, folder.table("scores").collect(), protocol, folder.table("blocks"))
        if "fid" in scope.measures.loaded:
            _add_fid(scope, found["overall"])
        with stage("floor"):
            place, counted = folder.root / "reference", folder.counted_samples()
            floor, floor_note = noise_floor(
                place, scope, settings, extra, references, counted=counted, score_into=score_into
            )
        if floor is not None and "regions" in found:
            found["regions"] = regions_of(folder, RunFolder(place))
        images = f"{scope.measures.identity},{RESIZING}" if _any_image(found) else "off"
        summary = {
            "signature": signature(
                protocol,
                local=scope.local if "local" in settings else "off",
                reader=predictions.reader,
                truth=scope.truths.origin(scope.local if "local" in settings else "off"),
                floor=floor_name(predictions, references) if floor is not None else "none",
                images=images,
                given=predictions.given,
                suite=suite.name,
                revision=suite.revision,
                n=len(scope.samples),
                references=scope.truths.references() if predictions.has_images else "",
            ),
            **about,
            **found,
            "noise_floor": floor,
            "unavailable": dict(scope.measures.unavailable),
            "notes": [*notes, *found["notes"], *floor_note],
        }
        if protocol.properties and settings == SETTINGS:
            rows = Rows.of(folder.root, with_reference=floor is not None)
            summary["usable"] = usable_summary(rows, Thresholds())
        write_json(folder.root / "summary.json", summary)
        update_session(counts={**found["coverage"], "regions": sum(len(sample.regions) for sample in scope.samples)})
        write_outputs(folder.root, predictions, scope.samples)
    return Score(summary, {name: folder.table(name) for name in TABLES})


def _add_fid(scope: ScoringScope, overall: Mapping[str, Any]) -> None:
    from vdebench.pipeline.scoring.fid import run_fid  # scipy.linalg takes long to import, and few ask for FID

    for setting, distance in run_fid(scope, [setting for setting, means in overall.items() if means]).items():
        overall[setting]["fid"] = distance


def _any_image(found: Mapping[str, Any]) -> bool:
    return any(means and means["images"] for means in found["overall"].values())


def _crossed(name: str) -> tuple[str, ...]:
    known = ("operation", "edit_class", "language", "source", "label", "group")
    columns = tuple(part.strip() for part in name.split(","))
    if len(columns) != len(set(columns)) or not set(columns) <= set(known):
        raise VdeError(f"cannot break down by {name!r}: expected different names of {', '.join(known)}, with commas")
    return columns
