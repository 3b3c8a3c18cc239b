"""All stages on three small pages: results, errors, messages, second runs."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tests.build.pages import LINES, CodeReader
from vdebench.build.decisions import PEOPLE, Decision
from vdebench.build.edit import choose_editor, edit, edits_of
from vdebench.build.funnel import funnel, require_consistent
from vdebench.build.instruct import instruct
from vdebench.build.ledger import LedgerEntry
from vdebench.build.package import package
from vdebench.build.pages import prepare
from vdebench.build.paste_back import paste_back
from vdebench.build.read import read
from vdebench.build.review import review_automatically
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box
from vdebench.core.png import encode_png
from vdebench.errors import InputError, RunFolderError
from vdebench.io.images import open_image
from vdebench.io.journal import _append_line
from vdebench.suites.suite import load_suite


def built(workspace, **spoilt):
    instruct(workspace)
    if spoilt:
        workspace = choose_editor(workspace, "", spoilt)
    edit(workspace, workers=1)
    read(workspace, workers=1)
    review_automatically(workspace, workers=1)
    return workspace


def by_name(workspace):
    steps = funnel(workspace)
    require_consistent(steps)
    return {step.name: step for step in steps}


def test_all_the_way(workspace):
    assert instruct(workspace)["instructions"] == 9  # three text operations on each of three pages
    assert edit(workspace, workers=1)["edited"] == 9
    assert read(workspace, workers=1)["read"] == 9
    assert review_automatically(workspace, workers=1)["passed"] == 9
    assert package(workspace).total() == 9
    steps = by_name(workspace)
    assert [steps[name].passed for name in ("pages", "instructions", "edits", "OCR checked")] == [3, 9, 9, 9]
    assert all(steps[name].stood_in == 9 for name in ("scored 9", "boxes agreed", "screened", "OCR checked"))
    suite = load_suite(workspace.package)
    assert list(suite.faults()) == []
    assert len(suite) == 9
    assert suite.has_region_ground_truth
    for sample in suite:
        files = suite.image_files(sample)
        source, reference, mask = (open_image(file) for file in files)
        inside = mask[:, :, 0] > 0
        assert (source != reference).any()
        assert (source == reference)[~inside].all()
        region = sample.regions[0].box(suite.image_size(sample))
        assert inside.sum() == pytest.approx(region.area)  # the mask is the region
        said = suite.ground_truth_regions(sample)[0].blocks
        new = sample.extra.get("replacement", "").split(" ")  # "bring 67 books": the region is where "67" came
        assert not new[0] or any(word in " ".join(block.content for block in said) for word in new)


def test_nothing_is_done_twice(reviewed):
    workspace = reviewed
    package(workspace)
    before = {file: file.read_bytes() for file in workspace.root.rglob("*") if file.is_file()}
    reads = CodeReader.pages
    instruct(workspace), edit(workspace, workers=1), read(workspace, workers=1)
    review_automatically(workspace, workers=1), package(workspace)
    after = {file: file.read_bytes() for file in workspace.root.rglob("*") if file.is_file()}
    changed = {file.name for file in before.keys() | after.keys() if before.get(file) != after.get(file)}
    assert changed <= {"run.json"}  # the editing stage counts its sessions
    assert CodeReader.pages == reads


@pytest.mark.parametrize(
    ("spoil", "step", "reason"),
    [
        ("nothing", "scored 9", "not_edited"),
        ("wrong", "scored 9", "replacement_not_read"),
        ("second", "boxes agreed", "several_places"),
    ],
)
def test_what_the_filter_turns_down(workspace, spoil, step, reason):
    steps = by_name(built(workspace, spoil=spoil))
    assert steps[step].rejected[reason] >= 6  # `wrong` text where nothing was to be written is a deletion all the same
    with_reason = [entry for entry in workspace.ledger if entry.stage == "review" and reason in entry.words]
    assert len(with_reason) == steps[step].rejected[reason]
    assert all(entry.by.startswith("automatic: filter-") for entry in with_reason)


def test_refusals_are_counted(workspace):
    steps = by_name(built(workspace, refuse=" the line "))  # as the three deletions say
    assert steps["edits"].rejected == {"refused": 3}
    assert steps["edits"].passed == 6
    package(workspace)
    card = (workspace.package / "huggingface" / "README.md").read_text()
    assert "| edits | `refused` | 3 | the editor refused |" in card


def test_each_stage_waits_for_the_one_before(workspace):
    for stage, earlier in (
        (edit, "instruct"),
        (read, "edit"),
        (review_automatically, "read"),
        (package, "review"),
    ):
        with pytest.raises(InputError, match=f"run `vde build {earlier} "):
            stage(workspace)


def test_a_locked_workspace_is_left_alone(workspace):
    with workspace.stage_lock(), pytest.raises(RunFolderError, match="another process"):
        instruct(Workspace(workspace.root))


def test_other_settings_are_refused(workspace, settings):
    prepare(workspace.root, settings)  # the same
    with pytest.raises(RunFolderError, match="with different seed"):
        prepare(workspace.root, replace(settings, seed=4))
    instruct(workspace)
    text = (workspace.root / "build.toml").read_text()
    (workspace.root / "build.toml").write_text(text.replace("seed = 3", "seed = 5"))
    with pytest.raises(RunFolderError, match=r"seed .* have changed"):
        instruct(Workspace(workspace.root))


def test_another_editor_is_refused_once_one_has_begun(workspace):
    instruct(workspace)
    edit(workspace, workers=1)
    with pytest.raises(RunFolderError, match="code has edited samples already"):
        choose_editor(workspace, "copy", {})


def test_people_overrule_the_filter(workspace):
    instruct(workspace), edit(workspace, workers=1), read(workspace, workers=1)
    first, second = list(workspace.edits_read().values())[:2]
    for each, verdict in ((first, "reject"), (second, "pass")):
        told = Decision(
            each.id,
            each.edit,
            "score",
            verdict,
            "group 1",
            PEOPLE,
            "2026-11-16T12:00:00Z",
            "ugly" * (verdict == "reject"),
        )
        workspace.append(told)
    counts = review_automatically(workspace, workers=1)
    assert counts["decided by people"] == 2
    assert counts["passed"] == 7
    steps = by_name(workspace)
    assert steps["scored 9"].rejected == {"ugly": 1}
    assert steps["boxes agreed"].pending == 1


def test_a_new_edit_is_read_and_reviewed_anew(reviewed):
    workspace = reviewed
    id = next(iter(workspace.instructions()))
    made = edits_of(workspace)[id]
    file = workspace.edits / made.file
    image = open_image(file).copy()
    image[0:20, -60:-20] = 0
    file.write_bytes(encode_png(image))
    assert by_name(workspace)["scored 9"].pending == 1
    assert read(workspace, workers=1)["read"] == 1
    assert review_automatically(workspace, workers=1)["several_places"] == 1


def test_the_package_is_the_same_bytes_and_its_sums_hold(reviewed, tmp_path):
    workspace = reviewed
    package(workspace)
    first = {
        file.relative_to(workspace.package): file.read_bytes()
        for file in workspace.package.rglob("*")
        if file.is_file()
    }
    shutil.rmtree(workspace.package)
    package(workspace)
    again = {
        file.relative_to(workspace.package): file.read_bytes()
        for file in workspace.package.rglob("*")
        if file.is_file()
    }
    assert first == again
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=workspace.package, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    sums = (workspace.package / "SHA256SUMS").read_text().splitlines()
    assert len(sums) == len([name for name in first if not name.name.startswith(".") and name.name != "SHA256SUMS"])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(RunFolderError, match=r"thesis\.txt"):
        package(workspace, tmp_path / "mine")


def test_the_card_says_what_it_is(reviewed):
    workspace = reviewed
    package(workspace)
    card = (workspace.package / "huggingface" / "README.md").read_text()
    head, text = card.split("---\n")[1:3]
    for line in ('license: "cc-by-4.0"', "- en", "- image-to-image", "- n<1K", "path: data/test-*.parquet"):
        assert line in head
    assert "**This data set was not reviewed by people.**" in text
    assert "| text_delete | 3 |" in text
    assert "| english | 9 |" in text
    assert "| note | 9 |" in text
    assert "| scored 9 | 9 | 9 | 0 | 0 | a filter in place of people |" in text
    rows = pl.read_parquet(workspace.package / "huggingface" / "data" / "*.parquet")
    assert len(rows) == 9
    assert json.loads(rows["details"][0])["reviewed_by_people"] is False


def test_the_ledger_tells_how_a_sample_came_to_be(reviewed):
    workspace = reviewed
    package(workspace)
    sample = load_suite(workspace.package).samples[0]
    lines = [json.loads(line) for line in (workspace.package / "provenance.jsonl").read_text().splitlines()]
    mine = [line for line in lines if line["id"] == sample.id]
    assert [line["what"] for line in mine] == [
        *("answered", "accepted", "edited", "read"),
        *("score pass", "boxes pass", "screen pass", "ocr pass"),
    ]
    assert all(line["when"].endswith("Z") and line["tool"].startswith("vdebench ") for line in mine)
    page = next(line for line in lines if line["id"] == sample.extra["page"])
    assert page["outputs"]["image"] == mine[0]["inputs"]["page"] == workspace.pages()[page["id"]].sha256
    edited = next(line for line in mine if line["what"] == "edited")
    file = workspace.edits / "images" / "text" / f"{sample.id}.png"
    assert edited["outputs"]["image"] == hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # theirs, not ours
def test_datasets_loads_the_package(reviewed, datasets):
    package(reviewed)
    cache = str(reviewed.root / "cache")
    loaded = datasets.load_dataset(str(reviewed.package / "huggingface"), cache_dir=cache)["test"]
    suite = load_suite(reviewed.package)
    assert [row["instruction"] for row in loaded] == [sample.instruction for sample in suite]
    assert loaded[0]["reference"].size == (600, 216)


def test_a_kill_before_the_ledger_leaves_no_gap(reviewed):
    workspace = reviewed
    kept = [line for line in workspace.ledger.file.read_text().splitlines() if json.loads(line)["stage"] != "edit"]
    workspace.ledger.file.write_text("".join(f"{line}\n" for line in kept))
    package(Workspace(workspace.root))
    lines = [json.loads(line) for line in (workspace.package / "provenance.jsonl").read_text().splitlines()]
    assert sum(line["what"] == "edited" for line in lines) == 9


def test_rules_claim_no_prompt(reviewed):
    assert {entry.prompt for entry in reviewed.ledger if entry.stage == "instruct"} == {""}


def test_a_page_named_like_a_sample_of_another(reviewed):
    sample = next(iter(reviewed.instructions()))
    reviewed.ledger.note(LedgerEntry("init", sample, "page"))  # as of a file that is called so
    package(reviewed)
    lines = [json.loads(line) for line in (reviewed.package / "provenance.jsonl").read_text().splitlines()]
    assert {line["id"] for line in lines if line["stage"] == "init"} == set(LINES)


def test_a_funnel_that_does_not_add_up_is_refused(reviewed):
    workspace = reviewed
    twice = {"stage": "instruct", "id": next(iter(workspace.instructions())), "reason": "two_places"}
    _append_line(workspace.rejected_file, twice)  # it is in both: accepted and turned down
    with pytest.raises(RunFolderError, match="inconsistent counts at instructions: 9 draws in; 9 passed, 1 rejected"):
        package(workspace)


def test_torn_lines_are_passed_over_and_wrong_ones_named(workspace):
    with workspace.pages_file.open("ab") as file:
        file.write(b'{"id": "half a')
    assert set(workspace.pages()) == set(LINES)
    instruct(workspace)
    _append_line(workspace.pages_file, {"id": "short"})  # in the place of the torn one
    with pytest.raises(InputError, match=r"pages\.jsonl: line 4: missing 7 required"):
        workspace.pages()


def test_differing_sizes_are_brought_together():
    page = np.zeros((40, 60, 3), np.uint8)
    edited = np.full((80, 120, 3), 200, np.uint8)
    pasted = paste_back(page, edited, [Box(10, 5, 20, 15), Box(30, 30, 60, 40)])
    assert pasted.shape == page.shape
    assert pasted[5:15, 10:20].min() == 200
    assert pasted[30:, 30:].min() == 200
    pasted[5:15, 10:20], pasted[30:, 30:] = 0, 0
    assert not pasted.any()
    assert not page.any()
    with pytest.raises(InputError, match="no box"):
        paste_back(page, edited, [])
