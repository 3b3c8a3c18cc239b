"""TextEditBench's own images: a copy, the reference, and the reference shifted and saved anew, each known for what it is."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from PIL import Image

from tests.masked import shifted
from vdebench.pipeline.score import score
from vdebench.suites.suite import load_suite

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def real(shared, tmp_path_factory):
    """The suite, and a folder of outputs for each of three editors."""
    suite, root = load_suite(f"textedit:{shared / 'data/textedit'}"), tmp_path_factory.mktemp("outputs")
    for sample in suite.samples:
        files = suite.image_files(sample)
        for editor, file in (("copy", files.source), ("reference", files.reference), ("shifted", files.reference)):
            output = root / editor / f"{suite.output_name(sample)}.jpg"
            output.parent.mkdir(parents=True, exist_ok=True)
            if editor != "shifted" and file:
                shutil.copyfile(file, output)
            elif file:
                Image.fromarray(shifted(np.asarray(Image.open(file).convert("RGB")))).save(output, quality=80)
    return suite, root


@pytest.fixture(scope="module")
def exact(real):
    suite, root = real
    options = {"reader": "none", "metrics": ["psnr", "ssim"]}
    return {editor: score(suite, root / editor, **options) for editor in ("copy", "reference", "shifted")}


def test_every_sample_is_scored_or_listed_with_its_reason(real, exact):
    suite, _ = real
    with_reference = sum(suite.image_files(sample).reference is not None for sample in suite.samples)
    for editor, result in exact.items():
        coverage = result.summary["coverage"]
        assert coverage["scored"] == (len(suite) if editor == "copy" else with_reference)
        assert coverage["failed"] == 0
        assert sum(coverage[state] for state in ("scored", "missing")) == coverage["samples"] == len(suite)
        assert all(row["reason"] for row in result.scores.iter_rows(named=True) if row["state"] != "scored")
    # the file with odd white space in its JSON is read too, so no sample is left out
    assert not any("cannot be used" in note for note in exact["copy"].summary["notes"])


def test_order_is_reference_then_shift_then_copy(exact):
    found = {editor: result.summary["overall"]["outside"] for editor, result in exact.items()}
    assert found["reference"]["score"] == 1.0
    assert found["shifted"]["score"] > 0.8 > found["shifted"]["ssim_raw"]
    assert found["copy"]["score"] == pytest.approx(0, abs=0.005)
    assert found["copy"]["untouched"] == 1.0
    assert found["reference"]["untouched"] <= 0.05


def test_raw_errors_equal_numpy(real, exact):
    suite, root = real
    rows = {row["sample"]: row for row in exact["shifted"].scores.iter_rows(named=True)}
    for sample in suite.samples[:6]:
        files = suite.image_files(sample)
        pages = [np.asarray(Image.open(file).convert("RGB"), float) for file in (files.reference or files.source,)]
        output = np.asarray(Image.open(root / "shifted" / f"{suite.output_name(sample)}.jpg").convert("RGB"), float)
        masks = [np.asarray(Image.open(file).convert("L")) >= 128 for file in suite.mask_files(sample)]
        outer = ~np.logical_or.reduce(masks)
        assert rows[sample.key]["mse_raw"] == pytest.approx(((output - pages[0])[outer] ** 2).mean(), abs=1e-6)


def test_textedit_release_prefers_the_copy_to_the_reference(real):
    suite, root = real
    copy, right = (
        score(suite, root / editor, protocol="textedit-release", metrics=["ssim"]).summary["overall"]["outside"]["ssim"]
        for editor in ("copy", "reference")
    )
    assert copy == 1.0 > right
