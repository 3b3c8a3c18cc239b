"""Results of output corruptions: verdicts on usable edits beside what a person says, and means of metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import polars as pl

from vdebench.stats.rates import rate_interval
from vdebench.stats.usable import PROPERTIES
from vdebench.studies.validity.findings import USABLE, values_of
from vdebench.studies.validity.outputs.catalog import Opinion, OutputCorruption
from vdebench.studies.validity.row_store import LEVEL

ERRORS: dict[str, tuple[Opinion, bool]] = {"false accepts": ("bad", True), "false rejects": ("ok", False)}
"""What a person says, and the verdict that is then wrong."""
PAGE = "page"
JUDGEABLE = "judgeable"


class MeanPair(NamedTuple):
    """The mean of a metric on the references and on the outputs of the same samples."""

    reference: float | None
    output: float | None


@dataclass(frozen=True)
class OutputResult:
    """Results of one corruption."""

    corruption: str
    title: str
    opinion: Opinion
    samples: int
    """Samples that the corruption applies to."""
    accepted: int
    """Usable by the verdict."""
    rejected: int
    unknown: int
    """Neither: a property is unknown, or the output could not be read."""
    not_judgeable: int
    """Samples on which no editor can be judged; they are in none of the numbers above."""
    fails_at: Mapping[str, int]
    """Rejected outputs by the first property that fails."""
    properties: Mapping[str, Mapping[str, int]]
    """Outputs that pass, fail or are unknown, for each property."""
    means: Mapping[str, Mapping[str, MeanPair]]
    """By protocol, and by setting and metric such as `global.cdm`."""

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        means = {
            protocol: {name: pair._asdict() for name, pair in by_metric.items()}
            for protocol, by_metric in self.means.items()
        }
        return {**asdict(self), "means": means}


@dataclass(frozen=True)
class ErrorRate:
    """Wrong verdicts on outputs of one opinion."""

    name: str
    opinion: Opinion
    count: int
    n: int
    """Outputs that were accepted or rejected."""
    unknown: int
    share: float | None
    interval: tuple[float, float] | None
    """Wilson's, at 95 %, with the effective number of samples: outputs of one page are not independent."""
    samples: Sequence[Mapping[str, str]]
    """Corruption, sample, first failed property and evidence of every wrong verdict."""


def result_of(corruption: OutputCorruption, rows: Mapping[str, pl.DataFrame]) -> OutputResult:
    """The result of a corruption from all rows; level 0 is the reference."""
    judged = rows[USABLE].filter(pl.col("corruption") == corruption.name)
    counted = judged.filter(pl.col(JUDGEABLE))
    verdicts = Counter(counted[USABLE].to_list())
    failed = counted.filter(~pl.col(USABLE))
    return OutputResult(
        corruption=corruption.name,
        title=corruption.title,
        opinion=corruption.opinion,
        samples=judged.height,
        accepted=verdicts[True],
        rejected=verdicts[False],
        unknown=verdicts[None],
        not_judgeable=judged.height - counted.height,
        fails_at=dict(Counter(_first_failed(row) for row in failed.iter_rows(named=True)).most_common()),
        properties={
            name: {
                "passed": int((counted[name] == True).sum()),  # noqa: E712 (polars)
                "failed": int((counted[name] == False).sum()),  # noqa: E712 (polars)
                "unknown": counted[name].null_count(),
            }
            for name in PROPERTIES
        },
        means=_means(corruption.name, rows),
    )


def error_rates(corruptions: Iterable[OutputCorruption], judged: pl.DataFrame) -> list[ErrorRate]:
    """False accepts and false rejects of all verdicts; outputs that are arguable or minor count in neither."""
    opinions = {corruption.name: corruption.opinion for corruption in corruptions}
    return [_error_rate(name, *rule, opinions, judged) for name, rule in ERRORS.items()]


def _error_rate(
    name: str, opinion: Opinion, wrong: bool, opinions: Mapping[str, Opinion], judged: pl.DataFrame
) -> ErrorRate:
    names = [corruption for corruption, said in opinions.items() if said == opinion]
    counted = judged.filter(pl.col("corruption").is_in(names) & pl.col(JUDGEABLE))
    decided = counted.filter(pl.col(USABLE).is_not_null())
    is_wrong = [usable is wrong for usable in decided[USABLE]]
    return ErrorRate(
        name=name,
        opinion=opinion,
        count=sum(is_wrong),
        n=decided.height,
        unknown=counted.height - decided.height,
        share=sum(is_wrong) / len(is_wrong) if is_wrong else None,
        interval=rate_interval(is_wrong, decided[PAGE].to_list()),
        samples=[_described(row) for row in decided.filter(pl.col(USABLE) == wrong).iter_rows(named=True)],
    )


def _described(row: Mapping[str, Any]) -> dict[str, str]:
    failed = _first_failed(row) if row[USABLE] is False else ""
    evidence = row[f"{failed}_evidence"] if failed else ""
    return {"corruption": row["corruption"], "sample": row["sample"], "fails_at": failed, "evidence": evidence}


def _first_failed(row: Mapping[str, Any]) -> str:
    return next(name for name in PROPERTIES if row[name] is False)


def _means(name: str, rows: Mapping[str, pl.DataFrame]) -> dict[str, dict[str, MeanPair]]:
    """Means of the samples that a corruption applies to, by protocol."""
    means: dict[str, dict[str, MeanPair]] = {}
    for protocol in rows["scores"]["protocol"].unique(maintain_order=True):
        tables = {table: rows[table].filter(pl.col("protocol") == protocol) for table in ("scores", "regions")}
        outputs = {table: part.filter(pl.col("corruption") == name) for table, part in tables.items()}
        keys = set(outputs["scores"]["sample"])
        if not keys:
            continue
        references = {
            table: part.filter((pl.col(LEVEL) == 0) & pl.col("sample").is_in(keys)) for table, part in tables.items()
        }
        before, after = values_of(protocol, references), values_of(protocol, outputs)
        means[protocol] = {
            f"{setting}.{metric}": MeanPair(
                before.get((setting, metric), (None, {}))[0], after.get((setting, metric), (None, {}))[0]
            )
            for setting, metric in dict.fromkeys([*before, *after])
        }
    return means
