"""Evaluation of an editor's outputs: planning and scoring of samples, with one implementation for each track."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any
from typing import Protocol as Interface

from vdebench.core.sample import Sample
from vdebench.pipeline.options import Execution, ScoreOptions
from vdebench.pipeline.scoring.masks import MaskEvaluation
from vdebench.pipeline.scoring.pages import PageEvaluation
from vdebench.protocols import MaskProtocol, Protocol, protocol_for
from vdebench.readers.predictions import Predictions
from vdebench.runs.folder import RunFolder
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite


class Evaluation(Interface):
    """Scoring of one editor's outputs on one suite by one protocol. The constructor only plans the work."""

    @property
    def protocol(self) -> Protocol:
        """The protocol."""

    @property
    def predictions(self) -> Predictions:
        """The editor's outputs."""

    @property
    def samples(self) -> Sequence[Sample]:
        """Samples that are scored."""

    @property
    def settings(self) -> Sequence[str]:
        """Settings that were requested."""

    @property
    def metrics(self) -> Sequence[str]:
        """Image metrics that are measured."""

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Metrics that cannot be measured here, with the reasons."""

    @property
    def uses_reader(self) -> bool:
        """Whether OCR is part of the evaluation."""

    def part(self, samples: Collection[str]) -> Evaluation:
        """Return the evaluation of some samples alone, as a part of the same suite."""

    def write_rows(self, folder: RunFolder, execution: Execution) -> None:
        """Score every sample without a current row in the folder, and write the tables."""

    def complete(self, folder: RunFolder, summary: dict[str, Any]) -> dict[str, Any]:
        """Return the summary with all parts that are not computed from the tables, such as the OCR ceiling."""

    def signature(self, summary: Mapping[str, Any]) -> str:
        """Return the signature of a run with this summary."""


def open_predictions(
    folder: str | Path,
    suite: Suite,
    options: ScoreOptions = ScoreOptions(),  # noqa: B008 (frozen)
) -> Predictions:
    """Open a folder of an editor's outputs without opening the files."""
    return _track(suite, options).open(suite, folder, options)


def output_files(suite: Suite, folder: str | Path, options: ScoreOptions) -> list[Outputs]:
    """List the files of an editor's outputs by sample."""
    return _track(suite, options).files(suite, folder, options)


def reads_images(suite: Suite, folder: str | Path, options: ScoreOptions) -> bool:
    """Whether a reader is needed for the outputs in a folder."""
    return _track(suite, options).reads_images(suite, folder, options)


def plan(suite: Suite, predictions: Predictions, options: ScoreOptions) -> Evaluation:
    """Plan the evaluation of an editor's outputs.

    Raises `VdeError` for options that are incompatible with each other or with the suite.
    """
    protocol = protocol_for(suite.track, options.protocol)
    if isinstance(protocol, MaskProtocol):
        return MaskEvaluation(suite, predictions, protocol, options)
    return PageEvaluation(suite, predictions, protocol, options)


def _track(suite: Suite, options: ScoreOptions) -> type[PageEvaluation] | type[MaskEvaluation]:
    return {"pages": PageEvaluation, "pixels": MaskEvaluation}[protocol_for(suite.track, options.protocol).track]
