"""Scoring images with masks, as `api.score` does it: the run folder, the signature, the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from vdebench._version import __version__
from vdebench.core.images import RESIZING
from vdebench.errors import VdeError
from vdebench.io.cache import digest_of, digest_of_file
from vdebench.io.files import replacing, write_json
from vdebench.metrics.alignment import IDENTITY as ALIGNMENT
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.output_record import write_outputs
from vdebench.pipeline.scoring.mask_sample import VERSION, lpips
from vdebench.pipeline.scoring.masks import MaskedScope, score_masked
from vdebench.pipeline.scoring.stage import Progress
from vdebench.protocols.digest import DIGITS
from vdebench.protocols.masks.columns import CALLED
from vdebench.protocols.signature import as_signature
from vdebench.readers.caveats import caveat_of
from vdebench.runs.folder import RunFolder
from vdebench.runs.provenance import stage, update_session
from vdebench.stats.intervals import with_intervals
from vdebench.stats.mask_summary import SLICES, summarise_masked


def masked_run(
    scope: MaskedScope,
    out: Path | None,
    crossed: Sequence[str],
    workers: int,
    measuring: Progress | None,
    reading: Progress | None,
    engine: Engine = LOCAL,
) -> tuple[dict[str, Any], pl.DataFrame]:
    """Summary and rows of one editor's run, kept in `out` where that is given."""
    about = {"protocol": scope.protocol.name, "suite": scope.suite.name, "editor": scope.predictions.name}
    extra = [_crossed(name) for name in crossed]
    if out is None:
        return _score(scope, about, extra, workers, measuring, reading, engine)
    folder = RunFolder(out)
    with folder.open(about), stage("summary"):
        summary, rows = _score(scope, about, extra, workers, measuring, reading, engine)
        with replacing(out / "scores.parquet") as temporary:
            rows.write_parquet(temporary)
        write_json(out / "summary.json", summary)
        update_session(
            counts={**summary["coverage"], "regions": sum(len(sample.regions) for sample in scope.suite.samples)}
        )
        write_outputs(out, scope.predictions, scope.suite.samples)
    return summary, rows


def _score(
    scope: MaskedScope,
    about: Mapping[str, str],
    crossed: Sequence[tuple[str, ...]],
    workers: int,
    measuring: Progress | None,
    reading: Progress | None,
    engine: Engine = LOCAL,
) -> tuple[dict[str, Any], pl.DataFrame]:
    with stage("scoring"):
        rows = score_masked(scope, workers, measuring, reading, engine)
    found = with_intervals(summarise_masked(rows, scope.protocol, crossed), rows, scope.protocol)
    found["notes"] = [f"{about['editor']}: {note}" for note in found["notes"]]
    if scope.reader is not None and (caveat := caveat_of(scope.reader.reader)):
        found["notes"].append(caveat)
    unmatched = scope.predictions.unmatched_files()
    if unmatched:
        note = f"{len(unmatched)} files in {scope.predictions.root} belong to no sample, such as {unmatched[0].name}"
        found["notes"].append(note)
    if scope.suite.left_out:
        sample, why = next(iter(scope.suite.left_out.items()))
        found["notes"].append(
            f"{len(scope.suite.left_out)} samples cannot be used ({sample}: {why}); `vde suite check` names all"
        )
    return {
        "signature": masked_signature(scope),
        **about,
        "track": "pixels",
        **found,
        "noise_floor": None,
        "unavailable": dict(scope.unavailable),
    }, rows


def masked_signature(scope: MaskedScope) -> str:
    """Everything that changes the numbers, in one line."""
    known = {"lpips": lpips(scope.protocol).identity} if "lpips" in scope.metrics else {}
    images = [VERSION, ALIGNMENT, *(known.get(name, name) for name in scope.metrics)]
    parts = {
        "p": scope.protocol.name,
        "rules": scope.protocol.digest[:DIGITS],
        "v": __version__,
        "track": "pixels",
        "against": scope.protocol.against.replace(" ", "-"),
        "reader": scope.reader.label if scope.reader else "off",
        "images": ",".join([*images, RESIZING]),
        **scope.predictions.given.pins,
        "suite": f"{scope.suite.name}@sha256:{scope.suite.revision[:12]}+images:{_images(scope)[:12]}",
        "n": str(len(scope.suite.samples)),
    }
    return as_signature(parts)


def _images(scope: MaskedScope) -> str:
    """Hash of all pages, references and masks."""
    digests = []
    for sample in scope.suite.samples:
        try:
            files, masks = scope.suite.image_files(sample), scope.suite.mask_files(sample)
            digests += [digest_of_file(file) if file else "" for file in (files.source, files.reference, *masks)]
        except VdeError:  # told in the sample's state
            digests.append(f"unreadable {sample.key}")
    return digest_of(*digests)


def _crossed(name: str) -> tuple[str, ...]:
    known = {**CALLED, **{each: each for each in SLICES}}
    columns = tuple(known.get(part.strip(), "") for part in name.split(","))
    if len(columns) != len(set(columns)) or "" in columns:
        raise VdeError(f"cannot break down by {name!r}: expected different names of {', '.join(known)}, with commas")
    return columns
