"""The Python interface: `load_suite`, `score`, and the scores it returns."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from vdebench.core.input_policy import InputPolicy
from vdebench.errors import VdeError
from vdebench.io.files import write_json
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.evaluation import Evaluation, open_predictions, output_files, plan
from vdebench.pipeline.options import Execution, GroundTruthChoice, Progress, ScoreOptions, SettingChoice
from vdebench.pipeline.output_record import options_record, write_outputs
from vdebench.protocols import AnyProtocol, protocol_for
from vdebench.protocols.pages.columns import TABLES, schema_of
from vdebench.protocols.protocol import cross_columns
from vdebench.readers.cached import CachedReader
from vdebench.readers.predictions import Predictions
from vdebench.runs.folder import RunFolder
from vdebench.runs.provenance import session, stage, update_session
from vdebench.stats.intervals import with_intervals
from vdebench.suites.name_check import check_names
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite, load_suite


class Score:
    """Scores of one editor by one protocol: the summary and its rows."""

    def __init__(self, summary: dict[str, Any], tables: Mapping[str, pl.LazyFrame]) -> None:
        self.summary = summary
        self._tables = tables

    @property
    def signature(self) -> str:
        """Signature: every choice that changes the numbers, in one line."""
        return str(self.summary["signature"])

    @property
    def scores(self) -> pl.DataFrame:
        """A row for every sample and setting: state, counts, and the sums behind every mean."""
        return self._tables["scores"].collect()

    @property
    def blocks(self) -> pl.DataFrame:
        """A row for every ground-truth block and every invented one."""
        return self._tables["blocks"].collect()

    @property
    def regions(self) -> pl.DataFrame:
        """A row for every region; empty if the protocol has no region rule."""
        return self._tables["regions"].collect()

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Samples without a score, each with its reason."""
        failed = self._tables["scores"].filter(pl.col("state") == "failed").select("sample", "reason")
        return failed.unique(maintain_order=True).collect().rows()


def check_outputs(suite: Suite, folder: str | Path, options: ScoreOptions) -> None:
    """Check the file names of an editor's outputs, as `score` does first."""
    _check_names(suite, output_files(suite, folder, options), options)


def _check_names(suite: Suite, outputs: Sequence[Outputs], options: ScoreOptions) -> None:
    protocol = protocol_for(suite.track, options.protocol)
    expected = [sample for sample in suite.samples if protocol.covers(sample)]
    for files in outputs:
        check_names(files, suite.samples, expected=expected, strict=options.strict_names)


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
    ground_truth: GroundTruthChoice = "suite",
    metrics: Sequence[str] | None = None,
    ceiling: str | Path | None = None,
    crossed: Sequence[str] = (),
    input_policy: InputPolicy | None = None,
    workers: int = 0,
    engine: Engine = LOCAL,
    reading: Progress | None = None,
    progress: Progress | None = None,
) -> Score:
    """Score an editor's outputs on a suite: a folder of images, or of ready OCR output.

    With `out` the run is stored in that folder, and a second call scores only new samples. `editor` is the row's name,
    by default the folder's. `reader` reads the images; for ready OCR output it names the reader that made it, and
    `images` is the folder of the images. `metrics` names image metrics (`vde doctor` lists them), by default the
    papers'. `ground_truth="ocr"` reads the reference images instead of using the suite's text. `ceiling` is a folder of
    OCR output of the reference images, for the OCR ceiling of ready OCR output. `crossed` adds breakdowns such as
    "operation,language". `input_policy` states the editor's input, if it differs from the whole page and the suite's
    instruction.

    File names are checked before anything is read: samples without a file and files without a sample are logged
    (logger `vdebench.names`), and it is an error if no file belongs to a sample; with `strict_names` both are errors.
    `match` is a pattern for file names that differ from those of the reference images, such as `{stem}_edited.*`; see
    `vdebench.suites.name_pattern`.

    Images with masks (`textedit:DIR`, or any suite by the protocols `textedit` and `textedit-release`) are compared
    outside their masks; `reader="none"` skips their text.

    OCR and scoring use `workers` processes of an `engine`, by default all processors of this machine.

    >>> result = score("examples/tiny", "examples/tiny/editors/careful")
    >>> round(result.summary["overall"]["global"]["cdm"], 3)
    0.999
    """
    options = ScoreOptions(
        protocol=protocol,
        setting=setting,
        editor=editor,
        reader=reader,
        images=images,
        match=match,
        strict_names=strict_names,
        ground_truth=ground_truth,
        metrics=metrics,
        ceiling=ceiling,
        crossed=crossed,
        input_policy=input_policy,
    )
    execution = Execution(workers=workers, engine=engine, reading=reading, scoring=progress)
    return score_with(options, suite, predictions, out, execution)


def score_with(
    options: ScoreOptions,
    suite: Suite | str | Path,
    predictions: str | Path | Predictions,
    out: str | Path | None,
    execution: Execution,
) -> Score:
    """Score with all options in one object; see `score`."""
    suite = suite if isinstance(suite, Suite) else load_suite(suite)
    suite.require_distinct_keys()
    opened = isinstance(predictions, Predictions)
    if options.match and opened:
        raise VdeError("match= requires a folder of outputs, not opened predictions")
    if not isinstance(predictions, Predictions):
        predictions = open_predictions(predictions, suite, options)
    if not opened or options.strict_names:
        _check_names(suite, predictions.files(), options)
    predictions.input_policy = options.input_policy or predictions.input_policy
    evaluation = plan(suite, predictions, options)
    with session(out), _run_folder(out) as folder:
        update_session(asked=options_record(suite, evaluation, options))
        summary = _score_into(folder, suite, evaluation, options, execution)
        tables = {name: _table(folder, name) for name in TABLES}
        if out is None:  # the folder is about to be deleted
            tables = {name: table.collect().lazy() for name, table in tables.items()}
    return Score(summary, tables)


@contextmanager
def _run_folder(out: str | Path | None) -> Iterator[RunFolder]:
    if out is not None:
        yield RunFolder(Path(out))
        return
    with tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        yield RunFolder(Path(temporary))


def _table(folder: RunFolder, name: str) -> pl.LazyFrame:
    """Return a table of a run; an empty one if the protocol does not write it."""
    exists = (folder.root / f"{name}.parquet").exists()
    return folder.table(name) if exists else pl.LazyFrame(schema=schema_of(name))


def _score_into(
    folder: RunFolder, suite: Suite, evaluation: Evaluation, options: ScoreOptions, execution: Execution
) -> dict[str, Any]:
    """Evaluate all samples, write the folder's files and return the summary."""
    protocol, predictions = evaluation.protocol, evaluation.predictions
    crossed = [cross_columns(protocol, name) for name in options.crossed]
    about = {"protocol": protocol.name, "suite": suite.name, "editor": predictions.name}
    with folder.open(about), stage("summary"):
        evaluation.write_rows(folder, execution)
        summary = protocol.summarise(folder, evaluation.settings, crossed, evaluation.metrics)
        summary = with_intervals(summary, folder.table("scores").collect(), protocol, _table(folder, "blocks"))
        summary = evaluation.complete(folder, summary)
        summary = {"signature": evaluation.signature(summary), **about, **summary}
        write_json(folder.root / "summary.json", summary)
        regions = sum(len(sample.regions) for sample in evaluation.samples)
        update_session(counts={**summary["coverage"], "regions": regions})
        write_outputs(folder.root, predictions, evaluation.samples)
    return summary
