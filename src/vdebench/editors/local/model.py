"""Base class of editors with weights on this machine: where the weights are, and the device they run on."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any, ClassVar

from vdebench.editors.editor import Editor
from vdebench.editors.local import loading
from vdebench.editors.local.options import DTYPES, device_option, one_of
from vdebench.errors import MissingPartError

INSTALL = "pip install 'vdebench[diffusers]'"


@dataclass(kw_only=True, eq=False)
class LocalModel(Editor):
    """An editor that runs a model of diffusers. Fields are options. `_loaded` is the model, loaded on first use."""

    name: ClassVar[str]
    gpu_dtype: ClassVar[str] = "bfloat16"
    """Meaning of `dtype=auto` on a GPU; on a CPU it is float32."""
    packages: ClassVar[tuple[str, ...]] = ("torch", "diffusers", "transformers", "accelerate")
    needs_gpu: ClassVar[bool] = True

    weights: str = ""
    revision: str = ""
    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        """Check the options before anything is loaded."""
        self.weights, self.revision = str(self.weights).strip(), str(self.revision).strip()
        if problem := self.missing(weights=self.weights):
            raise MissingPartError(problem)
        self.device = device_option(self.name, self.device)
        self.dtype = one_of(self.name, "dtype", self.dtype, DTYPES)
        self.concurrency = 1 if self.device == "mps" else 0  # the device has room for one copy of the model

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return the packages that are not installed; weights are downloaded on first use."""
        absent = [package for package in cls.packages if find_spec(package) is None]
        return f"the editor {cls.name} needs {', '.join(absent)}, not installed\n  {INSTALL}" if absent else ""

    @cached_property
    def _device(self) -> str:
        return loading.device_here(self.name, self.device)

    @property
    def _kind(self) -> str:
        """Kind of device; an explicit device need not exist on the machine that only distributes the work."""
        return self._device if self.device == "auto" else self.device

    @property
    def _dtype(self) -> str:
        usual = "float32" if self._kind == "cpu" else self.gpu_dtype
        return usual if self.dtype == "auto" else self.dtype

    def close(self) -> None:
        """Release the model and the device's memory."""
        if self.__dict__.pop("_loaded", None) is not None:
            free_memory()


def free_memory() -> None:
    """Free the device's memory."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
