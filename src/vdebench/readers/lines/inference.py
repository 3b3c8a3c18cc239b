"""ONNX models on OpenVINO or ONNX Runtime: one interface for both.

Each call of a model runs on one thread; several threads may call it at the same time. A sum that is split over threads
depends on their number in its last digits, so this makes the result the same on any number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.errors import MissingPartError, VdeError

Array = NDArray[np.float32]
DEVICES: Mapping[str, tuple[str, str]] = {
    "cpu": ("", ""),
    "cuda": ("onnxruntime", "CUDAExecutionProvider"),
    "openvino-gpu": ("openvino", "GPU"),
}
"""Engine and its name of each device; on the CPU the installed engine is used."""

_KEPT_OPERATIONS = 1000
"""Operations with an input shape that OpenVINO keeps compiled: those of about ten shapes of the detector."""


def installed_engine() -> str:
    """Return `openvino`, else `onnxruntime`, else ""; OpenVINO needs about half the CPU time."""
    return next((name for name in ("openvino", "onnxruntime") if find_spec(name)), "")


class Model:
    """An ONNX model with one input and one output, compiled on first use.

    `streams` is the number of calls that can run at the same time. With `logits`, the last softmax is left out.
    `many_shapes` limits the code that OpenVINO keeps for input shapes; without it, memory grows with their number.
    """

    def __init__(
        self, file: Path, *, streams: int = 1, device: str = "cpu", logits: bool = False, many_shapes: bool = False
    ) -> None:
        if device not in DEVICES:
            raise VdeError(f"device={device!r}: expected one of {', '.join(DEVICES)}")
        engine, name = DEVICES[device]
        self.file = file
        self.streams = streams
        self.device = device
        self.engine = engine or installed_engine()
        self._device_name = name
        self._logits = logits
        self._many_shapes = many_shapes
        self._local = threading.local()
        self._lock = threading.Lock()
        self._session: Any = None

    @staticmethod
    def missing(device: str) -> str:
        """Return why a device cannot be used and how to install what it needs, or "". Fast for the CPU."""
        engine, name = DEVICES.get(device, ("", ""))
        if not engine:
            return ""
        if engine == "onnxruntime":
            available = find_spec(engine) and name in _onnxruntime().get_available_providers()
            return "" if available else f"ONNX Runtime has no {name} here\n  pip install onnxruntime-gpu"
        available = find_spec(engine) and any(each.startswith(name) for each in _openvino().Core().available_devices)
        return "" if available else "OpenVINO finds no GPU here\n  pip install openvino, and the GPU's driver"

    @property
    def identity(self) -> str:
        """Engine, version, and the device if it is not the CPU: `openvino 2026.4.1 f32`."""
        device = "" if self.device == "cpu" else f" {self.device}"
        return f"{self.engine} {version(self.engine)} f32{device}"

    def __call__(self, values: Array) -> Array:
        """Run the model on one array and return its output, which the next call in the same thread may overwrite."""
        if self.engine == "openvino":
            request = getattr(self._local, "request", None)
            if request is None:
                request = self._local.request = self._compiled.create_infer_request()
            request.infer([values], share_inputs=True)
            output: Array = request.get_output_tensor().data
            return output
        result: Array = self._compiled.run(None, {self._compiled.get_inputs()[0].name: values})[0]
        return result

    @property
    def characters(self) -> list[str]:
        """The dictionary in the model's metadata."""
        if self.engine == "openvino":
            return str(self._openvino_model.get_rt_info()["framework"]["character"].value).splitlines()
        return str(self._compiled.get_modelmeta().custom_metadata_map["character"]).splitlines()

    @cached_property
    def _openvino_model(self) -> Any:
        return _openvino().Core().read_model(self.file)

    @property
    def _compiled(self) -> Any:
        with self._lock:
            if self._session is None:
                self._session = self._compile_openvino() if self.engine == "openvino" else self._compile_onnxruntime()
            return self._session

    def _compile_openvino(self) -> Any:
        openvino = _openvino()
        model = self._openvino_model
        if self._logits:
            softmax = [node for node in model.get_ordered_ops() if node.get_type_name() == "Softmax"][-1]
            model = openvino.Model([softmax.input_value(0)], model.get_parameters(), "logits")
        # By default OpenVINO computes in bfloat16 on processors that have it: the text would depend on the processor.
        settings = {"INFERENCE_PRECISION_HINT": "f32"}
        if not self._device_name:
            # With pinning, two single-threaded processes share one processor.
            streams = str(self.streams)
            settings |= {"ENABLE_CPU_PINNING": "NO", "NUM_STREAMS": streams, "INFERENCE_NUM_THREADS": streams}
            if self._many_shapes:
                settings["CPU_RUNTIME_CACHE_CAPACITY"] = str(_KEPT_OPERATIONS)
        return openvino.Core().compile_model(model, self._device_name or "CPU", settings)

    def _compile_onnxruntime(self) -> Any:
        runtime = _onnxruntime()
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        providers = [self._device_name or "CPUExecutionProvider"]
        session = runtime.InferenceSession(str(self.file), options, providers=providers)
        if self._device_name and self._device_name not in session.get_providers():
            raise MissingPartError(f"ONNX Runtime cannot use {self._device_name}\n  pip install onnxruntime-gpu")
        return session


def to_input(image: NDArray[Any]) -> Array:
    """Return an RGB image as the input of a PP-OCR model: one array of BGR planes with values from -1 to 1."""
    blob = cv2.dnn.blobFromImage(image, 1 / 127.5, mean=(127.5, 127.5, 127.5), swapRB=True)
    return blob.astype(np.float32, copy=False)


def _openvino() -> Any:
    os.environ.setdefault("OPENVINO_TELEMETRY_OPT_OUT", "1")
    import openvino  # type: ignore[import-untyped]

    return openvino


def _onnxruntime() -> Any:
    import onnxruntime

    return onnxruntime
