"""The interface of a protocol, whichever its track: whole pages of text (`pages`) or images with masks (`pixels`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import Protocol as Interface

import polars as pl

from vdebench.core.sample import Sample
from vdebench.protocols import PROTOCOLS, get_protocol
from vdebench.protocols.masks.protocol import PIXEL_PROTOCOLS, PixelProtocol, get_pixel_protocol
from vdebench.protocols.pages.protocol import Protocol


class ScoringProtocol(Interface):
    """What statistics and reports ask of a protocol."""

    @property
    def name(self) -> str:
        """Its name; `strict` is the name of one protocol of each track."""

    @property
    def says(self) -> str:
        """One line for people."""

    @property
    def digest(self) -> str:
        """Digest of all its rules."""

    @property
    def track(self) -> str:
        """`pages` or `pixels`."""

    @property
    def run_tables(self) -> tuple[str, ...]:
        """Tables that a run folder holds."""

    @property
    def compared(self) -> tuple[str, ...]:
        """Metrics that `vde compare` shows where none is named: few, since every test asks for more evidence."""

    @property
    def properties(self) -> bool:
        """Whether it judges the five properties of a usable edit."""

    @property
    def teds_column(self) -> str:
        """The metric that the papers' tables print as TEDS; "" where tables are not compared."""

    def covers(self, sample: Sample) -> bool:
        """Whether it scores a sample."""

    def counted(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Score rows that means are made of."""

    def slice_column(self, name: str) -> str:
        """The column of rows behind a slice's name."""


def protocol_for(track: str, protocol: str | Protocol | PixelProtocol) -> Protocol | PixelProtocol:
    """The protocol that scores a suite of a track: one name may have an implementation for each.

    >>> [protocol_for(track, "strict").track for track in ("pages", "pixels")], protocol_for("pages", "textedit").track
    (['pages', 'pixels'], 'pixels')
    """
    if not isinstance(protocol, str):
        return get_pixel_protocol(protocol.name) if track == "pixels" and protocol.track != track else protocol
    around_masks = track == "pixels" or (protocol in PIXEL_PROTOCOLS and protocol not in PROTOCOLS)
    return get_pixel_protocol(protocol) if around_masks else get_protocol(protocol)


def protocol_of(summary: Mapping[str, Any]) -> Protocol | PixelProtocol:
    """The protocol of a run, by its summary.

    >>> protocol_of({"protocol": "strict", "track": "pixels"}).compared[:2]
    ('score', 'done')
    """
    name = str(summary["protocol"])
    return get_pixel_protocol(name) if summary.get("track") == "pixels" else get_protocol(name)
