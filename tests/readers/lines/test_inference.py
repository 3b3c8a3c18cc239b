"""Models on both engines."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from vdebench.errors import VdeError
from vdebench.readers.lines import inference
from vdebench.readers.lines.engine import DETECTOR, RECOGNIZER, model_file
from vdebench.readers.lines.inference import Model


def page() -> np.ndarray:
    values = np.ones((1, 3, 64, 320), np.float32)
    values[:, :, 20:40, 30:290:7] = -1
    return values


def test_both_engines_compute_the_same(monkeypatch):
    openvino = Model(model_file(DETECTOR))(page()).copy()
    monkeypatch.setattr(inference, "installed_engine", lambda: "onnxruntime")
    runtime = Model(model_file(DETECTOR))
    assert np.allclose(runtime(page()), openvino, atol=1e-3)
    assert runtime.identity.startswith("onnxruntime ")
    recognizer = Model(model_file(RECOGNIZER))
    monkeypatch.undo()
    assert recognizer.characters == Model(model_file(RECOGNIZER)).characters
    assert len(recognizer.characters) > 18_000


def test_the_precision_does_not_depend_on_the_processor():
    model = Model(model_file(DETECTOR))
    assert "float32" in str(model._compiled.get_property("INFERENCE_PRECISION_HINT"))
    assert model.identity.endswith(" f32")


def test_threads_share_a_model_and_get_their_own_results():
    model = Model(model_file(DETECTOR), streams=4)
    inputs = [page() * scale for scale in (1, 0.5, 0.25, 0)]
    expected = [Model(model_file(DETECTOR))(values).copy() for values in inputs]
    results: dict[int, list[np.ndarray]] = {}

    def work(index: int) -> None:
        results[index] = [model(inputs[index]).copy() for _ in range(5)]

    threads = [threading.Thread(target=work, args=[index]) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index in range(4):
        assert all((each == expected[index]).all() for each in results[index])


def test_an_unknown_device_is_refused():
    with pytest.raises(VdeError, match="expected one of cpu, cuda, openvino-gpu"):
        Model(model_file(DETECTOR), device="tpu")
