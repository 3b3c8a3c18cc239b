"""Protocols: which metrics, how blocks are matched, text is split and means are taken. Each has a computed identity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vdebench.errors import VdeError
from vdebench.protocols.masks.protocol import MaskProtocol
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.protocols.protocol import Protocol
from vdebench.registry import find

PROTOCOLS = {
    "strict": "vdebench.protocols.pages.strict:STRICT",
    "vde-v3": "vdebench.protocols.pages.papers:VDE_V3",
    "vde-v1": "vdebench.protocols.pages.papers:VDE_V1",
    "vde-release": "vdebench.protocols.pages.release:VDE_RELEASE",
}
"""Protocols for pages of text."""
MASK_PROTOCOLS = {
    "strict": "vdebench.protocols.masks.protocol:STRICT",
    "textedit": "vdebench.protocols.masks.protocol:TEXTEDIT",
    "textedit-release": "vdebench.protocols.masks.protocol:TEXTEDIT_RELEASE",
}
"""Protocols for images with masks."""
AnyProtocol = str | PageProtocol | MaskProtocol
"""A protocol or the name of one."""


def get_protocol(name: str) -> PageProtocol:
    """Return the page protocol with this name, including the metrics that other packages add to it.

    >>> get_protocol("strict").match
    'assign-3'
    """
    protocol: PageProtocol = find("protocols", name, PROTOCOLS)
    return protocol.with_added_metrics()


def get_mask_protocol(name: str) -> MaskProtocol:
    """Return the mask protocol with this name.

    >>> get_mask_protocol("textedit").against
    'right answer'
    """
    protocol = find("protocols", name, {**PROTOCOLS, **MASK_PROTOCOLS})
    if not isinstance(protocol, MaskProtocol):
        raise VdeError(
            f"{name!r} compares the text of pages; a suite of images with masks is scored by: "
            f"{', '.join(MASK_PROTOCOLS)}"
        )
    return protocol


def protocol_for(track: str, protocol: AnyProtocol) -> PageProtocol | MaskProtocol:
    """Return the protocol that scores a suite of a track: one name may have an implementation for each.

    >>> [protocol_for(track, "strict").track for track in ("pages", "pixels")], protocol_for("pages", "textedit").track
    (['pages', 'pixels'], 'pixels')
    """
    if isinstance(protocol, str):
        found: PageProtocol | MaskProtocol = find("protocols", protocol, {**MASK_PROTOCOLS, **PROTOCOLS})
    else:
        found = protocol
    if track == "pixels" and found.track != track:
        return get_mask_protocol(found.name)
    return found.with_added_metrics() if isinstance(protocol, str) and isinstance(found, PageProtocol) else found


def protocol_of(summary: Mapping[str, Any]) -> PageProtocol | MaskProtocol:
    """Return the protocol of a run from its summary.

    >>> protocol_of({"protocol": "strict", "track": "pixels"}).compared[:2]
    ('score', 'done')
    """
    return protocol_for(str(summary.get("track", "pages")), str(summary["protocol"]))


__all__ = [
    "MASK_PROTOCOLS",
    "PROTOCOLS",
    "AnyProtocol",
    "MaskProtocol",
    "PageProtocol",
    "Protocol",
    "get_mask_protocol",
    "get_protocol",
    "protocol_for",
    "protocol_of",
]
