"""Names of outputs checked before anything is read or asked: what is missing, and which files belong to no sample."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.io.files import list_folder
from vdebench.suites.name_guess import likely_pattern, likely_samples
from vdebench.suites.name_pattern import listed_below
from vdebench.suites.names import FILES, Outputs

KINDS = {"image": "image", "reading": "OCR output (JSON)"}
_SHOWN, _ALL = 3, 20
_DEPTH = 2
_log = logging.getLogger("vdebench.names")


def check_names(
    files: Outputs, samples: Sequence[Sample], *, expected: Iterable[Sample] | None = None, strict: bool = False
) -> None:
    """Log which samples have no file and which files belong to no sample; an error where no file is any sample's.

    `expected` are the samples that should have a file, all by default. With `strict` whatever is missing or belongs to
    no sample is an error too.
    """
    found = [sample for sample in samples if files.has_any(sample)]
    unknown = files.strangers(samples)
    if samples and not found:
        raise InputError(_nothing(files, samples, unknown))
    missing = [sample for sample in (samples if expected is None else expected) if not files.has_any(sample)]
    if not missing and not unknown:
        return
    most = _ALL if strict else _SHOWN
    lines = [f"{files.root}: {len(found)} of {len(samples)} samples have their {KINDS[files.kind]}"]
    if missing:
        named = [f"{sample.key} (expected {files.expected(sample)})" for sample in missing]
        lines.append(f"  {len(missing)} missing: {_listed(named, most)}")
    if unknown:
        lines.append(f"  {_count(unknown)} of no sample: {_listed(_suggested(files, unknown, missing), most)}")
        lines.append("  rename them, or say how they are named with --match PATTERN (in Python: match=)")
    if strict:
        raise InputError("\n".join([*lines, "  --strict-names asks for one file for each sample, and no other"]))
    _log.warning("\n".join(lines))


def _nothing(files: Outputs, samples: Sequence[Sample], unknown: Sequence[Path]) -> str:
    """What to say where no file is any sample's: what is there, what is expected, what may have been meant."""
    unknown = unknown or list(_below(files))
    paths = [_path(files, file) for file in unknown]
    present = paths or [name for name in list_folder(files.root) if not name.startswith(".")]
    there = f"found {_listed(present, _SHOWN)}" if present else "the folder is empty"
    names = [f"{files.expected(sample)} (for sample {sample.key})" for sample in samples[:_SHOWN]]
    lines = [
        f"{files.root}: no {KINDS[files.kind]} of any sample here: {there}",
        f"  expected names like {', '.join(names)}",
    ]
    likely = likely_samples(paths, samples)
    if likely:
        lines.append(f"  perhaps {_listed([f'{path} is {sample.key}' for path, sample in likely.items()], _SHOWN)}")
    pattern = likely_pattern(likely)
    how = f"--match '{pattern}'" if pattern else "--match PATTERN"
    rename = f", rename the files, or say how they are named with {how} (in Python: match=)" if paths else ""
    lines.append(f"  give the right folder{rename}; see docs/scoring.md")
    return "\n".join(lines)


def _suggested(files: Outputs, unknown: Sequence[Path], missing: Sequence[Sample]) -> list[str]:
    """Files of no sample, each with the sample that it was probably meant for."""
    paths = [_path(files, file) for file in unknown]
    likely = likely_samples(paths, missing)
    return [f"{path} (perhaps {likely[path].key})" if path in likely else path for path in paths]


def _below(files: Outputs) -> Iterable[Path]:
    """Files of the same kind in folders below, where nobody looked."""
    for folder, names in listed_below(files.root, "", _DEPTH):
        yield from (
            files.root / folder / name
            for name in names
            if not name.startswith(".") and name.lower().endswith(FILES[files.kind])
        )


def _path(files: Outputs, file: Path) -> str:
    return file.relative_to(files.root).as_posix()


def _count(files: Sequence[Path]) -> str:
    return "1 file" if len(files) == 1 else f"{len(files)} files"


def _listed(names: Sequence[str], most: int) -> str:
    more = f", … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(names[:most]) + more
