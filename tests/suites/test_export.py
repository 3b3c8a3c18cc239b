"""Export of a suite in which only one group has references."""

from __future__ import annotations

import json
import tarfile

import numpy as np
import polars as pl
import pytest

from tests.unreferenced import save, write_suite
from vdebench.suites.export import export_suite
from vdebench.suites.suite import load_suite

PAGE = np.full((40, 60, 3), 255, np.uint8)
PLAIN = [
    {"id": 1, "image_input": "a.png", "instruction": 'Replace "x" with "y".'},
    {"id": 2, "image_input": "a.png", "instruction": 'Delete "x".', "target_text": "z"},
]
REFERENCED = {
    "id": 9,
    "image_input": "a.png",
    "image_output": "edited.png",
    "instruction": 'Replace "x" with "y".',
    "instruction type": "text_replace",
    "language": "english",
    "data_source": "book",
    "label_output": [{"x": 5, "y": 28, "width": 90, "height": 9}],
}
READING = {"parsing_res_list": [{"block_label": "text", "block_content": "y", "block_bbox": [1, 2, 30, 20]}]}


@pytest.fixture
def mixed(tmp_path):
    """A group of two samples without references, and a group of one with a reference."""
    section = '[groups.edited]\ninfo = "edited.json"\nreadings = "readings"\nimages = "references"\n'
    root = write_suite(tmp_path / "mixed", PLAIN, {"a": PAGE}, f'{section}source_images = "pages"\n')
    save(root / "references", {"edited": PAGE})
    (root / "readings").mkdir()
    (root / "readings/edited.json").write_text(json.dumps(READING))
    (root / "edited.json").write_text(json.dumps([REFERENCED]))
    suite = load_suite(root)
    assert [*suite.faults()] == []
    return suite


def test_parquet(mixed, tmp_path):
    export_suite(mixed, "parquet", tmp_path / "out")
    rows = pl.read_parquet(tmp_path / "out/data/*.parquet").rows(named=True)
    assert [row["reference_reading"] is None for row in rows] == [True, True, False]
    assert [row["reference"] is None for row in rows] == [True, True, False]
    assert all(row["source"]["bytes"] for row in rows)


def test_webdataset(mixed, tmp_path):
    export_suite(mixed, "webdataset", tmp_path / "out")
    with tarfile.open(tmp_path / "out/shard-000000.tar") as shard:
        names = shard.getnames()
        entries = [json.load(shard.extractfile(name)) for name in names if name.endswith(".json")]
    assert names[:4] == ["text_1.source.png", "text_1.json", "text_2.source.png", "text_2.json"]
    assert [entry["reference_reading"] is None for entry in entries] == [True, True, False]


def test_the_release_layout_is_the_same_suite(mixed, tmp_path):
    export_suite(mixed, "vde-release", tmp_path / "out")
    copy = load_suite(tmp_path / "out")
    assert [*copy.faults()] == []
    assert copy.samples == mixed.samples
    assert [copy.digest(sample) for sample in copy][:2] == [mixed.digest(sample) for sample in mixed][:2]
    assert [copy.has_reference(sample) for sample in copy] == [False, False, True]
    assert [copy.output_name(sample) for sample in copy] == [mixed.output_name(sample) for sample in mixed]
