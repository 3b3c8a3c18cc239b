"""English word patterns for interpreting instructions: operations, positions, signs of several edits."""

from __future__ import annotations

import regex

_Q = r"⟦(\d+)⟧"
_REPLACE = (
    r"replac(?:e|ing)|chang(?:e|ing)|substitut(?:e|ing)|updat(?:e|ing)|modify(?:ing)?|edit(?:ing)?|correct(?:ing)?"
    r"|amend(?:ing)?|rewrit(?:e|ing)|revis(?:e|ing)|alter(?:ing)?|set|turn|rephras(?:e|ing)|renam(?:e|ing)|swap out"
)
_INSERT = (
    r"insert(?:ing)?|add(?:ing)?|append(?:ing)?|put|writ(?:e|ing)|enter|fill(?: in)?|plac(?:e|ing)"
    r"|includ(?:e|ing)|prepend"
)
_DELETE = (
    r"delet(?:e|ing)|remov(?:e|ing)|eras(?:e|ing)|take|tak(?:e|ing) out|drop|cut|strike|clear|omit"
    r"|eliminat(?:e|ing)|empty (?:the|that)|get rid of"
)
VERBS = {"replace": _REPLACE, "insert": _INSERT, "delete": _DELETE}
EDIT = rf"(?:{_REPLACE}|{_INSERT}|{_DELETE}|merge|split|combine|join)"

_LINES = r"(?:rows?|columns?)"
_NEW = (
    r"(?:a|an|one|another|the|two|three)?\s*(?:(?:new|extra|blank|empty|additional|further|single|more"
    r"|whole|entire)\s+){0,2}"
)
_OBJECT = (
    r"(?:the\s+)?(?:(?!in\b|from\b|of\b|under\b|at\b|for\b|within\b|value\b|cell\b|entry\b|text\b"
    r"|content\w*\b)[\w⟦⟧-]+\s+){0,4}?"
)
STRUCTURE = (
    rf"\b(?:insert|add|append|create|include)\s+{_NEW}{_LINES}\b",
    rf"\b(?:delete|remove|drop|take out|erase|eliminate|cut)\s+{_OBJECT}{_LINES}\b(?!\s+(?:header|heading"
    rf"|label|name|title)\b)",
    r"\b(?:merge|split|combine|join|swap|transpose|reorder)\b.*\b(?:cells?|rows?|columns?)\b",
    r"\bcells?\b.*\b(?:merged|split|joined|combined)\b",
    rf"\bnew {_LINES}\b",
    rf"\b{_LINES}\b[^.]*\bshould (?:be (?:removed|deleted|added|taken out|inserted|merged)|become one)\b",
)
ADDED = rf"\b(?:insert|add|append|create|include)\s+(?P<several>two|three)?\s*{_NEW}(?P<line>rows?|columns?)\b"
DELETED = (
    r"\b(?:delete|remove|drop|take out|erase|eliminate|cut)\b"
    r"|\bshould (?:be (?:removed|deleted|taken out|dropped|cut)|go)\b"
)
MERGED = r"\b(?:merged?|combined?|join(?:ed)?)\b|\bbecome one\b"
REARRANGED = r"\b(?:split|swap|transpose|reorder|exchange)\b"
LINE = r"\b(?P<line>rows?|columns?)\b"
NEW_LINE = r"\bnew (?P<line>rows?|columns?)\b"
_BESIDE = (
    r"\b(?:after|before|behind|following|preceding|below|above|beneath|under|underneath|beside|next to|between"
    r"|in front of|(?:right|left) of)\s+"
)
_WORD = r"(?:(?:begin\w*|start\w*)\s+with\s+|(?!(?:with|cells?|values?|read\w*|contain\w*)\b)[\w-]+\s+)"
BESIDE_LINE = (
    rf"{_BESIDE}{_WORD}{{0,4}}?(?:row|column|line)\s+{_WORD}{{0,4}}?⟦(?P<quoted>\d+)⟧",
    rf"{_BESIDE}{_WORD}{{0,5}}?⟦(?P<quoted>\d+)⟧",
)
"""Where a new row or column is to stand; a word such as `row` tells more than none."""
IN_FRONT = r"\b(?:before|preceding|above|in front of|left of)\b"
HEAD = (
    r"\b(?:headed|header|heading|titled|called|named|labell?ed|column)\s*(?:(?:is|reads|with|by|the|text)\s+){0,2}"
    r"[:,]?\s*⟦(?P<quoted>\d+)⟧"
)
IN_TABLE = r"\b(?:table|cells?|rows?|columns?)\b"
NOT_IN_TABLE = (
    r"\b(?:caption|title|heading|note|footnote|text|paragraph|sentence|line)\s+(?:of|for|below|above|under"
    r"|over|before|after|beneath)"
    r"\s+(?:the\s+)?table\b|\btable(?:'s|’s)? (?:caption|title|note)\b|\btable of contents\b"
)
OTHERS = (
    ("scaling", r"\b(?:scale|resize|enlarge|shrink|size|larger|smaller|bigger)\b"),
    (
        "text_attribute",
        r"\b(?:bold|italics?|underlined?|colou?r|font|typeface|highlight)\b|(?:⟧|\b(?:in|to"
        r"|into)) (?:in )?(?:red|blue|green|orange|purple|black|white|yellow)\b",
    ),
    (
        "text_relocation",
        r"\b(?:move|relocate|shift|align|aligned|alignment|centre|center|rotate)\b|\bput it\b|\b(?:exchange"
        r"|swap) the\b.*\b(?:positions?|locations?|places?)\b",
    ),
)
KEEPS = (
    r"(?:[,;]|\band\b|\bwhile\b|(?<=[.;])|\bbut\b)?\s*\b(?:keep(?:ing)?|preserv(?:e|ing)|maintain(?:ing)?"
    r"|without (?:changing|altering)|match(?:ing)?"
    r"|leav(?:e|ing) (?:all|everything|the rest|the other)|us(?:e|ing) the same|in the same)\b[^.;⟦]*(?=[.;]|$)"
)
"""A clause on what stays as it is: it asks for nothing."""
FILLS = r"\b(?:empty|blank) (?:cell|field|space|entry)\b|\bis (?:empty|blank)\b"
APPENDS = (
    r"\b(?:append|prepend|after|before|behind|following|in front of|to the (?:value|entry|cell|figure|number|end))\b"
)
"""Beside what a cell says: it is not empty."""
INSTEAD = r"\b(?:instead of|in place of|in lieu of)\b"
SHOULD = (
    ("delete", r"\bshould (?:be (?:removed|deleted|taken out|dropped|cut)|go)\b(?! on)"),
    ("insert", r"\bshould (?:be (?:inserted|added)|go on with)\b"),
    ("replace", r"\bshould (?:be|read|say|become)\b"),
)
BY_ADDING = r"\bby (?:adding|inserting|appending)\b"
BY_REMOVING = r"\bby (?:removing|deleting|dropping)\b"

SEVERAL = (
    rf"\b(?:and|then|also|additionally|furthermore)\s+(?:then\s+|also\s+|please\s+)?{EDIT}\b(?=[^.;]*⟦)",
    rf"[.;!]\s+(?:please\s+|also\s+|then\s+|next,?\s+|finally,?\s+)?{EDIT}\b(?=[^.;]*⟦)",
    r"\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:other\s+)?(?:occurrences?|instances?|mentions?|places?"
    r"|appearances?)\b",
    r"\b(?:everywhere|throughout|wherever|respectively)\b",
    r"\bboth\s+(?:⟦|occurrences|instances|places|mentions)",
    r"⟦\d+⟧\s+(?:and|&)\s+⟦\d+⟧\s+(?:with|to|by|from)\b",
)
"""More than one place, or more than one edit."""
SEVERAL_LINES = (
    r"\b(?:and|then|also)\s+(?:then\s+|also\s+)?(?:delete|remove|add|insert|merge|split|drop)\b",
    rf"[.;]\s+(?:please\s+|also\s+|then\s+)?(?:delete|remove|insert|merge|drop|add)\s+{_NEW}{_LINES}\b",
)
_FILLING = rf"(?:(?!(?:and|or|also|plus|then|to|by|with|{EDIT})\b)[\w'’-]+\s+){{0,6}}"
_AND = r"(?:\b(?:and|or|plus|also|as well as|then)|&)"
_BEHIND, _FRONT = r"(?:after|behind|following|below|beneath)", r"(?:before|preceding|above|in front of)"
_AT = rf"(?:in|of|within|inside|under|near|at|on|for|beside|next to|between|{_BEHIND}|{_FRONT})"
_MENTIONS = (
    r"(?:(?:begin|start|end)\w* with|follow(?:s|ed by)|preced(?:es|ed by)|titled|called|headed|contain\w*"
    r"|with the (?:header|heading|title|label)|keep\w*|leav\w+|preserv\w*|match\w*|not|unlike|like|than|where)"
)
PLACE = (
    rf"\b(?:{_AT}|{_MENTIONS})\s+{_FILLING}:?\s*⟦@⟧",
    rf"\bfrom\s+{_FILLING}⟦@⟧(?!\s+(?:in)?to\b)",
)
"""Where a quotation, the one numbered @, only says where something stands, or what stays."""
BETWEEN = (
    rf"\bbetween\s+{_FILLING}⟦\d+⟧,?\s+and\s+{_FILLING}⟦@⟧",
    rf"\b{_BEHIND}\s[^.;]*⟦\d+⟧,?\s+(?:and\s+)?(?:\w+\s+)?{_FRONT}\s+{_FILLING}⟦@⟧",
    rf"\b{_FRONT}\s[^.;]*⟦\d+⟧,?\s+(?:and\s+)?(?:\w+\s+)?{_BEHIND}\s+{_FILLING}⟦@⟧",
)
"""Where it is the other end of one place."""
_ONE_MORE = (
    r"(?:(?:the|its|another|also|row|column|words?|text|value|cell|figure|number|line|sentence|phrase|remark"
    r"|entry)\s+){0,3}"
)
JOINED = (rf"{_AND}\s*{_ONE_MORE}⟦@⟧", rf"{_AND}\s+(?:(?:also|again)\s+)?{_AT}\s+{_FILLING}⟦@⟧")
"""Where it is one more of what was named before."""
LISTED = r"[,;]\s*⟦@⟧"

_FEW = (
    r"(?:(?:the|a|an|new|following|correct|right|text|phrase|words?|sentence|date|number|value|figure|year"
    r"|heading|title|name|term|amount|note|remark|entry|to|read|say|instead|it)\s*[:,]?\s*){0,5}"
)
NEW = {
    "replace": (
        rf"\b(?:with|to|by|into|as|becomes?|reads?|says?|say|be)\s*[:,]?\s*{_FEW}{_Q}",
        rf"\b(?:use|write|put)\s+{_FEW}{_Q}",
    ),
    "insert": (
        rf"\b(?:insert|add|append|put|write|enter|place|include|prepend|inserting|adding"
        rf"|appending)\s+(?:[\w-]+\s+){{0,6}}?[:,]?\s*{_Q}",
        rf"\b(?:with|reading|reads?|says?|saying|go on with|sentence|remark|note|text)\s*[:,]?\s*{_Q}",
    ),
}
ANCHOR = (
    rf"\b(?:after|before|behind|following|preceding|below|above|beneath|beside|next to|in front of|to"
    rf"|instead of|in place of)\s+(?:[\w-]+\s+){{0,8}}?[:,]?\s*{_Q}",
)
ROW = (
    rf"\brow\s+(?:(?:labell?ed|for|named|of|with|headed|called|starting|beginning|titled|whose|label|is"
    rf"|begins|starts|the|text)\s+){{0,4}}{_Q}",
    rf"{_Q}\s+row\b",
    rf"\b(?:entry|value|cell|figure|number|line)\s+(?:for|of)\s+{_Q}",
)
COLUMN = (
    rf"\bcolumn\s+(?:(?:labell?ed|for|named|of|with|headed|called|titled|whose|heading|header|is|reads"
    rf"|the)\s+){{0,4}}{_Q}",
    rf"{_Q}\s+column\b",
    rf"\b(?:under|headed)\s+(?:(?:the|heading|header)\s+){{0,3}}{_Q}",
)
WITHIN = (
    rf"\b(?:in|of|from|within|under|inside|near|at|on)\s+(?:the|this|that)\s+(?:[\w-]+\s+){{0,3}}?(?:sentence"
    rf"|paragraph|heading|section|line|title"
    rf"|caption|list|item|phrase|table|block|question|text|header|footer|bullet|subsection|subheading"
    rf"|passage)\s+(?:(?:that|which)\s+)?"
    rf"(?:(?:begins|beginning|starts|starting|titled|called|headed|labell?ed|reads|reading|with)\s+){{0,2}}{_Q}",
)


def matches(pattern: str, words: str) -> regex.Match[str] | None:
    """Where a sign is first found."""
    return regex.search(pattern, words, regex.IGNORECASE)


def merged(words: str) -> str:
    """Return the unit to merge: the first of cells, rows and columns named after the verb, or before it."""
    behind = regex.search(r"\b(?:merge|combine|join)\b.*?\b(cell|row|column)s?\b", words, regex.IGNORECASE)
    found = behind or matches(r"\b(cell|row|column)s?\b", words)
    return {"cell": "cells", "row": "row", "column": "column"}[found[1].lower()] if found else ""
