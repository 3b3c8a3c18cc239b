"""A submission checked: its files, its arithmetic, its predictions, and a part of it scored again."""

from __future__ import annotations

import math
import random
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.cache import digest_of_file
from vdebench.io.redaction import is_private
from vdebench.pipeline.scoring.stage import Progress
from vdebench.readers.cached import CachedReader
from vdebench.runs.environment import versions
from vdebench.submission.archive import open_zip
from vdebench.submission.consistency import Submission, aggregated, failed_unseen, row_faults, signature_faults, unpack
from vdebench.submission.manifest import Manifest, read_manifest
from vdebench.submission.predictions import AvailablePredictions, find_predictions
from vdebench.submission.rescoring import RescoringResult, rescore
from vdebench.submission.verdict import SubmissionVerdict
from vdebench.suites.suite import Suite, load_suite
from vdebench.suites.typeset.recipe import SuiteRecipe

MOST_MADE = 500
"""Samples of a typeset suite that is made since a stranger's file names it, at 150 pixels per inch."""
_MAY_DIFFER = ("v", "reader", "images")
"""Parts of a signature that another version, reader or set of networks here can change without anybody's lying."""
_MOST_NAMED = 8
_USUAL_PPI = 150


class VerificationRequest(NamedTuple):
    """How a submission is to be checked."""

    predictions: Path | None = None
    suite: str | Path | None = None
    part: float = 0.1
    samples: int | None = None
    """How many are scored again, in place of a part."""
    seed: int | None = None
    """Draws them; by default nobody knows it before: who does need be honest only about those drawn."""
    reader: str = ""
    reader_options: Mapping[str, Any] = {}
    workers: int = 0


def verify(
    file: str | Path, wish: VerificationRequest | None = None, reading: Progress | None = None
) -> SubmissionVerdict:
    """Check a submission; an error where it is none, or was changed after it was made."""
    wish, path = wish or VerificationRequest(), Path(file)
    if not 0 < wish.part <= 1:
        raise VdeError(f"a part of {wish.part} of the samples cannot be scored again; expected more than 0, up to 1")
    if wish.samples is not None and wish.samples < 1:
        raise VdeError(f"{wish.samples} samples cannot be scored again; expected 1 or more")
    wish = wish._replace(seed=secrets.randbelow(2**32)) if wish.seed is None else wish
    with open_zip(path) as archive, tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        manifest = read_manifest(archive)
        verdict = SubmissionVerdict(path, digest_of_file(path), manifest, environment=_environment(manifest))
        submission = unpack(archive, manifest, Path(temporary))
        held = " and predictions" if manifest.with_predictions else ""
        verdict.add("files", "ok", f"{len(archive.names)} files{held}, each with the hash that the manifest says")
        _check_itself(verdict, submission)
        found = find_predictions(verdict, archive, wish.predictions, Path(temporary))
        _check_rows(verdict, submission, found, wish, reading)
    return verdict


def _environment(manifest: Manifest) -> dict[str, tuple[str, str]]:
    """Versions that differ; where a package is absent on one side, that is said."""

    def flat(told: Any) -> dict[str, str]:
        told = told if isinstance(told, dict) else {}
        packages = told.get("packages")
        own = {name: str(told[name]) for name in ("vdebench", "python", "commit") if name in told}
        return own | {str(k): str(v) for k, v in (packages if isinstance(packages, dict) else {}).items()}

    there, here = flat(manifest.environment.get("versions")), flat(versions())
    if not there:
        return {}
    names = [name for name in dict.fromkeys([*there, *here]) if there.get(name) != here.get(name)]
    return {name: (there.get(name, "not there"), here.get(name, "not here")) for name in names}


def _check_itself(verdict: SubmissionVerdict, submission: Submission) -> None:
    faults = signature_faults(submission)
    verdict.add("signature", "failed" if faults else "ok", "; ".join(faults) or "agrees with rows and summary")
    faults = row_faults(submission)
    verdict.add("coverage", "failed" if faults else "ok", "; ".join(faults) or _coverage(submission))
    verdict.discords, others = aggregated(submission)
    beyond = f"; rows alone cannot give: {', '.join(others)}" if others else ""
    if verdict.discords:
        told = f"{len(verdict.discords)} numbers are not what the rows give"
        verdict.add("summary", "failed", told + beyond)
    else:
        verdict.add("summary", "ok", f"every mean is what the {len(submission.rows)} rows give{beyond}")


def _coverage(submission: Submission) -> str:
    said = submission.summary["coverage"]
    states = ", ".join(f"{said.get(state)} {state}" for state in ("scored", "missing", "failed"))
    return f"{said.get('samples')} samples: {states}; every scored one has the hash of its prediction"


def _check_rows(
    verdict: SubmissionVerdict,
    submission: Submission,
    found: AvailablePredictions | None,
    wish: VerificationRequest,
    reading: Progress | None,
) -> None:
    """Score a part again, or say why not."""
    if found is None:
        verdict.add("rows", "not checked", "rows not re-scored: the predictions are not at hand")
        return
    try:
        suite = _suite(verdict.manifest, wish)
        chosen = _chosen(submission, found, wish)
        reader = _reader(submission, wish)
        found.fetch(chosen)
        again = rescore(submission, suite, found.roots, chosen, reader, workers=wish.workers, reading=reading)
    except _NotHere as reason:
        verdict.add("rows", "not checked", f"rows not re-scored: {reason}")
        return
    except MissingPartError as error:
        verdict.add("rows", "not checked", f"rows not re-scored: {str(error).partition(chr(10))[0]}")
        return
    verdict.differences = again.differences
    false = [name for name in again.parts if name not in _MAY_DIFFER]
    verdict.add("rows", "failed" if again.differences or false else "ok", _told(again, submission, chosen, wish))
    verdict.limits += _limits(again, submission, found)


def _limits(again: RescoringResult, submission: Submission, found: AvailablePredictions) -> list[str]:
    """What was not checked though rows were scored again."""
    limits = [f"{name} is {here} here, was {there}" for name, (there, here) in again.parts.items()]
    failed = failed_unseen(submission)
    if failed:
        limits.append(f"said to have failed, without a prediction: {_named(failed)}")
    absent = sorted({output.sample for output in submission.manifest.predictions} - found.good)
    if absent:
        limits.append(f"predictions not at hand: {_named(absent)}")
    if again.left_out:
        limits.append(f"not measured here: {', '.join(again.left_out)}")
    return limits + again.unchecked


def _named(samples: list[str], most: int = _MOST_NAMED) -> str:
    more = f", … ({len(samples)} samples)" if len(samples) > most else ""
    return ", ".join(samples[:most]) + more


class _NotHere(Exception):  # noqa: N818 (no error: something is not at hand)
    pass


def _suite(manifest: Manifest, wish: VerificationRequest) -> Suite:
    order = manifest.suite.get("order")
    if wish.suite is None and not (isinstance(order, str) and order.startswith("typeset:")):
        raise _NotHere(f"give the suite {manifest.suite['name']} with --suite")
    named = wish.suite if wish.suite is not None else str(order)
    suite = load_suite(named)
    if wish.suite is None and _work(suite) > MOST_MADE:
        raise _NotHere(f"{order} takes long to make; if you want it made, give it with --suite")
    if suite.name != manifest.suite["name"]:
        raise InputError(f"{named}: is the suite {suite.name}, the submission is of {manifest.suite['name']}")
    suite.prepare()
    said = manifest.suite["revision"]
    if not said or not suite.revision.startswith(said):
        raise _NotHere(
            f"the suite {suite.name} is of revision {suite.revision[:12]} here, the submission's {said[:12]}"
        )
    return suite


def _work(suite: Suite) -> float:
    """How many samples of the usual size a typeset suite is."""
    recipe = getattr(suite, "recipe", None)
    return float(getattr(suite, "n", 0) * (recipe.ppi / _USUAL_PPI) ** 2) if isinstance(recipe, SuiteRecipe) else 0.0


def _chosen(submission: Submission, found: AvailablePredictions, wish: VerificationRequest) -> list[str]:
    """Samples to score again, drawn by the seed from those whose predictions are at hand, and those that have none.

    What is said to have failed is in no mean: it is scored again where it has a prediction.
    """
    claimed = {output.sample for output in submission.manifest.predictions}
    states: dict[str, set[str]] = {}
    for sample, state in submission.rows.select("sample", "state").iter_rows():
        states.setdefault(sample, set()).add(state)
    absent = {sample for sample, seen in states.items() if sample not in claimed and "failed" not in seen}
    possible = sorted((found.good & states.keys()) | absent)
    if not possible or not found.good:
        raise _NotHere("no sample has its prediction at hand")
    count = wish.samples if wish.samples is not None else math.ceil(wish.part * len(states))
    return sorted(random.Random(wish.seed).sample(possible, min(count, len(possible))))


def _reader(submission: Submission, wish: VerificationRequest) -> CachedReader | None:
    asked = submission.manifest.asked
    name = wish.reader or asked.get("reader")
    if asked.get("ready_readings") or not isinstance(name, str):
        return None
    given = asked.get("reader_options")
    theirs = given.items() if isinstance(given, dict) and not wish.reader else ()
    # A stranger's file does not say which server pages are sent to, nor which file is opened as a model.
    options = {str(key): value for key, value in theirs if not is_private(str(key), value)}
    return CachedReader.named(name, {**options, **wish.reader_options})


def _told(again: RescoringResult, submission: Submission, chosen: list[str], wish: VerificationRequest) -> str:
    samples, shown = submission.rows["sample"].n_unique(), ", ".join(chosen[:4]) + (", …" if len(chosen) > 4 else "")
    told = f"{len(chosen)} of {samples} samples scored again (seed {wish.seed}: {shown}): "
    other = len({(each.sample, each.setting) for each in again.differences if each.setting})
    pages = sum(not each.setting for each in again.differences)
    told += f"{other} of {again.compared} rows differ" if other else f"{again.compared} rows are the same"
    told += f"; {pages} samples share their page with others than here" if pages else ""
    told += "".join(f"; {name} is {here} here, was {there}" for name, (there, here) in again.parts.items())
    return told + (f"; not measured here: {', '.join(again.left_out)}" if again.left_out else "")
