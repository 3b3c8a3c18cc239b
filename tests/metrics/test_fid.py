"""FID: the Gaussian against NumPy's covariance, the distance against SciPy's matrix root and by hand, the network."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from vdebench.errors import InputError, MissingPartError
from vdebench.metrics import fid as ours
from vdebench.metrics.fid import Gaussian, InceptionFeatures, frechet_distance


def cloud(seed: int, n: int, dimensions: int, offset: float = 0.0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.normal(size=(n, dimensions)) @ random.normal(size=(dimensions, dimensions)) + offset


def direct(one: np.ndarray, other: np.ndarray) -> float:
    """The formula as it stands in the paper."""
    first, second = np.cov(one, rowvar=False), np.cov(other, rowvar=False)
    root = scipy.linalg.sqrtm(first @ second).real
    return float(((one.mean(0) - other.mean(0)) ** 2).sum() + np.trace(first + second - 2 * root))


@given(st.integers(0, 2**32), st.lists(st.integers(1, 9), min_size=2, max_size=8))
def test_a_stream_gives_the_mean_and_covariance_of_all(seed, sizes):
    rows = cloud(seed, sum(sizes), 4, offset=1e6)  # far from the origin: sums of squares would lose seven digits
    parts = np.split(rows, np.cumsum(sizes)[:-1])
    one_by_one = Gaussian.empty(4)
    for part in parts:
        one_by_one = one_by_one.add(part)
    middle = len(parts) // 2
    left, right = Gaussian.empty(4), Gaussian.empty(4)
    for part in parts[:middle]:
        left = left.add(part)
    for part in parts[middle:]:
        right = right.add(part)
    for found in (one_by_one, left.merge(right)):
        assert found.n == len(rows)
        np.testing.assert_allclose(found.mean, rows.mean(0), rtol=1e-14)
        np.testing.assert_allclose(found.covariance, np.cov(rows, rowvar=False), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("dimensions", [1, 3, 20])
def test_the_distance_is_the_formula_s(dimensions):
    one, other = cloud(1, 200, dimensions), cloud(2, 90, dimensions, offset=0.5)
    expected = direct(one.reshape(200, -1), other.reshape(90, -1)) if dimensions > 1 else None
    if expected is None:  # one dimension, by hand: (μ₁ − μ₂)² + (σ₁ − σ₂)²
        expected = (one.mean() - other.mean()) ** 2 + (one.std(ddof=1) - other.std(ddof=1)) ** 2
    assert frechet_distance(Gaussian.of(one), Gaussian.of(other)) == pytest.approx(expected, rel=1e-9)


def test_axes_worked_out_by_hand():
    """Variances 4 and 9 against 1 and 16, means (0, 0) and (3, 4): 25 + (2 − 1)² + (3 − 4)² = 27."""
    one = Gaussian(2, np.zeros(2), np.diag([4.0, 9.0]))
    other = Gaussian(2, np.array([3.0, 4.0]), np.diag([1.0, 16.0]))
    assert frechet_distance(one, other) == pytest.approx(27, rel=1e-12)


def test_axes_across():
    """Variance 1 along x against 1 along y, both singular: nothing in common, 1 + 1."""
    one, other = (Gaussian(2, np.zeros(2), np.diag(values)) for values in ([1.0, 0.0], [0.0, 1.0]))
    assert frechet_distance(one, other) == pytest.approx(2, rel=1e-12)


def test_fewer_pages_than_dimensions_are_no_trouble():
    """Singular covariances: the same pages are at 0, a shift by one in each of 300 directions at 300, symmetric."""
    few = cloud(5, 12, 300)
    one, moved, other = Gaussian.of(few), Gaussian.of(few + 1), Gaussian.of(cloud(6, 9, 300))
    scale = np.trace(one.covariance)
    assert frechet_distance(one, one) == pytest.approx(0, abs=1e-10 * scale)
    assert frechet_distance(moved, one) == pytest.approx(300, abs=1e-10 * scale)
    assert frechet_distance(one, other) == pytest.approx(frechet_distance(other, one), rel=1e-10)


def test_pages_that_are_all_alike():
    still, other = Gaussian.of(np.ones((4, 3))), Gaussian.of([[1.0, 1, 1], [1, 1, 3]])
    assert frechet_distance(still, still) == 0
    assert frechet_distance(still, other) == pytest.approx(1 + 2)  # means 1 apart, a variance of 2


def test_too_few_or_of_another_kind():
    one, two = Gaussian.of([[1.0, 2.0]]), Gaussian.of([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="a covariance of 1 page: expected two or more"):
        frechet_distance(one, two)
    with pytest.raises(ValueError, match="a covariance of 0 pages"):
        frechet_distance(two, Gaussian.empty(2))
    with pytest.raises(ValueError, match="features of 2 and 3 numbers"):
        frechet_distance(two, Gaussian.of(np.eye(3)))
    with pytest.raises(ValueError, match="finite"):
        two.add([[np.nan, 1.0]])
    with pytest.raises(ValueError, match="expected rows"):
        two.add(np.empty((0, 2)))


def test_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(ours.weight_files, "find_spec", lambda name: None)
    monkeypatch.delenv("VDE_WEIGHTS", raising=False)
    with pytest.raises(MissingPartError) as error:
        InceptionFeatures()
    assert "fid needs torch, torchvision, torch_fidelity, not installed\n  pip install 'vdebench[fid]'" in str(
        error.value
    )
    assert "fid needs pt_inception-2015-12-05-6726825d.pth, not found" in str(error.value)
    (tmp_path / ours.WEIGHTS).touch()
    monkeypatch.setenv("VDE_WEIGHTS", str(tmp_path))
    assert "not found" not in InceptionFeatures.missing()


@pytest.fixture(scope="session")
def random_weights(torch, tmp_path_factory):
    """A file as the published one, of random numbers."""
    pytest.importorskip("torch_fidelity")
    pytest.importorskip("torchvision")
    from torch_fidelity import feature_extractor_inceptionv3 as module

    torch.manual_seed(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "load_state_dict_from_url", lambda *_, **__: {})
        patch.setattr(module.FeatureExtractorInceptionV3, "load_state_dict", lambda self, state: None)
        network = module.FeatureExtractorInceptionV3("inception", ["2048"], verbose=False)
    path = tmp_path_factory.mktemp("fid") / "inception.pth"
    torch.save(network.state_dict(), path)
    return path


@pytest.mark.slow
def test_features_are_the_network_s(torch, random_weights, drawn):
    """Against the same weights in pytorch-fid's network, built by other people on torchvision's."""
    inception = pytest.importorskip("pytorch_fid.inception")
    extractor = InceptionFeatures(random_weights)
    features = extractor(drawn[0])
    assert features.shape == (2048,)
    assert np.ptp(features) > 0
    assert extractor.identity.startswith("fid-inception@sha256:")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            inception, "load_state_dict_from_url", lambda *_, **__: torch.load(random_weights, weights_only=True)
        )
        network = inception.InceptionV3().eval()
    from PIL import Image

    small = np.asarray(Image.fromarray(drawn[0]).resize((299, 299), Image.Resampling.BICUBIC))
    scaled = torch.from_numpy(
        small / np.float32(256)
    )  # it makes 2x − 1 of its input: (byte − 128) / 128, as TensorFlow did
    with torch.no_grad():
        other = network(scaled.permute(2, 0, 1)[None])[0].flatten().numpy()
        swapped = network(scaled.flip(2).permute(2, 0, 1)[None])[0].flatten().numpy()
    np.testing.assert_allclose(features, other, rtol=1e-4, atol=1e-5 * np.abs(other).max())
    assert np.abs(swapped - other).max() > 1e-3 * np.abs(other).max()  # so small a difference would be seen


@pytest.mark.slow
def test_the_whole_page_is_seen(random_weights, drawn):
    """A change at the lower edge of an upright page, which a centre crop would leave out."""
    page = np.concatenate([drawn[1]] * 2)
    changed = page.copy()
    changed[-60:] = 0
    extractor = InceptionFeatures(random_weights)
    assert not np.allclose(extractor(changed), extractor(page), rtol=1e-4)


@pytest.mark.slow
def test_other_files_are_named(torch, random_weights, tmp_path, drawn):
    torch.save({"some": torch.zeros(1)}, tmp_path / "other.pth")
    with pytest.raises(InputError, match=r"other\.pth: no weights of FID's Inception"):
        InceptionFeatures(tmp_path / "other.pth")(drawn[0])
    torch.save({"trap": print}, tmp_path / "trap.pth")
    with pytest.raises(InputError, match="no weights of FID's Inception"):
        InceptionFeatures(tmp_path / "trap.pth")(drawn[0])
