"""The stage `package`: write a suite for `vde score`, a version for the Hugging Face hub, a card, and checksums."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from vdebench.build.card import body, front_matter
from vdebench.build.edit import record_edits
from vdebench.build.funnel import FunnelStep, funnel, require_consistent
from vdebench.build.ledger import LedgerEntry
from vdebench.build.package_contents import PackagedSuite, provenance
from vdebench.build.settings import PACKAGE
from vdebench.build.statistics import write_statistics
from vdebench.build.workspace import Workspace
from vdebench.errors import InputError, SuiteError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import read_bytes, write_json, write_text
from vdebench.pipeline.editing import identity_of
from vdebench.pipeline.options import Progress
from vdebench.report.figures.page import card_lines
from vdebench.report.output_folder import replacing_folder, require_generated
from vdebench.studies.suite_statistics import suite_statistics
from vdebench.suites.export import export_suite
from vdebench.suites.suite import load_suite

SUMS = "SHA256SUMS"
HUB = "huggingface"


def package(workspace: Workspace, out: Path | None = None, progress: Progress | None = None) -> Counter[str]:
    """Write the accepted samples to `out` (WORKSPACE/package), replacing an older package; return counts by group."""
    target = out or workspace.package
    with workspace.stage_lock(), workspace.review_lock():
        suite = PackagedSuite(workspace)
        if workspace.samples_in_review() and not workspace.decisions():
            raise InputError(
                f"{workspace.root}: people have not decided on any edit yet; see `vde review status {workspace.root}`"
            )
        workspace.require("review", workspace.decisions(), "no edit has been reviewed yet")
        steps = funnel(workspace)
        require_consistent(steps)
        if not suite.passed:
            raise InputError(
                f"{workspace.root}: no edit has passed the review; see `vde build status {workspace.root}`"
            )
        require_generated(target, PACKAGE, "package")
        record_edits(workspace)
        suite.write_masks()
        with replacing_folder(target, PACKAGE, "package") as temporary:
            _write_files(workspace, suite, steps, temporary, progress)
        outputs = {"sums": digest_of_file(target / SUMS)}
        workspace.ledger.note(LedgerEntry("package", "", "packaged", outputs=outputs, words=f"{len(suite)} samples"))
        return Counter(sample.group for sample in suite)


def _write_files(
    workspace: Workspace, suite: PackagedSuite, steps: list[FunnelStep], temporary: Path, progress: Progress | None
) -> None:
    """Write all files of the package to a temporary folder; raise `SuiteError` if the suite has errors."""
    settings = workspace.settings
    export_suite(suite, "vde-release", temporary, progress)
    export_suite(suite, "parquet", temporary / HUB, progress)
    packaged = load_suite(temporary)
    if errors := [fault for fault in packaged.faults() if fault.severity == "error"]:
        messages = "\n  ".join(f"{fault.sample}: {fault.what}" for fault in errors[:5])
        raise SuiteError(f"{workspace.root}: the package has {len(errors)} errors:\n  {messages}")
    statistics = suite_statistics(packaged)
    identity = identity_of(workspace.edits)
    editor = " ".join(identity[key] for key in ("name", "version") if key in identity)
    lines = body(suite, settings, steps, editor, _reader_names(workspace, suite)) + card_lines(statistics, "figures")
    head = front_matter(suite, settings, _column_lines(temporary / HUB / "README.md"))
    write_statistics(statistics, temporary / "figures")
    shutil.copytree(temporary / "figures", temporary / HUB / "figures")
    for folder in (temporary, temporary / HUB):
        write_text(folder / "README.md", "\n".join([*(head if folder.name == HUB else []), *lines]) + "\n")
        write_text(folder / "provenance.jsonl", "".join(f"{line}\n" for line in provenance(workspace, suite)))
        write_json(folder / "funnel.json", [step.to_json() for step in steps])
    write_text(temporary / SUMS, "".join(f"{digest}  {name}\n" for digest, name in checksums(temporary)))


def _column_lines(card: Path) -> list[str]:
    """Return the lines of the exported card's front matter (YAML) that describe the Parquet columns."""
    head = read_bytes(card).decode().split("---\n")[1]
    return [line for line in head.splitlines() if not line.startswith("pretty_name:")]


def _reader_names(workspace: Workspace, suite: PackagedSuite) -> str:
    """Return the names of the readers of all packaged edits; `people` if no edit was read by OCR."""
    reads = workspace.edits_read()
    return ", ".join(sorted({reads[id].reader.split(" ")[0] for id in suite.passed if id in reads})) or "people"


def checksums(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield SHA-256 and name of all files below a folder for `sha256sum -c`, except the list and hidden files."""
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        name = file.relative_to(folder).as_posix()
        if name != SUMS and not file.name.startswith("."):
            with file.open("rb") as content:  # Parquet files may be large
                yield hashlib.file_digest(content, "sha256").hexdigest(), name
