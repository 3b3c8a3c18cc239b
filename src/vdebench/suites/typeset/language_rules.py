"""Languages of generated pages: word files, fonts, punctuation, date formats.

Other packages register languages in the entry point group `vdebench.languages`, as `LanguageRules` with a folder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from vdebench.errors import InputError, VdeError
from vdebench.registry import added

_FONT_PACKAGES = ("pylopdf_fonts_zh_cn",)


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """Typographic rules of a language. Words and phrasings are in files named by its code."""

    code: str
    script: str
    """Pattern of letters that identify the language; empty for the default language."""
    fonts: dict[str, str] = field(compare=False)
    """Font family for each font style."""
    separator: str
    """Separator between sentences and before a bracket."""
    comma: str
    colon: str
    indent: float
    """Indent of paragraphs in books, in multiples of the font size."""
    min_quote_length: int
    """Number of letters that suffice to identify a block or a sentence."""
    sentences_per_english_sentence: float
    """Number of sentences that fill as much space as one English sentence."""
    chapter: str
    parts: tuple[str, str]
    """Numbering of the first two parts of an exam."""
    date: str
    months: tuple[str, ...]
    money: tuple[str, ...]
    name: str = ""
    """Name in suites; the code by default."""
    base: str = ""
    """Code of the language whose words and phrasings complete its own."""
    folder: Path | None = None
    """Folder of its words (files as in `content/en/`), of `phrasings.toml` and of fonts, in another package."""
    rtl: bool = False

    @property
    def phrasing(self) -> str:
        """Code of the phrasings of its instructions, and of the typesetter's language."""
        return self.base or self.code


RULES = {
    rules.code: rules
    for rules in (
        LanguageRules(
            code="zh",
            script="[\u3400-\u9fff]",
            fonts={"serif": "Noto Serif SC", "modern": "Noto Serif SC", "sans": "Noto Sans SC", "mono": "Noto Sans SC"},
            separator="",
            comma="、",
            colon="：",
            indent=2.0,
            min_quote_length=8,
            sentences_per_english_sentence=1.5,
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
            separator=" ",
            comma=", ",
            colon=": ",
            indent=1.3,
            min_quote_length=16,
            sentences_per_english_sentence=1.0,
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


@cache
def added_rules() -> dict[str, LanguageRules]:
    """Rules of the languages that other packages add."""
    rules: list[LanguageRules] = list(added("languages").values())
    for each in rules:
        if each.code in LANGUAGES:
            raise VdeError(f"two languages are called {each.code!r}: rename the one of the other package")
    return {each.code: each for each in rules}


def get_rules(code: str) -> LanguageRules:
    """Return the rules of a language by its code."""
    return RULES.get(code) or added_rules()[code]


@dataclass(frozen=True, slots=True)
class Language:
    """A language that pages can be written in."""

    code: str
    """Code on the command line."""
    name: str
    """Name in suites."""
    words: tuple[str, ...]
    """Folders of `content/`, the main one first."""
    lang: str
    """Language of its instructions, and the language setting of the typesetter."""
    rtl: bool = False

    @property
    def fonts(self) -> dict[str, list[str]]:
        """Font families by style, in order of preference: English first, for digits and Latin letters."""
        all_rules = [RULES["en"], *map(get_rules, self.words)]
        return {style: list(dict.fromkeys(rules.fonts[style] for rules in all_rules)) for style in all_rules[0].fonts}

    def rules_of(self, text: str) -> LanguageRules:
        """Return the rules of the language that a text of its pages is written in.

        >>> [get_language("zh").rules_of(text).code for text in ("Mexico 的收入", "Mexico")]
        ['zh', 'en']
        """
        return next(rules for rules in map(get_rules, (*self.words, "en")) if re.search(rules.script, text))


LANGUAGES = {
    language.code: language
    for language in (
        Language("en", "english", ("en",), "en"),
        Language("zh", "simplified_chinese", ("zh",), "zh"),
        Language("mixed", "en_ch_mixed", ("zh", "en"), "zh"),
    )
}


@cache
def all_languages() -> dict[str, Language]:
    """Return all languages by their codes: ours, then those of other packages."""
    others = added_rules().values()
    return LANGUAGES | {
        each.code: Language(each.code, each.name or each.code, (each.code,), each.phrasing, each.rtl) for each in others
    }


def get_language(code: str) -> Language:
    """Return a language by its code; raise `InputError` if there is none.

    >>> get_language("zh").name
    'simplified_chinese'
    """
    known = all_languages()
    if code not in known:
        raise InputError(f"unknown language {code!r}; available: {', '.join(known)}")
    return known[code]


def font_folders() -> list[Path]:
    """Return the folders of fonts from installed packages."""
    folders = [rules.folder for rules in added_rules().values() if rules.folder]
    for package in _FONT_PACKAGES:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise VdeError(f"the fonts of {package} are not installed\n  pip install {package.replace('_', '-')}")
        folders += [Path(location) for location in spec.submodule_search_locations]
    return folders
