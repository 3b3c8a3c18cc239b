"""The stage as a whole: settings, coverage, averages, signatures."""

from __future__ import annotations

import pytest

from tests import pages
from vdebench import load_suite, score
from vdebench.errors import InputError, VdeError
from vdebench.pipeline.evaluation import open_predictions
from vdebench.protocols import get_protocol

KEYS = {
    "iou", "iou_matched", "iou_all", "cdm", "bleu", "teds", "teds_like", "text_similarity", "text_correctness",
    "gt_blocks", "matched_blocks", "unmatched_gt", "unmatched_pred",
}  # fmt: skip
PROTOCOLS = ("strict", "vde-v3", "vde-v1", "vde-release")


def block(content, top=50, label="text"):
    return {"block_bbox": [100, top, 900, top + 80], "block_label": label, "block_content": content}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_summary_schema(protocol):
    summary = score("examples/tiny", "examples/tiny/editors/sloppy", protocol=protocol).summary
    assert summary["protocol"] == protocol
    assert summary["coverage"].keys() == {"samples", "scored", "missing", "failed"}
    assert summary["by"].keys() == {"operation", "edit_class", "language", "source", "label", "group"}
    beside = "micro" if protocol == "strict" else "macro"
    for means in [
        summary["overall"]["global"],
        *(found["global"] for by in summary["by"].values() for found in by.values()),
    ]:
        if means is not None:
            assert means.keys() >= KEYS
            assert means[beside].keys() >= KEYS - {"gt_blocks", "matched_blocks", "unmatched_gt", "unmatched_pred"}
    applies = {
        "strict": {"teds", "teds_like", "text_similarity", "text_correctness"},
        "vde-release": {"teds", "text_similarity"},
    }.get(protocol, {"teds_like", "text_correctness"})
    null = {"teds", "teds_like", "text_similarity", "text_correctness"} - applies
    assert all(summary["overall"]["global"][name] is None for name in null)
    assert all(summary["overall"]["global"][name] is not None for name in applies)


def test_signature_contains_every_choice():
    signature = score("examples/tiny", "examples/tiny/editors/careful", reader="paddleocr-vl@v1").signature
    revision = load_suite("examples/tiny").revision[:12]
    rules = get_protocol("strict").digest[:12]
    expected = f"vde|p:strict|rules:{rules}|v:0.1.0|match:assign-3|tok:script|local:crop|reader:paddleocr-vl@v1|gt:suite|ceiling:none|images:off|in:whole,rgb-1|rewriter:none|suite:tiny@sha256:{revision}|n:8"
    assert signature == expected


def test_micro_and_macro(tmp_path):
    small, large = [block("abcd")], [block(text, 50 + 100 * i) for i, text in enumerate(["abcd", "abcd", "abcd"])]
    wrong = [block("abcx", 50 + 100 * i) for i in range(3)]
    root = pages.write_suite(tmp_path, [(small, small), (large, wrong)])
    exact = score(root, root / "pred").summary["overall"]["global"]
    assert exact["cdm"] == pytest.approx((1 + 0.75) / 2)
    assert exact["micro"]["cdm"] == pytest.approx((1 + 3 * 0.75) / 4)
    paper = score(root, root / "pred", protocol="vde-v3").summary["overall"]["global"]
    assert paper["cdm"] == pytest.approx((1 + 3 * 0.75) / 4)
    assert paper["macro"]["cdm"] == pytest.approx((1 + 0.75) / 2)


def test_the_three_means_of_iou(tmp_path):
    truth = [block("a", 50), block("b", 400)]
    prediction = [block("a", 50), block("x", 1000), block("y", 1200)]
    root = pages.write_suite(tmp_path, [(truth, prediction)])
    release = score(root, root / "pred", protocol="vde-release").summary["overall"]["global"]
    assert (release["iou"], release["iou_matched"], release["iou_all"]) == (1 / 2, 1.0, 1 / 4)
    exact = score(root, root / "pred").summary["overall"]["global"]
    assert exact["iou"] == exact["iou_all"] == 1 / 4
    centre = score(root, root / "pred", protocol="vde-v3").summary["overall"]["global"]
    assert (centre["matched_blocks"], centre["iou"], centre["iou_all"]) == (2, 1 / 2, 1 / 3)  # however far apart


@pytest.mark.parametrize(
    ("protocol", "iou", "cdm"), [("strict", 0.5, 0.5), ("vde-v3", 0.5, 1.0), ("vde-release", 1.0, 1.0)]
)
def test_missing_prediction_is_reported(tmp_path, protocol, iou, cdm):
    root = pages.write_suite(tmp_path, [([block("a")], [block("a")]), ([block("b")], None)])
    summary = score(root, root / "pred", protocol=protocol).summary
    assert summary["coverage"] == {"samples": 2, "scored": 1, "missing": 1, "failed": 0}
    assert (summary["overall"]["global"]["iou"], summary["overall"]["global"]["cdm"]) == (iou, cdm)


def test_no_prediction_at_all_scores_zero_and_other_names_are_an_error(tmp_path):
    """A folder without any prediction is refused, unless the caller passes opened predictions."""
    root = pages.write_suite(tmp_path, [([block("a")], None)])
    assert score(root, open_predictions(root / "pred", load_suite(root))).summary["overall"]["global"]["cdm"] == 0.0
    pages.write_json(root / "pred/something_else.json", pages.reading([]))
    with pytest.raises(InputError, match=r"no OCR output \(JSON\) of any sample here: found something_else\.json"):
        score(root, root / "pred")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_prediction_that_cannot_be_read_has_a_reason_and_no_number(tmp_path, protocol):
    good = [block("a")]
    root = pages.write_suite(tmp_path, [(good, good), (good, good)])
    (root / "pred/page_1.json").write_text('{"parsing_res_list": [')
    result = score(root, root / "pred", protocol=protocol)
    assert result.summary["coverage"] == {"samples": 2, "scored": 1, "missing": 0, "failed": 1}
    assert result.summary["overall"]["global"]["cdm"] == 1.0
    (failure,) = result.failures
    assert failure[0] == "text/1"
    assert "page_1.json: not JSON" in failure[1]


def test_broken_ground_truth_fails_only_its_sample(tmp_path):
    root = pages.write_suite(tmp_path, [([block("a")], [block("a")]), (None, [block("a")])])
    result = score(root, root / "pred")
    assert result.summary["coverage"]["failed"] == 1
    assert "no ground-truth OCR output for outputs/page_1.png" in result.failures[0][1]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_table_of_a_million_cells_and_ten_megabytes_of_text_fail_their_sample(tmp_path, protocol):
    huge = "<table>" + ("<tr>" + "<td>1</td>" * 1000 + "</tr>") * 1000 + "</table>"
    good = [block("a")]
    pairs = [
        (good, good),
        ([block("x")], [block("x" * (10 << 20))]),
        ([block("<table></table>", label="table")], [block(huge, label="table")]),
    ]
    root = pages.write_suite(tmp_path, pairs)
    result = score(root, root / "pred", protocol=protocol)
    assert result.summary["coverage"] == {"samples": 3, "scored": 1, "missing": 0, "failed": 2}
    assert all("characters, more than" in reason for _, reason in result.failures)


def test_page_of_another_size_is_scaled_in_strict(tmp_path):
    truth = [block("a"), block("b", 300)]
    half = [dict(one, block_bbox=[side / 2 for side in one["block_bbox"]]) for one in truth]
    root = pages.write_suite(tmp_path, [(truth, None)])
    pages.write_json(root / "pred/page_0.json", pages.reading(half, (500, 700)))
    found = score(root, root / "pred").summary["overall"]
    assert found["global"]["iou"] == found["local"]["iou"] == 1.0


def test_sizes_may_come_from_the_predicted_images(tmp_path):
    from PIL import Image

    truth = [block("a"), block("b", 300)]
    half = [dict(one, block_bbox=[side / 2 for side in one["block_bbox"]]) for one in truth]
    root = pages.write_suite(tmp_path, [(truth, None)])
    pages.write_json(root / "pred/page_0.json", {"parsing_res_list": half})
    assert score(root, root / "pred").summary["overall"]["global"]["iou"] < 0.5
    (root / "images").mkdir()
    Image.new("L", (500, 700)).save(root / "images/page_0.png")
    assert score(root, root / "pred", images=root / "images").summary["overall"]["global"]["iou"] == 1.0


class TestCrops:
    """Local scores from OCR output of the regions' crops."""

    @pytest.fixture
    def root(self, tmp_path):
        label = pages.entry(0)["label_output"][0]
        entries = [pages.entry(0, label_output=[label, label | {"y": 50}]), pages.entry(1)]
        return pages.write_suite(tmp_path, [([block("page")], [block("page")])] * 2, entries)

    def write(self, folder, page, region, text):
        pages.write_json(folder / f"regions/page_{page}_region_{region}.json", pages.reading([block(text)], (400, 280)))

    @pytest.mark.parametrize("protocol", ["vde-v3", "vde-v1"])
    def test_without_them_the_papers_have_no_local_and_say_why(self, root, protocol):
        result = score(root, root / "pred", protocol=protocol)
        assert result.summary["overall"]["local"] is None
        assert "local:off" in result.signature
        assert f"{protocol} local needs OCR output of the regions' crops" in result.summary["notes"][0]
        assert str(root / "pred") in result.summary["notes"][0]

    @pytest.mark.parametrize("protocol", ["vde-v3", "strict"])
    def test_with_them_each_region_is_compared_with_its_own(self, root, protocol):
        for page, region, wanted, read in [(0, 0, "abcd", "abcd"), (0, 1, "abcd", "abxx"), (1, 0, "abcd", "abcx")]:
            self.write(root / "gt", page, region, wanted)
            self.write(root / "pred", page, region, read)
        result = score(root, root / "pred", protocol=protocol)
        assert "local:crop" in result.signature
        local = result.summary["overall"]["local"]
        both = {"micro": (1 + 0.5 + 0.75) / 3, "macro": (0.75 + 0.75) / 2}
        headline = "macro" if protocol == "strict" else "micro"
        assert local["cdm"] == pytest.approx(both[headline])
        assert result.blocks.filter(result.blocks["setting"] == "local")["region"].to_list() == [0, 1, None]

    def test_exact_goes_back_to_whole_pages_where_crops_are_not_complete(self, root):
        self.write(root / "gt", 0, 0, "a")
        self.write(root / "pred", 0, 0, "a")
        result = score(root, root / "pred")
        assert "local:filter" in result.signature
        assert "no OCR output of crops for 2 samples" in result.summary["notes"][0]
        assert result.summary["coverage"]["failed"] == 0

    def test_a_crop_that_was_not_read_fails_its_sample(self, root):
        self.write(root / "gt", 0, 0, "a")
        self.write(root / "gt", 0, 1, "a")
        self.write(root / "gt", 1, 0, "a")
        self.write(root / "pred", 0, 0, "a")
        self.write(root / "pred", 1, 0, "a")
        result = score(root, root / "pred", protocol="vde-v3")
        assert result.summary["coverage"]["failed"] == 1
        assert result.failures[0][0] == "text/0"
        assert "page_0_region_<k>.json, k from 0 to 1" in result.failures[0][1]


def test_local_only_without_crops_is_an_error(tmp_path):
    root = pages.write_suite(tmp_path, [([block("a")], [block("a")])])
    with pytest.raises(InputError, match="needs OCR output of the regions' crops"):
        score(root, root / "pred", protocol="vde-v3", setting="local")


def test_samples_that_local_leaves_out_are_not_counted_as_scored(tmp_path):
    root = pages.write_suite(
        tmp_path, [([block("a")], [block("a")])] * 2, [pages.entry(0), pages.entry(1, label_output=[])]
    )
    summary = score(root, root / "pred", setting="local").summary
    assert summary["coverage"] == {"samples": 2, "scored": 1, "missing": 0, "failed": 0}
    assert summary["overall"]["local"]["samples"]["left_out"] == 1


def test_vde_v1_covers_text_operations_only():
    summary = score("examples/tiny", "examples/tiny/editors/careful", protocol="vde-v1").summary
    assert summary["coverage"]["samples"] == 6
    assert summary["signature"].endswith("|n:6")
    assert any("2 samples left out" in note for note in summary["notes"])


def test_editors_of_the_tiny_suite_are_ranked_correctly():
    """Careful is better than copy, copy better than sloppy; the region outcomes say why."""
    found = {
        name: score("examples/tiny", f"examples/tiny/editors/{name}").summary for name in ("careful", "copy", "sloppy")
    }
    page = [found[name]["overall"]["global"]["text_correctness"] for name in ("careful", "copy", "sloppy")]
    assert page == sorted(page, reverse=True)
    assert found["careful"]["regions"]["outcomes"] == {"done": 8}
    assert found["copy"]["regions"]["outcomes"] == {"not_done": 8}
    assert found["sloppy"]["regions"]["outcomes"] == {"done": 3, "not_done": 3, "wrong_text": 1, "missing": 1}


class TestARegionThatShouldReadNothing:
    """A whole block goes: right where nothing is left, wrong where something is, and wrong where nothing was made."""

    @pytest.mark.parametrize(
        ("prediction", "cdm", "outcome"),
        [
            ([block("stays", 900)], 1.0, "done"),
            ([block("goes", 200), block("stays", 900)], 0.0, "not_done"),
            (None, 0.0, "missing"),
        ],
    )
    def test_counts(self, tmp_path, prediction, cdm, outcome):
        root = pages.write_suite(
            tmp_path, [([block("stays", 900)], prediction)], [pages.entry(0, **{"instruction type": "text deletion"})]
        )
        pages.write_json(root / "before/page_0.json", pages.reading([block("goes", 200), block("stays", 900)]))
        with (root / "suite.toml").open("a") as file:
            file.write('source_readings = "before"\n')
        summary = score(root, open_predictions(root / "pred", load_suite(root))).summary
        assert summary["overall"]["local"]["cdm"] == cdm
        assert summary["regions"]["outcomes"] == {outcome: 1}


def test_notes_on_samples_and_blocks_outside_the_means(tmp_path):
    bare = {"x": 10, "y": 10, "width": 40, "height": 20}
    entries = [pages.entry(0), pages.entry(1, label_output=[bare])]
    nowhere = {"block_bbox": [0, 0, float("nan"), 1], "block_content": "lost"}
    root = pages.write_suite(tmp_path, [([block("a")], [block("a"), nowhere]), ([block("a")], [block("a")])], entries)
    pages.write_json(root / "pred/page_2_edited.json", pages.reading([]))
    notes = score(root, root / "pred", protocol="vde-release").summary["notes"]
    assert "1 files in" in notes[0]
    assert "page_2_edited.json" in notes[0]
    assert (
        notes[1] == "local: 1 samples left out: regions in percent, and original_width and original_height is not known"
    )
    assert notes[2] == "1 predicted blocks of 1 samples have no box and are left out (text/0 …)"


@pytest.mark.parametrize(
    ("truth", "prediction", "teds", "cdm"),
    [
        ("<p>abc</p>", "<p>completely different</p>", None, pytest.approx(0, abs=0.2)),  # no table at all: text
        ("<table><tr><td>a</td></tr></table>", "a", 0.0, 1.0),  # the table was read as text
        ("\n<table><tr><td>a</td></tr></table>", "<table><tr><td>a</td></tr></table>", 1.0, 1.0),
        (
            "<table><caption>x</caption><tr><td>a</td></tr></table>",
            "<table><tr><td>a</td></tr></table>",
            1.0,
            pytest.approx(1 / 3),
        ),
    ],
)
def test_tables_in_strict(tmp_path, truth, prediction, teds, cdm):
    root = pages.write_suite(tmp_path, [([block(truth, label="table")], [block(prediction, label="table")])])
    found = score(root, root / "pred").summary["overall"]["global"]
    assert (found["teds"], found["cdm"]) == (teds, cdm)


def test_a_caption_joined_to_its_table_gets_no_teds(tmp_path):
    html = "<table><tr><td>Rope</td><td>1.80</td></tr></table>"
    truth = [block("Prices from May, without tax, per metre", 50), block(html, 140, "table")]
    merged = [
        {
            "block_bbox": [100, 50, 900, 220],
            "block_label": "table",
            "block_content": f"<table><caption>{truth[0]['block_content']}</caption>{html[7:]}",
        }
    ]
    root = pages.write_suite(tmp_path, [(truth, merged)])
    result = score(root, root / "pred", setting="global")
    assert result.summary["overall"]["global"]["cdm"] == 1.0
    assert result.blocks["teds"].to_list() == [None, 1.0]


def test_a_page_of_thousands_of_blocks_fails_its_sample(tmp_path):
    many = [block("x", i % 1000) for i in range(2100)]
    root = pages.write_suite(tmp_path, [(many, many)])
    assert "exceed the limit of 4,000,000 pairs" in score(root, root / "pred", setting="global").failures[0][1]


def test_changed_image_is_scored_again(tmp_path):
    from PIL import Image

    root = pages.write_suite(tmp_path, [([block("a")], [block("a")])], sizes=False)
    (root / "images").mkdir()
    (root / "images/page_0.png").write_bytes(b"no image")
    with (root / "suite.toml").open("a") as file:
        file.write('images = "images"\n')
    assert score(root, root / "pred", out=tmp_path / "run").summary["coverage"]["failed"] == 1
    Image.new("L", (pages.WIDTH, pages.HEIGHT)).save(root / "images/page_0.png")
    assert score(root, root / "pred", out=tmp_path / "run").summary["coverage"]["failed"] == 0


def test_an_omnidoc_suite_scores_a_reader(tmp_path):
    page = {"layout_dets": [{"category_type": "text_block", "poly": [0, 0, 90, 0, 90, 20, 0, 20], "text": "hello", "order": 1}],
            "page_info": {"image_path": "a.png", "width": 100, "height": 100, "page_attribute": {"language": "english", "data_source": "book"}}}  # fmt: skip
    pages.write_json(tmp_path / "pages.json", [page])
    (tmp_path / "suite.toml").write_text('format = "omnidoc"\n[groups.pages]\ninfo = "pages.json"\n')
    pages.write_json(
        tmp_path / "pred/a.json", pages.reading([{"block_bbox": [0, 0, 90, 20], "block_content": "hallo"}], (100, 100))
    )
    summary = score(tmp_path, tmp_path / "pred").summary
    assert summary["overall"]["global"]["cdm"] == 0.8
    assert summary["overall"]["local"] is None
    assert summary["by"]["operation"].keys() == {"none"}


def test_error_for_unknown_protocol_lists_the_protocols():
    with pytest.raises(VdeError, match="strict, textedit, textedit-release, vde-release, vde-v1, vde-v3"):
        score("examples/tiny", "examples/tiny/editors/careful", protocol="best")
