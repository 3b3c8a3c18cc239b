"""What a protocol is: a declaration of every choice that changes a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vdebench.metrics.matching import Matching
from vdebench.reading import Block
from vdebench.sample import Sample

TEXT_METRICS = ("cdm", "bleu", "teds", "teds_like", "text_similarity")
"""Columns of what is measured between texts and tables, besides IoU."""

IMAGE_METRICS = ("psnr", "ssim", "ms_ssim", "flip", "lpips", "lpips_vgg", "lpips_squeeze", "clip", "clip_text")
"""Columns of what is measured between images."""

RegionRule = Callable[..., Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """How a suite is scored. Adding a protocol is adding such a value."""

    name: str
    says: str
    """One line for `vde protocols`."""
    rules: tuple[str, ...]
    """Every rule in words, for `vde protocols explain`."""

    matching: Matching
    match: str
    """The matching's name in the signature."""
    block_text: Callable[[Block], str]
    join_text: Callable[[Sequence[str]], str]
    """Text of several blocks that are compared as one."""
    tokens: Callable[[str], list[str]]
    tok: str
    """The tokens' name in the signature."""
    on_text: Mapping[str, Callable[[str, str], float]]
    on_tokens: Mapping[str, Callable[[Sequence[str], Sequence[str]], float]]
    on_tables: Mapping[str, Callable[[Sequence[Block], Sequence[Block]], float | None]]

    scale_boxes: bool
    """Whether boxes of a prediction of another size are scaled to the reference's."""
    text_counts: Literal["matched", "all"]
    """Text metrics: means over matched blocks, or over matched, missed and invented, the last two as 0."""
    iou_counts: Literal["truth", "all"]
    """Headline IoU: mean over all ground-truth blocks, or over those and the invented."""
    local: Literal["crop", "filter", "crop or units"]
    """Readings of the regions' crops; blocks that meet a region; crops where there are, else matched units."""
    headline: Literal["micro", "macro"]
    """Means over blocks, or means over samples of their means."""
    missing: Literal["empty", "dropped"]
    """A missing prediction is an empty page, or is left out of the means."""
    region: RegionRule | None = None
    """What is said of each region apart from its blocks."""
    region_needs_source: bool = False
    """Whether that rule looks at the page before the edit."""
    tables: bool = True
    """Whether edits inside tables are covered."""
    teds_column: Literal["teds", "teds_like"] = "teds_like"
    """What stands under TEDS in tables of the papers' shapes."""
    page_text: bool = False
    """Whether the whole page's text is scored too."""
    properties: bool = False
    """Whether the five properties of a usable edit are judged."""
    image_local: Literal["regions", "hull"] = "hull"
    """Image metrics of `local`: the mean over the regions' crops, or one crop of the box around all regions."""
    psnr: Literal["finite", "pooled"] = "finite"
    """Mean PSNR: over the images that differ, or that of the mean squared error, in which identical images count."""
    clip: Literal["clip", "clip_text"] = "clip"
    """What stands under CLIP: the reference image, or the instruction."""

    @property
    def image_metrics(self) -> tuple[str, ...]:
        """Image metrics that are measured where nobody names others: the papers'."""
        return ("psnr", "ssim", "lpips", self.clip)

    @property
    def measures(self) -> tuple[str, ...]:
        """Text metrics that apply, in the order of the columns."""
        own = {*self.on_text, *self.on_tokens, *self.on_tables}
        return tuple(name for name in TEXT_METRICS if name in own)

    def covers(self, sample: Sample) -> bool:
        """Whether the protocol says anything of a sample."""
        return self.tables or not sample.operation.value.startswith("table_")
