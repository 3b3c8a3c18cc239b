"""Inputs of a run: `outputs.jsonl` with the hash of every scored prediction, and the options in `run.json`.

Hashes are computed when the run is scored, so that submissions can be packed and verified without the suite, and later
changes of a file are detected.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file, is_folder
from vdebench.io.journal import Journal
from vdebench.io.records import parse_record
from vdebench.io.redaction import is_private
from vdebench.io.stores import address, place
from vdebench.pipeline.editing.journal import images_of
from vdebench.pipeline.evaluation import Evaluation
from vdebench.pipeline.options import ScoreOptions
from vdebench.readers.folder import OcrOutputFile, OcrOutputFolder
from vdebench.readers.predictions import OcrPredictions, Predictions
from vdebench.runs.provenance import ASKED, RUN_FILE, part_of, read_run_file, session_options
from vdebench.runs.search import run_folders
from vdebench.runs.summary import read_summary
from vdebench.suites.suite import Suite

OUTPUTS = "outputs.jsonl"
Kind = Literal["images", "readings"]


class Output(NamedTuple):
    """One file that was scored."""

    sample: str
    kind: Kind
    file: str
    """Path relative to the folder of predicted images or of OCR output."""
    sha256: str


def options_record(suite: Suite, evaluation: Evaluation, options: ScoreOptions) -> dict[str, Any]:
    """Return the options of a run for `run.json`, sufficient to score it again on this machine."""
    predictions = evaluation.predictions
    cached = predictions.cached if isinstance(predictions, OcrPredictions) and evaluation.uses_reader else None
    name, chosen = (cached.choice or (cached.reader.identity["name"], ())) if cached else (None, ())
    paths = (predictions.root, options.images, suite.root)
    return {
        "suite": suite.origin,
        "revision": suite.revision,
        "predictions": address(predictions.root),
        "images": address(place(options.images)) if options.images is not None else None,
        "ready_ocr_output": not isinstance(predictions, OcrPredictions),
        "reader": name,
        "reader_options": {key: value for key, value in chosen if not is_private(key, value)},
        "paths": [str(each) for each in paths if each is not None],
        "setting": options.setting,
        "ground_truth": options.ground_truth,
        "metrics": options.metrics,
        "crossed": options.crossed,
        "match": options.match or None,
    }


def write_outputs(folder: Path, predictions: Predictions, samples: Sequence[Sample]) -> None:
    """Write the list of scored files to a run folder."""
    images = place(session_options().get("images") or predictions.root)
    outputs = (output for sample in samples for output in _outputs(predictions, sample, images))
    Journal(folder / OUTPUTS, Output).replace(outputs)


def _outputs(predictions: Predictions, sample: Sample, images: Path) -> Iterator[Output]:
    try:
        image = predictions.image(sample)
        if image is not None:
            yield Output(sample.key, "images", _below(images, image), digest_of_file(image))
        if isinstance(predictions, OcrOutputFolder):
            for ocr_output in (predictions.page(sample), *(predictions.regions(sample) or ())):
                if isinstance(ocr_output, OcrOutputFile):
                    name = _below(predictions.root, ocr_output.file)
                    yield Output(sample.key, "readings", name, hashlib.sha256(ocr_output.content).hexdigest())
    except VdeError:  # several files could be the sample's: reported in its row
        return


def _below(root: Path, file: Path) -> str:
    name = Path(os.path.relpath(file, root)).as_posix()
    return name if not name.startswith("../") else file.name


def read_outputs(folder: Path) -> list[Output]:
    """Return the list of scored files of a run folder."""
    file = folder / OUTPUTS
    if not is_file(file):
        raise InputError(
            f"{folder}: no {OUTPUTS}: an older version wrote this run; score it again into the same folder"
        )
    return list(Journal(file, Output))


def parse_output(data: Any, where: str) -> Output:
    """Parse an output from JSON; raises `InputError`."""
    try:
        return parse_record(Output, data)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def run_options(folder: Path) -> dict[str, Any]:
    """Return the options of a run from its `run.json`."""
    return part_of(read_run_file(folder / RUN_FILE), ASKED)


def image_folder(folder: Path, options: Mapping[str, Any]) -> Path | None:
    """Return the folder of a run's images: next to it, as written by `vde run`, or the scored folder."""
    beside = Path(folder).absolute().parent
    if is_file(beside / "editor.json") and is_folder(images_of(beside)):
        return images_of(beside)
    images = options.get("images") if options.get("ready_ocr_output") else options.get("predictions")
    return place(images) if isinstance(images, str) else None


def scored_images(folder: Path) -> dict[str, Path]:
    """Return the image folders of the runs in a folder by editor; raises `InputError` if a run has none."""
    folders: dict[str, Path] = {}
    for run in run_folders(folder):
        editor = read_summary(run / "summary.json")["editor"]
        images = image_folder(run, run_options(run))
        if images is None:
            raise InputError(
                f"{run}: {editor} was scored from ready OCR output without images; give the folder of its images"
            )
        if not is_folder(images):
            raise InputError(f"{run}: its images are not in {images}; give the folder of its images")
        folders.setdefault(editor, images)
    return folders
