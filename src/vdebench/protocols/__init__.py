"""Which metrics, how matched, tokenised and averaged; a protocol owns its signature."""

from vdebench.protocols.pages.protocol import Protocol
from vdebench.registry import find

PROTOCOLS = {
    "strict": "vdebench.protocols.pages.strict:STRICT",
    "vde-v3": "vdebench.protocols.pages.papers:VDE_V3",
    "vde-v1": "vdebench.protocols.pages.papers:VDE_V1",
    "vde-release": "vdebench.protocols.pages.release:VDE_RELEASE",
}


def get_protocol(name: str) -> Protocol:
    """The protocol of a name, with the metrics that other packages add to it.

    >>> get_protocol("strict").match
    'assign-3'
    """
    protocol: Protocol = find("protocols", name, PROTOCOLS)
    return protocol.with_added_metrics()


__all__ = ["PROTOCOLS", "Protocol", "get_protocol"]
