"""The string that pins a score: without it a number is not a score. Its short form is for people."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from vdebench._version import __version__
from vdebench.core.input_policy import InputPolicy
from vdebench.protocols.digest import DIGITS
from vdebench.protocols.protocol import Protocol

_BEGIN = "vde|"


def signature(
    protocol: Protocol,
    run: Mapping[str, str],
    *,
    suite: str,
    revision: str,
    n: int,
    references: str = "",
    input_policy: InputPolicy = InputPolicy(),  # noqa: B008 (immutable)
) -> str:
    """Return everything that changes the numbers in one line, as sacreBLEU does.

    `rules` is the protocol's digest, and `run` adds what the protocol does not fix, such as the reader.

    >>> from vdebench.protocols import get_protocol
    >>> signature(get_protocol("strict"), {"reader": "r@1"}, suite="s", revision="0f" * 32, n=942)
    'vde|p:strict|rules:...|v:0.1.0|match:assign-3|tok:script|reader:r@1|in:whole,rgb-1|rewriter:none|suite:s@sha256:0f0f0f0f0f0f|n:942'
    """
    parts = {
        "p": protocol.name,
        "rules": protocol.digest[:DIGITS],
        "v": __version__,
        **protocol.identity,
        **run,
        **input_policy.pins,
        "suite": f"{suite}@sha256:{revision[:12]}" + (f"+images:{references[:12]}" if references else ""),
        "n": str(n),
    }
    return as_signature(parts)


def as_signature(parts: Mapping[str, str]) -> str:
    """The parts in one line.

    >>> as_signature({"p": "strict", "n": "9"})
    'vde|p:strict|n:9'
    """
    return _BEGIN + "|".join(f"{key}:{value.replace('|', '/')}" for key, value in parts.items())


def parts_of(signature: str) -> dict[str, str]:
    """A signature by its parts.

    >>> parts_of("vde|p:strict|suite:s@sha256:0f|n:9")
    {'p': 'strict', 'suite': 's@sha256:0f', 'n': '9'}
    """
    return {key: value for key, _, value in (part.partition(":") for part in signature.split("|")[1:])}


_LONGEST = 32
"""Characters of a part of a short signature."""
_SHORT = ("p", "track", "judge", "returned", "reader", "suite", "n", "v")


def short_signature(full: str) -> str:
    """A signature for people: what is most asked for, and a digest of the full one, in a line that fits a paper.

    >>> short_signature("vde|p:strict|v:0.1.0|reader:rapidocr@3.10.0#1a2b3c|in:whole|suite:s@sha256:0f0f|n:9")
    'vde|p:strict|reader:rapidocr@3.10.0|suite:s|n:9|v:0.1.0|full:7ca171ff0d3f'
    """
    parts = parts_of(full)
    shown = {key: _shown(parts[key].partition("#")[0].partition("@sha256:")[0]) for key in _SHORT if key in parts}
    return as_signature({**shown, "full": hashlib.sha256(full.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]})


def _shown(value: str) -> str:
    """A part's value; the beginning of a long one, such as the recipe of a typeset suite."""
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"


def with_short_signature(note: str) -> str:
    """A note below a table with the signature at its end, where it has one, in the short form.

    >>> with_short_signature("mine: vde|p:strict|tok:script|n:9")
    'mine: vde|p:strict|n:9|full:ab030198874f'
    """
    names, colon, rest = note.partition(f": {_BEGIN}")
    return f"{names}: {short_signature(_BEGIN + rest)}" if colon else note
