"""Figures: well-formed, escaped, in proportion, legible, and the same as PNG."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import pytest
from PIL import Image

from vdebench.report.figures.bars import bar_chart, histogram, nice_step
from vdebench.report.figures.colours import DIVERGING, PALETTE, SEQUENTIAL, between, contrast, ink_on
from vdebench.report.figures.drawing import Drawing, shortened, width_of
from vdebench.report.figures.heatmap import heat_map
from vdebench.report.figures.png import png_of
from vdebench.report.figures.points import Point, point_chart
from vdebench.report.figures.sunburst import sunburst

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<script>alert(1)</script> & "报告" \' \x00\ud800'


def parsed(svg):
    return ElementTree.fromstring(svg)


def words(svg):
    return ["".join(each.itertext()) if not len(each) else each[-1].tail for each in parsed(svg).iter(f"{SVG}text")]


def bars(svg, tag="rect"):
    """Told shapes: what a pointer is told, and the shape."""
    return {each[0].text: each for each in parsed(svg).iter(f"{SVG}{tag}") if len(each)}


DRAWN = {
    "heat map": lambda name: heat_map(name, [name], [name, "b"], [[1.0, None]], says=name),
    "diverging": lambda name: heat_map(name, [name], [name], [[-1.0]], ramp="diverging"),
    "bars": lambda name: bar_chart(name, [name, "b"], {name: [1, 2], "other": [3, 0]}, says=name),
    "histogram": lambda name: histogram(name, 10, {name: [1, 0, 4], "b": [0, 0, 1]}, axis=name, is_open=True),
    "sunburst": lambda name: sunburst(name, {name: {name: 3}, "b": {name: 1, "c": 2}}, says=name),
    "points": lambda name: point_chart(name, [Point(name, name, 0.1, -0.2, 0.3), Point(name, "b", None)], axis=name),
    "nothing": lambda name: bar_chart(name, [], {}) + histogram(name, 1, {})[:0],
}


@pytest.mark.parametrize("kind", DRAWN)
def test_any_words_are_safe(kind):
    svg = DRAWN[kind](EVIL)
    root = parsed(svg)
    assert not list(root.iter(f"{SVG}script"))
    assert "\ufffd" in root.find(f"{SVG}title").text
    assert not re.search('href|url\\(|@import|http(?!://www.w3.org/2000/svg")', svg)  # loads nothing


@pytest.mark.parametrize("kind", DRAWN)
def test_everything_stands_on_the_page(kind):
    """Words (turned ones aside) begin and end on the paper, also where names are long or Chinese."""
    for name in ("m", "研究报告与学术文献" * 6, "a_very_long_name_of_a_source_" * 6):
        root = parsed(DRAWN[kind](name))
        width, height = float(root.get("width")), float(root.get("height"))
        for each in root.iter(f"{SVG}text"):
            if each.get("x") is None:
                continue
            text = each[-1].tail if len(each) else each.text or ""
            long = width_of(text, float(each.get("font-size", 12)))
            start = (
                float(each.get("x")) - {"start": 0, "middle": long / 2, "end": long}[each.get("text-anchor", "start")]
            )
            assert start >= 0, text
            assert start + long <= width + 1, text
            assert 0 < float(each.get("y")) <= height


def test_cells_have_the_colours_of_their_values():
    cells = bars(heat_map("t", ["r"], ["a", "b", "c", "d"], [[0.0, 0.5, 1.0, None]]))
    assert cells["r, a: 0"].get("fill") == SEQUENTIAL[0]
    assert cells["r, b: 0.50"].get("fill") == SEQUENTIAL[2]
    assert cells["r, c: 1.00"].get("fill") == SEQUENTIAL[-1]
    assert "vde-fill-empty" in cells["r, d: –"].get("class")


def test_a_diverging_ramp_is_symmetric_about_zero():
    cells = bars(heat_map("t", ["r"], ["a", "b", "c"], [[-1.0, 0.0, 2.0]], ramp="diverging", digits=1))
    assert cells["r, b: 0"].get("fill") == DIVERGING[3]
    assert cells["r, c: 2.0"].get("fill") == DIVERGING[-1]
    assert cells["r, a: −1.0"].get("fill") == between(DIVERGING, 0.25)


def test_shades_that_are_given_rule_the_colours():
    cells = bars(heat_map("t", ["r", "s"], ["a"], [[10.0], [30.0]], shades=[[0.0], [1.0]], digits=0))
    assert [cells[name].get("fill") for name in ("r, a: 10", "s, a: 30")] == [SEQUENTIAL[0], SEQUENTIAL[-1]]


def test_numbers_in_cells_and_wedges_can_be_read():
    for ramp in (SEQUENTIAL, DIVERGING):
        for step in range(101):
            colour = between(ramp, step / 100)
            assert contrast(colour, ink_on(colour)) >= 4.5
    assert all(contrast(colour, ink_on(colour)) >= 4.5 for colour in PALETTE)


def test_bars_are_as_long_as_their_counts():
    svg = bar_chart("t", ["book", "note"], {"text": [30, 10], "table": [10, 0]})
    shapes = bars(svg)
    lengths = {name: float(shape.get("width")) for name, shape in shapes.items()}
    assert lengths["book, text: 30"] == pytest.approx(3 * lengths["note, text: 10"], abs=0.2)
    assert float(shapes["book, table: 10"].get("x")) == pytest.approx(
        float(shapes["book, text: 30"].get("x")) + lengths["book, text: 30"], abs=0.2
    )
    assert {"40 (80.0%)", "10 (20.0%)"} <= set(words(svg))


def test_a_histogram_stacks_and_says_its_spans():
    shapes = bars(histogram("t", 20, {"en": [4, 2], "zh": [0, 2]}, is_open=True))
    assert set(shapes) == {"0 to 19: 4 en", "20 and more: 2 en", "20 and more: 2 zh"}
    high = {name: float(shape.get("height")) for name, shape in shapes.items()}
    assert high["0 to 19: 4 en"] == pytest.approx(2 * high["20 and more: 2 en"], abs=0.2)
    top = float(shapes["20 and more: 2 zh"].get("y"))
    assert top == pytest.approx(float(shapes["0 to 19: 4 en"].get("y")), abs=0.2)  # 2 + 2 is as high as 4


def test_sunburst_shares():
    svg = sunburst("t", {"text": {"Modify": 6, "Add": 2}, "table": {"Modify": 1, "Structure": 1}})
    told = words(svg)
    # whole, text, table of Modify: 7/10, 6/8, 1/2
    at = told.index("Modify")
    assert told[at + 1 : at + 4] == ["70.0%", "75.0%", "50.0%"]
    at = told.index("Structure")
    assert told[at + 1 : at + 4] == ["10.0%", "–", "50.0%"]
    wedges = bars(svg, "path")
    assert set(wedges) == {
        *("text: 8 (80.0% of all)", "table: 2 (20.0% of all)", "text, Modify: 6 (60.0% of all)"),
        *("text, Add: 2 (20.0% of all)", "table, Modify: 1 (10.0% of all)", "table, Structure: 1 (10.0% of all)"),
    }
    assert wedges["text, Modify: 6 (60.0% of all)"].get("fill") == wedges["table, Modify: 1 (10.0% of all)"].get("fill")


def test_a_single_wedge_is_a_whole_ring():
    """An arc from a point to itself draws nothing: the pixels tell."""
    image = Image.open(io.BytesIO(png_of(sunburst("t", {"text": {"Modify": 3}}), 1))).convert("RGB")
    ring = (int(PALETTE[0][1:3], 16), int(PALETTE[0][3:5], 16), int(PALETTE[0][5:7], 16))
    centre = (16 + 168, 62 + 168)
    for dx, dy in ((140, 10), (-140, 10), (10, 140), (-60, -120)):
        assert image.getpixel((centre[0] + dx, centre[1] + dy)) == ring


def test_points_hold_zero_and_their_bounds():
    svg = point_chart("t", [Point("m", "a", 0.4, 0.2, 0.6), Point("m", "b", None, reason="nothing was graded")])
    circle = next(parsed(svg).iter(f"{SVG}circle"))
    assert circle[0].text == "a: +0.400 [0.200, 0.600]"
    assert "nothing was graded" in words(svg)
    zero = next(each for each in parsed(svg).iter(f"{SVG}line") if "vde-stroke-soft" in each.get("class"))
    interval = next(each for each in parsed(svg).iter(f"{SVG}rect") if each.get("height") == "3.0")
    unit = (float(circle.get("cx")) - float(zero.get("x1"))) / 0.4
    assert float(interval.get("x")) == pytest.approx(float(zero.get("x1")) + 0.2 * unit, abs=0.2)
    assert float(interval.get("width")) == pytest.approx(0.4 * unit, abs=0.2)


def test_png_has_the_size_and_the_colours_of_the_drawing():
    drawing = Drawing(120, 60, "t")
    drawing.rect(60, 0, 60, 60, "#0072b2")
    drawing.text(5, 40, "报告", size=24)
    image = Image.open(io.BytesIO(png_of(drawing.svg(), 2))).convert("RGB")
    assert image.size == (240, 120)
    assert image.getpixel((200, 60)) == (0x00, 0x72, 0xB2)
    assert image.getpixel((2, 2)) == (255, 255, 255)  # the light page
    assert sum(image.convert("L").crop((0, 0, 118, 120)).histogram()[:128]) > 200  # characters are set


def test_a_dark_page_changes_paper_and_ink_alone():
    svg = heat_map("t", ["r"], ["a"], [[1.0]])
    style = parsed(svg).find(f"{SVG}style").text
    assert style.startswith("@media (prefers-color-scheme: dark)")
    assert ".vde-fill-paper { fill: #14171b }" in style
    colours = re.findall(r"vde-(fill|stroke)-(\w+) \{ \1: (#\w+) \}", style)
    dark = {name: colour for kind, name, colour in colours if kind == "fill"}
    assert contrast(dark["ink"], dark["paper"]) > 7
    assert contrast(dark["soft"], dark["paper"]) > 4.5


@pytest.mark.parametrize(("reach", "step"), [(1, 1), (5, 1), (6, 2), (12, 5), (48, 10), (120, 25), (999, 200)])
def test_ticks_are_round_and_few(reach, step):
    assert nice_step(reach, 5) == step


def test_shortened_words_fit():
    for name in ("research_report", "研究报告", "mixed 报告 name"):
        for most in (20, 40, 80, 200):
            assert width_of(shortened(name, most)) <= most
    assert shortened("note", 200) == "note"
