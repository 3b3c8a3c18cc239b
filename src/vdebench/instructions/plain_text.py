"""Check that an answer is plain text, only the instruction, and in the page's language."""

from __future__ import annotations

import regex

from vdebench.core.sample import Operation
from vdebench.instructions.interpretation import classify
from vdebench.instructions.quotations import cut_quotes

LONGEST = 700
_HAN, _LATIN = regex.compile(r"\p{Han}"), regex.compile(r"\p{Latin}{2,}")
_NOT_PLAIN = (
    ("code or markdown", regex.compile(r"```|\*\*|__|^#{1,6} |^>|\]\(|<[a-z]+>|`")),
    ("JSON", regex.compile(r'^\s*[{\[]|"\s*:\s*["\[{]')),
    (
        "a list",
        regex.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.)、]|[（(][一二三四五六七八九十\d]+[)）])\s*\S", regex.MULTILINE),
    ),
    (
        "a label before the instruction",
        regex.compile(
            r"^(?:(?:the|my)\s+)?(?:edit(?:ing)?\s+)?(?:instruction|answer|output|response)(?:\s+is)?\s*[:：]"
            r"|^(?:(?:编辑|修改)?(?:指令|指示|答案|回答|输出))(?:如下|是|为)?\s*[:：]",
            regex.I,
        ),
    ),
    (
        "words before the instruction",
        regex.compile(
            r"^(?:sure(?: thing)?|certainly|of course|okay|ok|absolutely|alright|all right|great|got it|understood|yes"
            r"|no problem)\s*[!,.:;—–-]|^(?:here(?:['’]s|\s+(?:is|are))|below is|this is|the following is)\b"
            r"|^(?:好的?|当然(?:可以)?|没问题|可以|收到|明白了?|嗯|是的)[，,。.！!：:、]|^(?:以下|下面|这)(?:就)?[是为]",
            regex.I,
        ),
    ),
)
_MARKS = ("\"“‘'「『«„", "\"”’'」』»“")
"""Opening and closing quotation marks."""


def not_plain(text: str) -> str:
    """Return what makes an answer more than plain text; empty if it is plain.

    >>> not_plain('Sure! Delete "a".'), not_plain('Delete "a".')
    ('words before the instruction', '')
    """
    words, _ = cut_quotes(text)
    for what, sign in _NOT_PLAIN:
        if sign.search(text if what == "JSON" else words):
            return what
    if regex.search(r"\n\s*\n", text) or text.count("\n") > 2:
        return "several paragraphs"
    if len(text) > LONGEST:
        return f"{len(text):,} characters, expected at most {LONGEST}"
    return "the whole answer in quotation marks" if _is_quoted_whole(text) else ""


def _is_quoted_whole(text: str) -> bool:
    """Whether the whole instruction is in quotation marks."""
    bare = text.rstrip(".。 ")
    marked = len(bare) > 1 and bare[0] in _MARKS[0] and bare[-1] in _MARKS[1]
    return marked and classify(text) is Operation.OTHER and classify(bare[1:-1]) is not Operation.OTHER


def wrong_language(text: str, language: str) -> str:
    """Return what is wrong with the language, ignoring quotations; empty if it is correct.

    >>> wrong_language("将“a”改为“b”。", "english"), wrong_language('Delete "甲".', "english")
    ('it is in Chinese', '')
    """
    words, _ = cut_quotes(text)
    words = regex.sub(r"⟦\d+⟧", " ", words)
    han, latin = len(_HAN.findall(words)), len(_LATIN.findall(words))
    if not han and not latin:
        return "it contains no words"
    if language == "english" and han:
        return "it is in Chinese"
    if language == "simplified_chinese" and (not han or latin > han):
        return "it is not in Chinese"
    return ""
