"""The interface of a protocol. `pages/` implements it for whole pages of text, `masks/` for images with masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from typing import Protocol as Interface

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.protocols.mean_columns import MeanColumns

Track = Literal["pages", "pixels"]


class RunTables(Interface):
    """The tables of a run; `vdebench.runs.folder.RunFolder` is one."""

    def table(self, name: str) -> pl.LazyFrame:
        """Return the table `scores`, `blocks` or `regions`."""


class Protocol(Interface):
    """How outputs are scored: rules, identity, and the way from rows to means.

    Planning and evaluating samples needs OCR and image files, so `vdebench.pipeline.evaluation` has that half of the
    interface, with one implementation for each track.
    """

    @property
    def name(self) -> str:
        """Name; `strict` is the name of one protocol of each track."""

    @property
    def says(self) -> str:
        """One line for `vde protocols`."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule in words, for `vde protocols explain`."""

    @property
    def track(self) -> Track:
        """The kind of suite that it scores."""

    @property
    def digest(self) -> str:
        """Digest of all fields."""

    @property
    def identity(self) -> Mapping[str, str]:
        """Parts of the signature that are fixed by the protocol alone."""

    @property
    def run_tables(self) -> tuple[str, ...]:
        """Tables that a run folder holds."""

    @property
    def settings(self) -> tuple[str, ...]:
        """Settings that rows are scored in."""

    @property
    def slices(self) -> tuple[str, ...]:
        """Columns by which a summary is broken down."""

    @property
    def main_slices(self) -> tuple[str, ...]:
        """Slices that `vde score` prints by default."""

    @property
    def compared(self) -> tuple[str, ...]:
        """Metrics that `vde compare` tests by default: few, since every test asks for more evidence."""

    @property
    def properties(self) -> bool:
        """Whether it judges the five properties of a usable edit."""

    @property
    def teds_column(self) -> str:
        """The metric that the papers' tables print as TEDS; "" if tables are not compared."""

    def covers(self, sample: Sample) -> bool:
        """Whether it scores a sample."""

    def counted(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the score rows that means are computed from."""

    def slice_column(self, name: str) -> str:
        """Return the column behind the name of a slice."""

    def schema(self, table: str) -> Mapping[str, Any]:
        """Return the columns of a table with their polars types."""

    def mean_columns(self, rows: pl.DataFrame) -> MeanColumns:
        """Return the columns behind all means of counted rows of one setting, and the metrics made of them."""

    def summarise(
        self,
        tables: RunTables,
        settings: Sequence[str],
        crossed: Sequence[tuple[str, ...]] = (),
        measured: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return coverage, means, breakdowns and notes of a run; `crossed` adds slices by several columns."""


def cross_columns(protocol: Protocol, name: str) -> tuple[str, ...]:
    """Return the columns of a breakdown such as "operation,language".

    Raises `VdeError` for an unknown or repeated name.
    """
    columns = tuple(protocol.slice_column(part.strip()) for part in name.split(","))
    if len(columns) != len(set(columns)) or not set(columns) <= set(protocol.slices):
        known = ", ".join(protocol.slices)
        raise VdeError(f"cannot break down by {name!r}: expected different names of {known}, separated by commas")
    return columns
