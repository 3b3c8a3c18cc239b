"""A judged run's folder: `judge.json`, the journal `grades.jsonl`, and, made from it, `grades.parquet`, `summary.json`.

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
_KEPT = ("state", "grade", "rationale", "reason", "model", "input_tokens", "output_tokens", "cost", "seconds")
_CHUNK = 2000


class WantedGrade(NamedTuple):
    """A row of the table: its question, and the digest under which its outcome is; or why there is none."""

    question: Question
    digest: Digest = Digest("")
    state: str = ""
    reason: str = ""


class GradeJournal:
    """The journal of one run; only the offsets of its lines are kept in memory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._journal = Journal(root / "grades.jsonl", GradeRecord)
        self._at: dict[str, int] = {}
        self._settled: set[str] = set()
        self.invalid: list[str] = []
        """Lines that are not used: file, line number and reason."""
        self.spent = 0.0
        """Dollars, over all lines."""
        self.unpriced = 0
        """Requests whose cost is not known."""

    @contextmanager
    def open(self, about: Mapping[str, Any]) -> Iterator[GradeJournal]:
        """Take the folder for this run: refuse one that holds another, or is in use."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{self.root}: cannot be made: {error.strerror}") from None
        with locked(self.root):
            self._check(about)
            write_json(self.root / "judge.json", about)
            try:
                self._journal.file.open("ab").close()  # before anything is paid for
            except OSError as error:
                raise RunFolderError(f"{self._journal.file}: cannot be written: {error.strerror}") from None
            self._read()
            yield self

    def _check(self, about: Mapping[str, Any]) -> None:
        if not is_file(self.root / "judge.json"):
            return
        found = read_json(self.root / "judge.json")
        for key, value in about.items():
            if not isinstance(found, dict) or found.get(key) != value:
                was = found.get(key) if isinstance(found, dict) else found
                raise RunFolderError(
                    f"{self.root}: holds a judged run with {key} {was!r}, asked for {value!r}\n"
                    "  choose another --out; what was answered already is not asked again there"
                )

    def _read(self) -> None:
        for line in self._journal.lines():
            if line.record is not None:
                self._note(line.record, line.offset)
                continue
            report(line)
            self.invalid.append(f"{line.file.name}: line {line.number}: {line.problem}")
            digest = str(line.data.get("digest"))
            self._at.pop(digest, None)
            self._settled.discard(digest)

    def _note(self, record: GradeRecord, at: int) -> None:
        self._at[record.digest] = at
        self._settled.discard(record.digest)
        if record.state in SETTLED:
            self._settled.add(record.digest)
        if not record.cached:
            self.spent += record.cost or 0.0
            self.unpriced += record.unpriced

    def settled(self) -> set[str]:
        """Digests of all questions that need not be asked again, read without taking the folder."""
        if not self._at:
            self._read()
        return set(self._settled)

    def has(self, digest: str) -> bool:
        """Whether a question is settled."""
        return digest in self._settled

    def add(self, record: GradeRecord) -> None:
        """Write an outcome to the journal."""
        self._note(record, self._journal.append(record))

    def write_table(self, wanted: Sequence[WantedGrade]) -> pl.DataFrame:
        """The table of all questions, in order: `grades.parquet`."""
        frames = [pl.DataFrame(schema=GRADES)]
        with self._journal.file.open("rb") as lines:
            for start in range(0, len(wanted), _CHUNK):
                rows = [self._row(each, lines) for each in wanted[start : start + _CHUNK]]
                frames.append(pl.DataFrame(rows, schema=GRADES, orient="row"))
        table = pl.concat(frames)
        with replacing(self.root / "grades.parquet") as temporary:
            table.write_parquet(temporary)
        return table

    def _row(self, wanted: WantedGrade, lines: BinaryIO) -> dict[str, Any]:
        about = sample_told(wanted.question.subject.sample)
        _, dimension, draw = wanted.question.place
        row = {**about, "dimension": dimension, "draw": draw}
        at = self._at.get(wanted.digest)
        if wanted.state or at is None:
            state = wanted.state or "not_asked"
            return {**row, "state": state, "rationale": "", "reason": wanted.reason, "model": ""}
        record = self._journal.read_at(lines, at)
        if record is None:
            raise RunFolderError(f"{self._journal.file}: was changed while it was read; run the same command again")
        if record.sample != row["sample"] and record.cost:
            record = record._replace(cost=0.0)  # the same question as another sample's, which has paid for it
        return {**row, **{name: getattr(record, name) for name in _KEPT}}


def sample_told(sample: Sample) -> dict[str, str]:
    """What a row says of its sample."""
    return {
        "sample": sample.key,
        "group": sample.group,
        "operation": sample.operation.value,
        "source": sample.source,
        "tier": str(sample.extra.get("tier", "unknown")),
        "language": sample.language,
    }
