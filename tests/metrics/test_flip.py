"""FLIP: the authors' package against a SciPy implementation of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import convolve1d

from vdebench.errors import MissingPartError
from vdebench.metrics import flip as ours
from vdebench.metrics.flip import Flip

packaged = pytest.mark.skipif(bool(Flip.missing()), reason=Flip.missing())

_TO_XYZ = np.array([[10135552 / 24577794, 8788810 / 24577794, 4435075 / 24577794],
                    [2613072 / 12288897, 8788810 / 12288897, 887015 / 12288897],
                    [1425312 / 73733382, 8788810 / 73733382, 70074185 / 73733382]])  # fmt: skip
_WHITE = _TO_XYZ.sum(1)


def lab(linear):
    """CIELAB with Hunt's adjustment: colours of dark things count for less."""
    xyz = linear @ _TO_XYZ.T / _WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    lightness = 116 * f[..., 1] - 16
    return np.stack(
        [lightness, 0.01 * lightness * 500 * (f[..., 0] - f[..., 1]), 0.01 * lightness * 200 * (f[..., 1] - f[..., 2])],
        -1,
    )


def hyab(one, other):
    return np.abs(one[..., 0] - other[..., 0]) + np.hypot(*np.moveaxis((one - other)[..., 1:], -1, 0))


def blurred(plane, terms, ppd):
    """Contrast sensitivity as sums of Gaussians (a, b): a·sqrt(π/b)·exp(−π² x²/b), x in degrees; edges repeated."""
    radius = int(np.ceil(3 * np.sqrt(0.04 / (2 * np.pi**2)) * ppd))
    x = np.arange(-radius, radius + 1) / ppd
    square = sum(a * np.pi / b * np.exp(-(np.pi**2) * (x[:, None] ** 2 + x**2) / b) for a, b in terms)
    result = 0
    for a, b in terms:
        line = np.exp(-(np.pi**2) * x**2 / b)
        result += (
            a
            * np.pi
            / b
            / square.sum()
            * convolve1d(convolve1d(plane, line, 0, mode="nearest"), line, 1, mode="nearest")
        )
    return result


def features(grey, ppd):
    """Strengths of edges and of points, with the paper's detectors of 0.082 degrees."""
    sigma = 0.5 * 0.082 * ppd
    radius = int(np.ceil(3 * sigma))
    x = np.arange(-radius, radius + 1.0)
    bell = np.exp(-(x**2) / (2 * sigma**2))
    bell /= bell.sum()
    found = []
    for line in (-x * np.exp(-(x**2) / (2 * sigma**2)), (x**2 / sigma**2 - 1) * np.exp(-(x**2) / (2 * sigma**2))):
        line = np.where(line > 0, line / line[line > 0].sum(), line / -line[line < 0].sum())
        found.append(
            np.hypot(
                *(
                    convolve1d(convolve1d(grey, line, axis, mode="nearest"), bell, 1 - axis, mode="nearest")
                    for axis in (0, 1)
                )
            )
        )
    return found


def plain_flip(candidate, reference, ppd):
    """Andersson et al. 2020, step by step, in float64."""
    labs, greys = [], []
    for image in (candidate, reference):
        value = image / 255
        xyz = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4) @ _TO_XYZ.T / _WHITE
        opponent = np.stack(
            [116 * xyz[..., 1] - 16, 500 * (xyz[..., 0] - xyz[..., 1]), 200 * (xyz[..., 1] - xyz[..., 2])], -1
        )
        greys.append((opponent[..., 0] + 16) / 116)
        seen = np.stack([
            blurred(opponent[..., 0], [(1, 0.0047)], ppd),
            blurred(opponent[..., 1], [(1, 0.0053)], ppd),
            blurred(opponent[..., 2], [(34.1, 0.04), (13.5, 0.025)], ppd),
        ], -1)  # fmt: skip
        y = (seen[..., 0] + 16) / 116
        xyz = np.stack([y + seen[..., 1] / 500, y, y - seen[..., 2] / 200], -1) * _WHITE
        labs.append(lab(np.clip(xyz @ np.linalg.inv(_TO_XYZ).T, 0, 1)))
    green, blue = (lab(np.array(colour, float)) for colour in ([0, 1, 0], [0, 0, 1]))
    most = hyab(green, blue) ** 0.7
    colour = hyab(*labs) ** 0.7
    limit = 0.4 * most
    colour = np.where(colour < limit, 0.95 / limit * colour, 0.95 + (colour - limit) / (most - limit) * 0.05)
    (edges, points), (others, dots) = (features(grey, ppd) for grey in greys)
    feature = np.clip(np.maximum(np.abs(edges - others), np.abs(points - dots)) / np.sqrt(2), 0, 1) ** 0.5
    return float((colour ** (1 - feature)).mean())


@packaged
@pytest.mark.parametrize("ppd", [67.0, 30.0])
def test_equal_to_the_paper_s_steps(drawn, ppd):
    assert Flip(ppd)(*drawn) == pytest.approx(plain_flip(*drawn, ppd), abs=2e-4)


@packaged
def test_bounds_and_identity(drawn, capfd):
    flip = Flip()
    white = np.full((40, 50, 3), 255, np.uint8)
    assert flip(white, white) == 0
    assert 0.9 < flip(white, white * 0) <= 1
    assert flip(*drawn) == flip(*drawn)
    assert flip.identity == "flip-ldr@flip-evaluator-1.7,ppd=67"
    assert Flip(30).identity != flip.identity
    assert capfd.readouterr() == ("", "")  # it says nothing on its own


@packaged
def test_a_cut_out_of_a_page_need_not_be_contiguous(drawn):
    one, other = (image[10:90, 20:130] for image in drawn)
    assert Flip()(one, other) == Flip()(one.copy(), other.copy())


@packaged
def test_what_cannot_be_compared(drawn):
    with pytest.raises(ValueError, match="expected the same size"):
        Flip()(drawn[0], drawn[1][:-1])
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="expected a number above 0"):
            Flip(wrong)


def test_absent(monkeypatch):
    monkeypatch.setattr(ours.weight_files, "find_spec", lambda name: None)
    with pytest.raises(
        MissingPartError, match="flip needs flip_evaluator, not installed\n  pip install flip-evaluator"
    ):
        Flip()
