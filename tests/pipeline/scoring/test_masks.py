"""Images compared around masks: what each protocol says of editors whose work is known."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tests import masked
from tests.colours import ColourReader
from tests.masked import MASK, SIZE, edited, output, scene, shifted, write_suite
from tests.suites.textedit_folders import WEB
from vdebench.errors import VdeError
from vdebench.pipeline.run import run
from vdebench.pipeline.score import score
from vdebench.pipeline.scoring.mask_sample import features_cache, measures_cache
from vdebench.readers.cached import CachedReader
from vdebench.suites.suite import load_suite
from vdebench.suites.textedit import TextEditSuite

EDITORS = {"copy": scene, "reference": lambda number: edited(scene(number))}


class Backwards(TextEditSuite):
    """A suite whose samples come the other way round."""

    @property
    def samples(self):
        return super().samples[::-1]


@pytest.fixture
def three(tmp_path):
    """Three samples with references, and outputs of a copy and of the reference itself."""
    suite = write_suite(tmp_path / "suite", (1, 2, 3), input_image=None, output_image=None)
    for editor, make in EDITORS.items():
        for number in (1, 2, 3):
            output(tmp_path / editor, number, make(number))
    return suite, tmp_path


def outside(suite, folder, protocol="strict", **options):
    return masked.means(suite, folder, protocol, **options)["overall"]["outside"]


def test_unedited_copy_wins_textedit_release_and_loses_strict(three):
    """The reference also changes what follows from the edit, outside the mask, as many of the benchmark's do."""
    suite, root = three
    for number in (1, 2, 3):
        right = edited(scene(number))
        right[:20, :20] = 0
        folder = root / f"suite/data_manual_production/Packaging_Logistics/{number:03d}"
        masked.save(right, folder / f"text_insert_{number}.png")
        output(root / "reference", number, right)
    for editor in EDITORS:
        for file in (root / editor).rglob("*.png"):
            file.rename(file.with_suffix(".jpg"))  # the released scripts look for no other; what it holds is read
    release, exact = (
        {editor: outside(suite, root / editor, protocol) for editor in EDITORS}
        for protocol in ("textedit-release", "strict")
    )
    assert release["copy"]["mse"] == 0 < 50 < release["reference"]["mse"]
    assert release["copy"]["ssim"] == 1 > release["reference"]["ssim"]
    assert exact["reference"]["mse"] == 0 < 50 < exact["copy"]["mse"]
    assert (exact["copy"]["score"], exact["reference"]["score"]) == (0.0, 1.0)


def test_reference_scores_one_and_copy_scores_zero(three):
    suite, root = three
    right, copy = (outside(suite, root / editor) for editor in ("reference", "copy"))
    assert (right["mse"], right["ssim"], right["done"], right["score"]) == (0.0, 1.0, 1.0, 1.0)
    assert (right["psnr"], right["identical"], right["untouched"]) == (None, 3, 0.0)
    assert (copy["mse"], copy["ssim"], copy["done"], copy["score"], copy["untouched"]) == (0.0, 1.0, 0.0, 0.0, 1.0)


def test_errors_outside_the_mask_equal_numpy_and_errors_inside_are_ignored(tmp_path):
    suite = write_suite(tmp_path / "suite", (1,), input_image=None, output_image=None)
    right, rng = edited(scene(1)), np.random.default_rng(5)
    spoilt = np.clip(right.astype(int) + rng.integers(-9, 10, right.shape), 0, 255).astype(np.uint8)
    outer = np.ones((SIZE, SIZE), bool)
    outer[MASK] = False
    expected = ((spoilt.astype(float) - right)[outer] ** 2).mean()
    output(tmp_path / "noisy", 1, spoilt)
    found = outside(suite, tmp_path / "noisy")
    assert found["mse_raw"] == pytest.approx(expected, abs=1e-6)
    assert found["psnr_raw"] == pytest.approx(10 * np.log10(255**2 / expected))
    inside_only = right.copy()
    inside_only[MASK] = 0
    output(tmp_path / "inside", 1, inside_only)
    assert (outside(suite, tmp_path / "inside")["mse"], outside(suite, tmp_path / "inside")["ssim"]) == (0.0, 1.0)


def test_shifted_reference_is_aligned_for_every_metric(tmp_path):
    suite = write_suite(tmp_path / "suite", (1, 2), input_image=None, output_image=None)
    for number in (1, 2):
        output(tmp_path / "shifted", number, shifted(edited(scene(number))))
    exact, paper = (outside(suite, tmp_path / "shifted", protocol) for protocol in ("strict", "textedit"))
    assert exact["ssim_raw"] < 0.6 < 0.9 < exact["ssim"]
    assert exact["psnr_raw"] + 5 < exact["psnr"]
    assert paper["ssim"] < 0.6  # the paper aligns for MSE and PSNR alone
    result = score(suite, tmp_path / "shifted", reader="none", metrics=["psnr"], workers=1)
    for row in result.scores.iter_rows(named=True):
        assert (row["alignment"], row["inliers"] > 10, row["residual"] < 0.5) == ("aligned", True, True)
        assert np.array(row["transform"])[:, 2] == pytest.approx([-3, -3], abs=0.1)


def test_score_of_noise_does_not_depend_on_the_mask_size(tmp_path):
    large = np.s_[16:, 16:]  # 88 % of the picture
    suite = write_suite(tmp_path / "suite", (1,), WEB, large, input_image=None)
    noise = np.random.default_rng(0).integers(0, 256, (SIZE, SIZE, 3)).astype(np.uint8)
    small = write_suite(tmp_path / "small", (1,), WEB, np.s_[:20, :20], input_image=None)
    output(tmp_path / "noise", 1, noise, "web")
    assert outside(suite, tmp_path / "noise", "textedit", metrics=["ssim"])["ssim"] > 0.85
    assert outside(suite, tmp_path / "noise", "strict")["ssim_raw"] < 0.1
    assert outside(small, tmp_path / "noise", "strict")["ssim_raw"] < 0.1


def test_mean_psnr_with_one_identical_image(three):
    suite, root = three
    for number, noise in ((1, 0), (2, 10), (3, 10)):
        output(root / "mixed", number, np.minimum(edited(scene(number)), 255 - noise) + np.uint8(noise))
    exact, paper = (outside(suite, root / "mixed", protocol) for protocol in ("strict", "textedit"))
    errors = [0.0, exact["mse"] * 3 / 2]
    assert exact["psnr"] == pytest.approx(10 * np.log10(255**2 * 3 / (2 * errors[1])), abs=0.2)  # it counts
    assert paper["psnr"] == pytest.approx(10 * np.log10(255**2 / errors[1]), abs=0.2)  # it is left out
    assert (paper["identical"], exact["identical"]) == (1, 1)
    for number in (1, 2, 3):
        output(root / "release", number, scene(number) if number == 1 else shifted(scene(number)))
    for file in (root / "release").rglob("*.png"):
        file.rename(file.with_suffix(".jpg"))
    release = outside(suite, root / "release", "textedit-release")
    assert (release["psnr"], release["identical"]) == (None, 1)  # infinite
    assert release["psnr_finite"] > 10


def test_textedit_release_finds_only_jpg_files(three):
    suite, root = three
    found = masked.means(suite, root / "copy", "textedit-release")
    assert found["coverage"] == {"samples": 3, "scored": 0, "missing": 3, "failed": 0}
    assert any("finds only .jpg files" in note for note in found["notes"])


def test_output_of_another_size_is_flagged_and_scored(tmp_path):
    suite = write_suite(tmp_path / "suite", (1,), input_image=None, output_image=None)
    half = np.asarray(Image.fromarray(edited(scene(1))).resize((SIZE * 2, SIZE * 2), Image.Resampling.LANCZOS))
    output(tmp_path / "double", 1, half)
    exact, paper = (masked.means(suite, tmp_path / "double", protocol) for protocol in ("strict", "textedit"))
    assert exact["overall"]["outside"]["ssim"] > 0.95
    assert paper["overall"]["outside"]["ssim"] is None
    for found in (exact, paper):
        assert any("with another size than the page" in note and "512×512" in note for note in found["notes"])


def test_unaligned_outputs_are_counted_and_named(tmp_path):
    suite = write_suite(tmp_path / "suite", (1,), input_image=None, output_image=None)
    output(tmp_path / "blank", 1, np.full((SIZE, SIZE, 3), 255, np.uint8))
    paper, exact = (masked.means(suite, tmp_path / "blank", protocol) for protocol in ("textedit", "strict"))
    assert paper["alignment"] == exact["alignment"] == {"few_features": 1}
    assert (paper["overall"]["outside"]["mse"], paper["overall"]["outside"]["n_mse"]) == (None, 0)
    assert any("could not be aligned" in note and "001" in note for note in paper["notes"])
    assert exact["overall"]["outside"]["mse"] == exact["overall"]["outside"]["mse_raw"] > 1000


def test_missing_output_scores_zero_and_broken_output_fails(three):
    suite, root = three
    (root / "reference/manual/Packaging_Logistics/002_edited.png").unlink()
    found = masked.means(suite, root / "reference")
    assert found["coverage"] == {"samples": 3, "scored": 2, "missing": 1, "failed": 0}
    assert found["overall"]["outside"]["score"] == pytest.approx(2 / 3)
    (root / "reference/manual/Packaging_Logistics/002_edited.png").write_bytes(b"no image")
    result = score(suite, root / "reference", reader="none", metrics=["psnr"], workers=1)
    assert result.summary["coverage"]["failed"] == 1
    assert result.failures[0][0] == "manual/Packaging_Logistics/002"
    assert "is no image we know" in result.failures[0][1]


def test_numbers_do_not_depend_on_order_and_workers(tmp_path, monkeypatch):
    numbers = (1, 2, 3, 4)
    suite = write_suite(tmp_path / "suite", numbers, input_image=None, output_image=None)
    for number in numbers:
        output(tmp_path / "shifted", number, shifted(edited(scene(number)), number))

    def rows(workers, cache, *, backwards=False):
        monkeypatch.setenv("VDE_CACHE", str(tmp_path / cache))
        for kept in (features_cache, measures_cache):
            kept.cache_clear()
        loaded = Backwards(tmp_path / "suite") if backwards else load_suite(suite)
        found = score(loaded, tmp_path / "shifted", protocol="textedit", metrics=["psnr", "ssim"], workers=workers)
        return found.scores.sort("sample").to_dicts()

    first = rows(1, "a")
    assert first == rows(2, "b") == rows(1, "c", backwards=True)
    assert first == rows(1, "a")  # found again in the cache


def test_samples_without_reference_have_no_score_but_untouched_rate(tmp_path):
    suite = write_suite(tmp_path / "suite", (1, 2), WEB, input_image=None)
    output(tmp_path / "half", 1, scene(1), "web")
    output(tmp_path / "half", 2, edited(scene(2)), "web")
    found = outside(suite, tmp_path / "half")
    assert (found["score"], found["done"], found["n_score"], found["untouched"]) == (None, None, 0, 0.5)
    assert (found["mse"], found["ssim"]) == (0.0, 1.0)


def test_text_is_read_outside_and_inside_the_mask(tmp_path):
    """The reader knows a word for a page's main colour: the sky of each output decides what stands outside."""
    suite = write_suite(tmp_path / "suite", (1,), input_image=None, output_image=None)
    before = np.full((SIZE, SIZE, 3), 20, np.uint8)  # "bravo"
    right = before.copy()
    right[MASK] = 60  # "delta" inside
    folder = tmp_path / "suite/data_manual_production/Packaging_Logistics/001"
    masked.save(before, folder / "1.png")
    masked.save(right, folder / "text_insert_1.png")
    neighbour = right.copy()
    neighbour[neighbour == 20] = 80  # "echo" where "bravo" was
    half = before.copy()
    half[MASK] = 120  # "golf" inside, not the requested text
    reader = CachedReader(ColourReader(), tmp_path / "cache")
    rows = {}
    for name, image in {"right": right, "copy": before, "neighbour": neighbour, "half": half}.items():
        output(tmp_path / name, 1, image)
        (rows[name],) = score(
            suite, tmp_path / name, reader=reader, metrics=["psnr", "ssim"], workers=1
        ).scores.to_dicts()
    assert (rows["right"]["text_kept"], rows["right"]["done_text"], rows["right"]["score"]) == (1.0, 1.0, 1.0)
    assert (rows["copy"]["text_kept"], rows["copy"]["done_text"], rows["copy"]["score"]) == (1.0, 0.0, 0.0)
    assert rows["neighbour"]["text_kept"] < 0.5 < rows["neighbour"]["done_text"]
    assert rows["half"]["done_text"] == pytest.approx(1 / 5)  # the l of "delta"; "bravo" has none of its letters
    (pixels_alone,) = score(suite, tmp_path / "right", reader=reader, metrics=["psnr"], workers=1).scores.to_dicts()
    assert (pixels_alone["done"], pixels_alone["score"]) == (1.0, None)  # without SSIM it would be another score


def test_slices_and_crossed_slices(three):
    suite, root = three
    found = masked.means(suite, root / "copy", crossed=["operation,tier"])
    assert list(found["by"]["group"]) == ["manual"]
    assert list(found["by"]["operation,tier"]) == ["text_insert,easy"]
    assert list(found["by"]["source"]) == ["Packaging & Logistics"]
    with pytest.raises(VdeError, match="cannot break down by 'language'"):
        masked.means(suite, root / "copy", crossed=["language"])


def test_page_protocols_are_refused_for_masks(three):
    suite, root = three
    with pytest.raises(VdeError, match="strict, textedit, textedit-release"):
        masked.means(suite, root / "copy", "vde-v3")
    with pytest.raises(VdeError, match="'clip' is not measured around masks"):
        masked.means(suite, root / "copy", metrics=["clip"])
    with pytest.raises(VdeError, match="strict, textedit, textedit-release"):
        run(load_suite(suite), ["copy"], root / "runs", protocols=["vde-v3"], reader=CachedReader(ColourReader()))
    assert not (root / "runs").exists()  # the error comes before any edit


def test_editors_run_on_the_suite(three):
    suite, root = three
    reader = CachedReader(ColourReader(), root / "cache")
    found = run(load_suite(suite), ["copy", "oracle"], root / "runs", reader=reader, metrics=["psnr"], workers=1)
    copy, oracle = (result.summary["overall"]["outside"] for result in found["strict"])
    assert (copy["untouched"], oracle["done"], oracle["mse"]) == (1.0, 1.0, 0.0)
    assert (root / "runs/copy/images/manual/Packaging_Logistics/001_edited.png").exists()
