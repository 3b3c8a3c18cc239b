"""Ratings in files, scale by scale and over time, on the command line and as a figure."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

from vdebench.cli.review_agreement import agreement_command
from vdebench.errors import InputError, VdeError
from vdebench.report.reliability import reliability_figure, reliability_table
from vdebench.report.rendering import render
from vdebench.stats.reliability.coefficients import reliability
from vdebench.stats.reliability.ratings import Rating, read_ratings
from vdebench.stats.reliability.scales import reliability_by_scale

SVG = "{http://www.w3.org/2000/svg}"
RATINGS = [[1, 2, 3, 3, 1, 2], [1, 2, 3, 2, 1, 2], [1, 2, 3, 3, 1, None]]


def said(ratings=RATINGS, scale="clear", at=lambda rater, unit: None):
    return [
        Rating(f"rater {who}", f"unit {unit}", scale, value, at(who, unit))
        for who, row in enumerate(ratings)
        for unit, value in enumerate(row)
    ]


def write(path, lines, head="rater,unit,scale,value,when"):
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def run(*arguments):
    app = typer.Typer()
    app.command()(agreement_command)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_file_is_the_array_it_holds(tmp_path):
    lines = [
        f"r{who},u{unit},clear,{'' if value is None else value},"
        for who, row in enumerate(RATINGS)
        for unit, value in enumerate(row)
    ]
    [one] = reliability_by_scale(read_ratings(write(tmp_path / "a.csv", lines)), resamples=200)
    assert one.result == reliability(RATINGS, "ordinal", resamples=200)
    [other] = reliability_by_scale(read_ratings(write(tmp_path / "b.csv", lines[::-1])), resamples=200)
    assert other == one


def test_as_spreadsheets_save_it(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes("\ufeffUnit; Value ;RATER;note\r\nu1;2,5;张;x\r\n\r\nu1; 3 ;李;\r\n".encode())
    ratings = read_ratings(file)
    assert [rating[:4] for rating in ratings] == [("张", "u1", "rating", "2,5"), ("李", "u1", "rating", "3")]


def test_scales_have_their_own_level():
    words = [["yes", "no", "yes"], ["yes", "no", "no"]]
    one, other = reliability_by_scale([*said(), *said(words, "keep")], resamples=100)
    assert (one.scale, one.result.level, other.scale, other.result.level) == ("clear", "ordinal", "keep", "nominal")
    assert other.result.alpha == pytest.approx(1 - 5 * 2 / 18)
    [only] = reliability_by_scale([*said(), *said(words, "keep")], ["clear"], level="nominal", resamples=100)
    assert only.result == reliability(RATINGS, "nominal", resamples=100)


def test_units_belong_to_the_day_on_which_they_were_finished():
    def at(rater, unit):  # the third rater comes a day after the others
        return datetime(2026, 3, 1 + unit // 3 + (rater == 2), 12)

    found = reliability_by_scale(said(at=at), over="day", resamples=100)
    # Unit 5 has no third rating, so its last came on the 2nd; units 0 to 2 on the 2nd, 3 and 4 on the 3rd.
    assert [(one.window, one.result.units) for one in found] == [("2026-03-02", 4), ("2026-03-03", 2)]
    assert found[1].result == reliability([row[3:5] for row in RATINGS], resamples=100)


@pytest.mark.parametrize(("over", "expected"), [("week", ["2026-W09", "2026-W10"]), ("month", ["2026-03"])])
def test_weeks_and_months(over, expected):
    found = reliability_by_scale(said(at=lambda _, unit: datetime(2026, 3, 1 + unit)), over=over, resamples=9)
    assert [one.window for one in found] == expected  # the 1st is a Sunday


def test_so_many_units_at_a_time():
    def at(rater, unit):  # the last unit comes first
        return datetime(2026, 3, 9 - unit, rater, tzinfo=UTC)

    found = reliability_by_scale(said(at=at), over=4, resamples=100)
    assert [(one.window, one.result.units) for one in found] == [("1–4", 4), ("5–6", 2)]
    assert found[1].result == reliability([row[:2] for row in RATINGS], resamples=100)


def test_days_are_those_of_utc():
    east = timezone(timedelta(hours=9))
    found = reliability_by_scale(said(at=lambda *_: datetime(2026, 3, 2, 3, tzinfo=east)), over="day", resamples=9)
    assert [one.window for one in found] == ["2026-03-01"]


def test_what_is_sent_twice_counts_once():
    assert reliability_by_scale([*said(), *said()], resamples=50) == reliability_by_scale(said(), resamples=50)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"a.csv: 0 columns 'rater' \(its columns: none\); expected rater, unit, value"),
        (b"rater,unit,score\nr,u,1\n", "0 columns 'value'"),
        (b"rater,unit,value,value\nr,u,1,1\n", "2 columns 'value'"),
        (b"rater,unit,value\nr,u,\n", "no ratings, only a header or empty values"),
        (b"rater,unit,value\nr,u\n", "line 2: 2 cells, expected 3: rater, unit, value"),
        (b"rater,unit,value\nr,,1\n", "line 2: no unit"),
        (b"rater,unit,value\n,u,1\n", "line 2: no rater"),
        (b"rater,unit,value,when\nr,u,1,yesterday\n", "line 2: when 'yesterday', expected a time"),
        (b"rater,unit,value,when\nr,u,1,0001-01-01T00:00+14:00\n", "line 2: when '0001-01-01T00:00"),
        (b"rater,unit,value\nr,u,\xff\n", "not UTF-8 at byte 21"),
        (b"rater,unit,value\nr,u,\"" + b"x" * 200_000 + b"\n", "not CSV"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(tmp_path, content, message):
    file = tmp_path / "a.csv"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        reliability_by_scale(read_ratings(file))


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        (["a,u,s,1,", "a,u,s,2,"], {}, r"line 3: unit u, s, by a: '2', but '1' before \(.*line 2"),
        (["a,u,s,1,", "b,u,s,nan,"], {}, r"line 3: unit u, s, by b: 'nan' among numbers \(1 of 2 are\)"),
        (["a,u,s,x,", "b,u,s,y,"], {"level": "interval"}, "a.csv: scale s: interval: a rating of 'x', expected numbers"),
        (["a,u,s,-1,", "b,u,s,1,"], {"level": "ratio"}, "a.csv: scale s: ratio: a rating of -1"),
        (["a,u,s,1,"], {"scales": ["t"]}, "no ratings on scale 't'; there are: s"),
        (["a,u,s,1,"], {"over": "day"}, "line 2: unit u, s, by a: has no time"),
        (["a,u,s,1,"], {"over": 0}, "0 units at a time, expected 1 or more"),
        (["a,u,s,1,2026-01-01", "b,u,s,1,2026-01-01T00:00Z"], {"over": "day"}, "give all times with their offset"),
    ],
)  # fmt: skip
def test_ratings_that_cannot_be_compared(tmp_path, lines, options, message):
    ratings = read_ratings(write(tmp_path / "a.csv", lines))
    with pytest.raises(InputError, match=message):
        reliability_by_scale(ratings, **options)


def test_the_table_tells_percent_agreement_beside_alpha():
    marks = [["yes"] * 50 for _ in range(15)]
    marks[0][0] = marks[1][1] = marks[2][2] = "no"
    told = render(reliability_table(reliability_by_scale(said(marks, "screening"), resamples=1000)), "terminal")
    [row] = [line for line in told.splitlines() if line.startswith("screening  ")]
    assert row.split()[1] == "-0.003"
    assert row.split()[5:] == ["99.2", "94.0", "50", "15", "750"]
    assert "resamples in which all ratings are the same are left out" in " ".join(told.split())


def test_the_table_says_why_there_is_no_number():
    told = render(
        reliability_table(reliability_by_scale(said([["a", "a"], ["a", "a"]], "same"))), "terminal", width=200
    )
    assert "same: all ratings are 'a': alpha is not defined." in told
    told = render(reliability_table(reliability_by_scale(said(), resamples=50)), "terminal", width=200)
    assert "clear: no kappa: units have 2 to 3 ratings: not defined for unequal numbers." in told


def test_the_figure_has_a_dot_where_alpha_is():
    found = reliability_by_scale([*said(), *said([["a"], ["a"]], '<b>&"\x00')], resamples=200)
    tree = ElementTree.fromstring(reliability_figure(found))
    texts = [element.text for element in tree.iter(SVG + "text")]
    ticks = {
        element.text: float(element.get("x")) for element in tree.iter(SVG + "text") if element.text in ("0.0", "1.0")
    }
    [dot] = tree.iter(SVG + "circle")
    place = ticks["0.0"] + found[0].result.alpha * (ticks["1.0"] - ticks["0.0"])
    assert float(dot.get("cx")) == pytest.approx(place, abs=0.11)
    bars = [element for element in tree.iter(SVG + "rect") if element.get("height") == "3.0"]
    low, high = (
        ticks["0.0"] + bound * (ticks["1.0"] - ticks["0.0"]) for bound in (found[0].result.low, found[0].result.high)
    )
    assert float(bars[0].get("x")) == pytest.approx(low, abs=0.11)
    assert float(bars[0].get("x")) + float(bars[0].get("width")) == pytest.approx(high, abs=0.21)
    assert '<b>&"\ufffd' in texts
    assert f"{found[0].result.alpha:.3f}" in texts


def test_on_the_command_line(tmp_path):
    lines = [
        f"r{who},u{unit},clear,{value},2026-03-0{1 + unit // 3}"
        for who, row in enumerate(RATINGS)
        for unit, value in enumerate(row)
        if value
    ]
    file = write(tmp_path / "a.csv", lines)
    done = run(file, "--resamples", 200, "--out", tmp_path / "a.svg")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("How far raters agree\n")
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    [told] = json.loads(run(file, "--resamples", 200, "--json").output)
    assert told["alpha"] == reliability(RATINGS).alpha
    windows = json.loads(run(file, "--resamples", 200, "--json", "--over", "day").output)
    assert [one["window"] for one in windows] == ["2026-03-01", "2026-03-02"]
    assert len(json.loads(run(file, "--resamples", 9, "--json", "--over", "2").output)) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--level", "best"], "level 'best', expected one of nominal"),
        (["--over", "hour"], "over 'hour', expected day, week, month"),
        (["--over", "0"], "over '0', expected day"),
        (["--out", "a.jpg"], "expected a file that ends with .svg or .png"),
        (["--scale", "other"], "no ratings on scale 'other'"),
    ],
)
def test_wrong_options(tmp_path, arguments, message):
    done = run(write(tmp_path / "a.csv", ["a,u,s,1,", "b,u,s,2,"]), *arguments)
    assert isinstance(done.exception, VdeError)
    assert message in str(done.exception)
