"""The leaderboard's data: what stands in one table, which numbers, and what is refused."""

from __future__ import annotations

import json
import math
from collections import defaultdict

import pytest

from tests.report import masked_runs, site_runs
from tests.report.leaderboard_runs import MEANS, USABLE, shown, signature, summary, write_run
from vdebench.errors import InputError, RunFolderError, VdeError
from vdebench.pipeline.score import score
from vdebench.readers.reader import READERS
from vdebench.report.leaderboard import write_leaderboard
from vdebench.report.leaderboard.board import slice_data, slice_names, table_data
from vdebench.report.leaderboard.exports import measured_table
from vdebench.report.leaderboard.gather import find_runs
from vdebench.report.leaderboard.groups import group_runs
from vdebench.report.leaderboard.links import Links
from vdebench.report.rendering import render
from vdebench.report.site import write_report
from vdebench.report.site.write import MARKER as REPORT_MARKER
from vdebench.report.web.assets import script_json


def written(tmp_path, *summaries, **options):
    """The page's data of some runs, each in its own folder."""
    for at, about in enumerate(summaries):
        write_run(tmp_path / "runs" / f"r{at}", about)
    write_leaderboard([tmp_path / "runs"], tmp_path / "out", **options)
    return shown(tmp_path / "out")


def names(board):
    return [[row["editor"] for row in table["rows"]] for table in board["tables"]]


def test_only_equal_signatures_stand_in_one_table(tmp_path):
    board = written(tmp_path, summary("a"), summary("b", {"reader": "r@2", "n": "9"}), summary("c"))
    assert names(board) == [["a", "c"], ["b"]]
    assert board["tables"][0]["differs"] == [[2, [["reader", "r@1", "r@2"], ["samples", "8", "9"]]]]
    assert board["tables"][1]["differs"] == [[1, [["reader", "r@2", "r@1"], ["samples", "9", "8"]]]]
    assert [[title, value] for title, value, apart in board["tables"][1]["parts"] if apart] == [
        ["reader", "r@2"],
        ["samples", "9"],
    ]
    assert board["tables"][1]["signature"] == signature(reader="r@2", n="9")


def test_the_editor_is_no_difference(tmp_path):
    board = written(tmp_path, summary("a", {"editor": "a"}), summary("b", {"editor": "b"}))
    assert names(board) == [["a", "b"]]
    assert board["tables"][0]["signature"] == signature()
    assert board["tables"][0]["rows"][1]["signature"] == signature(editor="b")


def test_verdicts_by_other_thresholds_stand_apart(tmp_path):
    stricter = {**USABLE, "signature": "usable:traces-1|text:1"}
    board = written(tmp_path, summary("a", usable=USABLE), summary("b", usable=stricter), summary("c"))
    assert names(board) == [["a", "c"], ["b"]]  # c has no verdict: a dash beside the first
    assert board["tables"][0]["differs"] == [[2, [["usable edits", "traces-1 text:0.9", "traces-1 text:1"]]]]


def test_numbers_are_those_of_the_summary(tmp_path):
    board = written(tmp_path, summary("a", usable=USABLE, regions={"rate": 0.25, "n": 4}))
    (row,) = board["tables"][0]["rows"]
    assert row["cells"]["local"] == {"cdm": [0.8, 0.7, 0.9], "iou": [0.6, 0.5, 0.75], "psnr": [20.0]}
    assert row["cells"]["global"]["cdm"] == [0.9]
    assert row["coverage"] == [8, 7, 1, 0]
    assert row["usable"] == [0.5, 0.2, 0.8, 8, 0]
    assert row["falls"] == {
        **{
            "completeness": 1,
            "textual_correctness": 2,
            "spatial_precision": 0,
            "visual_fidelity": 1,
            "preservation": 0,
        },
        **{"usable": 4, "unknown": 0},
    }
    assert row["regions"] == [0.25, 4]
    assert row["link"] is None
    name, values = board["tables"][0]["values"]["operation"]
    assert values == ["text_insert"]
    (inserted,) = shown(tmp_path / "out", name)["text_insert"]["rows"]
    assert inserted["cells"] == {"local": {"cdm": [0.4, 0.3, 0.5], "iou": [0.6], "psnr": [20.0]}}
    assert inserted["usable"] == [0.25, 0.1, 0.5, 4, 1]


def test_no_verdict_without_images_nor_where_none_was_made(tmp_path):
    """Without images only failures are known, and a rate of them would say nothing."""
    nothing = {**USABLE, "rate": None, "interval": None, "n": 0, "unknown": 8}
    board = written(
        tmp_path, summary("a", {"images": "off"}, usable=USABLE), summary("b", usable=nothing), summary("c")
    )
    rows = [row for table in board["tables"] for row in table["rows"]]
    assert [(row["editor"], row["usable"], row["falls"]) for row in rows] == [
        ("a", None, None),
        ("b", None, None),
        ("c", None, None),
    ]


def test_psnr_of_identical_images_is_infinite(tmp_path):
    same = {**MEANS, "psnr": None, "identical": 8}
    board = written(tmp_path, summary("a", overall={"local": same, "global": None}))
    assert board["tables"][0]["rows"][0]["cells"] == {
        "local": {"cdm": [0.8, 0.7, 0.9], "iou": [0.6, 0.5, 0.75], "psnr": ["∞"]}
    }
    assert list(board["tables"][0]["settings"]) == ["local"]


def test_the_same_run_is_shown_once_and_a_second_one_with_its_folder(tmp_path):
    for night in ("mon", "tue"):
        write_run(tmp_path / night / "a" / "strict", summary("a"))
    write_leaderboard([tmp_path / "mon", tmp_path / "mon/a/strict"], tmp_path / "one")
    assert names(shown(tmp_path / "one")) == [["a"]]
    write_leaderboard([tmp_path / "mon", tmp_path / "tue"], tmp_path / "two")
    (table,) = shown(tmp_path / "two")["tables"]
    assert [row["editor"] for row in table["rows"]] == ["a (mon/a/strict)", "a (tue/a/strict)"]
    assert table["notes"] == ["a has several runs with one signature, distinguished by their folders"]


@pytest.mark.parametrize("name", ["data", "images", "parts", "reference", "judged", "thumbs"])
def test_an_editor_may_be_called_like_a_folder_of_ours(tmp_path, name):
    write_run(tmp_path / "scored" / name, summary(name))
    write_run(tmp_path / "scored" / name / "reference", summary("what a run holds"))
    write_run(tmp_path / "runs" / name / "strict", summary(f"{name} run"))
    write_run(tmp_path / "runs/copy/strict", summary("copy"))
    write_run(tmp_path / "runs/copy" / name / "deep/deeper", summary("no run of ours"))
    assert [run.editor for run in find_runs([tmp_path / "scored", tmp_path / "runs"]).runs] == sorted(
        [name, "copy", f"{name} run"], key=lambda editor: (editor != name, editor)
    )


def test_what_a_run_lacks_is_told(tmp_path):
    write_run(tmp_path / "runs/a/strict", summary("a"))
    (tmp_path / "runs/run.json").write_text(json.dumps({"editors": ["a", "b"], "protocols": ["strict"]}))
    write_leaderboard([tmp_path / "runs"], tmp_path / "out")
    assert shown(tmp_path / "out")["notes"] == ["b: no scores by strict yet in runs"]


def test_names_cannot_become_markup_nor_lines(tmp_path):
    written(tmp_path, summary(f"x\n{site_runs.EVIL}"))
    text = (tmp_path / "out/data/leaderboard.js").read_text(encoding="utf-8")
    assert "</script" not in text
    assert shown(tmp_path / "out")["tables"][0]["rows"][0]["editor"] == f"x {site_runs.EVIL}"


BROKEN = {
    "not JSON": ('{"signature": ', "not JSON"),
    "a list": ([1], "expected an object, found list"),
    "no editor": (summary(None), "'editor' is None, expected text"),
    "no means": (summary("a", overall=[1]), "'overall' is [1], expected an object"),
    "another signature": (summary("a", signature="x"), "'signature' is 'x', expected one that begins with vde|p:"),
    "a mean in words": (summary("a", overall={"local": {"cdm": "high"}}), "cdm is 'high', expected a number"),
    "not a number": (summary("a", overall={"local": {"cdm": math.nan}}), "cdm is nan, expected a number"),
    "half an interval": (summary("a", overall={"local": {"cdm": 1, "intervals": {"cdm": [0]}}}), "score again"),
    "no coverage": (summary("a", coverage={"samples": 8}), "no 'scored'"),
    "slices in a list": (summary("a", by=["operation"]), "score again"),
    "slices of nothing": (summary("a", by={"operation": 3}), "score again"),
    "verdicts in words": (summary("a", usable={**USABLE, "rate": "most"}), "usable.rate is 'most', expected a number"),
    "a broken waterfall": (summary("a", usable={**USABLE, "waterfall": [1]}), "score again"),
    "a floor in words": (summary("a", ocr_ceiling="none"), "score again"),
    "notes that are none": (summary("a", notes=3), "score again"),
}


@pytest.mark.parametrize("about", BROKEN.values(), ids=BROKEN)
def test_a_broken_summary_is_named_and_nothing_is_written(tmp_path, about):
    content, told = about
    run = write_run(tmp_path / "run", content)
    with pytest.raises(VdeError) as caught:
        write_leaderboard([run], tmp_path / "out")
    assert str(run / "summary.json") in str(caught.value)
    assert told in str(caught.value)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["run"]


def _with(data, path, value):
    """The same with another value at a path."""
    if not path:
        return value
    return {**data, path[0]: _with(data[path[0]], path[1:], value)}


def _paths(data, at=()):
    yield at
    for key, value in data.items() if isinstance(data, dict) else ():
        yield from _paths(value, (*at, key))


def _tables(run):
    """All that is made of a run before it is written."""
    (group,) = group_runs(find_runs([run]).runs)
    data = table_data([group], group)
    for by in ["", *slice_names(group)]:
        table = measured_table(group, data, slice_data(group, by) if by else {}, by)
        script_json(data)
        for form in ("csv", "markdown", "latex"):
            render(table, form, intervals=True)


@pytest.mark.parametrize("junk", [None, 3, "x", [1], {"x": "y"}, True], ids=repr)
def test_whatever_somebody_writes_into_a_summary_is_shown_or_refused(tmp_path, junk):
    whole = summary("a", usable=USABLE, regions={"rate": 0.2, "n": 3, "by": {"operation": {"text_insert": {"n": 1}}}})
    whole |= {"unavailable": {"clip": "why"}, "interval": {"level": 0.95}}
    whole |= {"ocr_ceiling": {"scores": {"local": MEANS}, "by": {"operation": {"text_insert": {"local": MEANS}}}}}
    file = write_run(tmp_path / "run", whole) / "summary.json"
    outcomes = defaultdict(list)
    for path in _paths(whole):
        file.write_text(json.dumps(_with(whole, path, junk)))
        try:
            _tables(tmp_path / "run")
        except VdeError as error:
            outcomes[str(file) in str(error)].append(path)
        else:
            outcomes["shown"].append(path)
    assert outcomes.keys() == {"shown", True}, outcomes[False]


def test_a_folder_without_runs_is_refused(tmp_path):
    with pytest.raises(RunFolderError, match="no such folder"):
        write_leaderboard([tmp_path / "nowhere"], tmp_path / "out")
    (tmp_path / "half").mkdir()
    with pytest.raises(RunFolderError, match="no run here or below"):
        write_leaderboard([tmp_path / "half"], tmp_path / "out")
    (tmp_path / "half/summary.json").write_text("{}")
    with pytest.raises(RunFolderError, match=r"has summary.json but no scores.parquet"):
        write_leaderboard([tmp_path / "half"], tmp_path / "out")


def test_an_old_leaderboard_is_replaced_and_anything_else_left_alone(tmp_path):
    run = write_run(tmp_path / "run", summary("a"))
    write_leaderboard([run], tmp_path / "out", title="old")
    (tmp_path / "out/left over.txt").write_text("")
    write_leaderboard([run], tmp_path / "out", title="new")
    assert shown(tmp_path / "out")["title"] == "new"
    assert not (tmp_path / "out/left over.txt").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").write_text("years of work")
    with pytest.raises(RunFolderError, match=r"is no leaderboard written by vdebench: contains thesis.tex"):
        write_leaderboard([run], tmp_path / "mine")
    assert [each.name for each in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_published_figures_stand_apart_and_beside_their_own_protocol_alone(tmp_path):
    runs = summary("a"), summary("b", {"p": "vde-v3"})
    board = written(tmp_path, *runs, published=True)
    assert [(one["paper"], one["number"]) for one in board["printed"]][:2] == [("vde-v3", "2"), ("vde-v3", "3")]
    first = board["printed"][0]["rows"][0]
    assert (first["label"], first["section"], first["cells"][:4]) == (
        "LongCat-Image-Edit †",
        "Local-image setting",
        ["0.662", "0.830", "0.320", "0.713"],
    )
    exact, paper = board["tables"]
    assert exact["beside"] is None
    local = paper["beside"]["rows"]["//local"]
    assert local[0]["editor"] == "LongCat-Image-Edit †"
    assert local[0]["cells"] | {"cdm": [0.83], "teds_like": [0.713]} == local[0]["cells"]
    assert "reader, image metrics, suite, samples" in paper["beside"]["warning"]
    write_leaderboard([tmp_path / "runs"], tmp_path / "out")
    assert [shown(tmp_path / "out")["printed"], shown(tmp_path / "out")["tables"][1]["beside"]] == [[], None]


def test_real_runs_in_every_kind_of_folder(tmp_path):
    for editor in ("careful", "copy"):
        score("examples/tiny", f"examples/tiny/editors/{editor}", out=tmp_path / "tiny" / editor, workers=1)
    masked = masked_runs.make_runs(tmp_path / "masked", masked_runs.make_suite(tmp_path / "suite"), ("textedit",))
    write_leaderboard([tmp_path / "tiny", masked], tmp_path / "out", published=True)
    tables = shown(tmp_path / "out")["tables"]
    assert [(table["protocol"], len(table["rows"])) for table in tables] == [("strict", 2), ("textedit", 3)]
    told = json.loads((tmp_path / "tiny/careful/summary.json").read_text())
    assert tables[0]["rows"][0]["cells"]["local"]["cdm"][0] == told["overall"]["local"]["cdm"]
    assert tables[1]["settings"] == {"outside": "Around the masks"}
    assert [row["coverage"] for row in tables[1]["rows"]] == [[3, 3, 0, 0], [3, 0, 3, 0], [3, 3, 0, 0]]
    printed = tables[1]["beside"]["rows"]["group/manual/outside"]
    assert printed[0]["cells"].keys() == {"ssim", "lpips", "psnr", "mse"}


def test_samples_are_linked_where_a_report_shows_that_very_run(tmp_path, monkeypatch):
    monkeypatch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
    runs = site_runs.make_runs(tmp_path / "my runs", site_runs.make_suite(tmp_path / "suite"))
    write_report(runs, tmp_path / "report")
    write_leaderboard([runs], tmp_path / "board")
    rows = shown(tmp_path / "board")["tables"][0]["rows"]
    assert [row["link"] for row in rows] == [
        "../report/index.html#tab=samples&protocol=strict&editor=my%20editor",
        "../report/index.html#tab=samples&protocol=strict&editor=oracle",
    ]
    (tmp_path / "report").rename(tmp_path / "elsewhere")
    write_leaderboard([runs], tmp_path / "board")
    assert [row["link"] for row in shown(tmp_path / "board")["tables"][0]["rows"]] == [None, None]
    write_leaderboard([runs], tmp_path / "board", reports=[tmp_path / "elsewhere"])
    assert shown(tmp_path / "board")["tables"][0]["rows"][1]["link"].startswith("../elsewhere/index.html#tab=samples")
    with pytest.raises(InputError, match="no report here"):
        write_leaderboard([runs], tmp_path / "board", reports=[tmp_path])
    other = write_run(tmp_path / "other", summary("oracle"))  # the same editor, scored otherwise
    with pytest.raises(InputError, match="shows none of these runs"):
        write_leaderboard([other], tmp_path / "board", reports=[tmp_path / "elsewhere"])


def test_a_report_links_every_editor_by_its_own_signature_alone(tmp_path):
    """One report may show editors that were scored otherwise: the other's signature is not theirs."""
    first, second, both = signature(), signature(reader="r@2"), signature(reader="r@3")
    notes = ["a: 8 samples, 8 scored", f"a: {first}", f"b: {second}", f"c, d, e: {both}", f"x, y: {both}"]
    rows = [{"editor": name} for name in ("a", "b", "c", "d", "x, y")]
    board = {"protocols": [{"name": "strict", "notes": notes, "rows": rows}]}
    (tmp_path / "report/data").mkdir(parents=True)
    (tmp_path / "report" / REPORT_MARKER).write_text("{}")
    (tmp_path / "report/data/board.js").write_text(f'Vde.take("board", {json.dumps(board)});')
    cases = [(name, reader) for name in ("a", "b", "c", "d", "x, y") for reader in ("r@1", "r@2", "r@3")]
    for at, (name, reader) in enumerate(cases):
        write_run(tmp_path / f"runs/{at}", summary(name, {"reader": reader}))
    runs = find_runs([tmp_path / "runs"]).runs
    links = Links(runs, [tmp_path / "report"])
    linked = {(run.editor, run.summary["signature"]) for run in runs if links.to(run, tmp_path)}
    assert linked == {("a", first), ("b", second), ("c", both), ("d", both), ("x, y", both)}
