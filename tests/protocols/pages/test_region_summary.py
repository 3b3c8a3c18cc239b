"""Outcomes of regions by what the same reader reads on the reference."""

from __future__ import annotations

from vdebench.protocols.pages.region_summary import judged_outcome


def row(outcome, read, before="", wanted="", cdm=1.0):
    return {"outcome": outcome, "read": read, "before": before, "wanted": wanted, "cdm": cdm}


def test_erased_page_is_page_lost_even_if_the_region_equals_the_reference():
    assert judged_outcome(row("page_lost", "", "Drop me"), row("done", "", "Drop me")) == "page_lost"


def test_unedited_region_is_not_done_if_the_reference_reads_as_before():
    reference = row("not_done", "Tota1: 418.7 euros", "Total: 418.7 euros", "Total: 412.7 euros", 0.9)
    assert judged_outcome(row("not_done", "Tota1: 418.7 euro5", "Total: 418.7 euros"), reference) == "not_done"
    assert judged_outcome(row("not_done", "Tota1: 418.7 euros", "Total: 418.7 euros"), reference) == "text_kept"


def test_ocr_errors_on_the_reference_are_excused():
    reference = row("wrong_text", "Total: 4l2.7 in a1l", "Total: 418.7 in all", "Total: 412.7 in all", 0.9)
    assert judged_outcome(row("wrong_text", "Total: 4l2.7 in a1l", "Total: 418.7 in all"), reference) == "done"
    assert judged_outcome(row("wrong_text", "Total: 4l2.7 in all", "Total: 418.7 in all"), reference) == "wrong_text"
    assert judged_outcome(row("wrong_text", "Total: 492.7 in all", "Total: 418.7 in all"), reference) == "wrong_text"
