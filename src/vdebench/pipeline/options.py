"""Options of the scoring stage: what is scored and how, and its parallel execution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from typing import Protocol as Interface

from vdebench.core.input_policy import InputPolicy
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.protocols import AnyProtocol
from vdebench.readers.cached import CachedReader

SettingChoice = Literal["global", "local", "both"]
GroundTruthChoice = Literal["suite", "ocr"]
NO_READER = "none"
"""Value of `reader` that disables the text comparison of images with masks."""


class Progress(Interface):
    """Called after every sample."""

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` samples are finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """Options of `score`; its keyword arguments have the same names."""

    protocol: AnyProtocol = "strict"
    setting: SettingChoice = "both"
    editor: str = ""
    reader: str | CachedReader = ""
    images: str | Path | None = None
    match: str = ""
    strict_names: bool = False
    ground_truth: GroundTruthChoice = "suite"
    metrics: Sequence[str] | None = None
    ceiling: str | Path | None = None
    crossed: Sequence[str] = ()
    input_policy: InputPolicy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Workers, engine and progress callbacks."""

    workers: int = 0
    """Processes; 0 for all processors of this machine."""
    engine: Engine = LOCAL
    reading: Progress | None = None
    """Progress of OCR."""
    scoring: Progress | None = None
