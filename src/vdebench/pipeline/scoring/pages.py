"""Evaluation of pages of text: OCR, block scores, image metrics, and the OCR ceiling."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Literal

from vdebench.core.images import RESIZING
from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.metrics.image_metrics import require_known
from vdebench.pipeline.editing.journal import editors_images
from vdebench.pipeline.options import Execution, ScoreOptions
from vdebench.pipeline.read import read_ahead
from vdebench.pipeline.scoring.ceiling import ceiling_source, ocr_ceiling
from vdebench.pipeline.scoring.ground_truth import GroundTruth
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.pipeline.scoring.sample import SETTINGS
from vdebench.pipeline.scoring.stage import plan, score_run
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.protocols.pages.summary import regions_of
from vdebench.protocols.protocol import cross_columns
from vdebench.protocols.signature import signature
from vdebench.readers.cached import CachedReader
from vdebench.readers.caveats import caveat_of
from vdebench.readers.folder import OcrOutputFolder
from vdebench.readers.predictions import (
    ImagePredictions,
    OcrPredictions,
    Predictions,
    files_in,
    folder_label,
    has_ocr_output,
)
from vdebench.readers.reader import DEFAULT as DEFAULT_READER
from vdebench.runs.folder import RunFolder
from vdebench.runs.provenance import stage
from vdebench.stats.usable import Rows, Thresholds, usable_summary
from vdebench.suites.name_check import check_names
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite


class PageEvaluation:
    """Scoring of an editor's pages by a page protocol; see `vdebench.pipeline.evaluation`."""

    def __init__(self, suite: Suite, predictions: Predictions, protocol: PageProtocol, options: ScoreOptions) -> None:
        self.protocol = protocol
        self.predictions = predictions
        self.settings = SETTINGS if options.setting == "both" else (options.setting,)
        cached = predictions.cached if isinstance(predictions, OcrPredictions) else None
        if options.ground_truth == "ocr" and cached is None:
            raise VdeError("ground truth by OCR needs predicted images: for ready OCR output no reader is available")
        if options.ceiling is not None and cached is not None:
            raise VdeError("a ceiling folder is for ready OCR output; with images the reader reads the references")
        metrics = protocol.image_metrics if options.metrics is None else options.metrics
        require_known(metrics)
        self._measures = ImageMetrics(metrics if predictions.has_images else ())
        ground_truth = GroundTruth(suite, cached, all_read=options.ground_truth == "ocr")
        self._scope, self._notes = plan(ground_truth, predictions, protocol, self.settings, self._measures)
        if cached is not None and (caveat := caveat_of(cached.reader)):
            self._notes.append(caveat)
        self._references: Predictions | None = None
        if options.ceiling is not None:
            self._references = OcrOutputFolder(Path(options.ceiling), suite.samples, name="reference")
            for files in self._references.files():
                check_names(files, suite.samples, expected=self._scope.samples, strict=False)
        self._crossed = [cross_columns(protocol, name) for name in options.crossed]
        self._ceiling: dict[str, Any] | None = None
        self._ceiling_notes: list[str] = []

    @staticmethod
    def open(suite: Suite, folder: str | Path, options: ScoreOptions) -> Predictions:
        """Open a folder of outputs: ready OCR output if it holds JSON, else images for the reader.

        For ready OCR output `options.reader` names the reader that made it, and `options.images` is the folder of the
        images.
        """
        root, reader = editors_images(folder), options.reader
        if options.images is None and not has_ocr_output(root, suite, options.match):
            cached = reader if isinstance(reader, CachedReader) else CachedReader.named(reader or DEFAULT_READER)
            files = files_in(root, suite.samples, "image", options.match)
            name = options.editor or folder_label(Path(folder))
            return ImagePredictions(root, suite.samples, cached, name=name, files=files)
        label = reader.label if isinstance(reader, CachedReader) else reader or "unstated"
        images = editors_images(options.images) if options.images is not None else None
        return OcrOutputFolder(
            root, suite.samples, name=options.editor, reader=label, images=images, match=options.match
        )

    @staticmethod
    def files(suite: Suite, folder: str | Path, options: ScoreOptions) -> list[Outputs]:
        """List the files of OCR output, of images, or of both."""
        root, match = editors_images(folder), options.match
        if options.images is None:
            kind: Literal["reading", "image"] = "reading" if has_ocr_output(root, suite, match) else "image"
            return [files_in(root, suite.samples, kind, match)]
        images = files_in(editors_images(options.images), suite.samples, "image", match)
        return [files_in(root, suite.samples, "reading", match), images]

    @staticmethod
    def reads_images(suite: Suite, folder: str | Path, options: ScoreOptions) -> bool:
        """Whether the folder holds images without ready OCR output."""
        return options.images is None and not has_ocr_output(editors_images(folder), suite, options.match)

    @property
    def samples(self) -> Sequence[Sample]:
        """Samples that the protocol covers."""
        return self._scope.samples

    @property
    def metrics(self) -> Sequence[str]:
        """Image metrics that are measured."""
        return list(self._measures.loaded)

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Image metrics that cannot be measured here."""
        return self._measures.unavailable

    @property
    def uses_reader(self) -> bool:
        """Whether a reader reads the predicted images."""
        return isinstance(self.predictions, OcrPredictions)

    def part(self, samples: Collection[str]) -> PageEvaluation:
        """Return the evaluation of some samples alone."""
        other = copy(self)
        other._scope = self._scope._replace(samples=[each for each in self._scope.samples if each.key in samples])
        return other

    def write_rows(self, folder: RunFolder, execution: Execution) -> None:
        """Read all pages, score them, and score the reference images for the OCR ceiling."""
        read_ahead(self._scope, execution)
        with stage("scoring"):
            score_run(self._scope, folder, execution)
        with stage("ceiling"):
            self._ceiling, self._ceiling_notes = ocr_ceiling(
                folder.root / "reference",
                self._scope,
                self.settings,
                self._crossed,
                self._references,
                counted=folder.counted_samples(),
                execution=execution,
            )

    def complete(self, folder: RunFolder, summary: dict[str, Any]) -> dict[str, Any]:
        """Add FID, region outcomes with the reader's allowance, the OCR ceiling, notes and usable edits."""
        if "fid" in self._measures.loaded:
            self._add_fid(summary["overall"])
        if self._ceiling is not None and "regions" in summary:
            summary["regions"] = regions_of(folder, RunFolder(folder.root / "reference"))
        notes = [*self._notes, *summary["notes"], *self._ceiling_notes]
        completed = {**summary, "ocr_ceiling": self._ceiling, "unavailable": dict(self.unavailable), "notes": notes}
        if self.protocol.properties and self.settings == SETTINGS:
            rows = Rows.of(folder.root, with_reference=self._ceiling is not None)
            completed["usable"] = usable_summary(rows, Thresholds())
        return completed

    def _add_fid(self, overall: Mapping[str, Any]) -> None:
        from vdebench.pipeline.scoring.fid import run_fid  # scipy.linalg is slow to import and rarely needed

        for setting, distance in run_fid(self._scope, [name for name, means in overall.items() if means]).items():
            overall[setting]["fid"] = distance

    def signature(self, summary: Mapping[str, Any]) -> str:
        """Return the signature: local mode, reader, origin of ground truth and ceiling, image metrics."""
        scope, suite = self._scope, self._scope.suite
        local = scope.local if "local" in self.settings else "off"
        with_images = any(means and means.get("images") for means in summary["overall"].values())
        run = {
            "local": local,
            "reader": self.predictions.reader,
            "gt": scope.ground_truth.origin(local),
            "ceiling": ceiling_source(self.predictions, self._references) if summary.get("ocr_ceiling") else "none",
            "images": f"{self._measures.identity},{RESIZING}" if with_images and self._measures else "off",
        }
        return signature(
            self.protocol,
            run,
            suite=suite.name,
            revision=suite.revision,
            n=len(scope.samples),
            references=scope.ground_truth.references() if self.predictions.has_images else "",
            input_policy=self.predictions.input_policy,
        )
