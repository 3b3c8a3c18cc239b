"""The sheet in a real browser, opened from a file: rank, come back, download, correlate."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from tests.report import human_runs
from tests.report.human_runs import EDITORS
from tests.report.test_site_browser import Page as AnyPage
from tests.report.test_site_browser import browser  # noqa: F401
from vdebench.report.human.page import write_agreement
from vdebench.report.human.sheet import write_sheet
from vdebench.report.human.study import correlate_answers
from vdebench.studies.human.sheet import letter, read_key

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium"),
]
COUNT = 4


@pytest.fixture(scope="module")
def made(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("browser")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        runs = human_runs.make(root, COUNT)[1]
    write_sheet(runs, root / "a study #1", annotators=2)
    return runs, root / "a study #1"


class Page(AnyPage):
    """A page that is open at once; whatever goes wrong in it, or leaves its folder, fails the test."""

    def __init__(self, *given, **options):
        super().__init__(*given, **options)
        self.page.goto(self.url)

    def close(self):
        self.check()
        self.context.close()


@pytest.fixture
def sheet(browser, made):  # noqa: F811
    found = Page(browser, made[1] / "sheet/index.html")
    yield found
    found.close()


def choose(page, candidate, criterion, rank):
    page.locator(
        f'fieldset[data-candidate="{candidate}"][data-criterion="{criterion}"] label', has_text=str(rank)
    ).click()


def test_the_whole_way(sheet, made, tmp_path):
    """Two people rank on the page as they know the truth to be; their files say so to the metrics."""
    runs, study = made
    key, page = read_key(study / "key.json"), sheet.page
    files = []
    for person in key.annotators:
        page.select_option("#annotator", person)
        for at, sample in enumerate(key.samples):
            page.locator("#samples button").nth(at).click()
            assert page.inner_text("h2") == f"Sample {sample.number} of {COUNT}"
            shown = [editor for editor in EDITORS if editor not in sample.absent]
            for place, editor in enumerate(sample.orders[person]):
                for criterion in key.criteria:
                    if editor in shown:
                        choose(page, letter(place), criterion, shown.index(editor) + 1)
        assert "All samples are ranked" in page.inner_text("#unfinished")
        assert page.inner_text("#progress") == f"{COUNT} of {COUNT} samples done"
        with page.expect_download() as waiting:
            page.click("#download")
        files.append(tmp_path / waiting.value.suggested_filename)
        waiting.value.save_as(files[-1])
    assert [file.name for file in files] == ["answers-1.csv", "answers-2.csv"]
    found = correlate_answers(files, study / "key.json", runs, resamples=200)
    assert (found["answers"]["missing"], found["annotators"]) == (0, ["1", "2"])
    for one in found["criteria"].values():
        # the third refused one of four, and is last there: (3 · 2 + 1) / 4, (3 · 1 + 2) / 4
        assert [point["human_rank"] for point in one["points"]] == pytest.approx([4, 3, 1.75, 1.25])
        assert one["models"]["spearman"]["value"] >= 0.8
        assert one["agreement"]["kendall_w"] == pytest.approx(1)


def test_what_is_not_finished_is_said_and_kept(sheet):
    page = sheet.page
    assert "0 of 4 samples done" in page.inner_text("#progress")
    choose(page, "A", "box alignment", 1)
    choose(page, "B", "box alignment", 1)
    assert page.inner_text("#order-0") == "A = B · not yet: C, D"
    assert "28 ranks are missing, in samples 1, 2, 3, 4" in page.inner_text("#unfinished")  # 2 · 15 − 2
    assert page.get_attribute("#samples button:first-child", "aria-label") == "Sample 1: begun"
    page.reload()
    assert page.inner_text("#order-0") == "A = B · not yet: C, D"
    page.select_option("#annotator", "2")  # somebody else, with another order and no answers yet
    assert page.inner_text("#order-0") == "nothing ranked yet"
    page.select_option("#annotator", "1")
    page.locator('fieldset[data-candidate="A"][data-criterion="box alignment"] .clear').click()
    assert page.inner_text("#order-0") == "B · not yet: A, C, D"
    with page.expect_download() as waiting:
        page.click("#download")
    with waiting.value.path().open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["rank"] for row in rows if row["rank"]] == ["1"]
    assert len(rows) == 30


def test_by_keys_alone(sheet):
    page = sheet.page
    for key in ("c", "1", "c", "2", "a", "3"):
        page.keyboard.press(key)
    assert page.inner_text("#order-0") == "C > A · not yet: B, D"
    assert page.inner_text("#order-1") == "C · not yet: A, B, D"
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#order-0") == "C > A · not yet: B, D"
    assert (
        page.locator('fieldset[data-candidate="A"][data-criterion="box alignment"] input:checked').input_value() == "4"
    )
    page.keyboard.press("Delete")
    assert page.inner_text("#order-0") == "C · not yet: A, B, D"
    assert page.evaluate("getComputedStyle(document.activeElement.nextElementSibling).outlineStyle") == "solid"
    page.keyboard.press("]")
    assert page.inner_text("h2") == "Sample 2 of 4"
    page.keyboard.press("[")
    assert page.inner_text("h2") == "Sample 1 of 4"


def test_pictures_move_as_one_and_go_to_the_region(sheet):
    page = sheet.page
    page.wait_for_function("[...document.images].every((image) => image.complete && image.naturalWidth)")
    widths = "[...document.querySelectorAll('.stage')].map((stage) => Math.round(stage.getBoundingClientRect().width))"
    before = page.evaluate(widths)
    assert len(before) == 5
    assert page.locator("section.source rect.region").count() == 1
    page.click(".to-region")
    after = page.evaluate(widths)
    assert len(set(after)) == 1
    assert after[0] > before[0]
    page.click("text=Whole page")
    assert page.evaluate(widths) == before


def test_an_output_that_is_not_there(sheet, made):
    page, key = sheet.page, read_key(made[1] / "key.json")
    at = next(at for at, sample in enumerate(key.samples) if sample.absent)
    page.locator("#samples button").nth(at).click()
    tile = page.locator(".card.absent")
    assert tile.inner_text().split("\n")[-1] == "No output: ranked last by itself"
    assert tile.locator("fieldset").count() == 0
    assert page.locator("fieldset").first.locator("input").count() == 3


def test_what_others_wrote_stays_text(sheet, made):
    page, key = sheet.page, read_key(made[1] / "key.json")
    at = next(at for at, sample in enumerate(key.samples) if sample.sample == "text/1")
    page.locator("#samples button").nth(at).click()
    assert "</script><script>" in page.inner_text(".instruction")
    assert page.locator("main script, main img[src=x]").count() == 0


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_window(browser, made, tmp_path, width):  # noqa: F811
    runs, study = made
    key = json.loads((study / "key.json").read_text())
    lines = [
        f"1,{sample['number']},{letter(place)},{criterion},{EDITORS.index(editor) + 1}"
        for sample in key["samples"]
        for criterion in key["criteria"]
        for place, editor in enumerate(sample["orders"]["1"])
    ]
    (tmp_path / "a.csv").write_text("\n".join(["annotator,sample,candidate,criterion,rank", *lines]))
    agreement = write_agreement(
        correlate_answers([tmp_path / "a.csv"], study / "key.json", runs, resamples=50), tmp_path / "out"
    )
    for file in (study / "sheet/index.html", agreement):
        site = Page(browser, file, viewport={"width": width, "height": 860})
        site.page.wait_for_timeout(200)
        assert site.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        site.close()
