"""Ratings for `vde review agreement`: one line each, nothing of what is still open."""

from __future__ import annotations

import csv

from tests.review.people import NINE, Review
from vdebench.review.commands import EndPilot, StartPilot
from vdebench.review.ratings import Ratings
from vdebench.review.ratings_table import group_ratings, pilot_ratings, write_ratings
from vdebench.review.steps.pilot import RatePilot
from vdebench.review.steps.score import Rate


def test_of_a_pilot(tmp_path):
    review = Review()
    review.must(StartPilot(("s0", "s1")), "root")
    review.must(RatePilot("s0", 1, Ratings(1, 2, 3)), "1a")
    assert list(pilot_ratings(review.state)) == []  # it is not over
    review.must(RatePilot("s1", 1, NINE), "1b")
    review.must(EndPilot(), "root")
    review.must(StartPilot(("s0",)), "root")
    review.must(RatePilot("s0", 2, NINE), "1a")
    assert write_ratings(tmp_path / "pilot.csv", pilot_ratings(review.state)) == 6
    rows = list(csv.DictReader((tmp_path / "pilot.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["rater"], row["unit"], row["scale"], row["value"]) for row in rows[:3]] == [
        ("1a", "s0", "instruction compliance", "1"),
        ("1a", "s0", "modification authenticity", "2"),
        ("1a", "s0", "subjective satisfaction", "3"),
    ]
    assert rows[0]["when"].endswith("Z")
    review.must(EndPilot(), "root")
    assert {row[1] for row in pilot_ratings(review.state)} == {"s0", "s1", "s0, pilot 2"}


def test_of_groups():
    review = Review()
    review.score("s0")
    review.draw("s0")
    review.screen("s0", (True, False, True))
    review.must(Rate("s1", 1, "1", NINE), "1a")  # open
    rows = list(group_ratings(review.state))
    assert len(rows) == 3 * 3 + 3
    assert [row[:4] for row in rows[-3:]] == [
        ("group 1", "s0", "final screening", "yes"),
        ("group 2", "s0", "final screening", "no"),
        ("group 3", "s0", "final screening", "yes"),
    ]
