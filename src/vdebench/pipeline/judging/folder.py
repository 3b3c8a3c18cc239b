"""The folder of a judged run: `judge.json`, the journal `grades.jsonl`, and `grades.parquet` and `summary.json`.

The journal gets a line for every outcome as soon as it is known: an interrupted run loses only requests in progress.
The last line of a question counts; where it is not valid, the question is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import RunFolderError
from vdebench.io.cache import Digest
from vdebench.io.files import is_file, locked, read_json, replacing, write_json
from vdebench.io.journal import Journal, report
from vdebench.judges.outcome import SETTLED
from vdebench.judges.questions import Question
from vdebench.pipeline.judging.grade_record import GradeRecord

GRADES: dict[str, Any] = {
    **dict.fromkeys(("sample", "group", "operation", "source", "tier", "language", "dimension"), pl.String),
    "draw": pl.Int64,
    "state": pl.String,
    "grade": pl.Int64,
    **dict.fromkeys(("rationale", "reason", "model"), pl.String),
    **dict.fromkeys(("input_tokens", "output_tokens"), pl.Int64),
    **dict.fromkeys(("cost", "seconds"), pl.Float64),
}
_RECORD_COLUMNS = ("state", "grade", "rationale", "reason", "model", "input_tokens", "output_tokens", "cost", "seconds")
_CHUNK = 2000


class PlannedGrade(NamedTuple):
    """A row of the table: a question with its digest, or the reason why it cannot be asked."""

    question: Question
    digest: Digest = Digest("")
    state: str = ""
    reason: str = ""


class GradeJournal:
    """The journal of one run; only the offsets of its lines are kept in memory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._journal = Journal(root / "grades.jsonl", GradeRecord)
        self._offsets: dict[str, int] = {}
        self._settled: set[str] = set()
        self.invalid: list[str] = []
        """Lines that are not used: file, line number and reason."""
        self.spent = 0.0
        """Dollars, over all lines."""
        self.unpriced = 0
        """Requests whose cost is not known."""

    @contextmanager
    def open(self, about: Mapping[str, Any]) -> Iterator[GradeJournal]:
        """Lock the folder for this run; raise an error if it contains another run or is in use."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{self.root}: cannot be created: {error.strerror}") from None
        with locked(self.root):
            self._check(about)
            write_json(self.root / "judge.json", about)
            try:
                self._journal.file.open("ab").close()  # fail before the first paid request
            except OSError as error:
                raise RunFolderError(f"{self._journal.file}: cannot be written: {error.strerror}") from None
            self._read()
            yield self

    def _check(self, about: Mapping[str, Any]) -> None:
        if not is_file(self.root / "judge.json"):
            return
        settings = read_json(self.root / "judge.json")
        for key, value in about.items():
            if not isinstance(settings, dict) or settings.get(key) != value:
                old = settings.get(key) if isinstance(settings, dict) else settings
                raise RunFolderError(
                    f"{self.root}: contains a judged run with {key} {old!r}, not {value!r}\n"
                    "  choose another --out; cached answers are used there too"
                )

    def _read(self) -> None:
        for line in self._journal.lines():
            if line.record is not None:
                self._note(line.record, line.offset)
                continue
            report(line)
            self.invalid.append(f"{line.file.name}: line {line.number}: {line.problem}")
            digest = str(line.data.get("digest"))
            self._offsets.pop(digest, None)
            self._settled.discard(digest)

    def _note(self, record: GradeRecord, offset: int) -> None:
        self._offsets[record.digest] = offset
        self._settled.discard(record.digest)
        if record.state in SETTLED:
            self._settled.add(record.digest)
        if not record.cached:
            self.spent += record.cost or 0.0
            self.unpriced += record.unpriced

    def settled(self) -> set[str]:
        """Return the digests of all settled questions; does not lock the folder."""
        if not self._offsets:
            self._read()
        return set(self._settled)

    def has(self, digest: str) -> bool:
        """Whether a question is settled."""
        return digest in self._settled

    def add(self, record: GradeRecord) -> None:
        """Write an outcome to the journal."""
        self._note(record, self._journal.append(record))

    def write_table(self, grades: Sequence[PlannedGrade]) -> pl.DataFrame:
        """Write `grades.parquet`: all questions in order."""
        frames = [pl.DataFrame(schema=GRADES)]
        with self._journal.file.open("rb") as lines:
            for start in range(0, len(grades), _CHUNK):
                rows = [self._row(each, lines) for each in grades[start : start + _CHUNK]]
                frames.append(pl.DataFrame(rows, schema=GRADES, orient="row"))
        table = pl.concat(frames)
        with replacing(self.root / "grades.parquet") as temporary:
            table.write_parquet(temporary)
        return table

    def _row(self, grade: PlannedGrade, lines: BinaryIO) -> dict[str, Any]:
        _, dimension, draw = grade.question.place
        row = {**sample_columns(grade.question.subject.sample), "dimension": dimension, "draw": draw}
        offset = self._offsets.get(grade.digest)
        if grade.state or offset is None:
            state = grade.state or "not_asked"
            return {**row, "state": state, "rationale": "", "reason": grade.reason, "model": ""}
        record = self._journal.read_at(lines, offset)
        if record is None:
            raise RunFolderError(f"{self._journal.file}: changed during reading; run the same command again")
        if record.sample != row["sample"] and record.cost:
            record = record._replace(cost=0.0)  # the cost is counted for another sample with the same question
        return {**row, **{name: getattr(record, name) for name in _RECORD_COLUMNS}}


def sample_columns(sample: Sample) -> dict[str, str]:
    """Return the columns about the sample."""
    return {
        "sample": sample.key,
        "group": sample.group,
        "operation": sample.operation.value,
        "source": sample.source,
        "tier": str(sample.extra.get("tier", "unknown")),
        "language": sample.language,
    }
