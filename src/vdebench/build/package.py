"""The last stage, `package`: a folder that `vde score` reads, one for a hub beside it, a card, checksums."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from vdebench.build.card import body, front_matter
from vdebench.build.edit import note_edits
from vdebench.build.funnel import Step, funnel, require_sums
from vdebench.build.ledger import LedgerEntry
from vdebench.build.package_contents import PackagedSuite, provenance
from vdebench.build.settings import PACKAGE
from vdebench.build.statistics import write_statistics
from vdebench.build.workspace import Workspace
from vdebench.errors import InputError, SuiteError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import read_bytes, write_json, write_text
from vdebench.pipeline.editing import identity_of
from vdebench.pipeline.scoring.stage import Progress
from vdebench.report.figures.page import card_lines
from vdebench.report.output_folder import replacing_folder, require_ours
from vdebench.studies.suite_statistics import suite_statistics
from vdebench.suites.export import export_suite
from vdebench.suites.suite import load_suite

SUMS = "SHA256SUMS"
HUB = "huggingface"


def package(workspace: Workspace, out: Path | None = None, progress: Progress | None = None) -> Counter[str]:
    """Write the package, whole or not at all; an older one is replaced. How many samples, of which group."""
    target = out or workspace.package
    with workspace.at_work(), workspace.deciding():
        suite = PackagedSuite(workspace)
        if workspace.given_to_people() and not workspace.decisions():
            raise InputError(
                f"{workspace.root}: people have decided nothing yet; see `vde review status {workspace.root}`"
            )
        workspace.require("review", workspace.decisions(), "nothing is reviewed yet")
        steps = funnel(workspace)
        require_sums(steps)
        if not suite.passed:
            raise InputError(
                f"{workspace.root}: no edit has passed the review; `vde build status {workspace.root}` says why"
            )
        require_ours(target, PACKAGE, "package")
        note_edits(workspace)
        suite.write_masks()
        with replacing_folder(target, PACKAGE, "package") as fresh:
            _write(workspace, suite, steps, fresh, progress)
        outputs = {"sums": digest_of_file(target / SUMS)}
        workspace.ledger.note(LedgerEntry("package", "", "packaged", outputs=outputs, words=f"{len(suite)} samples"))
        return Counter(sample.group for sample in suite)


def _write(
    workspace: Workspace, suite: PackagedSuite, steps: list[Step], fresh: Path, progress: Progress | None
) -> None:
    settings = workspace.settings
    export_suite(suite, "vde-release", fresh, progress)
    export_suite(suite, "parquet", fresh / HUB, progress)
    made = load_suite(fresh)
    if errors := [fault for fault in made.faults() if fault.severity == "error"]:
        told = "\n  ".join(f"{fault.sample}: {fault.what}" for fault in errors[:5])
        raise SuiteError(f"{workspace.root}: what would be packaged has {len(errors)} errors:\n  {told}")
    found = suite_statistics(made)
    identity = identity_of(workspace.edits)
    editor = " ".join(identity[key] for key in ("name", "version") if key in identity)
    lines = body(suite, settings, steps, editor, _reader(workspace, suite)) + card_lines(found, "figures")
    head = front_matter(suite, settings, _columns(fresh / HUB / "README.md"))
    write_statistics(found, fresh / "figures")
    shutil.copytree(fresh / "figures", fresh / HUB / "figures")
    for folder in (fresh, fresh / HUB):
        write_text(folder / "README.md", "\n".join([*(head if folder.name == HUB else []), *lines]) + "\n")
        write_text(folder / "provenance.jsonl", "".join(f"{line}\n" for line in provenance(workspace, suite)))
        write_json(folder / "funnel.json", [step.to_json() for step in steps])
    write_text(fresh / SUMS, "".join(f"{digest}  {name}\n" for digest, name in checksums(fresh)))


def _columns(card: Path) -> list[str]:
    """What the export says of its Parquet files: the head of its card, but for the name."""
    head = read_bytes(card).decode().split("---\n")[1]
    return [line for line in head.splitlines() if not line.startswith("pretty_name:")]


def _reader(workspace: Workspace, suite: PackagedSuite) -> str:
    reads = workspace.edits_read()
    return ", ".join(sorted({reads[id].reader.split(" ")[0] for id in suite.passed if id in reads})) or "people"


def checksums(folder: Path) -> Iterator[tuple[str, str]]:
    """SHA-256 and name of every file below a folder, as `sha256sum -c` wants them; the list itself and marks aside."""
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        name = file.relative_to(folder).as_posix()
        if name != SUMS and not file.name.startswith("."):
            with file.open("rb") as content:  # piece by piece: Parquet files may be large
                yield hashlib.file_digest(content, "sha256").hexdigest(), name
