"""What a protocol is: a declaration of every choice that changes a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import polars as pl

from vdebench.core.page_text import Block
from vdebench.core.sample import Sample
from vdebench.metrics.matching import Matching
from vdebench.metrics.registry import BLOCK_KINDS, block_metrics, facts, registered, versioned
from vdebench.protocols.digest import digest
from vdebench.protocols.mean_columns import MeanColumns
from vdebench.protocols.pages import means
from vdebench.protocols.pages.columns import TABLES, schema_of
from vdebench.protocols.pages.region_texts import RegionView
from vdebench.protocols.pages.summary import SLICES, summarise
from vdebench.protocols.protocol import RunTables, Track

RegionRule = Callable[[RegionView], Mapping[str, Any]]


@versioned("plain-text")
def plain_text(block: Block) -> str:
    """A block's text by the papers' rule: its content, of a table with every tag replaced by one space."""
    return block.plain_text


@versioned("join-plain-text")
def joined_plain_text(blocks: Sequence[Block]) -> str:
    """Texts of several blocks by the papers' rule, with spaces between them."""
    return " ".join(map(plain_text, blocks))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageProtocol:
    """How a suite is scored. Adding a protocol is adding such a value."""

    track: ClassVar[Track] = "pages"
    run_tables: ClassVar[tuple[str, ...]] = TABLES
    settings: ClassVar[tuple[str, ...]] = ("global", "local")
    slices: ClassVar[tuple[str, ...]] = SLICES
    main_slices: ClassVar[tuple[str, ...]] = ("edit_class", "language", "source")

    name: str
    says: str
    """One line for `vde protocols`."""
    rules: tuple[str, ...]
    """Every rule in words, for `vde protocols explain`."""

    matching: Matching
    match: str
    """The matching's name in the signature."""
    block_text: Callable[[Block], str]
    join_text: Callable[[Sequence[Block]], str]
    """Text of several blocks that are compared as one."""
    tokens: Callable[[str], list[str]]
    tok: str
    """The tokens' name in the signature."""
    on_text: Mapping[str, Callable[[str, str], float]]
    on_tokens: Mapping[str, Callable[[Sequence[str], Sequence[str]], float]]
    on_tables: Mapping[str, Callable[[Sequence[Block], Sequence[Block]], float | None]]
    raw_text: Callable[[Sequence[Block]], str] | None = None
    """Text of blocks before anything is folded or taken out, for the region rule; `join_text` where there is none."""
    strict_text: Callable[[Sequence[Block]], str] | None = None
    """Text of blocks with the differences that `block_text` folds away, where it folds any."""
    on_strict_text: Mapping[str, Callable[[str, str], float]] = field(default_factory=dict)
    """Metrics of that text."""

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
    extensible: bool = False
    """Whether it also measures the text, token and table metrics that other packages register."""
    properties: bool = False
    """Whether the five properties of a usable edit are judged."""
    image_opening: Literal["composited", "raw"] = "composited"
    """Image files for image metrics: transparent parts on white and rotated as EXIF says, or alpha and EXIF ignored."""
    image_local: Literal["regions", "hull", "hull truncated"] = "hull"
    """Image metrics of `local`: the mean over the regions' crops, or one crop of the box around all regions: of all
    pixels that the regions touch, or with both edges of each region rounded down (`truncated`)."""
    psnr: Literal["finite", "below 100", "pooled"] = "finite"
    """Mean PSNR: over the images that differ, over those below 100 dB, or that of the mean squared error, in which
    identical images count."""
    clip: Literal["clip", "clip_text"] = "clip"
    """What stands under CLIP: the reference image, or the instruction."""

    @property
    def digest(self) -> str:
        """Digest of all fields: two protocols that differ in any of them have different digests."""
        return digest(self)

    @property
    def identity(self) -> Mapping[str, str]:
        """Parts of the signature: matching, tokens, and metrics of other packages."""
        added = {"metrics": ",".join(facts(name).identity for name in self.added)} if self.added else {}
        return {"match": self.match, "tok": self.tok, **added}

    @property
    def image_metrics(self) -> tuple[str, ...]:
        """Image metrics that are measured where nobody names others: the papers'."""
        return ("psnr", "ssim", "lpips", self.clip)

    @property
    def measures(self) -> tuple[str, ...]:
        """Text metrics that apply, in the order of the columns."""
        own = {*self.on_text, *self.on_tokens, *self.on_tables, *self.on_strict_text}
        return tuple(name for name in block_metrics() if name in own)

    @property
    def added(self) -> tuple[str, ...]:
        """Those of them that other packages define."""
        known = registered()
        return tuple(name for name in self.measures if known[name].added)

    def with_added_metrics(self) -> PageProtocol:
        """The same with the block metrics of other packages, where the protocol takes them."""
        if not self.extensible:
            return self
        more = {name: each for name, each in registered(BLOCK_KINDS).items() if each.added}
        if not more:
            return self

        def with_kind(own: Mapping[str, Any], kind: str) -> dict[str, Any]:
            return {**own, **{name: each.function for name, each in more.items() if each.kind == kind}}

        return replace(
            self,
            on_text=with_kind(self.on_text, "text"),
            on_tokens=with_kind(self.on_tokens, "tokens"),
            on_tables=with_kind(self.on_tables, "table"),
        )

    @property
    def on_any_text(self) -> tuple[str, ...]:
        """Metrics of texts, tables aside."""
        return (*self.on_text, *self.on_tokens, *self.on_strict_text)

    @property
    def compared(self) -> tuple[str, ...]:
        """Metrics that `vde compare` shows where none is named."""
        return ("iou", "cdm", "bleu", self.teds_column, *self.added)

    def counted(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows of samples that were compared block by block."""
        return rows.filter(pl.col("gt_blocks").is_not_null())

    def slice_column(self, name: str) -> str:
        """The name itself: slices are called as their columns."""
        return name

    def covers(self, sample: Sample) -> bool:
        """Whether the protocol scores a sample: some leave out edits in tables."""
        return self.tables or not sample.operation.value.startswith("table_")

    def schema(self, table: str) -> Mapping[str, Any]:
        """Return the columns of a table."""
        return schema_of(table)

    def mean_columns(self, rows: pl.DataFrame) -> MeanColumns:
        """Return the columns behind all means, over blocks or over samples by `headline`."""
        return means.mean_columns(rows, self)

    def summarise(
        self,
        tables: RunTables,
        settings: Sequence[str] = ("global", "local"),
        crossed: Sequence[tuple[str, ...]] = (),
        measured: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return coverage, means, breakdowns, region outcomes and notes."""
        return summarise(tables, self, settings, crossed, measured)
