"""Layout statistics: every equation by values worked out by hand, and what must hold on 18 real pages."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from PIL import Image

from vdebench.core.box import Box, Size
from vdebench.errors import InputError
from vdebench.studies.layout.element_types import OTHER, TEXT, VISUAL, kind_of
from vdebench.studies.layout.pages import ANNOTATION, annotated_pages, suite_pages
from vdebench.studies.layout.statistics import (
    Element,
    PageLayout,
    area_density,
    composition,
    layout_metrics,
    metrics_of,
    normalised,
    polygon_area,
    z_scores,
)
from vdebench.suites.omnidoc import LABELS
from vdebench.suites.suite import load_suite


def box(kind, x1, y1, x2, y2):
    return Element.of_box(kind, Box(x1, y1, x2, y2))


# Two books and a note. Areas of pages: 10×10, 20×10, 10×20.
BOOK_1 = PageLayout("b1", "book", Size(10, 10), (box("text_block", 0, 0, 10, 4), box("table", 0, 5, 10, 7)))
BOOK_2 = PageLayout(
    "b2",
    "book",
    Size(20, 10),
    (
        box("text_block", 0, 0, 10, 4),
        box("text_block", 0, 4, 10, 8),
        Element("figure", ((10, 0), (20, 0), (20, 10))),  # a triangle: half of 10×10
    ),
)
NOTE = PageLayout("n1", "note", Size(10, 20), (box("text_block", 0, 0, 10, 2),))
PAGES = [BOOK_1, NOTE, BOOK_2]


@pytest.mark.parametrize(
    ("corners", "area"),
    [
        ([(0, 0), (4, 0), (4, 3), (0, 3)], 12),
        ([(0, 3), (4, 3), (4, 0), (0, 0)], 12),  # the other way round
        ([(5, 0), (10, 5), (5, 10), (0, 5)], 50),  # a diamond: its box would have 100
        ([(1, 1), (4, 1), (6, 4), (3, 4)], 9),  # a leaning parallelogram: base 3, height 3
        ([(100, 100), (104, 100), (104, 103)], 6),  # a triangle away from the origin
        ([(7, 7)], 0),
        ([], 0),
    ],
)
def test_polygon_area(corners, area):
    assert polygon_area(corners) == pytest.approx(area)


def test_a_box_turned_inside_out_has_no_area():
    assert box("text", 5, 5, 1, 9).area == 0


def test_density_is_the_mean_share_of_the_page_equation_6():
    # book: text (40/100 + 80/200)/2 = 0.4; table (20/100 + 0)/2 = 0.1; figure (0 + 50/200)/2 = 0.125. note: 20/200.
    found = area_density(PAGES)
    assert found == {
        "book": {"text_block": pytest.approx(0.4), "figure": pytest.approx(0.125), "table": pytest.approx(0.1)},
        "note": {"text_block": pytest.approx(0.1), "figure": 0.0, "table": 0.0},
    }
    assert list(found["note"]) == ["text_block", "figure", "table"]  # most first


def test_z_scores_by_the_population_deviation_equation_7():
    # Three sources 0.1, 0.2, 0.6: mean 0.3, deviations −0.2 −0.1 0.3, variance 0.14/3.
    deviation = math.sqrt(0.14 / 3)
    found = z_scores({"a": {"table": 0.1}, "b": {"table": 0.2}, "c": {"table": 0.6}})
    assert [found[source]["table"] for source in "abc"] == pytest.approx(
        [-0.2 / deviation, -0.1 / deviation, 0.3 / deviation]
    )
    assert deviation == pytest.approx(np.std([0.1, 0.2, 0.6]))  # ddof 0


def test_a_type_that_is_alike_everywhere_has_no_z():
    densities = {source: {"text": 0.1 + 0.2, "table": share} for source, share in (("a", 0.0), ("b", 0.5))}
    densities["a"]["text"] = 0.3  # 0.30000000000000004 beside it
    found = z_scores(densities)
    assert [found[source]["text"] for source in "ab"] == [None, None]
    assert [found[source]["table"] for source in "ab"] == [-1.0, 1.0]
    assert z_scores({"only": {"text": 0.4}}) == {"only": {"text": None}}
    assert z_scores({}) == {}


def test_a_type_that_a_source_lacks_counts_as_nothing():
    assert z_scores({"a": {"table": 0.5}, "b": {}})["b"]["table"] == -1.0


def test_the_six_metrics_equations_8_to_12():
    found = layout_metrics(PAGES)
    book, note = found["book"], found["note"]
    assert book.density == pytest.approx((60 / 100 + 130 / 200) / 2)
    assert book.complexity == 2.0  # {text, table}, {text, figure}
    assert book.richness == 2.5  # 2 and 3 elements
    # 3 text, 1 table, 1 figure of 5: −(0.6 log2 0.6 + 2 · 0.2 log2 0.2)
    assert book.entropy == pytest.approx(0.6 * math.log2(5 / 3) + 0.4 * math.log2(5))
    # Mean areas of a page: text (40 + 80)/2 = 60, visual (20 + 50)/2 = 35.
    assert (book.text_ratio, book.visual_ratio) == (pytest.approx(60 / 95), pytest.approx(35 / 95))
    assert (note.density, note.complexity, note.richness, note.entropy) == (pytest.approx(0.1), 1.0, 1.0, 0.0)
    assert (note.text_ratio, note.visual_ratio) == (1.0, 0.0)


def test_entropy_is_of_all_pages_together_not_a_mean_of_pages():
    one = PageLayout("1", "s", Size(10, 10), (box("text", 0, 0, 1, 1),))
    other = PageLayout("2", "s", Size(10, 10), (box("table", 0, 0, 1, 1),))
    assert metrics_of([one]).entropy == metrics_of([other]).entropy == 0
    assert metrics_of([one, other]).entropy == 1


def test_ratios_are_of_pixels_so_a_large_page_weighs_more():
    small = PageLayout("1", "s", Size(10, 10), (box("text", 0, 0, 10, 10),))
    large = PageLayout("2", "s", Size(30, 10), (box("table", 0, 0, 30, 10),))
    assert metrics_of([small, large]).text_ratio == pytest.approx(100 / 400)


def test_pages_with_nothing_or_with_neither_text_nor_pictures():
    empty = PageLayout("1", "s", Size(10, 10), ())
    mask = PageLayout("2", "s", Size(10, 10), (box("need_mask", 0, 0, 5, 10),))
    assert metrics_of([empty]) == (0, 0, 0, None, None, None)
    assert metrics_of([mask]) == (0.5, 1, 1, 0.0, None, None)
    assert composition([empty]) == {"s": {}}


def test_overlapping_elements_count_in_full():
    twice = PageLayout("1", "s", Size(10, 10), (box("text", 0, 0, 10, 10), box("image", 0, 0, 10, 10)))
    assert metrics_of([twice]).density == 2


def test_composition_adds_up_to_one_by_number_and_by_area():
    by_number, by_area = composition(PAGES), composition(PAGES, "area")
    assert by_number["book"] == {
        "text_block": pytest.approx(3 / 5),
        "figure": pytest.approx(1 / 5),
        "table": pytest.approx(1 / 5),
    }
    assert by_area["book"] == {
        "text_block": pytest.approx(0.4 / 0.625),
        "figure": pytest.approx(0.125 / 0.625),
        "table": pytest.approx(0.1 / 0.625),
    }
    for shares in (*by_number.values(), *by_area.values()):
        assert sum(shares.values()) == pytest.approx(1)


def test_normalised_for_colours():
    assert normalised([1, 3, None, 2]) == [0, 1, None, 0.5]
    assert normalised([]) == []


def test_every_label_of_our_readers_is_in_one_list_only():
    from vdebench.readers.vlm_answer import LABELS as ASKED
    from vdebench.suites.typeset.ground_truth import LABELS as SET

    assert not TEXT & VISUAL
    assert not (TEXT | VISUAL) & OTHER
    assert {*LABELS, *LABELS.values(), *ASKED, *SET.values()} <= TEXT | VISUAL | OTHER
    assert [kind_of(name) for name in ("table", "figure", "chart", "equation_isolated", "abandon")] == [
        *("visual", "visual", "visual", "text", "other")
    ]


def annotation(*elements, width=100, height=50, image="p.png"):
    info = {"image_path": image, "width": width, "height": height, "page_attribute": {"data_source": "book"}}
    return {"layout_dets": list(elements), "page_info": info}


def test_annotation_keeps_polygons_and_what_is_to_be_ignored(tmp_path):
    diamond = {"category_type": "figure", "poly": [5, 0, 10, 5, 5, 10, 0, 5]}
    ignored = {"category_type": "text_mask", "poly": [0, 0, 10, 0, 10, 10, 0, 10], "ignore": True}
    broken = {"category_type": "title", "poly": [1, 2]}
    file = tmp_path / "o.json"
    file.write_text(json.dumps([annotation(diamond, ignored, broken, 7)]))
    found = annotated_pages(file)
    assert [(each.type, each.area) for each in found.pages[0].elements] == [("figure", 50), ("text_mask", 100)]
    assert found.pages[0].source == "book"
    assert found.pages[0].size == Size(100, 50)
    assert [each.type for each in annotated_pages(file, ignored=False).pages[0].elements] == ["figure"]


def test_a_page_without_a_size_is_left_out_with_the_reason(tmp_path):
    file = tmp_path / "o.json"
    file.write_text(json.dumps([annotation(width=None), annotation(image="q.png")]))
    found = annotated_pages(file)
    assert [page.id for page in found.pages] == ["q"]
    assert "size of the page is unknown" in found.left_out["p"]


@pytest.mark.parametrize("content", ["{}", '[{"layout_dets": []}]', "[7]", "not json"])
def test_files_that_are_no_annotation_are_named(tmp_path, content):
    (tmp_path / "o.json").write_text(content)
    with pytest.raises(InputError, match=r"o\.json"):
        annotated_pages(tmp_path / "o.json")


def test_pages_of_a_suite_count_once_however_many_samples_they_have():
    suite = load_suite("typeset:n=4,seed=3,languages=en,ppi=60")  # two samples a page
    found = suite_pages(suite)
    assert (len(suite), len(found.pages), found.left_out) == (4, 2, {})
    assert set(found.origins.values()) == {"readings before the edit"}
    for page in found.pages:
        assert page.elements
        assert 0 < metrics_of([page]).density < 1


def test_a_suite_without_readings_asks_for_a_reader(tmp_path):
    from vdebench.core.page_text import Block, PageText

    (tmp_path / "suite.toml").write_text(
        'format = "vde-release"\n[groups.text]\ninfo = "i.json"\nsource_images = "in"\n'
    )
    (tmp_path / "i.json").write_text(json.dumps([{"id": 1, "image_input": "in/p.png", "data_source": "note"}]))
    (tmp_path / "in").mkdir()
    Image.new("RGB", (40, 20)).save(tmp_path / "in/p.png")
    suite = load_suite(tmp_path)
    assert "--reader" in next(iter(suite_pages(suite).left_out.values()))
    found = suite_pages(suite, lambda file: PageText((Block(Box(0, 0, 20, 20), "hi"),)))
    assert metrics_of(found.pages).density == 0.5
    assert found.pages[0].source == "note"


def test_real_pages(shared):
    """By an implementation that shares nothing with ours: arrays, and OpenCV's area of a polygon."""
    import cv2

    root = shared / "data/omnidocbench"
    data = json.loads((root / "OmniDocBench_demo.json").read_text(encoding="utf-8"))
    found = annotated_pages(root / "OmniDocBench_demo.json", root / "images")
    assert len(found.pages) == 18
    assert not found.left_out
    assert set(found.origins.values()) == {ANNOTATION}
    densities = area_density(found.pages)
    assert len(densities) == 9
    assert len(densities["book"]) == 15
    sources = list(densities)
    expected = {source: {kind: [] for kind in densities[source]} for source in sources}
    for page, read in zip(data, found.pages, strict=True):
        with Image.open(root / "images" / page["page_info"]["image_path"]) as image:
            width, height = image.size
        assert read.size == Size(width, height)
        for kind, shares in expected[page["page_info"]["page_attribute"]["data_source"]].items():
            corners = [
                np.float32(each["poly"]).reshape(4, 2) for each in page["layout_dets"] if each["category_type"] == kind
            ]
            shares.append(sum(map(cv2.contourArea, corners)) / (width * height))
    matrix = np.array([[np.mean(expected[source][kind]) for kind in densities[source]] for source in sources])
    ours = np.array([list(densities[source].values()) for source in sources])
    np.testing.assert_allclose(ours, matrix, atol=1e-5)
    z = np.array([[z_scores(densities)[source][kind] for kind in densities[source]] for source in sources])
    np.testing.assert_allclose(z, (matrix - matrix.mean(axis=0)) / matrix.std(axis=0), atol=1e-3)
    metrics = layout_metrics(found.pages)
    assert max(metrics, key=lambda source: metrics[source].richness) == "newspaper"  # as in the paper's figure
    for one in metrics.values():
        assert one.text_ratio + one.visual_ratio == pytest.approx(1)
        assert 0 < one.density < 1
        assert one.complexity <= one.richness


def test_real_pages_through_a_suite_are_the_same(shared, tmp_path):
    root = shared / "data/omnidocbench"
    text = f'format = "omnidoc"\n[groups.pages]\ninfo = "{root}/OmniDocBench_demo.json"\nimages = "{root}/images"\n'
    (tmp_path / "suite.toml").write_text(text)
    direct = annotated_pages(root / "OmniDocBench_demo.json", root / "images")
    assert layout_metrics(suite_pages(load_suite(tmp_path)).pages) == layout_metrics(direct.pages)
