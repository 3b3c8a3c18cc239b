"""Unknown is not zero: usable edits without image metrics, without images, and with a reader that cannot read."""

from __future__ import annotations

import json

import pytest

from tests.commands import vde
from tests.report import site_runs
from vdebench import score
from vdebench.core.page_text import PageText
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import Reader
from vdebench.report.rendering import render
from vdebench.report.usable import usable_overview


class BlindReader(Reader):
    """Reads nothing, as an engine does on a script that it does not know."""

    @property
    def identity(self):
        return {"name": "blind", "version": "1"}

    def read(self, image) -> PageText:
        return PageText.from_json({"parsing_res_list": [], "width": image.shape[1], "height": image.shape[0]})


@pytest.fixture
def suite(tmp_path):
    root = site_runs.make_suite(tmp_path / "suite")
    for index, truth in enumerate(site_runs.TRUTHS):
        site_runs.paint(tmp_path / f"oracle/page_{index}.png", truth)
    return root


def summary_of(suite, outputs, reader=None, **options):
    read_by = CachedReader(reader or site_runs.StripeReader())
    return score(suite, outputs, reader=read_by, workers=1, **options).summary


def test_usable_edits_do_not_depend_on_the_image_metrics(suite, tmp_path):
    with_metrics = summary_of(suite, tmp_path / "oracle", metrics=["psnr"])
    without = summary_of(suite, tmp_path / "oracle", metrics=[])
    assert without["usable"] == with_metrics["usable"]
    assert without["usable"]["rate"] == 1
    assert "|images:off|" in without["signature"]


@pytest.fixture
def ocr_output(suite, tmp_path):
    """Ready OCR output of three of four samples, as a suite without images has it."""
    folder = tmp_path / "ready"
    folder.mkdir()
    for index in range(3):
        (folder / f"page_{index}.json").write_text((suite / f"readings/page_{index}.json").read_text())
    return folder


def test_without_images_there_are_bounds_and_no_rate(suite, ocr_output):
    summary = score(suite, ocr_output).summary
    usable = summary["usable"]
    assert (usable["rate"], usable["interval"]) == (None, None)
    assert (usable["bounds"], usable["n"], usable["unknown"]) == ([0, 3], 1, 3)  # the missing one fails for certain
    text = render(usable_overview([summary]), "terminal")
    row = next(line for line in text.splitlines() if line.startswith("ready"))
    assert row.split()[:4] == ["ready", "–", "–", "–"]
    assert "0 to 3 of 4 edits are usable: 3 could not be judged" in " ".join(text.split())


def test_the_command_shows_bounds_and_json_has_no_rate(suite, ocr_output):
    shown = vde("score", suite, "--ocr-output", ocr_output)
    assert "0 to 3 of 4 edits are usable" in " ".join(shown.stdout.split())
    assert json.loads(vde("score", suite, "--ocr-output", ocr_output, "--json").stdout)["usable"]["rate"] is None


def test_unreadable_regions_are_unknown_and_never_pass(suite, tmp_path):
    """The region's text is read from the reference: nothing there, and nothing in an output that says anything else."""
    other = tmp_path / "other"
    for index in range(4):
        site_runs.paint(other / f"page_{index}.png", [(site_runs.BODY, "something else"), site_runs.TRUTHS[index][1]])
    summary = summary_of(suite, other, BlindReader())
    assert summary["regions"]["outcomes"] == {"unreadable": 4}
    assert summary["regions"]["rate"] is None
    assert summary["overall"]["local"]["cdm"] is None
    usable = summary["usable"]
    assert (usable["rate"], usable["n"], usable["not_judgeable"]) == (None, 0, 4)


def test_missing_output_of_an_unreadable_sample_is_in_no_rate(suite, tmp_path):
    (tmp_path / "oracle/page_2.png").unlink()
    usable = summary_of(suite, tmp_path / "oracle", BlindReader())["usable"]
    assert (usable["n"], usable["unknown"], usable["not_judgeable"]) == (0, 0, 4)


def test_the_suites_own_text_of_the_regions_decides(suite, tmp_path):
    """The suite says what the regions read; the reader reads nothing on the references: unknown for every output."""
    for index, truth in enumerate(site_runs.TRUTHS):
        region = suite / f"readings/regions/page_{index}_region_0.json"
        region.parent.mkdir(exist_ok=True)
        block = {"block_bbox": [0, 0, 160, 30], "block_label": "text", "block_content": truth[0][1]}
        region.write_text(json.dumps({"width": 160, "height": 30, "parsing_res_list": [block]}))
    summary = summary_of(suite, tmp_path / "oracle", BlindReader())
    assert summary["regions"]["outcomes"] == {"unreadable": 4}
    assert summary["overall"]["local"]["cdm"] == 0.0  # the text is missing, as far as the reader can tell
    assert summary["usable"]["not_judgeable"] == 4


def test_regions_done_and_usable_agree_on_the_reference(suite, tmp_path):
    summary = summary_of(suite, tmp_path / "oracle")
    assert summary["usable"]["rate"] == 1
    assert summary["regions"]["rate"] in (1, None)
