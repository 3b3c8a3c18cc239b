"""What a run was made from: `outputs.jsonl` with the hash of every prediction that was scored, and how it was asked.

The hashes are taken when the run is scored. Who hands in the run, or checks it, needs no suite to know which file was
whose, and a file that was changed since is noticed.
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
    """Below the folder of predicted images, or of readings."""
    sha256: str


def options_record(suite: Suite, evaluation: Evaluation, options: ScoreOptions) -> dict[str, Any]:
    """Return for `run.json` how a run was scored: enough to score it again on this machine."""
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
    """Note in a run folder which files were scored."""
    images = place(session_options().get("images") or predictions.root)
    found = (output for sample in samples for output in _outputs(predictions, sample, images))
    Journal(folder / OUTPUTS, Output).replace(found)


def _outputs(predictions: Predictions, sample: Sample, images: Path) -> Iterator[Output]:
    try:
        image = predictions.image(sample)
        if image is not None:
            yield Output(sample.key, "images", _below(images, image), digest_of_file(image))
        if isinstance(predictions, OcrOutputFolder):
            found = [predictions.page(sample), *(predictions.regions(sample) or ())]
            for reading in found:
                if isinstance(reading, OcrOutputFile):
                    name = _below(predictions.root, reading.file)
                    yield Output(sample.key, "readings", name, hashlib.sha256(reading.content).hexdigest())
    except VdeError:  # it is not certain which file is the sample's: its row says so
        return


def _below(root: Path, file: Path) -> str:
    name = Path(os.path.relpath(file, root)).as_posix()
    return name if not name.startswith("../") else file.name


def read_outputs(folder: Path) -> list[Output]:
    """What a run folder says was scored."""
    file = folder / OUTPUTS
    if not is_file(file):
        raise InputError(
            f"{folder}: no {OUTPUTS} here: the run is of an older version; score it again into the same folder"
        )
    return list(Journal(file, Output))


def output_from(told: Any, where: str) -> Output:
    """An output as JSON has it."""
    try:
        return parse_record(Output, told)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def asked_of_run(folder: Path) -> dict[str, Any]:
    """How a run was asked, as its `run.json` says."""
    return part_of(read_run_file(folder / RUN_FILE), ASKED)


def image_folder(folder: Path, asked: Mapping[str, Any]) -> Path | None:
    """Where the images of a run are: beside it, as `vde run` keeps them, or where they were scored."""
    beside = Path(folder).absolute().parent
    if is_file(beside / "editor.json") and is_folder(images_of(beside)):
        return images_of(beside)
    noted = asked.get("images") if asked.get("ready_ocr_output") else asked.get("predictions")
    return place(noted) if isinstance(noted, str) else None


def scored_images(folder: Path) -> dict[str, Path]:
    """The images that the runs in a folder scored, by editor; an error where a run has none."""
    found: dict[str, Path] = {}
    for run in run_folders(folder):
        editor = read_summary(run / "summary.json")["editor"]
        images = image_folder(run, asked_of_run(run))
        if images is None:
            raise InputError(
                f"{run}: {editor} was scored from ready OCR output without images; give the folder of its images"
            )
        if not is_folder(images):
            raise InputError(f"{run}: its images are no longer in {images}; give the folder that they are in")
        found.setdefault(editor, images)
    return found
