"""The reference image encoded and decoded by an autoencoder: the ceiling of editors that work on its latents."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from vdebench.core.images import RESIZING, Image
from vdebench.editors.baselines import ReferenceEditor
from vdebench.editors.ceilings import STEP, parse_megapixels
from vdebench.editors.editor import About, Edit
from vdebench.editors.local import loading
from vdebench.editors.local.model import LocalModel, free_memory
from vdebench.editors.local.round_trip import round_trip
from vdebench.editors.local.weights import Weights, explained, find_weights, is_cached
from vdebench.errors import EditorError, EditorUnusableError, MissingPartError, VdeError
from vdebench.registry import installed_version

VERSION = "1"
"""Version of pre- and postprocessing: a new version repeats edits."""
CONFIG = "config.json"
_SUBFOLDER = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)*")


@dataclass(kw_only=True, eq=False)
class AutoencoderEditor(ReferenceEditor, LocalModel):
    """Returns the reference encoded and decoded by an autoencoder of diffusers: what a model's codec costs alone."""

    name: ClassVar[str] = "autoencoder"
    about: ClassVar[About] = About(
        "the suite's answer; extra diffusers; weights=",
        "any autoencoder of diffusers: an id of the hub or a folder (weights, subfolder)",
        "that of the weights",
        "the reference's; encoded at 1 MP (megapixels)",
    )

    subfolder: str = ""
    megapixels: float = 1.0

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.subfolder = str(self.subfolder).strip().strip("/")
        if self.subfolder and not _SUBFOLDER.fullmatch(self.subfolder):
            raise VdeError(f"{self.name}: subfolder is {self.subfolder!r}, expected the name of a folder, such as vae")
        self.megapixels = parse_megapixels(self.name, self.megapixels, native=True)

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return the packages that are not installed, or that no weights are given."""
        if absent := super().missing(**options):
            return absent
        advice = "set an id of the hub or a folder: weights=…, of a whole pipeline with subfolder=vae"
        return "" if options.get("weights") else f"the editor {cls.name} has no weights\n  {advice}"

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, weights and their commit, options and libraries that change the image."""
        multiples = f"multiples of {STEP} and of the model's factor"
        return {
            "name": self.name,
            "version": VERSION,
            "weights": self._weights.shown,
            "revision": self._weights.pinned,
            "subfolder": self.subfolder,
            "device": self._kind,
            "dtype": self._dtype,
            "megapixels": str(self.megapixels),
            "input": f"{RESIZING}, to {multiples}" if self.megapixels else f"edges repeated to {multiples}",
            "latents": "mode",
            **{library: installed_version(library).partition("+")[0] for library in ("torch", "diffusers")},
        }

    @cached_property
    def _weights(self) -> Weights:
        try:
            return find_weights(self.name, self.weights, self.revision, holding=CONFIG, subfolder=self.subfolder)
        except MissingPartError as error:
            if self.subfolder or CONFIG not in str(error):
                raise
            raise MissingPartError(f"{error}\n  of a whole pipeline, name the part: subfolder=vae") from None

    @cached_property
    def _loaded(self) -> Any:
        """The model on its device, loaded once per process."""
        return load_autoencoder(self.name, self._weights, self.subfolder, self._device, self._dtype)

    def edit_reference(self, reference: Image) -> Edit:
        """Return the reference, encoded and decoded."""
        start = time.perf_counter()
        model = self._loaded
        try:
            with loading.quiet():
                result = round_trip(reference, model, self.megapixels, device=self._device, dtype=self._dtype)
        except Exception as error:
            if not loading.is_out_of_memory(error):
                raise
            free_memory()
            height, width = reference.shape[:2]
            raise EditorError(
                f"{self.name}: out of memory on {self._device} for a page of {width}×{height}\n"
                "  try a smaller megapixels (0 is the page's own size), dtype=bfloat16 or device=cpu"
            ) from None
        parameters = {
            "model": self._weights.shown,
            "revision": self._weights.pinned,
            "sent_size": list(result.sent_size),
            "device": self._kind,
            "dtype": self._dtype,
        }
        return Edit("edited", result.image, parameters=parameters, seconds=time.perf_counter() - start)


def load_autoencoder(editor: str, weights: Weights, subfolder: str, device: str, dtype: str) -> Any:
    """Load an autoencoder by diffusers onto a device; missing weights are downloaded, with the hub's progress bars."""
    loading.import_or_hide_torchvision()
    import diffusers
    import torch

    with loading.quiet(bars=not is_cached(weights)):
        try:
            model = diffusers.AutoModel.from_pretrained(
                weights.place,
                subfolder=subfolder or None,
                revision=weights.commit,
                torch_dtype=getattr(torch, dtype),
            ).to(device)
        except Exception as error:  # from huggingface_hub, diffusers, torch, or corrupt files
            if loading.is_out_of_memory(error):
                advice = "dtype=bfloat16 needs half of it; device=cpu uses main memory"
                raise EditorUnusableError(f"{editor}: the weights do not fit into memory\n  {advice}") from error
            raise explained(editor, weights.place, error) from error
    if not (hasattr(model, "encode") and hasattr(model, "decode")):
        raise EditorUnusableError(f"{editor}: {type(model).__name__} is not an autoencoder\n  try subfolder=vae")
    return model
