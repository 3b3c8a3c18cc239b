"""The study of ambiguity from end to end: a typeset suite, its ambiguous form, two editors on both, a judge on a socket.

The first editor does all that is asked where it is said plainly, and half of it where it is not; the other does nothing
ever. So the drop is known: what half of the samples lose, by how much the judge's grades rise.
"""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from tests.judges.server import grade, judging
from vdebench.build.ambiguous import AmbiguousInstruction, rewriter, write_ambiguous
from vdebench.cli.main import app
from vdebench.core.sample import Sample
from vdebench.errors import RunFolderError, SuiteError, VdeError
from vdebench.io.files import write_json
from vdebench.judges.judge import get_judge
from vdebench.pipeline.judging.stage import judge_ambiguity
from vdebench.pipeline.score import score
from vdebench.report.figures.drop import drop_figure, drop_table
from vdebench.report.rendering import render
from vdebench.stats.stored import read_run
from vdebench.studies.ambiguity_drop import ambiguity_drop
from vdebench.studies.ambiguity_grades import ambiguity_by_judge, paired_ambiguity
from vdebench.studies.ambiguity_runs import paired_runs
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import load_suite

ORDER = "typeset:n=6,seed=4,languages=en,operations=text_replace+text_delete+text_insert,kinds=book+note,ppi=60"


def write_outputs(suite, folder, is_done):
    """An editor's images and their readings: the reference's where it has done its work, else the source's."""
    for number, sample in enumerate(suite):
        done = is_done(number)
        files = suite.image_files(sample)
        name = Path(sample.reference_image).stem
        reading = suite.ground_truth(sample) if done else suite.source(sample)
        write_json(folder / f"readings/{sample.group}/{name}.json", reading.to_json())
        target = folder / f"images/{sample.group}/{name}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(files.reference if done else files.source, target)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    root = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(root / "cache"))
        patch.setenv("OPENAI_API_KEY", "sk-test")
        plain = load_suite(ORDER)
        assert write_ambiguous(plain, root / "ambiguous") == {}
        vague = load_suite(root / "ambiguous")
        half = {"plain": lambda number: True, "vague": lambda number: number % 2 == 0}
        for kind, suite in (("plain", plain), ("vague", vague)):
            for editor, is_done in (("clever", half[kind]), ("idle", lambda number: False)):
                outputs = root / f"outputs/{kind}/{editor}"
                write_outputs(suite, outputs, is_done)
                run = root / f"{kind}/{editor}/strict"
                score(
                    suite,
                    outputs / "readings",
                    editor=editor,
                    out=run,
                    images=outputs / "images",
                    metrics=("psnr",) if editor == "clever" else (),  # the rate of usable edits needs pixels
                    workers=1,
                )
        # A judge that gives 1 to plain instructions, and 3 or 5 in turn to ambiguous ones: 2 and 4 more.
        grades = {sample.instruction: 3 + 2 * (number % 2) for number, sample in enumerate(vague)}
        with judging(lambda ask: grade(next((g for said, g in grades.items() if said in ask.prompt), 1))) as server:
            for kind, suite in (("plain", plain), ("vague", vague)):
                judge_ambiguity(suite, get_judge("j", base_url=server.url), root / f"graded/{kind}")
    return root, plain, vague


@cache
def found(root):
    sides = [
        [read_run(root / kind / editor / "strict") for editor in ("clever", "idle")] for kind in ("plain", "vague")
    ]
    graded = ([root / "graded/plain"], [root / "graded/vague"])
    drops = ambiguity_drop(paired_runs(*sides), *graded, resamples=2000)
    return drops, {(drop.editor, drop.setting, drop.metric): drop for drop in drops.drops}


def test_the_ambiguous_suite_is_the_same_but_for_its_instructions(study):
    _, plain, vague = study
    assert [sample.key for sample in vague] == [sample.key for sample in plain]
    for one, other in zip(plain, vague, strict=True):
        assert other.instruction == one.extra["ambiguous"]["instruction"] != one.instruction
        assert other.extra["original_instruction"] == one.instruction
        assert other.extra["ambiguity"] == one.extra["ambiguous"]["kind"]
        assert vague.ground_truth(other) == plain.ground_truth(one)
        assert vague.image_files(other).source.read_bytes() == plain.image_files(one).source.read_bytes()
    assert not list(vague.faults())


def test_drop_and_drop_per_unit(study):
    root = study[0]
    _, drops = found(root)
    assert set(drops) == {
        *(("clever", setting, metric) for setting in ("global", "local") for metric in ("iou", "cdm")),
        *(("idle", setting, metric) for setting in ("global", "local") for metric in ("iou", "cdm")),
        *((editor, "edit", "usable") for editor in ("clever", "idle")),  # of idle's edits none is done, for certain
    }
    cdm = drops["clever", "local", "cdm"]
    rows = pl.read_parquet(root / "vague/clever/strict/scores.parquet").filter(pl.col("setting") == "local")
    means = json.loads((root / "vague/clever/strict/summary.json").read_text())["overall"]["local"]
    assert cdm.original == 1
    assert cdm.ambiguous == pytest.approx(means["cdm"])
    assert 0 < cdm.ambiguous < 1
    assert cdm.drop == pytest.approx(1 - means["cdm"])
    assert cdm.ambiguity == pytest.approx(3)  # half of the grades rise by 2, half by 4
    assert cdm.per_unit == pytest.approx((1 - means["cdm"]) / 3)
    assert (cdm.samples, len(rows)) == (6, 6)
    usable = drops["clever", "edit", "usable"]
    assert (usable.original, usable.ambiguous, usable.drop) == (1, 0.5, 0.5)
    assert usable.per_unit == pytest.approx(0.5 / 3)


def test_bounds_are_those_of_whole_pages(study):
    """Three pages are drawn three times: all from one page has a chance of 1 in 27 each, above the tail of 1 in 40."""
    root, plain, _ = study
    pages = pages_of(plain)
    assert len(set(pages.values())) == 3
    verdicts = {sample.key: number % 2 == 0 for number, sample in enumerate(plain)}
    rises = {sample.key: 2 + 2 * (number % 2) for number, sample in enumerate(plain)}
    lost: dict[str, list[tuple[float, float]]] = {}
    for key, page in pages.items():
        lost.setdefault(page, []).append((float(not verdicts[key]), rises[key]))
    ratios, falls = [], []
    for drawn in itertools.product(lost.values(), repeat=3):
        every = [each for page in drawn for each in page]
        ratios.append(sum(fall for fall, _ in every) / sum(rise for _, rise in every))
        falls.append(sum(fall for fall, _ in every) / len(every))
    usable = found(root)[1]["clever", "edit", "usable"]
    assert usable.pages == 3
    assert (usable.drop_low, usable.drop_high) == (pytest.approx(min(falls)), pytest.approx(max(falls)))
    assert (usable.per_unit_low, usable.per_unit_high) == (pytest.approx(min(ratios)), pytest.approx(max(ratios)))
    cdm = found(root)[1]["clever", "local", "cdm"]
    assert cdm.per_unit_low <= cdm.per_unit <= cdm.per_unit_high


def test_an_editor_that_does_nothing_loses_nothing(study):
    idle = found(study[0])[1]["idle", "local", "cdm"]
    assert idle.original == idle.ambiguous < 1
    assert (idle.drop, idle.per_unit, idle.drop_low, idle.drop_high) == (0, 0, 0, 0)


def test_without_grades_there_is_a_drop_and_a_reason(study):
    root = study[0]
    pairs = paired_runs([read_run(root / "plain/clever/strict")], [read_run(root / "vague/clever/strict")])
    drop = ambiguity_drop(pairs).drops[0]
    assert drop.drop > 0
    assert drop.per_unit is None
    assert "no ambiguity grades" in drop.reason
    with pytest.raises(VdeError, match="grades of one suite only"):
        ambiguity_drop(pairs, [root / "graded/plain"])


def test_instructions_that_are_not_found_more_ambiguous_give_no_drop_per_unit(study):
    root = study[0]
    pairs = paired_runs([read_run(root / "plain/clever/strict")], [read_run(root / "vague/clever/strict")])
    drop = ambiguity_drop(pairs, [root / "graded/plain"], [root / "graded/plain"]).drops[0]
    assert (drop.ambiguity, drop.per_unit) == (0, None)
    assert "not find the instructions more ambiguous" in drop.reason


def test_only_pairs_are_studied(study):
    root = study[0]
    clever, idle = (read_run(root / "plain" / editor / "strict") for editor in ("clever", "idle"))
    vague = read_run(root / "vague/clever/strict")
    assert [pair.original.editor for pair in paired_runs([clever, idle], [vague])] == ["clever"]
    with pytest.raises(VdeError, match="no editor has a run on both suites: found idle by strict on the one, clever"):
        paired_runs([idle], [vague])
    vague.summary["signature"] += "|reader:other@2"
    with pytest.raises(VdeError, match=r"not scored in the same way(.|\n)*reader: .*other@2"):
        paired_runs([clever], [vague])
    assert paired_runs([clever], [vague], force=True)


def rows_of(*given):
    return pl.DataFrame(
        [
            {
                "sample": sample,
                "dimension": dimension,
                "draw": draw,
                "state": "graded" if value else "refused",
                "grade": value,
            }
            for sample, dimension, draw, value in given
        ],
        schema={"sample": pl.String, "dimension": pl.String, "draw": pl.Int64, "state": pl.String, "grade": pl.Int64},
    )


def test_grades_are_means_of_draws_then_dimensions(tmp_path):
    for judge, rows in {
        "a": rows_of(
            ("s", "target", 0, 1),
            ("s", "target", 1, 4),
            ("s", "scope", 0, 2),
            ("t", "target", 0, 5),
            ("t", "scope", 0, None),
        ),
        "b": rows_of(("s", "target", 0, 5), ("s", "scope", 0, 4), ("t", "target", 0, 1), ("t", "scope", 0, 2)),
    }.items():
        (tmp_path / judge).mkdir()
        rows.write_parquet(tmp_path / judge / "grades.parquet")
    # s by a: (2.5 + 2)/2 = 2.25, by b: 4.5. t by a lacks a dimension; by b: 1.5.
    assert ambiguity_by_judge([tmp_path]) == {"a": {"s": 2.25}, "b": {"s": 4.5, "t": 1.5}}
    assert ambiguity_by_judge([tmp_path / "a"]) == {"a": {"s": 2.25}}
    with pytest.raises(RunFolderError, match="vde ambiguity"):
        ambiguity_by_judge([tmp_path / "nowhere"])
    (tmp_path / "a/grades.parquet").write_text("no table")
    with pytest.raises(RunFolderError, match="grade again"):
        ambiguity_by_judge([tmp_path / "a"])


def write_grades(folder, judge, dimensions=("target",), **grades):
    folder.mkdir(parents=True)
    told = {"judge": judge, "dimensions": list(dimensions), "prompts": "0123456789"}
    (folder / "judge.json").write_text(json.dumps(told))
    rows_of(*((sample, "target", 0, grade) for sample, grade in grades.items())).write_parquet(
        folder / "grades.parquet"
    )
    return folder


def test_a_rise_is_told_by_judges_that_have_seen_both_sides(tmp_path):
    plain = [
        write_grades(tmp_path / "p1", "mild", s=1, t=2, u=1),
        write_grades(tmp_path / "p2", "strict", s=3, t=4),
        write_grades(tmp_path / "p3", "gone", s=5, t=5, u=5),
    ]
    vague = [write_grades(tmp_path / "v1", "mild", s=2, t=4), write_grades(tmp_path / "v2", "strict", t=5, u=5)]
    # s: mild alone, t: both, u: no judge on both sides. All judges of each side together would say s: 3 and 2.
    assert paired_ambiguity(plain, vague) == ({"s": 1, "t": 3}, {"s": 2, "t": 4.5})
    with pytest.raises(VdeError, match=r"no judge has graded both suites: found mild \(target.* the one, strict \("):
        paired_ambiguity(plain[:1], vague[1:])
    with pytest.raises(VdeError, match="no judge has graded both"):  # the same judge, asked something else
        paired_ambiguity(plain[:1], [write_grades(tmp_path / "v3", "mild", ("target", "scope"), s=2)])


def test_two_runs_of_one_editor_on_a_side_are_refused(study, tmp_path):
    root = study[0]
    clever, vague = (read_run(root / kind / "clever/strict") for kind in ("plain", "vague"))
    shutil.copytree(clever.root, tmp_path / "again")
    with pytest.raises(VdeError, match="two runs of clever by strict on one suite"):
        paired_runs([clever, read_run(tmp_path / "again")], [vague])
    with pytest.raises(VdeError, match="two runs of clever by strict on one suite"):
        paired_runs([clever], [vague, replace(vague)])


def only_text(sample):
    if sample.group != "text":
        raise VdeError("a table\n  tables are left alone")
    return AmbiguousInstruction("Change it.", "target")


def test_what_cannot_be_made_ambiguous_is_left_out_with_the_reason(tmp_path):
    tiny = load_suite("examples/tiny")
    left = write_ambiguous(tiny, tmp_path / "b", only_text)
    assert set(left.values()) == {"a table"}
    assert {sample.instruction for sample in load_suite(tmp_path / "b")} == {"Change it."}
    with pytest.raises(SuiteError, match="no sample can be made ambiguous"):
        write_ambiguous(tiny, tmp_path / "a", lambda sample: AmbiguousInstruction(sample.instruction))
    assert not (tmp_path / "a").exists()


def test_rules_rewrite_where_a_sample_brings_no_form():
    sample = Sample("1", "text", 'Replace "2023" with "2024".')
    assert rewriter("linguistic")(sample) == ('Change it to "2024".', "linguistic")
    own = replace(sample, extra={"ambiguous": {"instruction": "Mend the year.", "kind": "target"}})
    assert rewriter()(own) == rewriter("target")(own) == ("Mend the year.", "target")
    assert rewriter("linguistic")(own).kind == "linguistic"
    with pytest.raises(VdeError, match="the rules do not understand this instruction"):
        rewriter()(replace(sample, instruction="Make it nicer."))
    with pytest.raises(VdeError, match="unknown ambiguity 'colour'"):
        rewriter("colour")


def test_table_and_figure(study):
    drops, _ = found(study[0])
    text = render(drop_table(drops), "markdown")
    assert "rate of usable edits" in text
    assert "local: CDM" in text
    assert "6 samples of 3 pages" in text
    svg = drop_figure(drops)
    assert "drop per unit of ambiguity" in svg
    assert svg.count("<circle") == len(drops.drops)


def test_on_the_command_line(study, tmp_path):
    root = study[0]
    graded = ("--grades", root / "graded/plain", "--grades-ambiguous", root / "graded/vague")
    given = ("ambiguity-drop", root / "plain", root / "vague")
    done = CliRunner().invoke(app, [*map(str, (*given, *graded, "-o", tmp_path / "drop.png", "--json"))])
    assert done.exit_code == 0, done.output
    assert {drop["editor"] for drop in json.loads(done.stdout)["drops"]} == {"clever", "idle"}
    assert (tmp_path / "drop.png").read_bytes().startswith(b"\x89PNG")
    for wrong, words in (
        (("--protocol", "vde-v3"), "no run of protocol vde-v3"),
        (("-o", "drop.txt"), "ends with .svg or .png"),
        (("--metrics", "beauty", "--protocol", "strict"), "no run has the metric beauty"),
    ):
        done = CliRunner().invoke(app, [*map(str, (*given, *wrong))])
        assert isinstance(done.exception, VdeError)
        assert words in str(done.exception)


def test_a_suite_is_rewritten_on_the_command_line(tmp_path):
    done = CliRunner().invoke(app, ["suite", "ambiguous", "examples/tiny", "-o", str(tmp_path / "a")])
    assert done.exit_code == 0, done.output
    kept = len(load_suite(tmp_path / "a"))
    assert 0 < kept <= 8
    assert f"{kept} samples with ambiguous instructions" in done.stdout
    assert done.stdout.count("left out: ") == 8 - kept
    assert not [fault for fault in load_suite(tmp_path / "a").faults() if fault.severity == "error"]
