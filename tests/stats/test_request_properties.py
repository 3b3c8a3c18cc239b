"""Properties of edits without a reference: each of them, what is unknown, and that together they are the verdict."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import polars as pl
import pytest

from vdebench.changes.change import CHANGE_KINDS, Box, Change, Geometry, PageChanges, Size
from vdebench.changes.identity import CHANGES, REQUESTS
from vdebench.changes.verdict import GeometryLimits, judge
from vdebench.metrics.edit_traces import IDENTITY as TRACES
from vdebench.protocols.pages.columns import schema_of
from vdebench.stats.request_properties import RequestCheck, request_properties
from vdebench.stats.usable import RULES, Rows, Thresholds, usable_summary, verdicts

SIZE = Size(100, 100)
SAME = Geometry("same", SIZE, SIZE, matches=9)
ZOOMED = Geometry("scaled", SIZE, SIZE, 1.1, 1.1, matches=9)
CROPPED = Geometry("cropped", SIZE, SIZE, visible=Box(0, 0, 0.9, 1), matches=9, cropped_words=2)
FACT = Change("replaced", "19", "23", fact="number", asked=False)
EDITS = ("done", "partly", "not_done", "wrong_text", "unknown")


def failed(edit, *changes, geometry=SAME, decidable=True):
    """Names of the failed and of the unknown properties."""
    found = request_properties(RequestCheck(PageChanges(geometry, changes), edit, decidable), GeometryLimits())
    return [[name for name, check in found.items() if check[0] is passed] for passed in (False, None)]


@pytest.mark.parametrize(
    ("edit", "change", "failing"),
    [
        ("done", Change("replaced", "8", "9", asked=True), []),
        ("not_done", None, ["completeness", "textual_correctness"]),
        ("partly", None, ["completeness", "textual_correctness"]),
        ("wrong_text", None, ["textual_correctness"]),
        ("done", FACT, ["preservation"]),
        ("done", Change("lost", "Total", asked=False), ["preservation"]),
        ("done", Change("illegible", "Total", asked=False), ["preservation"]),
        ("done", Change("ink_lost", asked=False), ["preservation"]),
        ("done", Change("added", "", "Total", asked=False), ["completeness"]),
        ("done", Change("duplicated", "", "Total", asked=False), ["completeness"]),
        ("done", Change("ink_added", asked=False), ["completeness"]),
        ("done", Change("restyled", asked=False, note="darker ink"), ["visual_fidelity"]),
        ("done", Change("residue", asked=False), ["visual_fidelity"]),
        ("done", Change("moved", "Total", "Total", asked=False), []),  # an edit may push what follows it
        ("done", Change("weakened", "Total", "Total", asked=False), []),  # doubtful, and no fact
    ],
)
def test_each_property(edit, change, failing):
    assert failed(edit, *([change] if change else [])) == [failing, []]


@pytest.mark.parametrize("geometry", [ZOOMED, CROPPED])
def test_the_geometry(geometry):
    assert failed("done", geometry=geometry) == [["spatial_precision"], []]


def test_what_is_not_known():
    assert failed("unknown") == [[], ["completeness", "textual_correctness"]]
    lost = Change("lost", "Total")  # with a target text alone, it may have been replaced
    assert failed("done", lost) == [[], ["preservation"]]
    assert failed("done", lost, FACT) == [["preservation"], []]


def test_the_properties_together_are_the_verdict_of_one_edit():
    kinds = [Change(kind, "19", "23", fact=fact) for kind in CHANGE_KINDS for fact in ("", "number")]
    # a visible drop of the correlation is damage, a smaller one is not
    kinds += [Change("weakened", "Total", "Total", evidence={"correlation_drop": drop}) for drop in (0.3, 0.1)]
    lists = [(), *((one,) for one in kinds), *itertools.combinations(kinds[::3], 2)]
    compared = 0
    for edit, changes, asked, geometry in itertools.product(EDITS, lists, (True, False, None), (SAME, ZOOMED)):
        known = [replace(each, asked=asked) for each in changes]
        page = PageChanges(geometry, tuple(known))
        passed = {check[0] for check in request_properties(RequestCheck(page, edit, True), GeometryLimits()).values()}
        verdict = False if False in passed else None if None in passed else True
        expected = judge(page, edit, GeometryLimits()).usable
        harmless = asked is None and {each.kind for each in known} <= {"moved", "cropped", "weakened"}
        if not (harmless and verdict is not expected):  # `judge` asks who wanted changes that harm nobody
            assert verdict is expected, (edit, [str(each) for each in known], asked, geometry.kind)
            compared += 1
    assert compared > 1000


def rows_of(*checks):
    """Rows of samples without a reference: (outcome, decidable, changes…), a state with a reason, or a reference."""
    rows = []
    for at, check in enumerate(checks):
        about = {"sample": str(at), "page": str(at), "group": "text", "operation": "other", "edit_class": "Other"}
        row = {
            **about,
            "language": "english",
            "source": "unknown",
            "judged_by": "request",
            "state": "scored",
            "reason": "",
        }
        if isinstance(check[0], bool):
            row |= {"judged_by": "reference", "gt_blocks": 1}
        elif check[0] in ("left_out", "missing"):
            row |= dict(zip(("state", "reason"), check, strict=True))
        else:
            page = PageChanges(SAME, tuple(check[2:]))
            versions = {"engine": CHANGES, "request_rules": REQUESTS}
            row["changes"] = json.dumps({**page.to_json(), "edit": check[0], **versions})
            row["judged_by"] = "request" if check[1] else "nothing"
        rows += [{**row, "setting": "global"}, {**row, "setting": "local", "state": "left_out", "changes": None}]
    return Rows(pl.DataFrame(rows, schema=schema_of("scores")), pl.DataFrame(schema=schema_of("regions")))


def test_verdicts_of_rows():
    rows = rows_of(("done", True, FACT), ("done", True), ("unknown", True), ("unknown", False))
    found = list(verdicts(rows, Thresholds()))
    assert [each.usable for each in found] == [False, True, None, None]
    assert [each.judgeable for each in found] == [True, True, True, False]
    assert found[0].evidence["preservation"] == "1 change: 19 → 23"
    assert found[3].evidence["completeness"].startswith("the instruction is not understood by rule")


def test_a_reader_without_likelihoods_and_a_missing_output():
    rows = rows_of(("left_out", "no reference, and the reader cannot tell"), ("missing", "no prediction"))
    found = list(verdicts(rows, Thresholds()))
    assert [each.usable for each in found] == [None, False]
    assert set(found[0].evidence.values()) == {"no reference, and the reader cannot tell"}


@pytest.mark.parametrize(
    ("checks", "basis"),
    [
        ([("done", True)], f"{CHANGES},{REQUESTS}"),
        ([("missing", "no prediction")], f"{CHANGES},{REQUESTS}"),
        ([("done", True), (True,)], f"{TRACES},references+{REQUESTS}"),  # the reference row has no changes
    ],
)
def test_the_signature_says_that_they_rest_on_requests(checks, basis):
    signature = usable_summary(rows_of(*checks), Thresholds())["signature"]
    assert signature.partition("|")[0] == f"usable:{RULES},{basis}"


@pytest.mark.parametrize(
    ("versions", "basis"),
    [
        ([{"engine": "changes-7", "request_rules": "requests-3"}], "changes-7,requests-3"),
        ([{}], "changes-1,requests-1"),  # of a version that did not name them
        ([{"engine": "changes-2", "request_rules": "requests-1"}, {}], "changes-1+changes-2,requests-1"),
    ],
)
def test_the_signature_names_the_engine_of_the_rows(versions, basis):
    rows = rows_of(*[("done", True)] * len(versions))
    stored = [json.dumps({**PageChanges(SAME).to_json(), "edit": "done", **each}) for each in versions]
    changes = [text for each in stored for text in (each, None)]  # settings global and local
    scores = rows.scores.with_columns(pl.Series("changes", changes))
    signature = usable_summary(rows._replace(scores=scores), Thresholds())["signature"]
    assert signature.partition("|")[0] == f"usable:{RULES},{basis}"


def test_the_rate_is_over_samples_that_can_be_judged():
    summary = usable_summary(rows_of(("done", True), ("not_done", True), ("unknown", False)), Thresholds())
    assert (summary["rate"], summary["n"], summary["not_judgeable"]) == (0.5, 2, 1)
    assert [step["failed"] for step in summary["waterfall"]] == [1, 0, 0, 0, 0]
