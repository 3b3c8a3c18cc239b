"""Check of output file names before scoring: samples without a file, and files that match no sample."""

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
    """Log which samples have no file and which files match no sample; raise `InputError` if no file matches.

    `expected` are the samples that should have a file, by default all. With `strict`, every missing or unmatched file
    is an error.
    """
    matched = [sample for sample in samples if files.has_any(sample)]
    unknown = files.unmatched_files(samples)
    if samples and not matched:
        raise InputError(_nothing(files, samples, unknown))
    missing = [sample for sample in (samples if expected is None else expected) if not files.has_any(sample)]
    if not missing and not unknown:
        return
    limit = _ALL if strict else _SHOWN
    lines = [f"{files.root}: {len(matched)} of {len(samples)} samples have their {KINDS[files.kind]}"]
    if missing:
        named = [f"{sample.key} (expected {files.expected(sample)})" for sample in missing]
        lines.append(f"  {len(missing)} missing: {_listed(named, limit)}")
    if unknown:
        lines.append(f"  {_count(unknown)} without a sample: {_listed(_suggested(files, unknown, missing), limit)}")
        lines.append("  rename them, or describe their names with --match PATTERN (in Python: match=)")
    if strict:
        raise InputError("\n".join([*lines, "  --strict-names requires exactly one file per sample"]))
    _log.warning("\n".join(lines))


def _nothing(files: Outputs, samples: Sequence[Sample], unknown: Sequence[Path]) -> str:
    """Return the message if no file matches: the files present, the names expected, a likely pattern."""
    unknown = unknown or list(_below(files))
    paths = [_path(files, file) for file in unknown]
    present = paths or [name for name in list_folder(files.root) if not name.startswith(".")]
    content = f"found {_listed(present, _SHOWN)}" if present else "the folder is empty"
    names = [f"{files.expected(sample)} (for sample {sample.key})" for sample in samples[:_SHOWN]]
    lines = [
        f"{files.root}: no {KINDS[files.kind]} of any sample here: {content}",
        f"  expected names like {', '.join(names)}",
    ]
    likely = likely_samples(paths, samples)
    if likely:
        lines.append(f"  perhaps {_listed([f'{path} is {sample.key}' for path, sample in likely.items()], _SHOWN)}")
    pattern = likely_pattern(likely)
    option = f"--match '{pattern}'" if pattern else "--match PATTERN"
    rename = f", rename the files, or describe their names with {option} (in Python: match=)" if paths else ""
    lines.append(f"  give the right folder{rename}; see docs/scoring.md")
    return "\n".join(lines)


def _suggested(files: Outputs, unknown: Sequence[Path], missing: Sequence[Sample]) -> list[str]:
    """Return unmatched files, each with the sample it was probably meant for."""
    paths = [_path(files, file) for file in unknown]
    likely = likely_samples(paths, missing)
    return [f"{path} (perhaps {likely[path].key})" if path in likely else path for path in paths]


def _below(files: Outputs) -> Iterable[Path]:
    """Yield files of the same kind in subfolders, which are not searched."""
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


def _listed(names: Sequence[str], limit: int) -> str:
    more = f", … ({len(names)} in all)" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
