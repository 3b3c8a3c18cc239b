"""A judged run's folder: `judge.json`, the journal `grades.jsonl`, and made of it `grades.parquet` and `summary.json`.

The journal is only added to, a line for every outcome, each written whole before the next question is settled: a kill
loses what is under way and nothing else. The last line of a question counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import IO, Any, NamedTuple

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import RunFolderError
from vdebench.io.cache import Cache
from vdebench.io.files import is_file, locked, read_json, replacing, write_json
from vdebench.judges.judge import Judge
from vdebench.judges.outcome import SETTLED, JudgeOutcome
from vdebench.judges.questions import Question

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
_OUTCOME = tuple(field.name for field in fields(JudgeOutcome) if field.name != "usage")
_CHUNK = 2000


class WantedGrade(NamedTuple):
    """A row of the table: its question, and the digest under which its outcome is; or why there is none."""

    question: Question
    digest: str = ""
    state: str = ""
    reason: str = ""


class GradeCache(Cache):
    """Answers that were paid for, by their question's digest: no other run asks for them again."""

    def __init__(self, judge: Judge) -> None:
        super().__init__("grades", judge.identity)
        self._has_begun = False
        self._made: set[str] = set()

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep a value, whole or not at all, at a tenth of a lock's price: nobody waits for another's answer."""
        file = self._file(key)
        temporary = file.with_name(f".{key}.{os.getpid()}")
        try:
            if not self._has_begun:
                self._describe()
                self._has_begun = True
            if key[:2] not in self._made:
                file.parent.mkdir(exist_ok=True)
                self._made.add(key[:2])
            temporary.write_text(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n", "utf-8", "replace")
            temporary.replace(file)
        except OSError as error:
            advice = "set VDE_CACHE to a folder that can be written"
            raise RunFolderError(f"{file}: cannot be written: {error.strerror}; {advice}") from None


class GradeJournal:
    """The journal of one run, in memory only as places in its file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.file = root / "grades.jsonl"
        self._at: dict[str, int] = {}
        self._settled: set[str] = set()
        self._writing: IO[bytes] | None = None
        self._end = 0
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
            self._read()
            try:
                self._writing = self.file.open("ab")
                self._end = self._writing.tell()
            except OSError as error:
                raise RunFolderError(f"{self.file}: cannot be written: {error.strerror}") from None
            with self._writing:
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
        if not is_file(self.file):
            return
        with self.file.open("rb") as lines:
            at = 0
            for line in lines:
                told = _parsed(line)
                if told is not None:
                    self._note(told, at)
                at += len(line)

    def _note(self, told: Mapping[str, Any], at: int) -> None:
        digest = told["digest"]
        self._at[digest] = at
        self._settled.discard(digest)
        if told["state"] in SETTLED:
            self._settled.add(digest)
        if not told.get("cached"):
            self.spent += told["cost"] or 0.0
            self.unpriced += told.get("unpriced") or 0

    def settled(self) -> set[str]:
        """Digests of all questions that need not be asked again, read without taking the folder."""
        if not self._at:
            self._read()
        return set(self._settled)

    def has(self, digest: str) -> bool:
        """Whether a question is settled."""
        return digest in self._settled

    def add(
        self,
        question: Question,
        digest: str,
        outcome: JudgeOutcome,
        images: Sequence[Mapping[str, Any]],
        *,
        cached: bool,
    ) -> None:
        """Write an outcome down."""
        sample, dimension, draw = question.place
        told = {
            **{"sample": sample, "dimension": dimension, "draw": draw, "digest": digest},
            **outcome_told(outcome),
            **{"cached": cached, "images": list(images)},
        }
        assert self._writing is not None
        try:
            at = self._end + 1
            line = json.dumps(told, ensure_ascii=False).encode("utf-8", "backslashreplace")
            self._writing.write(b"\n" + line + b"\n")  # after a line that a kill left unfinished
            self._writing.flush()
            self._end = at + len(line) + 1
        except OSError as error:
            raise RunFolderError(
                f"{self.file}: cannot be written: {error.strerror}; mend that and run the same command again"
            ) from None
        self._note(told, at)

    def write_table(self, wanted: Sequence[WantedGrade]) -> pl.DataFrame:
        """The table of all questions, in order: `grades.parquet`."""
        frames = [pl.DataFrame(schema=GRADES)]
        with self.file.open("rb") as lines:
            for start in range(0, len(wanted), _CHUNK):
                rows = [self._row(each, lines) for each in wanted[start : start + _CHUNK]]
                frames.append(pl.DataFrame(rows, schema=GRADES, orient="row"))
        table = pl.concat(frames)
        with replacing(self.root / "grades.parquet") as temporary:
            table.write_parquet(temporary)
        return table

    def _row(self, wanted: WantedGrade, lines: IO[bytes]) -> dict[str, Any]:
        about = sample_told(wanted.question.subject.sample)
        _, dimension, draw = wanted.question.place
        row = {**about, "dimension": dimension, "draw": draw}
        at = self._at.get(wanted.digest)
        if wanted.state or at is None:
            state = wanted.state or "not_asked"
            return {**row, "state": state, "rationale": "", "reason": wanted.reason, "model": ""}
        lines.seek(at)
        told = _parsed(lines.readline()) or {}
        if told.get("sample") != row["sample"] and told.get("cost"):
            told["cost"] = 0.0  # the same question as another sample's, which has paid for it
        return {**row, **{key: told.get(key) for key in _KEPT}}


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        told = json.loads(line)
        return told if isinstance(told["digest"], str) and isinstance(told["state"], str) and "cost" in told else None
    except (ValueError, KeyError, TypeError):
        return None  # unfinished when the process was killed


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


def outcome_told(outcome: JudgeOutcome) -> dict[str, Any]:
    """An outcome as a line of the journal has it."""
    told = {name: getattr(outcome, name) for name in _OUTCOME}
    return {**told, "input_tokens": outcome.usage.input, "output_tokens": outcome.usage.output}
