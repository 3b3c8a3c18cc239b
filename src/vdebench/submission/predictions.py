"""Predictions of a submission, from the zip or from a folder, and the check of their hashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vdebench.errors import InputError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file, is_folder
from vdebench.pipeline.output_record import Output
from vdebench.submission.archive import Archive
from vdebench.submission.verdict import State, SubmissionVerdict


@dataclass
class AvailablePredictions:
    """Predictions that can be scored again."""

    roots: dict[str, Path]
    """Folders of images and of OCR output, by kind."""
    verified: set[str]
    """Samples whose files all have the recorded hash."""
    archive: Archive | None = None
    """The zip to unpack them from, None if they are in a folder."""
    outputs: Sequence[Output] = field(default_factory=list)

    def fetch(self, samples: Sequence[str]) -> None:
        """Unpack the images of some samples, and the OCR output of all: scoring depends on which files exist."""
        wanted = {
            f"{output.kind}/{output.file}": self.roots[output.kind] / output.file
            for output in self.outputs
            if output.kind == "readings" or output.sample in samples
        }
        if self.archive:
            for name, file in wanted.items():
                self.archive.unpack(name, file)


def find_predictions(
    verdict: SubmissionVerdict, archive: Archive, folder: Path | None, temporary: Path
) -> AvailablePredictions | None:
    """Find the predictions in a folder or the zip, check their hashes and add the result to the verdict.

    Returns None if there are none. Raises `InputError` if the folder does not exist.
    """
    manifest = verdict.manifest
    outputs = manifest.predictions
    if folder is None and not manifest.with_predictions:
        message = f"{len(outputs)} hashes, but no files: pass their folder with --predictions DIR"
        verdict.add("predictions", "not checked", message)
        return None
    if folder is not None and not is_folder(folder):
        raise InputError(f"{folder}: no such folder; expected the predictions that were scored")
    kinds = {output.kind for output in outputs} | {"readings" if manifest.asked.get("ready_ocr_output") else "images"}
    if folder is not None:
        roots = {str(kind): folder / kind if len(kinds) > 1 else folder for kind in kinds}
        return AvailablePredictions(roots, _check_hashes(verdict, outputs, roots))
    roots = {str(kind): temporary / kind for kind in kinds}
    for root in roots.values():
        root.mkdir(exist_ok=True)
    verdict.add("predictions", "ok", f"{len(outputs)} files in the submission, all with their recorded hash")
    return AvailablePredictions(roots, {output.sample for output in outputs}, archive, outputs)


def _check_hashes(verdict: SubmissionVerdict, outputs: Sequence[Output], roots: Mapping[str, Path]) -> set[str]:
    """Return the samples whose files all exist and have the recorded hash."""
    bad: dict[str, str] = {}
    missing: set[str] = set()
    for output in outputs:
        file = roots[output.kind] / output.file
        if not is_file(file):
            missing.add(output.sample)
        elif digest_of_file(file) != output.sha256:
            bad[output.sample] = output.file
    samples = {output.sample for output in outputs}
    absent = f"; {len(missing)} samples have files that are not in the folder" if missing else ""
    if bad:
        first, count = next(iter(bad)), f"{len(bad)} of {len(samples)} samples"
        message = f"{count} have a file that differs from the one scored, such as {first}: {bad[first]}{absent}"
        verdict.add("predictions", "failed", message)
    else:
        state: State = "not checked" if samples and missing == samples else "ok"
        verdict.add("predictions", state, f"files of {len(samples - missing)} samples have the recorded hash{absent}")
    return samples - set(bad) - missing
