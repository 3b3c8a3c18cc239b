"""A page under construction: what the builders of all kinds of documents share."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from vdebench.suites.typeset.compose import Composer
from vdebench.suites.typeset.document import Area, Block, BlockStyle, Decor, Document
from vdebench.suites.typeset.language_rules import Language, LanguageRules, get_rules
from vdebench.suites.typeset.words import Writer

PALETTES = (
    ("#1f4e79", "#dce8f3", "#c55a11"),
    ("#2e6b4f", "#e1f0e6", "#b5502b"),
    ("#7a2e3a", "#f5e4e4", "#2f5f73"),
    ("#4b3b78", "#e9e4f3", "#a8761c"),
    ("#0f5b66", "#dcf0f0", "#9b3d5a"),
    ("#8a5a12", "#f8eed9", "#2c5c8a"),
    ("#33475b", "#e6ebf0", "#a8402f"),
)
"""Strong, pale and accent colour."""


class Draft:
    """Words, a palette, styles for every role, and the areas of a page."""

    def __init__(self, language: Language, rng: Random) -> None:
        self.rng = rng
        self.language = language
        self.writer = Writer(language, rng)
        self.topic = self.writer.topic
        self.make = Composer(self.writer)
        self.strong, self.pale, self.accent = rng.choice(PALETTES)
        self.decor: list[Decor] = []
        self.areas: list[Area] = []
        self.paper: str | None = None
        self.styles: dict[str, BlockStyle] = {}

    def use(self, base: BlockStyle, **roles: dict[str, Any]) -> None:
        """Set the styles of the page: those of every role derived from one base, with changes by role."""
        text: dict[str, dict[str, Any]] = {
            "title": {
                "size": base.size * 1.9,
                "bold": True,
                "indent": 0,
                "justify": False,
                "below": 8,
                "leading": 0.12,
            },
            "heading": {"size": base.size * 1.25, "bold": True, "above": 9, "below": 5, "indent": 0, "justify": False},
            "paragraph": {},
            "bullet": {"hang": 1.0, "indent": 0, "justify": False},
            "caption": {"size": base.size * 0.88, "indent": 0, "justify": False, "above": 3, "below": 7},
            "table_title": {
                "size": base.size * 0.88,
                "bold": True,
                "indent": 0,
                "justify": False,
                "above": 7,
                "below": 3,
            },
            "author": {"size": base.size * 1.05, "indent": 0, "justify": False},
            "small": {"size": base.size * 0.82, "indent": 0, "justify": False, "above": 2, "below": 2},
            "header": {"size": base.size * 0.82, "indent": 0, "justify": False},
            "footer": {"size": base.size * 0.8, "indent": 0, "justify": False},
            "number": {"size": base.size * 0.85, "indent": 0, "justify": False},
            "footnote": {"size": base.size * 0.8, "indent": 0, "above": 2, "below": 2},
            "panel": {"panel": self.pale, "inset": 6, "indent": 0, "above": 7, "below": 7, "justify": False},
            "quote": {"size": base.size * 1.3, "italic": True, "ink": self.strong, "bar": self.accent, "inset": 6}
            | {"indent": 0, "justify": False, "above": 8, "below": 8},
            "reference": {"size": base.size * 0.85, "hang": 1.2, "indent": 0, "above": 2, "below": 2},
            "abstract": {"size": base.size * 0.93, "indent": 0},
            "question": {"indent": 0, "hang": 1.2, "justify": False},
            "problem": {"indent": 0, "hang": 1.2, "justify": False},
            "option": {"indent": 1.4, "justify": False, "above": 2, "below": 2},
            "jotting": {"indent": 0, "justify": False},
            "table": {"size": base.size * 0.86, "above": 5, "below": 8, "rule": self.strong}
            | {"style": self.rng.choice(["grid", "open", "lines", "open"]), "pad": self.rng.choice([2.6, 3.2, 4.0])}
            | {"head_panel": self.rng.choice([None, self.pale]), "stripe": self.rng.choice([None, None, "#f3f3f3"])},
            "chart": {"size": base.size * 0.75, "tones": (self.strong, self.accent), "above": 6, "below": 4},
            "formula": {"above": 6, "below": 6},
            "rule": {"rule": self.strong, "above": 5, "below": 5},
        }
        self.styles = {role: replace(base, **(text.get(role, {}) | roles.get(role, {}))) for role in {**text, **roles}}

    def area(self, x: float, y: float, width: float, height: float, body: list[Block], **more: Any) -> None:
        """Add an area with blocks."""
        for part in ("head", "foot"):
            more[part] = tuple(more.get(part, ()))
        self.areas.append(Area(x, y, width, height, tuple(body), **more))

    def band(self, x: float, y: float, width: float, height: float, fill: str | None, **more: Any) -> None:
        """Add a rectangle behind the text."""
        self.decor.append(Decor(x, y, width, height, fill, **more))

    def page_number(self, pattern: str = "{}", align: str = "center") -> Block:
        """Return a page number block."""
        return self.make.text("number", pattern.format(self.rng.randint(2, 480)), align=align)

    def finish(self, kind: str, size: tuple[float, float]) -> Document:
        """Return the document."""
        return Document(
            kind=kind,
            language=self.language.name,
            topic=self.topic,
            width=size[0],
            height=size[1],
            areas=tuple(self.areas),
            styles=self.styles,
            fonts=self.language.fonts,
            decor=tuple(self.decor),
            paper=self.paper,
            lang=self.language.lang,
            rtl=self.language.rtl,
        )

    @property
    def rules(self) -> LanguageRules:
        """Rules of the first language of the page."""
        return get_rules(self.language.words[0])

    def serif(self) -> str:
        """Return a font for running text."""
        return self.rng.choice(["serif", "modern"])

    def indent(self) -> float:
        """Return the indent of paragraphs: that of the language, or 0 at random for languages that permit it."""
        return self.rules.indent if not self.rules.separator else self.rng.choice([0.0, self.rules.indent])

    def with_extras(self, body: list[Block], *extras: list[Block]) -> list[Block]:
        """Insert each list of blocks after a paragraph near the top."""
        body = list(body)
        for extra in extras:
            places = [
                index
                for index in range(1, min(len(body), 9))
                if getattr(body[index - 1], "role", "") == "paragraph"  # never between a heading and its text
            ]
            at = self.rng.choice(places or [len(body)])
            body[at:at] = extra
        return body
