"""TEDS as in VDE Bench's released code: top-down, tags as `html.parser` reports them, spans ignored.

It reproduces the release exactly, including its faults, because published numbers depend on it.
`vdebench.metrics.teds.teds` is the established metric.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser

from rapidfuzz.distance import Levenshtein

from vdebench.errors import TooLargeError
from vdebench.metrics.html_parser import feed
from vdebench.metrics.registry import metric

MAX_NODE_PAIRS = 4_000_000
"""Limit of the comparison, about ten seconds."""
MAX_DEPTH = 900
"""Maximum nesting; deeper trees come from unclosed tags, and the release cannot process them either."""


@metric("teds_release", kind="table", version=2, column="teds")
def teds_top_down(candidate: str, reference: str) -> float:
    """One minus the top-down distance of two HTML trees, divided by the size of the larger; 0 if one is empty.

    >>> teds_top_down("<table><tr><td>a</td></tr></table>", "<table><tr><td>b</td></tr></table>")
    0.6666666666666667
    >>> teds_top_down("<table><tr><td>a</td></tr></table>", "<table><tbody><tr><td>a</td></tr></tbody></table>")
    0.25
    """
    if candidate == reference:
        return 1.0
    nodes = _Nodes()
    first, second = nodes.tree(candidate), nodes.tree(reference)
    if first is None or second is None or first == second:
        return float(first == second)
    sizes = nodes.sizes[first], nodes.sizes[second]
    if sizes[0] * sizes[1] > MAX_NODE_PAIRS:
        raise TooLargeError(f"tables of {sizes[0]:,} and {sizes[1]:,} nodes exceed the limit of the comparison")
    with _deep_recursion():
        return max(0.0, 1.0 - nodes.distance(first, second) / max(sizes))


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Raise the recursion limit for two calls per level of nesting."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 3 * MAX_DEPTH)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class _TreeBuilder(HTMLParser):
    """A start tag opens a node under the current one; an end tag closes the current one whatever its name; a start
    tag at top level becomes the root, so the last one wins; text belongs to the current node.

    The release never calls `close()` on its parser, so an unfinished tag or entity at the end is lost, with the text
    after it. Its nodes are attached when they open: tags that are never closed count as if closed at the end."""

    def __init__(self, nodes: _Nodes) -> None:
        super().__init__(convert_charrefs=True)
        self.root: int | None = None
        self._nodes = nodes
        self._open: list[tuple[str, list[str], list[int]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append((tag, [], []))
        if len(self._open) > MAX_DEPTH:
            raise TooLargeError(f"a table whose tags nest more than {MAX_DEPTH} deep: are they closed?")

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            opened, texts, children = self._open.pop()
            node = self._nodes.add(opened, "".join(texts).strip(), tuple(children))
            if self._open:
                self._open[-1][2].append(node)
            else:
                self.root = node

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1][1].append(data)

    def close_open_tags(self) -> None:
        """Attach the nodes whose end tag is missing."""
        while self._open:
            self.handle_endtag("")


class _Nodes:
    """Subtrees by number: equal subtrees share a number, which makes comparison and caching cheap."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self._parts: list[tuple[str, str, tuple[int, ...]]] = []
        self._numbers: dict[tuple[str, str, tuple[int, ...]], int] = {}
        self._distances: dict[tuple[int, int], float] = {}

    def tree(self, html: str) -> int | None:
        builder = _TreeBuilder(self)
        feed(builder, html, close=False)
        builder.close_open_tags()
        return builder.root

    def add(self, tag: str, text: str, children: tuple[int, ...]) -> int:
        part = (tag, text, children)
        number = self._numbers.setdefault(part, len(self._parts))
        if number == len(self._parts):
            self._parts.append(part)
            self.sizes.append(1 + sum(self.sizes[child] for child in children))
        return number

    def distance(self, a: int, b: int) -> float:
        """Return the cost of the roots plus the cheapest ordered alignment of their children."""
        if a == b:
            return 0.0
        known = self._distances.get((a, b))
        if known is None:
            (tag_a, text_a, children_a), (tag_b, text_b, children_b) = self._parts[a], self._parts[b]
            own = 1.0 if tag_a != tag_b else Levenshtein.normalized_distance(text_a, text_b)
            known = self._distances[a, b] = own + self._alignment(children_a, children_b)
        return known

    def _alignment(self, first: Sequence[int], second: Sequence[int]) -> float:
        """Return the edit distance of two sequences of children; skipping one costs its size."""
        while first and second and first[0] == second[0]:  # equal ends align at no cost, and no better way exists,
            first, second = first[1:], second[1:]  # since a distance is never less than the difference in size
        while first and second and first[-1] == second[-1]:
            first, second = first[:-1], second[:-1]
        sizes = self.sizes
        line = [0.0]
        for b in second:
            line.append(line[-1] + sizes[b])
        for a in first:
            diagonal, size = line[0], sizes[a]
            line[0] += size
            for j, b in enumerate(second, 1):
                cheapest = diagonal + self.distance(a, b)
                diagonal = line[j]
                line[j] = min(cheapest, diagonal + size, line[j - 1] + sizes[b])
        return line[-1]
