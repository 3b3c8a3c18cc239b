"""Ground truth from the suite or by OCR, and the OCR ceiling."""

from __future__ import annotations

import json

import pytest

from tests import pages
from tests.colours import HEIGHT, WIDTH, ColourReader, paint, run
from vdebench.core.page_text import PageText


def test_ocr_ceiling_is_the_score_of_the_reference_images(make):
    suite, editor = make(3)
    for index in range(3):
        paint(editor / f"page_{index}.png", 0)
    summary = run(suite, editor, ColourReader(misreads="a")).summary
    # alpha, bravo, charlie read as #lph#, br#vo, ch#rlie
    expected = (3 / 5 + 4 / 5 + 6 / 7) / 3
    assert summary["ocr_ceiling"]["scores"]["global"]["cdm"] == pytest.approx(expected)
    assert summary["ocr_ceiling"]["loss"]["global"]["cdm"] == pytest.approx(1 - expected)
    assert summary["ocr_ceiling"]["by"]["operation"]["text_replace"]["global"]["cdm"] == pytest.approx(expected)
    # the same reader reads the crops of both sides: they have no ceiling
    assert "local" not in summary["ocr_ceiling"]["scores"]


def test_without_text_in_the_suite_ocr_reads_both_sides(make):
    suite, editor = make(2, readings=False)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    result = run(suite, editor, ColourReader(misreads="a"))
    assert result.summary["overall"]["global"]["cdm"] == 1.0
    assert result.summary["ocr_ceiling"] is None
    assert any("OCR ceiling is not known: the ground truth is OCR output" in note for note in result.summary["notes"])
    assert "|gt:ocr|" in result.signature


@pytest.mark.parametrize("has_text", [True, False])
def test_output_of_references_is_removed_from_the_cache_last(make, monkeypatch, tmp_path, has_text):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    suite, editor = make(3, readings=has_text)
    for index in range(3):
        paint(editor / f"page_{index}.png", index + 3)
    run(suite, editor)
    stored = list((tmp_path / "cache/readings").glob("*/??/*.json"))
    lasting = {file for file in stored if file.name.endswith(".lasting.json")}
    words = {PageText.from_json(json.loads(file.read_text())).blocks[0].content for file in lasting}
    assert words == {"alpha", "bravo", "charlie"}  # of the references, which OCR reads for ground truth or ceiling
    assert {"delta", "echo", "foxtrot"} == {
        PageText.from_json(json.loads(file.read_text())).blocks[0].content for file in set(stored) - lasting
    }


def test_ground_truth_by_ocr_replaces_the_text_of_the_suite(make):
    suite, editor = make(2)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    misreading = ColourReader(misreads="a")
    assert run(suite, editor, misreading).summary["overall"]["global"]["cdm"] < 1
    read = run(suite, editor, misreading, ground_truth="ocr")
    assert read.summary["overall"]["global"]["cdm"] == 1.0
    assert "|gt:ocr|" in read.signature


def test_signature_depends_on_the_reference_images(make):
    suite, editor = make(1)
    paint(editor / "page_0.png", 0)
    before = run(suite, editor, ground_truth="ocr").signature
    paint(suite / "images/page_0.png", 1)
    assert run(suite, editor, ground_truth="ocr").signature != before


def test_ceiling_uses_the_samples_behind_the_means(make):
    suite, editor = make(3)
    paint(editor / "page_1.png", 1)
    found = run(suite, editor, ColourReader(misreads="b"), protocol="vde-release", setting="global").summary
    # only bravo is scored, read as #ravo: alpha and charlie must not be in the ceiling
    assert found["ocr_ceiling"]["scores"]["global"]["cdm"] == found["overall"]["global"]["cdm"] == pytest.approx(4 / 5)


def test_pages_of_omnidocbench_are_their_own_references(tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    page = {
        "layout_dets": [
            {
                "category_type": "text_block",
                "poly": [0, 0, 100, 0, 100, 150, 0, 150],
                "text": "alpha",
                "order": 1,
                "anno_id": 1,
            }
        ],
        "page_info": {"image_path": "page_0.png", "width": WIDTH, "height": HEIGHT, "page_attribute": {}},
    }
    pages.write_json(tmp_path / "suite/pages.json", [page])
    (tmp_path / "suite/suite.toml").write_text(
        'format = "omnidoc"\n[groups.pages]\ninfo = "pages.json"\nimages = "images"\n'
    )
    paint(tmp_path / "suite/images/page_0.png", 0)
    paint(tmp_path / "editor/page_0.png", 0)
    found = run(tmp_path / "suite", tmp_path / "editor", setting="global").summary
    assert found["overall"]["global"]["identical"] == 1
    assert found["ocr_ceiling"]["scores"]["global"]["cdm"] == 1.0
