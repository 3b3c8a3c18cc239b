"""The languages pages are written in: which words, which fonts, how sentences join and dates are put.

A new one is an entry of `TONGUES` and of `LANGUAGES`, a folder of words in `content/`, a file in `phrasings/`, a font.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from vdebench.errors import InputError, VdeError

_FONT_PACKAGES = ("pylopdf_fonts_zh_cn",)


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """How a tongue is written. Words and phrasings are in files of its code."""

    code: str
    script: str
    """Letters by which its text is known, as a pattern; nothing for the tongue that is taken else."""
    fonts: dict[str, str] = field(compare=False)
    """A family for each style."""
    gap: str
    """What stands between sentences, and before a bracket."""
    comma: str
    colon: str
    indent: float
    """How far a paragraph is indented in books, in sizes."""
    telling: int
    """Letters that are enough to name a block or a sentence."""
    more: float
    """Sentences for one English sentence, to fill as much paper."""
    chapter: str
    parts: tuple[str, str]
    """Numbers of the first two parts of an exam."""
    date: str
    months: tuple[str, ...]
    money: tuple[str, ...]


TONGUES = {
    tongue.code: tongue
    for tongue in (
        LanguageRules(
            code="zh",
            script="[\u3400-\u9fff]",
            fonts={"serif": "Noto Serif SC", "modern": "Noto Serif SC", "sans": "Noto Sans SC", "mono": "Noto Sans SC"},
            gap="",
            comma="、",
            colon="：",
            indent=2.0,
            telling=8,
            more=1.5,
            chapter="第{}章",
            parts=("一、", "二、"),
            date="{year}年{month}月{day}日",
            months=tuple(str(month) for month in range(1, 13)),
            money=("{}亿元", "{}万元"),
        ),
        LanguageRules(
            code="en",
            script="",
            fonts={
                "serif": "Libertinus Serif",
                "modern": "New Computer Modern",
                "sans": "Noto Sans SC",
                "mono": "DejaVu Sans Mono",
            },
            gap=" ",
            comma=", ",
            colon=": ",
            indent=1.3,
            telling=16,
            more=1.0,
            chapter="Chapter {}",
            parts=("I. ", "II. "),
            date="{day} {month} {year}",
            months=(
                *("January", "February", "March", "April", "May", "June"),
                *("July", "August", "September", "October", "November", "December"),
            ),
            money=("${} million", "${} billion"),
        ),
    )
}


def tongue_of(text: str) -> LanguageRules:
    """The tongue a piece of text is written in.

    >>> tongue_of("Mexico 的收入").code
    'zh'
    """
    return next(tongue for tongue in TONGUES.values() if re.search(tongue.script, text))


@dataclass(frozen=True, slots=True)
class Language:
    """A language pages can be written in."""

    code: str
    """How people ask for it."""
    name: str
    """How suites call it."""
    words: tuple[str, ...]
    """Folders of `content/`, the main one first."""
    lang: str
    """Tongue of its instructions, and what the typesetter is told."""
    rtl: bool = False

    @property
    def fonts(self) -> dict[str, list[str]]:
        """Families by style, each with the fonts to try in order: English first, for digits and Latin letters."""
        tongues = [TONGUES["en"], *(TONGUES[code] for code in self.words)]
        return {style: list(dict.fromkeys(tongue.fonts[style] for tongue in tongues)) for style in tongues[0].fonts}


LANGUAGES = {
    language.code: language
    for language in (
        Language("en", "english", ("en",), "en"),
        Language("zh", "simplified_chinese", ("zh",), "zh"),
        Language("mixed", "en_ch_mixed", ("zh", "en"), "zh"),
    )
}


def get_language(code: str) -> Language:
    """The language of a code.

    >>> get_language("zh").name
    'simplified_chinese'
    """
    if code not in LANGUAGES:
        raise InputError(f"no language is called {code!r}; there are: {', '.join(LANGUAGES)}")
    return LANGUAGES[code]


def font_folders() -> list[Path]:
    """Folders of the fonts that come in packages."""
    folders = []
    for package in _FONT_PACKAGES:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise VdeError(f"the fonts of {package} are not installed\n  pip install {package.replace('_', '-')}")
        folders += [Path(place) for place in spec.submodule_search_locations]
    return folders
