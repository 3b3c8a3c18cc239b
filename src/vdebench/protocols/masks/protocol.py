"""Protocols for images with masks: TextEditBench's paper, its released scripts, and ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import polars as pl

from vdebench.core.sample import Sample
from vdebench.protocols.digest import digest
from vdebench.protocols.masks.columns import ROWS, SETTING, SLICE_ALIASES
from vdebench.protocols.masks.summary import SLICES, mean_columns, summarise
from vdebench.protocols.mean_columns import MeanColumns
from vdebench.protocols.protocol import RunTables, Track


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskProtocol:
    """Rules for comparing images outside their masks. A new protocol is a new value of this class."""

    track: ClassVar[Track] = "pixels"
    settings: ClassVar[tuple[str, ...]] = (SETTING,)
    slices: ClassVar[tuple[str, ...]] = SLICES
    main_slices: ClassVar[tuple[str, ...]] = ("operation", "source", "tier")
    compared: ClassVar[tuple[str, ...]] = ("score", "done", "text_kept", "ssim", "lpips", "psnr")
    properties: ClassVar[bool] = False
    teds_column: ClassVar[str] = ""
    run_tables: ClassVar[tuple[str, ...]] = ("scores",)

    name: str
    says: str
    """One line for `vde protocols`."""
    rules: tuple[str, ...]
    """Every rule in words, for `vde protocols explain`."""

    against: Literal["right answer", "input"]
    """Image to compare the background with: the reference if there is one, else the input; or always the input."""
    background: Literal["multiplied", "windows"]
    """SSIM and LPIPS of images that are black inside the mask; or over windows outside the mask."""
    psnr: Literal["finite", "pooled", "as it comes"]
    """Mean PSNR: over images that differ; of the mean squared error; or infinite as soon as one image is identical."""
    lpips: Literal["lpips", "lpips_squeeze"]
    """The network of LPIPS."""
    whole: bool = False
    """Whether everything is measured: raw and aligned images of any size, the edit itself, and text."""
    endings: tuple[str, ...] = ()
    """File endings of outputs; empty for all."""

    @property
    def digest(self) -> str:
        """Digest of all fields: two protocols that differ in any of them have different digests."""
        return digest(self)

    @property
    def identity(self) -> Mapping[str, str]:
        """Parts of the signature: the track, and what outputs are compared with."""
        return {"track": self.track, "against": self.against.replace(" ", "-")}

    def covers(self, sample: Sample) -> bool:
        """Return True: every sample is scored."""
        return True

    def counted(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return all rows: means skip rows without a value."""
        return rows

    def slice_column(self, name: str) -> str:
        """Return the column of a slice; accepts TextEditBench's names."""
        return SLICE_ALIASES.get(name, name)

    def schema(self, table: str) -> Mapping[str, Any]:
        """Return the columns of `scores`, the only table."""
        return ROWS

    def mean_columns(self, rows: pl.DataFrame) -> MeanColumns:
        """Return the columns behind all means, which are all means over samples."""
        return mean_columns(rows, self)

    def summarise(
        self,
        tables: RunTables,
        settings: Sequence[str] = (SETTING,),
        crossed: Sequence[tuple[str, ...]] = (),
        measured: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return coverage, alignment, means, breakdowns and notes."""
        return summarise(tables.table("scores").collect(), self, crossed)


TEXTEDIT = MaskProtocol(
    name="textedit",
    says="TextEditBench's paper: pixels outside the masks, against the reference where there is one",
    rules=(
        "The masks of a sample are OR-ed; white (128 or more) is where the edit may change pixels.",
        "Compared with the reference where there is one, else with the input.",
        "MSE and PSNR after alignment: SIFT on grey, FLANN kd-tree (5 trees, 50 checks), Lowe's ratio 0.7, at least 4 "
        "matches, partial affine by least median of squares, linear warp; seeded for every image.",
        "SSIM (Gaussian 11×11, σ 1.5) and LPIPS (SqueezeNet) without alignment, of images that are black inside the "
        "masks; an output of another size has neither.",
        "Mean PSNR over images that differ; identical ones are counted beside.",
        "Images that cannot be aligned or opened are excluded from means; they are counted and listed.",
    ),
    against="right answer",
    background="multiplied",
    psnr="finite",
    lpips="lpips_squeeze",
)
TEXTEDIT_RELEASE = MaskProtocol(
    name="textedit-release",
    says="TextEditBench's released scripts, to the letter except that they are seeded",
    rules=(
        "As `textedit`, but compared with the input always, also where there is a reference: doing nothing is perfect.",
        "Outputs that are no .jpg are not found.",
        "One identical image makes the mean PSNR infinite.",
        "Images that cannot be aligned or have another size are excluded from means; here they are counted.",
    ),
    against="input",
    background="multiplied",
    psnr="as it comes",
    lpips="lpips_squeeze",
    endings=(".jpg",),
)
STRICT = MaskProtocol(
    name="strict",
    says="pixels and text outside the masks, and whether the edit was done: doing nothing wins nothing",
    rules=(
        "Compared with the reference where there is one, else with the input.",
        "An output of another size is brought to the page's, and flagged.",
        "Alignment is a stage with a result of its own (state, transform, matches, inliers, residual), from features "
        "outside the mask. Its image is used where it is nearer to the page than the raw one: `in_place` otherwise.",
        "Every number is there raw and aligned. SSIM is averaged over windows that lie wholly outside the mask, on "
        "unchanged images: how large the mask is changes nothing.",
        "Mean PSNR is that of the mean squared error, in which identical images count.",
        "Text kept: the page and the output, with the masked part painted over, are read and compared.",
        "Done: inside the mask, how far the output went from the input to the reference, 0 for nothing done, 1 for the "
        "reference: in text where the edit changes what is read, else in pixels (mean squared error).",
        "Score: done × SSIM outside × text kept, over samples with a reference; a missing output scores 0.",
        "Untouched: outputs that are the input inside the mask.",
    ),
    against="right answer",
    background="windows",
    psnr="pooled",
    lpips="lpips",
    whole=True,
)
