"""Page protocols: a declaration of every choice that changes a score."""

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
    """Return a block's text by the papers' rule: its content; in tables every tag is replaced by one space."""
    return block.plain_text


@versioned("join-plain-text")
def joined_plain_text(blocks: Sequence[Block]) -> str:
    """Return the texts of several blocks by the papers' rule, joined by spaces."""
    return " ".join(map(plain_text, blocks))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageProtocol:
    """Rules for scoring pages of text. A new protocol is a new value of this class."""

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
    """Text of blocks before folding, for the region rule; `join_text` if None."""
    strict_text: Callable[[Sequence[Block]], str] | None = None
    """Text of blocks without folding, if `block_text` folds."""
    on_strict_text: Mapping[str, Callable[[str, str], float]] = field(default_factory=dict)
    """Metrics of the unfolded text."""

    scale_boxes: bool
    """Whether boxes of a prediction of another size are scaled to the reference's."""
    text_counts: Literal["matched", "all"]
    """Text metrics: means over matched blocks, or over matched, missed and invented, the last two as 0."""
    iou_counts: Literal["truth", "all"]
    """Headline IoU: mean over all ground-truth blocks, or over those and the invented."""
    local: Literal["crop", "filter", "crop or units"]
    """OCR output of the regions' crops; blocks that overlap a region; crops if available, else matched units."""
    headline: Literal["micro", "macro"]
    """Means over blocks, or means over samples of their means."""
    missing: Literal["empty", "dropped"]
    """A missing prediction is an empty page, or is left out of the means."""
    region: RegionRule | None = None
    """Rule for the outcome of a region."""
    region_needs_source: bool = False
    """Whether that rule needs the source page."""
    tables: bool = True
    """Whether edits inside tables are covered."""
    teds_column: Literal["teds", "teds_like"] = "teds_like"
    """The metric in the TEDS column of the papers' tables."""
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
    """CLIP similarity to the reference image, or to the instruction."""

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
        """Image metrics that are measured by default: those of the papers."""
        return ("psnr", "ssim", "lpips", self.clip)

    @property
    def measures(self) -> tuple[str, ...]:
        """Text metrics that apply, in the order of the columns."""
        own = {*self.on_text, *self.on_tokens, *self.on_tables, *self.on_strict_text}
        return tuple(name for name in block_metrics() if name in own)

    @property
    def added(self) -> tuple[str, ...]:
        """Text metrics of other packages."""
        known = registered()
        return tuple(name for name in self.measures if known[name].added)

    def with_added_metrics(self) -> PageProtocol:
        """Return the protocol with the block metrics of other packages, if it is extensible."""
        if not self.extensible:
            return self
        added = {name: each for name, each in registered(BLOCK_KINDS).items() if each.added}
        if not added:
            return self

        def with_kind(own: Mapping[str, Any], kind: str) -> dict[str, Any]:
            return {**own, **{name: each.function for name, each in added.items() if each.kind == kind}}

        return replace(
            self,
            on_text=with_kind(self.on_text, "text"),
            on_tokens=with_kind(self.on_tokens, "tokens"),
            on_tables=with_kind(self.on_tables, "table"),
        )

    @property
    def on_any_text(self) -> tuple[str, ...]:
        """Metrics of text, without those of tables."""
        return (*self.on_text, *self.on_tokens, *self.on_strict_text)

    @property
    def compared(self) -> tuple[str, ...]:
        """Metrics that `vde compare` tests by default."""
        return ("iou", "cdm", "bleu", self.teds_column, *self.added)

    def counted(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of samples with block scores."""
        return rows.filter(pl.col("gt_blocks").is_not_null())

    def slice_column(self, name: str) -> str:
        """Return the name: slices are named like their columns."""
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
