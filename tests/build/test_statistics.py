"""Statistics of a suite: counts, files, HTML page and dataset card."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from PIL import Image
from typer.testing import CliRunner

from vdebench.build.statistics import write_figures, write_statistics
from vdebench.cli.main import app
from vdebench.errors import RunFolderError
from vdebench.metrics.tokens import script_tokens
from vdebench.report.figures.page import card_lines
from vdebench.studies.suite_statistics import length_bins, suite_statistics
from vdebench.suites.suite import load_suite

FIGURES = ("sources", "instructions", "languages", "operations", "layout-z", "layout-composition", "layout-metrics")


@pytest.fixture
def tiny():
    return suite_statistics(load_suite("examples/tiny"))


def test_counts_of_the_tiny_suite(tiny):
    """Counted with the eye in examples/tiny/*_info.json."""
    assert (tiny["samples"], tiny["pages"], tiny["groups"]) == (8, 8, {"text": 6, "table": 2})
    assert tiny["operations"]["text_replace"] == {"text": 3}
    assert tiny["languages"] == {
        "en_ch_mixed": {"text": 1},
        "english": {"text": 3, "table": 1},
        "simplified_chinese": {"text": 2, "table": 1},
    }
    assert tiny["places"] == {
        "text": {"Text Modify": 3, "Text Addition": 1, "Text Deletion": 2},
        "table": {"Text Modify": 1, "Table Structure Edit": 1},
    }
    assert sum(sum(counts.values()) for counts in tiny["sources"].values()) == 8


def test_lengths_of_instructions(tiny):
    texts = [sample.instruction for sample in load_suite("examples/tiny")]
    every = tiny["instructions"]["by_language"]["all"]
    assert every["characters"]["mean"] == pytest.approx(sum(map(len, texts)) / 8)
    assert every["characters"]["most"] == max(map(len, texts))
    assert every["tokens"]["least"] == min(len(script_tokens(text)) for text in texts)
    bins = tiny["instructions"]["histogram"]
    assert sum(map(sum, bins["counts"].values())) == 8
    assert sum(bins["counts"]["simplified_chinese"]) == 3


@pytest.mark.parametrize(
    ("lengths", "width", "is_open", "counts"),
    [
        ([0, 1, 1, 3], 1, False, [1, 2, 0, 1]),
        ([5, 99], 5, False, [0, 1] + [0] * 17 + [1]),
        ([10] * 99 + [4000], 1, True, [0] * 10 + [99, 1]),  # one far beyond all others: the last bin is open
        ([700_000], 29_167, False, [0] * 23 + [1]),
    ],
)
def test_bins_are_round_and_few(lengths, width, is_open, counts):
    found = length_bins({"english": lengths})
    assert (found["width"], found["open"], found["counts"]["english"]) == (width, is_open, counts)
    assert len(counts) <= 25


def test_no_instructions_no_bins():
    assert length_bins({}) == {"width": 0, "open": False, "counts": {}}


def test_files(tmp_path):
    suite = load_suite("examples/tiny")
    written = write_figures(suite, tmp_path / "figures")
    names = {file.name for file in written}
    assert names == {f"{name}.{end}" for name in FIGURES for end in ("svg", "png")} | {
        *("statistics.json", "index.html", "card.md")
    }
    assert all(file.is_file() for file in written)
    for name in FIGURES:
        svg = ElementTree.fromstring((tmp_path / f"figures/{name}.svg").read_text(encoding="utf-8"))
        with Image.open(tmp_path / f"figures/{name}.png") as image:
            assert image.size == (2 * int(svg.get("width")), 2 * int(svg.get("height")))
    assert json.loads((tmp_path / "figures/statistics.json").read_text()) == suite_statistics(suite)
    page = (tmp_path / "figures/index.html").read_text(encoding="utf-8")
    assert page.count("<svg") == len(FIGURES)
    assert not re.search(r'(src|href)="(?!data:,)', page)  # loads nothing
    first = {file.name: file.read_bytes() for file in written}
    assert {file.name: file.read_bytes() for file in write_figures(suite, tmp_path / "figures")} == first


def test_folders_of_others_are_left_alone(tmp_path, tiny):
    (tmp_path / "mine.txt").write_text("hands off")
    with pytest.raises(RunFolderError, match=r"mine\.txt"):
        write_statistics(tiny, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_card(tiny):
    lines = card_lines(tiny, "figures")
    assert lines[0] == "## Statistics"
    images = [line for line in lines if line.startswith("![")]
    assert [re.search(r"\]\((.*)\)$", line)[1] for line in images] == [f"figures/{name}.png" for name in FIGURES]
    assert any(line.startswith("| newspaper") or line.startswith("| note") for line in lines)


def test_names_that_are_markup_stay_names(tmp_path):
    (tmp_path / "suite.toml").write_text('format = "vde-release"\nname = "<b>&"\n[groups.text]\ninfo = "i.json"\n')
    entry = {
        "id": 1,
        "image_input": "a.png",
        "instruction": "<i>x",
        "data_source": "<img src=x> 报告",
        "language": "|a|",
    }
    (tmp_path / "i.json").write_text(json.dumps([entry]))
    files = {file.name: file for file in write_figures(load_suite(tmp_path), tmp_path / "out")}
    assert "layout-z.svg" not in files  # no reading, no layout
    page = files["index.html"].read_text(encoding="utf-8")
    assert "<img" not in page
    assert "&lt;img src=x&gt; 报告" in page
    assert "--reader" in page  # why there is no layout


def test_pages_without_tasks_have_layout_alone(tmp_path):
    element = {"category_type": "table", "poly": [0, 0, 50, 0, 50, 50, 0, 50]}
    info = {"image_path": "p.png", "width": 100, "height": 100, "page_attribute": {"data_source": "book"}}
    (tmp_path / "o.json").write_text(json.dumps([{"layout_dets": [element], "page_info": info}]))
    (tmp_path / "suite.toml").write_text('format = "omnidoc"\n[groups.pages]\ninfo = "o.json"\n')
    found = suite_statistics(load_suite(tmp_path))
    assert found["layout"]["area_density"] == {"book": {"table": 0.25}}
    assert found["layout"]["z"] == {"book": {"table": None}}
    assert (found["places"], found["instructions"]["samples"]) == ({}, 0)
    names = {file.name for file in write_statistics(found, tmp_path / "out")}
    assert "layout-metrics.svg" in names
    assert not {"operations.svg", "instructions.svg", "layout-z.svg"} & names


def test_on_the_command_line(tmp_path):
    run = CliRunner().invoke
    done = run(app, ["suite", "stats", "examples/tiny", "-o", str(tmp_path / "s")])
    assert done.exit_code == 0, done.output
    assert "Length of instructions" in done.stdout
    assert "Visual" in done.stdout
    assert "index.html: 17 files" in done.stdout
    told = json.loads(run(app, ["suite", "stats", "examples/tiny", "--json"]).stdout)
    assert told["layout"]["pages"] == 8
    (tmp_path / "s2").mkdir()
    (tmp_path / "s2/other").write_text("")
    assert isinstance(
        run(app, ["suite", "stats", "examples/tiny", "-o", str(tmp_path / "s2")]).exception, RunFolderError
    )
