"""Usable edits in the papers' tables: only where asked for, and never for published rows."""

from __future__ import annotations

import json

import pytest

from tests.commands import vde
from tests.report import site_runs
from vdebench.errors import VdeError
from vdebench.readers.reader import READERS
from vdebench.report.paper_tables import SHAPES, paper_table
from vdebench.report.rendering import render


@pytest.fixture(scope="module")
def runs(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("shapes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        return site_runs.make_runs(root / "runs", site_runs.make_suite(root / "suite"), protocols=("strict", "vde-v3"))


@pytest.fixture
def summary(runs):
    return lambda protocol, editor="oracle": json.loads((runs / editor / protocol / "summary.json").read_text())


@pytest.mark.parametrize("shape", [name for name in SHAPES if not name.startswith("textedit")])
def test_they_are_added_where_asked_for(summary, shape):
    plain = paper_table(shape, [summary("strict")], published=True)
    more = paper_table(shape, [summary("strict")], published=True, with_usable=True)
    assert "Usable" not in render(plain, "csv")
    where = [at for at, column in enumerate(more.columns) if "Usable" in (column.name, column.group)]
    if not where:  # metrics are rows, models columns
        rows = [row for row in more.rows if row.label == "Usable"]
        assert len(rows) == len({row.section for row in more.rows})
        assert all(value is None for row in rows for value, column in zip(row.values, more.columns, strict=True) if column.published)  # fmt: skip
        return
    assert len(more.columns) == len(plain.columns) + len(where)
    for row in more.rows:
        if row.published:
            assert [row.values[at] for at in where] == [None] * len(where)


def test_the_rate_is_the_summarys(summary):
    exact, other = summary("strict", "my editor"), summary("vde-v3", "my editor")
    table = paper_table("vde-v3:2", [exact, other], with_usable=True)
    rate = exact["usable"]["rate"]
    assert [row.values[0] for row in table.rows] == [rate, None, rate, None]  # local and global
    assert table.rows[0].bounds[0] == tuple(exact["usable"]["interval"])
    assert any("not judged for my editor (vde-v3)" in note for note in table.notes)
    table = paper_table("vde-v1:2", [exact], with_usable=True)
    by = exact["usable"]["by"]["language"]
    assert list(table.rows[0].values[:2]) == [by["english"]["rate"], by["simplified_chinese"]["rate"]]
    table = paper_table("vde-v3:10", [exact], with_usable=True)
    rates = {row.section: row.values[0] for row in table.rows if row.label == "Usable"}
    assert rates["Text Deletion"] == exact["usable"]["by"]["edit_class"]["Text Deletion"]["rate"]


def test_the_commands_option(runs):
    plain = vde("table", runs / "oracle/strict", "--format", "csv").stdout
    more = vde("table", runs / "oracle/strict", "--with-usable", "--published", "--format", "csv").stdout
    assert plain.splitlines()[0] == "Section,Model,Published,IoU,CDM,BLEU,TEDS,SSIM,CLIP,PSNR,LPIPS"
    assert more.splitlines()[0] == "Section,Model,Published,Usable,IoU,CDM,BLEU,TEDS,SSIM,CLIP,PSNR,LPIPS"


def test_tables_that_have_none(summary):
    with pytest.raises(VdeError, match="textedit:3 has no usable edits"):
        paper_table("textedit:3", [], with_usable=True)
