"""The pixel track: what an editor left as it was outside the masks, by the paper's rules, the release's, and ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.protocols.digest import digest
from vdebench.protocols.masks.columns import CALLED
from vdebench.registry import find


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelProtocol:
    """How images are compared around a mask. Adding a protocol is adding such a value."""

    track: ClassVar[str] = "pixels"
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
    """What the background is compared with: the reference where there is one, else the input; or always the input."""
    background: Literal["multiplied", "windows"]
    """SSIM and LPIPS of images that are black inside the mask; or only of what lies outside it."""
    psnr: Literal["finite", "pooled", "as it comes"]
    """Mean PSNR: over images that differ; of the mean squared error; or infinite as soon as one image is identical."""
    lpips: Literal["lpips", "lpips_squeeze"]
    """Which network LPIPS looks through."""
    whole: bool = False
    """Whether all is measured of every image: raw and aligned, in any size, the edit itself, the text."""
    endings: tuple[str, ...] = ()
    """Endings of files that are looked at; all where none is named."""

    @property
    def digest(self) -> str:
        """Digest of all fields: two protocols that differ in any of them have different digests."""
        return digest(self)

    def covers(self, sample: Sample) -> bool:
        """Every sample."""
        return True

    def counted(self, rows: pl.DataFrame) -> pl.DataFrame:
        """All rows: means leave out what has no value."""
        return rows

    def slice_column(self, name: str) -> str:
        """The column behind a slice's name, by our name or TextEditBench's."""
        return CALLED.get(name, name)


TEXTEDIT = PixelProtocol(
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
        "What cannot be aligned or read is in no mean, and is counted and named.",
    ),
    against="right answer",
    background="multiplied",
    psnr="finite",
    lpips="lpips_squeeze",
)
TEXTEDIT_RELEASE = PixelProtocol(
    name="textedit-release",
    says="TextEditBench's released scripts, to the letter except that they are seeded",
    rules=(
        "As `textedit`, but compared with the input always, also where there is a reference: doing nothing is perfect.",
        "Outputs that are no .jpg are not found.",
        "One identical image makes the mean PSNR infinite.",
        "What cannot be aligned, or has another size, is left out of the means; here it is at least counted.",
    ),
    against="input",
    background="multiplied",
    psnr="as it comes",
    lpips="lpips_squeeze",
    endings=(".jpg",),
)
STRICT = PixelProtocol(
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

PIXEL_PROTOCOLS = {
    "strict": "vdebench.protocols.masks.protocol:STRICT",
    "textedit": "vdebench.protocols.masks.protocol:TEXTEDIT",
    "textedit-release": "vdebench.protocols.masks.protocol:TEXTEDIT_RELEASE",
}


def get_pixel_protocol(name: str) -> PixelProtocol:
    """The pixel protocol of a name.

    >>> get_pixel_protocol("textedit").against
    'right answer'
    """
    if name not in PIXEL_PROTOCOLS:
        raise VdeError(
            f"{name!r} compares readings of pages; a suite of images with masks is scored by: "
            f"{', '.join(PIXEL_PROTOCOLS)}"
        )
    protocol: PixelProtocol = find("pixel_protocols", name, PIXEL_PROTOCOLS)
    return protocol
