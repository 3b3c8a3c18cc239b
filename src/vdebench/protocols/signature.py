"""The string that pins a score: without it a number is not a score."""

from __future__ import annotations

from vdebench import __version__
from vdebench.given import Given
from vdebench.protocols.protocol import Protocol


def signature(
    protocol: Protocol,
    *,
    local: str,
    reader: str,
    truth: str,
    images: str,
    suite: str,
    revision: str,
    n: int,
    references: str = "",
    given: Given = Given(),  # noqa: B008 (it cannot change)
) -> str:
    """Everything that changes the numbers, in one line, as sacreBLEU does.

    >>> from vdebench.protocols import get_protocol
    >>> exact, pins = get_protocol("exact"), {"suite": "s", "revision": "0f" * 32, "n": 942}
    >>> signature(exact, local="crop", reader="r@1", truth="suite", images="off", **pins)
    'vde|p:exact|v:0.1.0|match:assign-2|tok:script|local:crop|reader:r@1|truth:suite|images:off|in:whole,rgb-1|rewriter:none|suite:s@sha256:0f0f0f0f0f0f|n:942'
    """
    parts = {
        "p": protocol.name,
        "v": __version__,
        "match": protocol.match,
        "tok": protocol.tok,
        "local": local,
        "reader": reader,
        "truth": truth,
        "images": images,
        **given.pins,
        "suite": f"{suite}@sha256:{revision[:12]}" + (f"+images:{references[:12]}" if references else ""),
        "n": str(n),
    }
    return "vde|" + "|".join(f"{key}:{value.replace('|', '/')}" for key, value in parts.items())
