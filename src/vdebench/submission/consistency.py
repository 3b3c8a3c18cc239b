"""Whether a submission agrees with itself: its summary is made again from its rows, without any prediction."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench.errors import InputError, TooLargeError
from vdebench.io.files import parse_json
from vdebench.pipeline.ceiling import losses
from vdebench.pipeline.scoring.masks import ROWS
from vdebench.protocols import get_protocol
from vdebench.protocols.masks.protocol import get_pixel_protocol
from vdebench.runs.folder import RunFolder, Schema, schema_of
from vdebench.stats.intervals import with_intervals
from vdebench.stats.mask_summary import summarise_masked
from vdebench.stats.summary import regions_of, summarise
from vdebench.stats.usable import Rows, Thresholds, usable_summary
from vdebench.submission.archive import Archive
from vdebench.submission.manifest import PAGES_NEED, REFERENCE, SUMMARY, TABLES, Manifest, parts_of, revision_of

STRICT = 1e-9
"""Two numbers that are as close are the same: beside 1, or beside themselves where they are larger."""
BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
"""What polars raises on a table that somebody has spoilt: some faults it did not foresee."""
MOST_ROWS = 1_000_000
MOST_BLOCKS = 20_000_000
STATES = {"scored", "missing", "failed"}
_BEYOND_ROWS = ("fid",)
_MADE_OF_ROWS = ("coverage", "alignment", "overall", "by", "regions", "interval", "noise_floor", "usable")


class Submission(NamedTuple):
    """A submission whose files are unpacked in a folder of ours."""

    manifest: Manifest
    summary: dict[str, Any]
    rows: pl.DataFrame
    folder: Path

    @property
    def around_masks(self) -> bool:
        """Whether images were compared around masks."""
        return self.summary.get("track") == "pixels"


class SummaryMismatch(NamedTuple):
    """A number of the summary that its rows do not give."""

    place: str
    claimed: Any
    found: Any


def unpack(archive: Archive, manifest: Manifest, folder: Path) -> Submission:
    """Summary and tables of a submission; an error where they are not of the form that scoring writes."""
    where = f"{archive.file}: {SUMMARY}"
    summary = parse_json(archive.read(SUMMARY), where)
    if not isinstance(summary, dict) or not all(
        isinstance(summary.get(key), dict) for key in ("overall", "coverage", "by")
    ):
        raise InputError(f"{where}: not a summary that `vde score` wrote")
    odd = [name for name, means in summary["overall"].items() if not isinstance(means, dict | None)]
    if odd:
        raise InputError(f"{where}: overall.{odd[0]} holds no means; not a summary that `vde score` wrote")
    for name in ("signature", "protocol", "editor"):
        if summary.get(name) != getattr(manifest, name):
            raise InputError(f"{where}: {name} is {summary.get(name)!r}, the manifest says {getattr(manifest, name)!r}")
    if summary.get("suite") != manifest.suite["name"]:
        raise InputError(f"{where}: suite is {summary.get('suite')!r}, the manifest says {manifest.suite['name']!r}")
    masked = summary.get("track") == "pixels"
    lacking = [name for name in PAGES_NEED if not masked and name not in manifest.files]
    if lacking:
        raise InputError(f"{archive.file}: no {lacking[0]} in it; not a whole file of `vde submit`")
    floor, held = bool(summary.get("noise_floor")), [name for name in REFERENCE if name in manifest.files]
    if not masked and len(held) != floor * len(REFERENCE):
        told = "a noise floor" if floor else "no noise floor"
        raise InputError(
            f"{where}: has {told}, and there are {len(held)} tables of {len(REFERENCE)} in reference/ that it is made "
            "of; not a whole file of `vde submit`"
        )
    for name in (*TABLES, *REFERENCE):
        if name in manifest.files:
            archive.unpack(name, folder / name)
            _check_table(folder / name, ROWS if masked else schema_of(Path(name).stem), archive.file)
    rows = pl.read_parquet(folder / TABLES[0])
    if rows.select("sample", "setting").is_duplicated().any() or rows["sample"].null_count():
        raise InputError(f"{archive.file}: {TABLES[0]} has two rows of one sample and setting, or one without a name")
    for name in (each for each in (*TABLES[1:], *REFERENCE) if (folder / each).exists()):
        unmatched_files = _samples(folder / name) - set(rows["sample"])
        if unmatched_files:
            raise InputError(
                f"{archive.file}: {name} has rows of {next(iter(unmatched_files))!r}, which {TABLES[0]} has not"
            )
    return Submission(manifest, summary, rows, folder)


@contextmanager
def _readable(archive: Path, name: str) -> Iterator[None]:
    """Say in words that a table is broken."""
    try:
        yield
    except (*BROKEN, OSError) as error:
        raise InputError(f"{archive}: {name} cannot be read: {str(error).partition(chr(10))[0]}") from None


def _check_table(file: Path, schema: Schema, archive: Path) -> None:
    """Refuse a table that is none, has other columns, or more rows than we hold: before its rows are read."""
    with _readable(archive, file.name):
        found = pl.scan_parquet(file)
        columns = dict(found.collect_schema())
        count = int(found.select(pl.len()).collect().item())
    wrong = [name for name, kind in schema.items() if columns.get(name) != kind]
    more = [name for name in columns if name not in schema]
    if wrong or more:
        raise InputError(
            f"{archive}: {file.name}: the column {(wrong or more)[0]!r} is not as this version writes it; "
            "check it with the version that made it"
        )
    most = MOST_BLOCKS if file.stem == "blocks" else MOST_ROWS
    if count > most:
        raise TooLargeError(f"{archive}: {file.name}: {count:,} rows, more than the {most:,} we read")
    with _readable(archive, file.name):
        pl.read_parquet(file)  # all of it, once, so that no page that is broken is met later


def _samples(file: Path) -> set[str | None]:
    return set(pl.scan_parquet(file).select(pl.col("sample").unique()).collect()["sample"])


def signature_faults(submission: Submission) -> list[str]:
    """Where the signature does not say what the summary, the rows and the manifest do."""
    parts, summary = parts_of(submission.manifest.signature), submission.summary
    settings = list(summary["overall"])
    samples = submission.rows.filter(pl.col("setting").is_in(settings))["sample"].n_unique()
    revision = revision_of(submission.manifest.signature)
    said = [
        ("protocol", parts.get("p"), summary["protocol"]),
        ("n", parts.get("n"), str(samples)),
        ("n", parts.get("n"), str(summary["coverage"].get("samples"))),
        ("suite", parts.get("suite", "").rpartition("@sha256:")[0], str(summary["suite"]).replace("|", "/")),
        ("revision", revision, submission.manifest.suite["revision"][: len(revision)] or "none"),
    ]
    return [f"{name}: the signature says {one!r}, the run {other!r}" for name, one, other in said if one != other]


def row_faults(submission: Submission) -> list[str]:
    """Rows and predictions that do not belong together."""
    claimed = {output.sample for output in submission.manifest.predictions}
    unmatched_files = sorted(claimed - set(submission.rows["sample"]))
    scored = {sample for sample, state in submission.rows.select("sample", "state").iter_rows() if state == "scored"}
    without = sorted(scored - claimed)
    faults = (
        [f"{len(unmatched_files)} predictions of samples without a row, such as {unmatched_files[0]}"]
        if unmatched_files
        else []
    )
    if without:
        faults.append(f"{len(without)} scored samples without the hash of a prediction, such as {without[0]}")
    odd = sorted(set(map(str, submission.rows["state"])) - STATES)
    if odd:
        faults.append(f"rows in the state {odd[0]!r}, which is none")
    return faults


def failed_unseen(submission: Submission) -> list[str]:
    """Samples that are said to have failed and have no prediction: nobody can check that they did."""
    failed = submission.rows.filter(pl.col("state") == "failed")["sample"]
    return sorted(set(failed) - {output.sample for output in submission.manifest.predictions})


def aggregated(submission: Submission) -> tuple[list[SummaryMismatch], list[str]]:
    """Numbers of the summary that differ from what the rows give, and names of those that rows alone cannot give.

    That is FID alone, which is made of all images together: what else rows do not give was invented.
    """
    try:
        found = _around_masks(submission) if submission.around_masks else _of_pages(submission)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, *BROKEN) as error:
        raise InputError(f"the rows of the submission cannot be added up: {error!r}") from None
    discords: list[SummaryMismatch] = []
    beyond: dict[str, None] = {}
    for name in _MADE_OF_ROWS:
        claimed = submission.summary.get(name)
        if name not in found and not claimed:
            continue
        for discord in _discords(claimed, found.get(name, _NOTHING), name):
            last = discord.place.rpartition(".")[2]
            if discord.found is _NOTHING and last in _BEYOND_ROWS and isinstance(discord.claimed, int | float | None):
                beyond[last] = None
            else:
                discords.append(discord._replace(found=None) if discord.found is _NOTHING else discord)
    return discords, list(beyond)


def _around_masks(submission: Submission) -> dict[str, Any]:
    protocol = get_pixel_protocol(submission.summary["protocol"])
    found = summarise_masked(submission.rows, protocol, _crossed(submission))
    return with_intervals(found, submission.rows, protocol) if "interval" in submission.summary else found


def _of_pages(submission: Submission) -> dict[str, Any]:
    summary, folder, protocol = submission.summary, submission.folder, get_protocol(submission.summary["protocol"])
    rows = RunFolder(folder)
    found = summarise(rows, protocol, list(summary["overall"]), _crossed(submission))
    if "interval" in summary:
        found = with_intervals(found, submission.rows, protocol, rows.table("blocks"))
    with_reference = REFERENCE[0] in submission.manifest.files
    if summary.get("noise_floor") and with_reference:
        settings = list(summary["noise_floor"]["reads"])
        read = summarise(RunFolder(folder / "reference"), protocol, settings, _crossed(submission))
        floor = {setting: losses(means) for setting, means in read["overall"].items()}
        found["noise_floor"] = {"reads": read["overall"], "by": read["by"], "floor": floor}
        if "regions" in found:
            found["regions"] = regions_of(rows, RunFolder(folder / "reference"))
    if summary.get("usable") and bool(summary.get("noise_floor")) == with_reference:
        found["usable"] = usable_summary(Rows.of(folder, with_reference=with_reference), Thresholds())
    return found


def _crossed(submission: Submission) -> list[tuple[str, ...]]:
    return [tuple(name.split(",")) for name in submission.summary["by"] if "," in name]


_NOTHING: Any = object()


def _discords(claimed: Any, found: Any, place: str) -> Iterator[SummaryMismatch]:
    if isinstance(found, Mapping) and isinstance(claimed, Mapping):
        for key in dict.fromkeys([*found, *claimed]):
            yield from _discords(claimed.get(key), found.get(key, _NOTHING), f"{place}.{key}")
    elif isinstance(found, list | tuple) and isinstance(claimed, list) and len(found) == len(claimed):
        for at, (one, other) in enumerate(zip(claimed, found, strict=True)):
            yield from _discords(one, other, f"{place}.{at}")
    elif not same(claimed, found):
        yield SummaryMismatch(place, claimed, found)


def same(claimed: Any, found: Any, within: float = STRICT) -> bool:
    """Whether two values are the same, numbers as far as arithmetic in another order goes.

    >>> same(0.1 + 0.2, 0.3), same(1.0, 1.0001), same(None, 0.0)
    (True, False, False)
    """
    if isinstance(claimed, int | float) and isinstance(found, int | float):
        try:
            one, other = float(claimed), float(found)
        except OverflowError:  # a whole number beyond all floats
            return claimed == found
        if not (math.isfinite(one) and math.isfinite(other)):
            return str(one) == str(other)
        return abs(one - other) <= within * max(1.0, abs(one))
    return bool(claimed == found)
