"""Samples without a reference, with the real reader: verdicts by the instruction, tables, and what is unknown."""

from __future__ import annotations

import json

import pytest

from tests.changes.drawn import LINES, draw, with_line
from tests.commands import vde
from tests.report import site_runs
from tests.report.test_site import data, of_editor
from tests.unreferenced import save, stripped, write_suite
from vdebench import score
from vdebench.changes.identity import CHANGES, REQUESTS
from vdebench.core.images import Image
from vdebench.io.images import open_image
from vdebench.readers.cached import CachedReader
from vdebench.report.overview import editors_table
from vdebench.report.site.write import write_report
from vdebench.report.usable import verdict_lines
from vdebench.stats.usable import RULES
from vdebench.stats.usable_runs import judge_runs
from vdebench.suites.suite import load_suite

PAGE, PRICE = draw(), 'Replace "21.88" with "27.88".'
DONE = draw(with_line(2, LINES[2].replace("21.88", "27.88")))
DAMAGED = draw(
    [
        *with_line(2, LINES[2].replace("21.88", "27.88"))[:1],
        "Opening hours: 8:30 to 19:45",
        *with_line(2, LINES[2].replace("21.88", "27.88"))[2:],
    ]
)
ENTRIES = [
    {"id": 1, "image_input": "price.png", "instruction": PRICE, "instruction type": "text_replace"},
    {"id": 2, "image_input": "told.png", "instruction": "Raise the fare for cars a little.", "target_text": "27.88"},
    {"id": 3, "image_input": "nicer.png", "instruction": "Make it nicer."},
]
NAMES = ("price", "told", "nicer")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A suite of three samples, and outputs: the page, the edit, and the edit with another fact changed."""
    root = tmp_path_factory.mktemp("plain")
    write_suite(root / "suite", ENTRIES, dict.fromkeys(NAMES, PAGE))
    for editor, image in (("copy", PAGE), ("done", DONE), ("damaged", DAMAGED)):
        save(root / editor, dict.fromkeys(NAMES, image))
    return root


@pytest.fixture(scope="module")
def results(folder):
    """Scores of the three editors."""
    return {
        editor: score(folder / "suite", folder / editor, out=folder / "runs" / editor, workers=1)
        for editor in ("copy", "done", "damaged")
    }


def verdicts_of(root):
    (run,) = judge_runs([root]).runs
    return list(run.verdicts)


@pytest.mark.parametrize(
    ("editor", "usable", "fails_at"),
    [
        ("done", [True, True, None], ["", "", ""]),
        ("copy", [False, False, None], ["completeness", "completeness", ""]),
        ("damaged", [False, False, None], ["preservation", "preservation", ""]),
    ],
)
def test_verdicts(results, folder, editor, usable, fails_at):
    found = verdicts_of(folder / "runs" / editor)
    assert [each.usable for each in found] == usable
    assert [each.fails_at for each in found] == fails_at
    assert [each.judgeable for each in found] == [True, True, False]


def test_the_rate_and_its_signature(results):
    usable = results["done"].summary["usable"]
    assert (usable["rate"], usable["n"], usable["not_judgeable"]) == (1.0, 2, 1)
    assert usable["signature"].startswith(f"usable:{RULES},{CHANGES},{REQUESTS}|")
    assert "|gt:instruction|" in results["done"].signature


def test_columns(results):
    rows = results["damaged"].scores.filter(setting="global").rows(named=True)
    columns = ("judged_by", "unasked_changes", "changed_facts", "illegible_words", "cropped_words", "zoom")
    assert [[row[name] for name in columns] for row in rows[:2]] == [["request", 1, 1, 0, 0, 0.0]] * 2
    assert [rows[2]["judged_by"], rows[2]["unasked_changes"]] == [
        "nothing",
        None,
    ]  # it is not known which changes "nicer" means
    found = json.loads(rows[0]["changes"])
    assert [found[name] for name in ("edit", "engine", "request_rules")] == ["done", CHANGES, REQUESTS]
    assert results["damaged"].summary["usable"]["changes"]["unasked_per_page"] == 1


def test_metrics_that_need_ground_truth_have_no_value(results):
    summary = results["done"].summary
    assert summary["overall"] == {"global": None, "local": None}
    assert summary["coverage"] == {"samples": 3, "scored": 3, "missing": 0, "failed": 0, "without_reference": 3}
    assert summary["ocr_ceiling"] is None
    assert results["done"].scores["gt_blocks"].null_count() == 6
    assert results["done"].scores["ssim"].null_count() == 6


def test_tables_show_the_verdicts(results):
    summaries = [result.summary for result in results.values()]
    table = editors_table(summaries)
    assert [row.name for row in table.rows] == []
    assert "done: 3 samples, 3 scored, 0 missing, 0 failed; 3 without a reference: in no mean" in table.notes


def test_samples_that_nobody_can_be_judged_on_name_the_reason(results, folder):
    *_, line = verdict_lines("done", verdicts_of(folder / "runs/done"))
    assert line == (
        "done text/3: unknown: completeness, textual correctness, preservation: the instruction is not understood by "
        "rule, and the sample has no target text that is new to its page"
    )


def test_nobody_can_be_judged_on_a_target_text_that_the_page_has(tmp_path):
    entry = {"id": 1, "image_input": "fare.png", "instruction": "Fix the fare.", "target_text": "27.88\n4.20"}
    write_suite(tmp_path / "suite", [entry], {"fare": PAGE})
    summary = score(tmp_path / "suite", save(tmp_path / "out", {"fare": DONE}), out=tmp_path / "run", workers=1).summary
    (found,) = verdicts_of(tmp_path / "run")
    assert (found.usable, found.judgeable) == (None, False)
    assert (summary["usable"]["n"], summary["usable"]["not_judgeable"]) == (0, 1)


def test_outputs_that_are_missing_or_broken(folder, tmp_path):
    outputs = save(tmp_path / "some", {"told": DONE})
    (outputs / "price.png").write_bytes(b"no image")
    result = score(folder / "suite", outputs, out=tmp_path / "run", workers=1)
    found = verdicts_of(tmp_path / "run")
    assert [each.usable for each in found] == [False, True, None]
    assert found[0].evidence["completeness"].startswith("the output cannot be opened")
    assert result.summary["coverage"] == {"samples": 3, "scored": 1, "missing": 1, "failed": 1, "without_reference": 3}


def test_a_page_that_is_missing_is_no_fault_of_the_editor(tmp_path, folder):
    write_suite(tmp_path / "suite", ENTRIES[:1], {"other": PAGE})
    score(tmp_path / "suite", save(tmp_path / "out", {"price": DONE}), out=tmp_path / "run", workers=1)
    (found,) = verdicts_of(tmp_path / "run")
    assert found.usable is None
    assert "the suite has no image of its page" in found.evidence["completeness"]


def test_a_missing_output_is_a_fault_of_the_editor_also_if_the_page_is_missing(tmp_path):
    entries = [ENTRIES[0], ENTRIES[1]]
    write_suite(tmp_path / "suite", entries, {"told": PAGE})  # no page price.png
    outputs = save(tmp_path / "out", {"told": DONE})  # no output price.png
    result = score(tmp_path / "suite", outputs, out=tmp_path / "run", workers=1)
    found = verdicts_of(tmp_path / "run")
    assert set(found[0].properties.values()) == {False}
    assert [each.usable for each in found] == [False, True]
    assert result.summary["coverage"] == {"samples": 2, "scored": 1, "missing": 1, "failed": 0, "without_reference": 2}


def test_changes_are_cached_where_ocr_output_is(tmp_path):
    suite = write_suite(tmp_path / "suite", ENTRIES[:1], {"price": PAGE})
    reader = CachedReader.named("rapidocr", root=tmp_path / "cache")
    score(suite, save(tmp_path / "out", {"price": DONE}), reader=reader, workers=1)
    assert len(list((tmp_path / "cache/measures").glob("edit-check-*"))) == 1


def test_a_reader_without_likelihoods_gives_no_verdict(folder):
    summary = score(folder / "suite", folder / "done", reader=CachedReader(site_runs.StripeReader()), workers=1).summary
    assert (summary["usable"]["rate"], summary["usable"]["unknown"], summary["usable"]["bounds"]) == (None, 2, [0, 2])
    assert summary["coverage"]["scored"] == 0
    reason = "no reference, and the reader cannot tell how likely a text is on an image; rapidocr can"
    assert f"global: 3 samples left out: {reason}" in summary["notes"]


def test_ready_ocr_output_gives_no_verdict(folder, tmp_path):
    for name in NAMES:
        (tmp_path / f"{name}.json").write_text('{"parsing_res_list": []}')
    result = score(folder / "suite", tmp_path, images=folder / "done")
    assert result.summary["usable"]["bounds"] == [0, 2]
    assert "ready OCR output cannot tell" in result.scores["reason"][0]


def test_protocols_of_the_papers_leave_them_out(folder):
    summary = score(folder / "suite", folder / "done", protocol="vde-release", workers=1, metrics=[]).summary
    assert summary["overall"] == {"global": None, "local": None}
    assert "global: 3 samples left out: no reference, which vde-release needs" in summary["notes"]


@pytest.fixture(scope="module")
def mixed(folder):
    """The same samples, and one with a reference."""
    entry = {
        "id": 9,
        "image_input": "page.png",
        "image_output": "edited.png",
        "instruction": PRICE,
        "instruction type": "text_replace",
        "language": "english",
        "data_source": "book",
        "label_output": [{"x": 5, "y": 28, "width": 90, "height": 9}],
    }
    root = folder / "mixed"
    section = '[groups.edited]\ninfo = "edited.json"\nimages = "references"\nsource_images = "pages"\n'
    write_suite(root, ENTRIES, {**dict.fromkeys(NAMES, PAGE), "page": PAGE}, section)
    save(root / "references", {"edited": DONE})
    (root / "edited.json").write_text(json.dumps([entry]))
    return root


def test_a_mixed_suite(mixed, folder, tmp_path):
    outputs = save(tmp_path / "done", {**dict.fromkeys(NAMES, DONE), "edited": DONE})
    result = score(mixed, outputs, out=tmp_path / "run", workers=1, metrics=["ssim"])
    summary = result.summary
    assert summary["overall"]["global"]["cdm"] == 1  # of the sample with a reference alone
    assert summary["overall"]["global"]["ssim"] == 1
    assert summary["overall"]["global"]["images"] == 1
    assert [each.usable for each in verdicts_of(tmp_path / "run")] == [True, True, None, True]
    assert summary["usable"]["signature"].startswith(f"usable:{RULES},{CHANGES},references+{REQUESTS}|")
    assert "|gt:ocr+instruction|" in result.signature
    again = score(mixed, outputs, out=tmp_path / "run", workers=1, metrics=["ssim"])
    assert again.scores.equals(result.scores)


def test_the_commands(results, folder):
    runs = [folder / "runs" / editor for editor in ("copy", "done", "damaged")]
    assert (
        "damaged text/1: not usable: preservation: 1 change: 17:45 → 19:45" in vde("usable", *runs, "--samples").stdout
    )
    assert "Usable edits" in vde("usable", *runs).stdout
    assert "unknown" in vde("usable", *runs, "--by", "operation").stdout
    assert "without a reference" in vde("table", *runs).stdout
    assert "Usable" in vde("compare", *runs[:2]).stdout
    assert "without a reference" in vde("show", runs[0]).stdout


def test_the_report_shows_the_source_in_place_of_the_reference(results, folder, tmp_path):
    write_report([folder / "runs" / editor for editor in ("done", "damaged")], tmp_path / "report")
    samples = data(tmp_path / "report", "samples")
    assert all(each["unreferenced"] and each["images"][1] is None for each in samples)
    changes = of_editor(tmp_path / "report", "strict/damaged", "0")[0]["changes"]
    assert changes["edit"] == "done"
    assert [each["asked"] for each in changes["changes"]] == [False, True]  # facts first


def test_a_run_from_pages_to_verdicts(tmp_path):
    write_suite(
        tmp_path / "suite", [ENTRIES[0], ENTRIES[0] | {"id": 2, "instruction": 'Delete "Harbour".'}], {"price": PAGE}
    )
    vde("run", tmp_path / "suite", "-e", "copy", "-e", "overlay", "--out", tmp_path / "runs", "--metrics", "none")
    assert [each.usable for each in verdicts_of(tmp_path / "runs/copy/strict")] == [False, False]
    assert verdicts_of(tmp_path / "runs/overlay/strict")[0].usable is True


def test_typeset_samples_have_the_same_verdicts_as_with_their_references(tmp_path):
    suite = load_suite("typeset:n=2,seed=3,languages=en,kinds=note,operations=text_replace,ppi=96")
    plain = stripped(suite, tmp_path / "plain")
    outputs: dict[str, dict[str, Image]] = {"oracle": {}, "copy": {}, "damaged": {}}
    for sample in suite:
        files = suite.image_files(sample)
        source, reference = open_image(files.source), open_image(files.reference)
        damaged = reference.copy()
        damaged[: len(damaged) // 8] = 255  # the heading is lost
        for editor, image in (("oracle", reference), ("copy", source), ("damaged", damaged)):
            outputs[editor][files.reference.stem] = image
    for editor, images in outputs.items():
        folder = save(tmp_path / editor, images)
        for name, scored in (("with", suite), ("without", plain)):
            score(scored, folder, out=tmp_path / f"{name}-{editor}", workers=1, metrics=[])
        expected = [each.usable for each in verdicts_of(tmp_path / f"with-{editor}")]
        assert [each.usable for each in verdicts_of(tmp_path / f"without-{editor}")] == expected
        assert expected == [editor == "oracle"] * 2
