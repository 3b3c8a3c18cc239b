"""Internal consistency of a submission: its summary is computed again from its rows, without predictions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.errors import InputError, TooLargeError
from vdebench.io.files import parse_json
from vdebench.pipeline.scoring.ceiling import losses
from vdebench.protocols import Protocol, protocol_of
from vdebench.protocols.pages.summary import regions_of
from vdebench.runs.folder import RunFolder
from vdebench.stats.intervals import with_intervals
from vdebench.stats.usable import Rows, Thresholds, usable_summary
from vdebench.submission.archive import Archive
from vdebench.submission.manifest import REFERENCE, SUMMARY, TABLES, Manifest, parts_of, revision_of

TOLERANCE = 1e-9
"""Numbers are equal up to this difference, absolute below 1 and relative above."""
TABLE_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
"""Exceptions of polars for a damaged table; it panics on some."""
MAX_ROWS = 1_000_000
MAX_BLOCKS = 20_000_000
STATES = {"scored", "missing", "failed", "left_out"}
_NOT_FROM_ROWS = ("fid",)
_FROM_ROWS = ("coverage", "alignment", "overall", "by", "regions", "interval", "ocr_ceiling", "usable")


class Submission(NamedTuple):
    """An unpacked submission."""

    manifest: Manifest
    summary: dict[str, Any]
    rows: pl.DataFrame
    folder: Path

    @property
    def protocol(self) -> Protocol:
        """The protocol that scored the run."""
        return protocol_of(self.summary)


class SummaryMismatch(NamedTuple):
    """A number of the summary that differs from the one computed from the rows."""

    place: str
    claimed: Any
    found: Any


def unpack(archive: Archive, manifest: Manifest, folder: Path) -> Submission:
    """Unpack summary and tables; raises `InputError` if they do not have the form that `vde score` writes."""
    where = f"{archive.file}: {SUMMARY}"
    summary = parse_json(archive.read(SUMMARY), where)
    if not isinstance(summary, dict) or not all(
        isinstance(summary.get(key), dict) for key in ("overall", "coverage", "by")
    ):
        raise InputError(f"{where}: not a summary written by `vde score`")
    odd = [name for name, means in summary["overall"].items() if not isinstance(means, dict | None)]
    if odd:
        raise InputError(f"{where}: overall.{odd[0]} contains no means; not a summary written by `vde score`")
    for name in ("signature", "protocol", "editor"):
        if summary.get(name) != getattr(manifest, name):
            raise InputError(f"{where}: {name} is {summary.get(name)!r}, the manifest says {getattr(manifest, name)!r}")
    if summary.get("suite") != manifest.suite["name"]:
        raise InputError(f"{where}: suite is {summary.get('suite')!r}, the manifest says {manifest.suite['name']!r}")
    protocol = protocol_of(summary)
    missing = [name for name in (f"{table}.parquet" for table in protocol.run_tables) if name not in manifest.files]
    if missing:
        raise InputError(f"{archive.file}: contains no {missing[0]}; not a complete file written by `vde submit`")
    ceiling, tables = bool(summary.get("ocr_ceiling")), [name for name in REFERENCE if name in manifest.files]
    if len(tables) != ceiling * len(REFERENCE):
        raise InputError(
            f"{where}: has {'an' if ceiling else 'no'} OCR ceiling, and reference/ has {len(tables)} of the "
            f"{len(REFERENCE)} tables it is computed from; not a complete file written by `vde submit`"
        )
    for name in (*TABLES, *REFERENCE):
        if name in manifest.files:
            archive.unpack(name, folder / name)
            _check_table(folder / name, protocol.schema(Path(name).stem), archive.file)
    rows = pl.read_parquet(folder / TABLES[0])
    if rows.select("sample", "setting").is_duplicated().any() or rows["sample"].null_count():
        raise InputError(f"{archive.file}: {TABLES[0]} has two rows for a sample and setting, or a row without sample")
    for name in (each for each in (*TABLES[1:], *REFERENCE) if (folder / each).exists()):
        unknown = _samples(folder / name) - set(rows["sample"])
        if unknown:
            raise InputError(f"{archive.file}: {name} has rows of {next(iter(unknown))!r}, {TABLES[0]} has none")
    return Submission(manifest, summary, rows, folder)


@contextmanager
def _readable_table(archive: Path, name: str) -> Iterator[None]:
    """Turn the exceptions of a damaged table into `InputError`."""
    try:
        yield
    except (*TABLE_ERRORS, OSError) as error:
        raise InputError(f"{archive}: cannot read {name}: {str(error).partition(chr(10))[0]}") from None


def _check_table(file: Path, schema: Mapping[str, Any], archive: Path) -> None:
    """Raise `InputError` for a damaged table or other columns, `TooLargeError` for too many rows."""
    with _readable_table(archive, file.name):
        table = pl.scan_parquet(file)
        columns = dict(table.collect_schema())
        count = int(table.select(pl.len()).collect().item())
    wrong = [name for name, kind in schema.items() if columns.get(name) != kind]
    more = [name for name in columns if name not in schema]
    if wrong or more:
        raise InputError(
            f"{archive}: {file.name}: the column {(wrong or more)[0]!r} differs from what this version writes; "
            "verify the file with the version that wrote it"
        )
    most = MAX_BLOCKS if file.stem == "blocks" else MAX_ROWS
    if count > most:
        raise TooLargeError(f"{archive}: {file.name}: {count:,} rows, the limit is {most:,}")
    with _readable_table(archive, file.name):
        pl.read_parquet(file)  # read everything once, so that damaged Parquet pages are found here


def _samples(file: Path) -> set[str | None]:
    return set(pl.scan_parquet(file).select(pl.col("sample").unique()).collect()["sample"])


def signature_faults(submission: Submission) -> list[str]:
    """Return where the signature contradicts the summary, the rows or the manifest."""
    parts, summary = parts_of(submission.manifest.signature), submission.summary
    settings = list(summary["overall"])
    samples = submission.rows.filter(pl.col("setting").is_in(settings))["sample"].n_unique()
    revision = revision_of(submission.manifest.signature)
    facts = [
        ("protocol", parts.get("p"), summary["protocol"]),
        ("n", parts.get("n"), str(samples)),
        ("n", parts.get("n"), str(summary["coverage"].get("samples"))),
        ("suite", parts.get("suite", "").rpartition("@sha256:")[0], str(summary["suite"]).replace("|", "/")),
        ("revision", revision, submission.manifest.suite["revision"][: len(revision)] or "none"),
    ]
    return [f"{name}: the signature says {one!r}, the run {other!r}" for name, one, other in facts if one != other]


def row_faults(submission: Submission) -> list[str]:
    """Return contradictions between rows and predictions, and unknown states."""
    claimed = {output.sample for output in submission.manifest.predictions}
    unknown = sorted(claimed - set(submission.rows["sample"]))
    scored = {sample for sample, state in submission.rows.select("sample", "state").iter_rows() if state == "scored"}
    without = sorted(scored - claimed)
    faults = [f"{len(unknown)} predictions of samples without a row, such as {unknown[0]}"] if unknown else []
    if without:
        faults.append(f"{len(without)} scored samples without the hash of a prediction, such as {without[0]}")
    odd = sorted(set(map(str, submission.rows["state"])) - STATES)
    if odd:
        faults.append(f"rows with the unknown state {odd[0]!r}")
    return faults


def failed_without_prediction(submission: Submission) -> list[str]:
    """Return samples with the state "failed" and no prediction; the failure cannot be verified."""
    failed = submission.rows.filter(pl.col("state") == "failed")["sample"]
    return sorted(set(failed) - {output.sample for output in submission.manifest.predictions})


def summary_mismatches(submission: Submission) -> tuple[list[SummaryMismatch], list[str]]:
    """Compute the summary from the rows; return what differs, and the metrics that cannot be computed from rows.

    The latter is FID only, which needs all images. Any other number that the rows do not give is a mismatch.
    """
    try:
        computed = _computed_summary(submission)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, *TABLE_ERRORS) as error:
        raise InputError(f"the rows of the submission cannot be aggregated: {error!r}") from None
    mismatches: list[SummaryMismatch] = []
    beyond: dict[str, None] = {}
    for name in _FROM_ROWS:
        claimed = submission.summary.get(name)
        if name not in computed and not claimed:
            continue
        for mismatch in _compare(claimed, computed.get(name, _ABSENT), name):
            last = mismatch.place.rpartition(".")[2]
            if (
                mismatch.found is _ABSENT
                and last in _NOT_FROM_ROWS
                and isinstance(mismatch.claimed, int | float | None)
            ):
                beyond[last] = None
            else:
                mismatches.append(mismatch._replace(found=None) if mismatch.found is _ABSENT else mismatch)
    return mismatches, list(beyond)


def _computed_summary(submission: Submission) -> dict[str, Any]:
    """Compute the summary from the tables."""
    summary, folder, protocol = submission.summary, submission.folder, submission.protocol
    tables, crossed = RunFolder(folder), _cross_tables(submission)
    computed = protocol.summarise(tables, list(summary["overall"]), crossed)
    if "interval" in summary:
        blocks = tables.table("blocks") if "blocks" in protocol.run_tables else None
        computed = with_intervals(computed, submission.rows, protocol, blocks)
    with_reference = REFERENCE[0] in submission.manifest.files
    if summary.get("ocr_ceiling") and with_reference:
        reference = RunFolder(folder / "reference")
        ceiling = protocol.summarise(reference, list(summary["ocr_ceiling"]["scores"]), crossed)
        loss = {setting: losses(means) for setting, means in ceiling["overall"].items()}
        computed["ocr_ceiling"] = {"scores": ceiling["overall"], "by": ceiling["by"], "loss": loss}
        if "regions" in computed:
            computed["regions"] = regions_of(tables, reference)
    if summary.get("usable") and bool(summary.get("ocr_ceiling")) == with_reference:
        computed["usable"] = usable_summary(Rows.of(folder, with_reference=with_reference), Thresholds())
    return computed


def _cross_tables(submission: Submission) -> list[tuple[str, ...]]:
    return [tuple(name.split(",")) for name in submission.summary["by"] if "," in name]


_ABSENT: Any = object()


def _compare(claimed: Any, found: Any, place: str) -> Iterator[SummaryMismatch]:
    if isinstance(found, Mapping) and isinstance(claimed, Mapping):
        for key in dict.fromkeys([*found, *claimed]):
            yield from _compare(claimed.get(key), found.get(key, _ABSENT), f"{place}.{key}")
    elif isinstance(found, list | tuple) and isinstance(claimed, list) and len(found) == len(claimed):
        for at, (one, other) in enumerate(zip(claimed, found, strict=True)):
            yield from _compare(one, other, f"{place}.{at}")
    elif not equal_values(claimed, found):
        yield SummaryMismatch(place, claimed, found)


def equal_values(claimed: Any, found: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether two values are equal; numbers up to a tolerance, because sums depend on their order.

    >>> equal_values(0.1 + 0.2, 0.3), equal_values(1.0, 1.0001), equal_values(None, 0.0)
    (True, False, False)
    """
    if isinstance(claimed, int | float) and isinstance(found, int | float):
        try:
            one, other = float(claimed), float(found)
        except OverflowError:  # an integer too large for a float
            return claimed == found
        if not (math.isfinite(one) and math.isfinite(other)):
            return str(one) == str(other)
        return abs(one - other) <= tolerance * max(1.0, abs(one))
    return bool(claimed == found)
