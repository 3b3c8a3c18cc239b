"""The languages pages are written in: which words, which fonts, how sentences join.

A new one is an entry of `LANGUAGES`, a folder of words in `content/`, a file of phrasings in `phrasings/`, and a font.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from vdebench.errors import InputError, VdeError

LATIN = {
    "serif": "Libertinus Serif",
    "modern": "New Computer Modern",
    "sans": "Noto Sans SC",
    "mono": "DejaVu Sans Mono",
}
HAN = {"serif": "Noto Serif SC", "modern": "Noto Serif SC", "sans": "Noto Sans SC", "mono": "Noto Sans SC"}
_FONT_PACKAGES = ("pylopdf_fonts_zh_cn",)


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
        """Families by style, each with the fonts to try in order."""
        return {style: list(dict.fromkeys([latin, HAN[style]])) for style, latin in LATIN.items()}


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
