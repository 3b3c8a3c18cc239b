"""Verification of a submission: files, consistency, predictions, and a part of the samples scored again."""

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
from vdebench.pipeline.options import Execution, Progress
from vdebench.readers.cached import CachedReader
from vdebench.runs.environment import versions
from vdebench.submission.archive import open_zip
from vdebench.submission.consistency import (
    Submission,
    failed_without_prediction,
    row_faults,
    signature_faults,
    summary_mismatches,
    unpack,
)
from vdebench.submission.manifest import Manifest, read_manifest
from vdebench.submission.predictions import AvailablePredictions, find_predictions
from vdebench.submission.rescoring import RescoringResult, rescore
from vdebench.submission.verdict import State, SubmissionVerdict
from vdebench.suites.suite import Suite, load_suite
from vdebench.suites.typeset.recipe import SuiteRecipe

MAX_GENERATED = 500
"""Largest generated suite, in samples at 150 pixels per inch, that is generated because a submission names it."""
_MAY_DIFFER = ("v", "reader", "images")
"""Parts of a signature that may differ because of another version, reader or set of networks here."""
_MAX_NAMES = 8
_DEFAULT_PPI = 150


class VerificationRequest(NamedTuple):
    """Options of a verification."""

    predictions: Path | None = None
    suite: str | Path | None = None
    part: float = 0.1
    samples: int | None = None
    """Number of samples to score again, instead of a share."""
    seed: int | None = None
    """Selects the samples. Random by default: with a known seed, samples that are not drawn could be forged."""
    reader: str = ""
    reader_options: Mapping[str, Any] = {}
    workers: int = 0


def verify(
    file: str | Path, request: VerificationRequest | None = None, progress: Progress | None = None
) -> SubmissionVerdict:
    """Verify a submission; raises `InputError` if the file is not a submission or was changed."""
    request, path = request or VerificationRequest(), Path(file)
    if not 0 < request.part <= 1:
        raise VdeError(f"the share of samples to score again is {request.part}; expected more than 0, up to 1")
    if request.samples is not None and request.samples < 1:
        raise VdeError(f"the number of samples to score again is {request.samples}; expected 1 or more")
    request = request._replace(seed=secrets.randbelow(2**32)) if request.seed is None else request
    with open_zip(path) as archive, tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        manifest = read_manifest(archive)
        verdict = SubmissionVerdict(path, digest_of_file(path), manifest, environment=_environment(manifest))
        submission = unpack(archive, manifest, Path(temporary))
        also = " including predictions" if manifest.with_predictions else ""
        verdict.add("files", "ok", f"{len(archive.names)} files{also}, all with the hash in the manifest")
        _check_consistency(verdict, submission)
        predictions = find_predictions(verdict, archive, request.predictions, Path(temporary))
        _check_rows(verdict, submission, predictions, request, progress)
    return verdict


def _environment(manifest: Manifest) -> dict[str, tuple[str, str]]:
    """Return the software versions that differ, as (claimed, local)."""

    def flat(record: Any) -> dict[str, str]:
        record = record if isinstance(record, dict) else {}
        packages = record.get("packages")
        own = {name: str(record[name]) for name in ("vdebench", "python", "commit") if name in record}
        return own | {str(k): str(v) for k, v in (packages if isinstance(packages, dict) else {}).items()}

    there, here = flat(manifest.environment.get("versions")), flat(versions())
    if not there:
        return {}
    names = [name for name in dict.fromkeys([*there, *here]) if there.get(name) != here.get(name)]
    return {name: (there.get(name, "not there"), here.get(name, "not here")) for name in names}


def _check_consistency(verdict: SubmissionVerdict, submission: Submission) -> None:
    faults = signature_faults(submission)
    verdict.add("signature", "failed" if faults else "ok", "; ".join(faults) or "agrees with rows and summary")
    faults = row_faults(submission)
    verdict.add("coverage", "failed" if faults else "ok", "; ".join(faults) or _coverage(submission))
    verdict.mismatches, others = summary_mismatches(submission)
    beyond = f"; cannot be computed from rows: {', '.join(others)}" if others else ""
    if verdict.mismatches:
        message = f"{len(verdict.mismatches)} numbers differ from those computed from the rows"
        verdict.add("summary", "failed", message + beyond)
    else:
        verdict.add("summary", "ok", f"all means agree with the {len(submission.rows)} rows{beyond}")


def _coverage(submission: Submission) -> str:
    coverage = submission.summary["coverage"]
    states = ", ".join(f"{coverage.get(state)} {state}" for state in ("scored", "missing", "failed"))
    return f"{coverage.get('samples')} samples: {states}; every scored sample has the hash of its prediction"


def _check_rows(
    verdict: SubmissionVerdict,
    submission: Submission,
    predictions: AvailablePredictions | None,
    request: VerificationRequest,
    progress: Progress | None,
) -> None:
    """Score a part of the samples again, or add the reason why not to the verdict."""
    if predictions is None:
        verdict.add("rows", "not checked", "rows not re-scored: the predictions are not available")
        return
    try:
        suite = _suite(verdict.manifest, request)
        selected = _select_samples(submission, predictions, request)
        reader = _reader(submission, request)
        predictions.fetch(selected)
        execution = Execution(workers=request.workers, reading=progress)
        result = rescore(submission, suite, predictions.roots, selected, reader, execution)
    except _NotAvailable as reason:
        verdict.add("rows", "not checked", f"rows not re-scored: {reason}")
        return
    except MissingPartError as error:
        verdict.add("rows", "not checked", f"rows not re-scored: {str(error).partition(chr(10))[0]}")
        return
    verdict.differences = result.differences
    wrong = [name for name in result.parts if name not in _MAY_DIFFER]
    state: State = "failed" if result.differences or wrong else "ok"
    verdict.add("rows", state, _row_message(result, submission, selected, request))
    verdict.limits += _limits(result, submission, predictions)


def _limits(rescored: RescoringResult, submission: Submission, predictions: AvailablePredictions) -> list[str]:
    """Return what was not checked although rows were scored again."""
    limits = [f"{name} is {here} here, was {there}" for name, (there, here) in rescored.parts.items()]
    failed = failed_without_prediction(submission)
    if failed:
        limits.append(f"recorded as failed, without a prediction: {_join_names(failed)}")
    absent = sorted({output.sample for output in submission.manifest.predictions} - predictions.verified)
    if absent:
        limits.append(f"predictions not available: {_join_names(absent)}")
    if rescored.left_out:
        limits.append(f"not measured here: {', '.join(rescored.left_out)}")
    return limits + rescored.unchecked


def _join_names(samples: list[str], most: int = _MAX_NAMES) -> str:
    more = f", … ({len(samples)} samples)" if len(samples) > most else ""
    return ", ".join(samples[:most]) + more


class _NotAvailable(Exception):  # noqa: N818 (not an error: the rows are then "not checked")
    """Something needed for scoring again is not available."""


def _suite(manifest: Manifest, request: VerificationRequest) -> Suite:
    specification = manifest.suite.get("order")
    if request.suite is None and not (isinstance(specification, str) and specification.startswith("typeset:")):
        raise _NotAvailable(f"pass the suite {manifest.suite['name']} with --suite")
    source = request.suite if request.suite is not None else str(specification)
    suite = load_suite(source)
    if request.suite is None and _generation_cost(suite) > MAX_GENERATED:
        raise _NotAvailable(f"generating {specification} takes long; pass it with --suite to generate it")
    if suite.name != manifest.suite["name"]:
        raise InputError(f"{source}: is the suite {suite.name}, the submission is for {manifest.suite['name']}")
    suite.prepare()
    revision = manifest.suite["revision"]
    if not revision or not suite.revision.startswith(revision):
        raise _NotAvailable(
            f"the suite {suite.name} has revision {suite.revision[:12]} here, {revision[:12]} in the submission"
        )
    return suite


def _generation_cost(suite: Suite) -> float:
    """Number of samples of a generated suite, weighted by their area in pixels; 0 for other suites."""
    recipe = getattr(suite, "recipe", None)
    return float(getattr(suite, "n", 0) * (recipe.ppi / _DEFAULT_PPI) ** 2) if isinstance(recipe, SuiteRecipe) else 0.0


def _select_samples(
    submission: Submission, predictions: AvailablePredictions, request: VerificationRequest
) -> list[str]:
    """Draw the samples to score again from those with verified predictions and those recorded as missing.

    Failed samples are in no mean; they are scored again only if they have a prediction.
    """
    claimed = {output.sample for output in submission.manifest.predictions}
    states: dict[str, set[str]] = {}
    for sample, state in submission.rows.select("sample", "state").iter_rows():
        states.setdefault(sample, set()).add(state)
    absent = {sample for sample, seen in states.items() if sample not in claimed and "failed" not in seen}
    possible = sorted((predictions.verified & states.keys()) | absent)
    if not possible or not predictions.verified:
        raise _NotAvailable("no sample has a verified prediction")
    count = request.samples if request.samples is not None else math.ceil(request.part * len(states))
    return sorted(random.Random(request.seed).sample(possible, min(count, len(possible))))


def _reader(submission: Submission, request: VerificationRequest) -> CachedReader | None:
    recorded = submission.manifest.asked
    name = request.reader or recorded.get("reader")
    if recorded.get("ready_ocr_output") or not isinstance(name, str):
        return None
    recorded_options = recorded.get("reader_options")
    untrusted = recorded_options.items() if isinstance(recorded_options, dict) and not request.reader else ()
    # An untrusted file must not choose the server that pages are sent to, nor the file loaded as a model.
    options = {str(key): value for key, value in untrusted if not is_private(str(key), value)}
    return CachedReader.named(name, {**options, **request.reader_options})


def _row_message(
    rescored: RescoringResult, submission: Submission, selected: list[str], request: VerificationRequest
) -> str:
    samples, shown = (
        submission.rows["sample"].n_unique(),
        ", ".join(selected[:4]) + (", …" if len(selected) > 4 else ""),
    )
    message = f"{len(selected)} of {samples} samples scored again (seed {request.seed}: {shown}): "
    other = len({(each.sample, each.setting) for each in rescored.differences if each.setting})
    pages = sum(not each.setting for each in rescored.differences)
    message += f"{other} of {rescored.compared} rows differ" if other else f"{rescored.compared} rows are equal"
    message += f"; {pages} samples share their page with other samples than in the suite" if pages else ""
    message += "".join(f"; {name} is {here} here, was {there}" for name, (there, here) in rescored.parts.items())
    return message + (f"; not measured here: {', '.join(rescored.left_out)}" if rescored.left_out else "")
