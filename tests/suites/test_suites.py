from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from tests import pages
from vdebench import load_suite
from vdebench.core.page_text import PageText
from vdebench.errors import InputError, SuiteError, VdeError
from vdebench.suites.omnidoc import annotation_of, page_text_of_annotation
from vdebench.suites.vde_entries import entry_of

BLOCK = {"block_bbox": [100, 100, 500, 200], "block_label": "text", "block_content": "hello"}


def faults(root):
    return [(fault.severity, fault.sample, fault.what) for fault in load_suite(root).faults()]


def one_fault(root):
    found = faults(root)
    assert len(found) == 1, found
    return found[0]


def test_a_sound_suite_has_no_fault(tmp_path):
    assert faults(pages.write_suite(tmp_path, [([BLOCK], None)] * 3)) == []
    assert faults("examples/tiny") == []


def test_a_missing_reading_is_named_with_what_was_looked_for(tmp_path):
    severity, sample, what = one_fault(pages.write_suite(tmp_path, [(None, None)]))
    assert (severity, sample) == ("error", "text/0")
    assert "no ground-truth OCR output for outputs/page_0.png" in what
    assert "page_0_modified_0.json" in what
    assert f"in {tmp_path / 'gt'}" in what


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"parsing_res_list": [', "not JSON: Expecting value at line 1, column 23"),
        ("\udcff", "not UTF-8 at byte 0"),
        ("[1, 2]", "found a list, expected an object"),
        ('{"parsing_res_list": 7}', "'parsing_res_list' is a number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"parsing_res_list": [], "width": ' + "9" * 5000 + "}", "unsupported JSON"),
    ],
)
def test_unreadable_readings_are_named(tmp_path, content, expected):
    root = pages.write_suite(tmp_path, [([BLOCK], None)])
    (root / "gt/page_0.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    severity, sample, what = one_fault(root)
    assert (severity, sample) == ("error", "text/0")
    assert expected in what
    assert "page_0.json" in what


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path):
    root = pages.write_suite(tmp_path, [(None, None)])
    (root / "gt/page_0.json").mkdir()
    assert "is a folder, expected a file" in one_fault(root)[2]


def test_two_files_for_one_sample_are_reported(tmp_path):
    root = pages.write_suite(tmp_path, [([BLOCK], None)])
    pages.write_json(root / "gt/page_0_res.json", pages.reading([BLOCK]))
    severity, _, what = one_fault(root)
    assert severity == "error"
    assert "page_0.json" in what
    assert "page_0_res.json" in what


@pytest.mark.parametrize(
    ("label", "severity", "expected"),
    [
        ({"x": 90, "y": 0, "width": 20, "height": 5}, "warning", "reaches outside the image"),
        ({"x": -3, "y": 0, "width": 20, "height": 5}, "warning", "reaches outside the image"),
        ({"x": 10, "y": 0, "width": 0, "height": 5}, "error", "has no area"),
        ({"x": 10, "y": 0, "width": -5, "height": 5}, "error", "has no area"),
        ({"x": float("nan"), "y": 0, "width": 5, "height": 5}, "error", "expected x, y, width and height as numbers"),
        ({"x": "10", "y": 0, "width": 5, "height": 5}, "error", "expected x, y, width and height as numbers"),
        ([10, 10, 20, 20], "error", "expected x, y, width and height as numbers"),
        (
            {"x": 1, "y": 1, "width": 5, "height": 5, "original_width": -3, "original_height": 9},
            "error",
            "two positive numbers",
        ),
    ],
)
def test_faulty_regions(tmp_path, label, severity, expected):
    root = pages.write_suite(tmp_path, [([BLOCK], None)], [pages.entry(0, label_output=[label])])
    found = one_fault(root)
    assert found[:2] == (severity, "text/0")
    assert expected in found[2]


@pytest.mark.parametrize(
    ("change", "severity", "expected"),
    [
        ({"instruction type": "make it nicer"}, "warning", "not one we know"),
        ({"language": "latin"}, "warning", "language 'latin'"),
        ({"data_source": 3}, "error", "'data_source' is 3, expected text"),
        ({"instruction": ""}, "warning", "no 'instruction'"),
        ({"label_output": []}, "warning", "no region to score"),
        ({"id": None}, "error", "entry 0 has no id"),
    ],
)
def test_faulty_entries(tmp_path, change, severity, expected):
    root = pages.write_suite(tmp_path, [([BLOCK], None)], [pages.entry(0, **change)])
    assert any(found[0] == severity and expected in found[2] for found in faults(root))


def test_duplicate_ids_are_reported_and_cannot_be_scored(tmp_path):
    entries = [pages.entry(0), pages.entry(1, id=0)]
    root = pages.write_suite(tmp_path, [([BLOCK], None)] * 2, entries)
    assert ("error", "text/0", "samples number 0 and 1 have the same id") in faults(root)
    with pytest.raises(SuiteError, match="two samples have the key text/0"):
        load_suite(root).require_distinct_keys()


def test_blocks_that_cannot_be_placed_or_have_no_area_are_reported(tmp_path):
    blocks = [
        BLOCK,
        {"block_content": "x"},
        BLOCK | {"block_bbox": [5, 5, 5, 9]},
        BLOCK | {"block_bbox": [5, 5, 5000, 9]},
    ]
    found = faults(pages.write_suite(tmp_path, [(blocks, None)]))
    assert [what for _, _, what in found] == [
        "block 1 left out: block_bbox is missing, expected four finite numbers",
        "block 2: box [5, 5, 5, 9] has no area",
        "block 3: box [5, 5, 5000, 9] outside the page of 1000×1400",
    ]


def test_readings_before_the_edit_and_of_crops_are_checked_too(tmp_path):
    root = pages.write_suite(tmp_path, [([BLOCK], None)])
    for name in ("before/page_0.json", "gt/regions/page_0_region_0.json"):
        (root / name).parent.mkdir()
        (root / name).write_text("{")
    with (root / "suite.toml").open("a") as file:
        file.write('source_readings = "before"\n')
    assert [severity for severity, _, _ in faults(root)] == ["error", "error"]


def test_boxes_outside_the_image_are_reported_where_the_reading_has_no_size(tmp_path):
    root = pages.write_suite(tmp_path, [([BLOCK], None)], [pages.entry(0, label_output=[])], sizes=False)
    (root / "images").mkdir()
    Image.new("L", (300, 300)).save(root / "images/page_0.png")
    with (root / "suite.toml").open("a") as file:
        file.write('images = "images"\n')
    assert any("outside the page of 300×300" in what for _, _, what in faults(root))


@pytest.mark.parametrize("number", ["²", "9" * 5000, "007"])
def test_odd_ids_are_kept_as_they_are(tmp_path, number):
    root = pages.write_suite(tmp_path, [([BLOCK], None)], [pages.entry(0, id=number)])
    suite = load_suite(root)
    assert entry_of(suite.samples[0])["id"] == number
    assert suite.revision


def test_odd_omnidocbench_pages_are_read_as_far_as_they_go(tmp_path):
    element = {"category_type": "text_block", "poly": [0, 0, 9, 0, 9, 0, 0, 0], "text": "x", "order": "first"}
    info = {"image_path": "a.png", "width": 5, "height": 5, "page_attribute": ["none"]}
    pages.write_json(tmp_path / "p.json", [{"layout_dets": [element, element | {"order": [1]}], "page_info": info}])
    (tmp_path / "suite.toml").write_text('format = "omnidoc"\n[groups.pages]\ninfo = "p.json"\n')
    suite = load_suite(tmp_path)
    assert suite.samples[0].language == "unknown"
    assert len(suite.ground_truth(suite.samples[0]).blocks) == 2
    assert [fault.what for fault in suite.faults()] == [
        "block 0: box [0, 0, 9, 0] has no area",
        "block 1: box [0, 0, 9, 0] has no area",
    ]


def test_images_are_checked_where_there_are(tmp_path):
    root = pages.write_suite(tmp_path, [([BLOCK], None)] * 3)
    (root / "images").mkdir()
    Image.new("RGB", (1000, 700)).save(root / "images/page_0.png")
    (root / "images/page_1.png").write_bytes(b"no image")
    with (root / "suite.toml").open("a") as file:
        file.write('images = "images"\n')
    found = {sample: what for _, sample, what in faults(root)}
    assert found["text/0"] == "region 0 is for a page of 1000×1400, the image is 1000×700"
    assert "is no image" in found["text/1"]
    assert "no image page_2" in found["text/2"]


def test_entries_survive_a_round_trip(tmp_path):
    label = pages.entry(0)["label_output"][0] | {"rotation": 0}
    entries = [
        pages.entry(0, label_output=[label], note="kept"),
        pages.entry(1, id="x7", **{"instruction type": "text deletion"}),
    ]
    root = pages.write_suite(tmp_path, [([BLOCK], None)] * 2, entries)
    assert [entry_of(sample) for sample in load_suite(root)] == entries


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        (None, "no suite.toml here"),
        ("format = ", "not TOML"),
        ('name = "x"', "'format' is missing, expected one of vde-release, omnidoc"),
        ('format = "nope"\n[groups.a]\ninfo = "x"', "no suite is called 'nope'"),
        ('format = "omnidoc"', r"no \[groups.NAME\] section"),
        ('format = "omnidoc"\n[groups.a]\nreadings = "x"', "has no 'info'"),
        ('format = "omnidoc"\n[groups.a]\ninfo = 3', "is not text"),
        ('format = "omnidoc"\n[groups.a]\ninfo = "x"\nimagse = "y"', "has 'imagse', expected only"),
    ],
)
def test_a_suite_that_cannot_be_loaded_says_why(tmp_path, toml, expected):
    if toml is not None:
        (tmp_path / "suite.toml").write_text(toml)
    with pytest.raises(VdeError, match=expected):
        load_suite(tmp_path)


def test_published_suites_go_by_their_names_once_they_are_there(tmp_path, monkeypatch):
    tiny = Path("examples/tiny").resolve()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(VdeError, match=r"vde-v3: not in data/vde-v3\n  download it with `vde suite get vde-v3`"):
        load_suite("vde-v3")
    shutil.copytree(tiny, "data/vde-v3")
    assert load_suite("vde-v3").origin == load_suite("data/vde-v3").origin
    shutil.copytree(tiny, "vde-v3")  # a folder of that name is that folder
    assert load_suite("vde-v3").root == Path("vde-v3")


def test_an_info_file_that_is_no_list_is_named(tmp_path):
    root = pages.write_suite(tmp_path, [([BLOCK], None)])
    (root / "text_info.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match=r"text_info\.json: expected a list of entries"):
        _ = load_suite(root).samples
    (root / "text_info.json").write_text("[3]")
    assert any("entry 0 is not an object" in what for _, _, what in faults(root))


def test_the_revision_follows_content_and_not_place_or_order(tmp_path):
    pairs = [([BLOCK], None), ([], None)]
    one = load_suite(pages.write_suite(tmp_path / "a", pairs)).revision
    other = pages.write_suite(tmp_path / "b", pairs, [pages.entry(1), pages.entry(0)])
    assert load_suite(other).revision == one
    pages.write_json(other / "gt/page_0.json", pages.reading([BLOCK | {"block_content": "hallo"}]))
    assert load_suite(other).revision != one


@pytest.fixture
def omnidoc(tmp_path, shared):
    data = shared / "data/omnidocbench"
    toml = f'format = "omnidoc"\n[groups.pages]\ninfo = "{data}/OmniDocBench_demo.json"\nimages = "{data}/images"\n'
    (tmp_path / "suite.toml").write_text(toml)
    return load_suite(tmp_path)


def test_omnidocbench_pages_are_samples_with_readings(omnidoc):
    assert len(omnidoc) == 18
    assert len({sample.source for sample in omnidoc}) == 9
    labels = [block.label for sample in omnidoc for block in omnidoc.ground_truth(sample).blocks]
    assert labels.count("table") == 10
    assert labels.count("text") == 201
    for sample in omnidoc:
        reading = omnidoc.ground_truth(sample)
        assert all(block.box.x2 <= reading.size.width + 1 for block in reading.blocks)  # the image's size is right


def test_omnidocbench_swapped_sizes_are_reported(omnidoc):
    swapped = [fault for fault in omnidoc.faults() if fault.what.startswith("page_info says")]
    assert len(swapped) == 10


def test_omnidocbench_pages_survive_a_round_trip(omnidoc, shared):
    data = json.loads((shared / "data/omnidocbench/OmniDocBench_demo.json").read_text(encoding="utf-8"))
    for page in data:
        reading = page_text_of_annotation(page)
        again = page_text_of_annotation(
            annotation_of(PageText.from_json(reading.to_json()), page["page_info"]["image_path"])
        )
        assert [(block.box, block.content, block.label) for block in again.blocks] == [
            (block.box, block.content, block.label) for block in reading.blocks
        ]
        assert again.blocks[0].extra["category_type"] == reading.blocks[0].extra["category_type"]
