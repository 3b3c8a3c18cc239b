"""An independent check that an instruction names one place of the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz.fuzz import partial_ratio

_QUOTED = re.compile(r"“([^”]*)”|\"([^\"]*)\"")


def plain(text: str) -> str:
    """Text without spaces, in one width, TeX's plus-minus as the sign."""
    text = re.sub(r"\$ *\\pm *\$", "±", text)
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text)).replace("～", "~").replace("–", "-").replace("—", "-")


def quotations(instruction: str) -> list[str]:
    """What it quotes."""
    return [one or other for one, other in _QUOTED.findall(instruction)]


def language_fits(instruction: str, language: str) -> bool:
    """Whether its own words are of the page's language."""
    han = bool(re.search("[一-鿿]", _QUOTED.sub("", instruction)))
    return {"english": not han, "simplified_chinese": han}.get(language, True)


def texts_of(annotation: dict) -> tuple[list[str], list[str]]:
    """Texts and cells of an OmniDocBench page."""
    texts, cells = [], []
    for element in annotation["layout_dets"]:
        if element["category_type"] == "table":
            cells += [
                plain(re.sub("<[^>]*>", "", c)) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", element["html"])
            ]
        else:
            texts.append(plain(element.get("text") or ""))
    return texts, cells


def names_one_place(instruction: str, operation: str, texts: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether what is quoted of the page is there once, and what is new is not there."""
    quoted = [plain(each) for each in quotations(instruction)]
    if operation == "table_structure":  # the name of a row or column; its new cells may say what others say
        return any(cells.count(each) == 1 for each in quoted[:2])
    everywhere = [*texts, *cells]
    once = [each for each in quoted if sum(text.count(each) for text in everywhere) == 1]
    if operation.startswith("text"):
        return len(once) == 1 and not any(each in text for each in quoted if each not in once for text in everywhere)
    named = [each for each in quoted if cells.count(each) == 1]
    return len(named) == 2 or (len(named) == 1 and named[0] in once)


def is_read(instruction: str, target: str, operation: str, lines: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether an OCR engine sees what is quoted of the page, the same or nearly, and text not twice."""
    everywhere = "\n".join(lines)
    quoted = [plain(each) for each in quotations(instruction)]
    named = [each for each in quoted if cells.count(each) == 1] if operation.startswith("table") else []
    for each in named or [plain(target)]:
        if each not in everywhere and partial_ratio(each, everywhere) < 88:
            return False
        if operation.startswith("text") and everywhere.count(each) > 1:
            return False
    return True
