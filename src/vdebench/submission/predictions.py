"""Predictions of a submission: in the file or in a folder, and whether they are those that were scored."""

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
    """Predictions that are at hand."""

    roots: dict[str, Path]
    """Folders of images and of readings."""
    good: set[str]
    """Samples all of whose files are those that were scored."""
    archive: Archive | None = None
    """Where they must be fetched from first."""
    outputs: Sequence[Output] = field(default_factory=list)

    def fetch(self, samples: Sequence[str]) -> None:
        """Unpack the images of some samples; readings, which are small, of all: which there are says how to score."""
        wanted = {
            f"{output.kind}/{output.file}": self.roots[output.kind] / output.file
            for output in self.outputs
            if output.kind == "readings" or output.sample in samples
        }
        if self.archive:
            for name, file in wanted.items():
                self.archive.unpack(name, file)


def find_predictions(
    verdict: SubmissionVerdict, archive: Archive, given: Path | None, temporary: Path
) -> AvailablePredictions | None:
    """Predictions in a given folder, or those in the file, with what is to be said of their hashes."""
    manifest = verdict.manifest
    outputs = manifest.predictions
    if given is None and not manifest.with_predictions:
        told = f"{len(outputs)} hashes, and no files: give their folder with --predictions DIR"
        verdict.add("predictions", "not checked", told)
        return None
    if given is not None and not is_folder(given):
        raise InputError(f"{given}: no such folder; expected the predictions that were scored")
    kinds = {output.kind for output in outputs} | {"readings" if manifest.asked.get("ready_readings") else "images"}
    if given is not None:
        roots = {str(kind): given / kind if len(kinds) > 1 else given for kind in kinds}
        return AvailablePredictions(roots, _checked(verdict, outputs, roots))
    roots = {str(kind): temporary / kind for kind in kinds}
    for root in roots.values():
        root.mkdir(exist_ok=True)
    verdict.add("predictions", "ok", f"{len(outputs)} files in the submission, each with the hash that it claims")
    return AvailablePredictions(roots, {output.sample for output in outputs}, archive, outputs)


def _checked(verdict: SubmissionVerdict, outputs: Sequence[Output], roots: Mapping[str, Path]) -> set[str]:
    """Samples all of whose files in the folders are those that were scored."""
    bad: dict[str, str] = {}
    lost: set[str] = set()
    for output in outputs:
        file = roots[output.kind] / output.file
        if not is_file(file):
            lost.add(output.sample)
        elif digest_of_file(file) != output.sha256:
            bad[output.sample] = output.file
    every = {output.sample for output in outputs}
    absent = f"; {len(lost)} samples' are not in the folder" if lost else ""
    if bad:
        first, count = next(iter(bad)), f"{len(bad)} of {len(every)} samples"
        told = f"{count} have another file than the one scored, such as {first}: {bad[first]}{absent}"
        verdict.add("predictions", "failed", told)
    else:
        state: State = "not checked" if every and lost == every else "ok"
        verdict.add("predictions", state, f"those of {len(every - lost)} samples have the hash claimed{absent}")
    return every - set(bad) - lost
