"""SVG drawings, legible on light and dark pages, with all text escaped.

Every shape has the colours of a light page in its attributes, so that any program can draw it; a style sheet changes
them if the browser prefers dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

FONTS = "system-ui, 'Noto Sans', 'Noto Sans SC', sans-serif"
SIZE = 12.0
LEFT = 16.0
"""Left margin."""
_LONGEST = 860.0  # width of a title
_LIGHT = {"paper": "#ffffff", "ink": "#1b1f24", "soft": "#5a6470", "line": "#c3cad2", "empty": "#eceff2"}
_DARK = {"paper": "#14171b", "ink": "#e7eaee", "soft": "#a0aab6", "line": "#3d454f", "empty": "#262b32"}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\uabff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003ffff]"
)
Anchor = Literal["start", "middle", "end"]


def safe(text: str) -> str:
    """Escape a text for XML.

    >>> safe("报告 <b> & \\x00")
    '报告 &lt;b&gt; &amp; \ufffd'
    """
    return escape(_NO_XML.sub("\ufffd", text))


def width_of(text: str, size: float = SIZE) -> float:
    """Approximate width of a text; a Chinese character is a square.

    >>> width_of("报告", 10), width_of("ab", 10)
    (20.0, 12.0)
    """
    wide = len(_WIDE.findall(text))
    return size * (wide + 0.6 * (len(text) - wide))


def shortened(text: str, limit: float, size: float = SIZE) -> str:
    """Shorten a text to a width, with an ellipsis.

    >>> shortened("academic_literature", 60, 10)
    'academic_…'
    """
    if width_of(text, size) <= limit:
        return text
    while text and width_of(text + "…", size) > limit:
        text = text[:-1]
    return text + "…"


def wide_enough(minimum: float, title: str, says: str) -> float:
    """The width of a drawing with room for its heading."""
    return max(minimum, *(2 * LEFT + min(_LONGEST, width_of(text, size)) for text, size in ((title, 15), (says, 11.5))))


class Drawing:
    """An SVG builder: origin at the top left, in pixels."""

    def __init__(self, width: float, height: float, title: str, describes: str = "") -> None:
        self.width, self.height, self.title, self.describes = width, height, title, describes
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        content: str,
        *,
        anchor: Anchor = "start",
        size: float = SIZE,
        fill: str = "ink",
        weight: int = 400,
        turned: float = 0,
        tooltip: str = "",
    ) -> None:
        """A text with its base line at (x, y), rotated by `turned` degrees."""
        position = f'x="{x:.1f}" y="{y:.1f}"'
        if turned:
            position = f'transform="translate({x:.1f} {y:.1f}) rotate({turned:g})"'
        style = _paint(fill=fill)
        style += f' text-anchor="{anchor}"' if anchor != "start" else ""
        style += f' font-size="{size:g}"' if size != SIZE else ""
        style += f' font-weight="{weight}"' if weight != 400 else ""
        self._parts.append(f"<text {position} {style}>{_title_element(tooltip)}{safe(content)}</text>")

    def heading(self) -> None:
        """The title and the caption."""
        for y, content, size, fill, weight in (
            (24, self.title, 15, "ink", 600),
            (42, self.describes, 11.5, "soft", 400),
        ):
            self.text(LEFT, y, shortened(content, _LONGEST, size), size=size, fill=fill, weight=weight)

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, *, edge: str = "", tooltip: str = ""
    ) -> None:
        """A rectangle."""
        shape = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self._shape("rect", f"{shape} {_paint(fill=fill, stroke=edge)}", tooltip)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = "line", *, dashed: bool = False) -> None:
        """A straight line."""
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        position = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self._shape("line", f"{position} {_paint(stroke=stroke)}{dashes}")

    def polyline(
        self, points: Iterable[tuple[float, float]], stroke: str, *, dashed: bool = False, tooltip: str = ""
    ) -> None:
        """A line through points."""
        dashes = ' stroke-dasharray="4 2"' if dashed else ""
        position = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._shape(
            "polyline", f'points="{position}" {_paint(fill="none", stroke=stroke)} stroke-width="1.6"{dashes}', tooltip
        )

    def circle(self, x: float, y: float, radius: float, fill: str, *, tooltip: str = "") -> None:
        """A filled circle."""
        self._shape("circle", f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" {_paint(fill=fill)}', tooltip)

    def path(self, data: str, fill: str, *, edge: str = "paper", tooltip: str = "") -> None:
        """A filled path."""
        self._shape("path", f'd="{data}" {_paint(fill=fill, stroke=edge)}', tooltip)

    @contextmanager
    def moved(self, x: float, y: float) -> Iterator[None]:
        """Draw what follows with another origin."""
        self._parts.append(f'<g transform="translate({x:g} {y:g})">')
        yield
        self._parts.append("</g>")

    def _shape(self, name: str, attributes: str, tooltip: str = "") -> None:
        title = _title_element(tooltip)
        self._parts.append(f"<{name} {attributes}>{title}</{name}>" if title else f"<{name} {attributes}/>")

    def svg(self) -> str:
        """Return the SVG."""
        width, height = f"{self.width:.0f}", f"{self.height:.0f}"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                f'height="{height}" font-family={quoteattr(FONTS)} font-size="{SIZE:g}" role="img">',
                f"<title>{safe(self.title)}</title>",
                *([f"<desc>{safe(self.describes)}</desc>"] if self.describes else []),
                f"<style>@media (prefers-color-scheme: dark) {{ {_dark()} }}</style>",
                f'<rect width="{width}" height="{height}" {_paint(fill="paper")}/>',
                *self._parts,
                "</svg>\n",
            ]
        )


def _paint(**colours: str) -> str:
    """Attributes of colours; names of `_LIGHT` get a class, so that they change on dark pages; "" is none."""
    present = {attribute: colour for attribute, colour in colours.items() if colour}
    classes = [f"vde-{attribute}-{colour}" for attribute, colour in present.items() if colour in _LIGHT]
    painted = [f'{attribute}="{_LIGHT.get(colour, colour)}"' for attribute, colour in present.items()]
    return " ".join([f'class="{" ".join(classes)}"'] * bool(classes) + painted)


def _dark() -> str:
    return " ".join(
        f".vde-{attribute}-{name} {{ {attribute}: {colour} }}"
        for name, colour in _DARK.items()
        for attribute in ("fill", "stroke")
    )


def _title_element(words: str) -> str:
    return f"<title>{safe(words)}</title>" if words else ""
