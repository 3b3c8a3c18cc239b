"""Grammar of English edit instructions, as regular expressions.

Quotations are replaced by placeholders before matching: `⟦0⟧` is the first one. `request.parse` uses this module.
"""

from __future__ import annotations

import regex

ORDINALS = {
    **{
        word: str(number)
        for number, word in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh"], 1)
    },
    "last": "-1",
}
_UNSUPPORTED = (
    ("it is conditional: it leaves open whether to edit", r"\b(?:if|unless|in case)\b"),
    (
        "it asks for more than one edit",
        r"\b(?:and|then|also)\s+(?:then\s+|also\s+)?(?:replace|change|delete|remove|insert|add)\b",
    ),
    (
        "it changes a table's structure",
        r"\b(?:merge|split|combine|join)\b|\b(?:new|add a|insert a|whole|entire) (?:row|column)\b"
        r"|\b(?:delete|remove|take out) the (?:row|column)\b|\brows? ⟦\d⟧ and ⟦\d⟧ .*\bone row\b|\bone column\b"
        r"|\badd a (?:row|column)\b|\bswap\b",
    ),
    (
        "it changes the appearance or position of text, not the text",
        r"\b(?:bold|italic|underline|colou?r|font|align|aligned|alignment|scale|resize|size|enlarge|shrink|move)\b"
        r"|^(?:set|make|put) .*⟦\d⟧ (?:in )?(?:red|blue|green|orange|purple|black|larger|smaller)\b"
        r"|^(?:take|the) .*\b(?:put it|belongs)\b",
    ),
)

_QUOTE = r"⟦\d+⟧"
_NOUN = (
    r"(?:(?:the|this|that|a|an|its) )?(?:(?:column|row) (?:header|heading|label) )?"
    r"(?:(?!(?:with|to|by|after|before|row|column|cell|under|somewhere)\b)[\w.-]+ ){0,4}?"
)
_PLACE = (
    rf"(?:,? ?(?P<place>(?:in|on|at|of|from|within|under|near|below|above|inside)"
    rf" (?:(?!row|column|cell|with\b|to\b|by\b)[\w().-]+ ?){{1,8}})?"
    rf"(?:,? ?(?:in |of |from |within )?(?:the )?(?:\w+ ){{0,2}}?(?:(?<=\b(?:sentence|phrase|paragraph|text"
    rf"|line|title|heading) ))(?P<within>{_QUOTE})(?: [\w() -]+)?)?)?"
)
_TABLE = r"(?:(?:the|this|that) (?:[\w-]+ )?table(?: ⟦\d+⟧)?|table [\w.]+)"
_NUMBER = r"\d+|first|second|third|fourth|fifth|sixth|seventh|last"
_ROW = (
    rf"(?:the )?(?:row (?:labelled |labeled |for |named |of )?(?P<row>{_QUOTE}|\d+)|(?P<row>{_QUOTE}|{_NUMBER}) row"
    rf"|(?:entry|value|cell|figure|number) for (?P<row>{_QUOTE}))"
)
_COLUMN = (
    rf"(?:the )?(?:column (?:headed |labelled |labeled |for |named )?(?P<column>{_QUOTE}|\d+)|(?P<column>{_QUOTE}"
    rf"|{_NUMBER}) column"
    rf"|(?<=under )(?P<column>{_QUOTE}))"
)
_AND = r"(?:,| and| under| in| of|, under|, in)? "
_CELL = rf"(?:(?:in|at|of|for|from) )?(?:{_ROW}{_AND}(?:under )?{_COLUMN}|{_COLUMN}{_AND}{_ROW})"
_IN_TABLE = rf"(?:,? (?:in|of|from|inside) {_TABLE})?"
_VALUE = r"(?:the )?(?:empty )?(?:value|cell|entry|text|content|contents|number|figure)?"
_END = r"[.!;]?"
_START = r"(?:please |kindly |can you |could you )?"
_TO = r"(?:with|to|by|into|to read|to say|as|so that it (?:becomes|reads|says)|so it reads)"


def _compile(pattern: str) -> regex.Pattern[str]:
    return regex.compile(rf"{_START}{pattern}{_END}", regex.IGNORECASE | regex.V0)


_AT_CELL = rf"(?:{_VALUE} ?{_CELL}{_IN_TABLE})"
_HEAD = rf"(?:in {_TABLE},? )?"
_SET = r"(?:change|replace|set|update|modify|edit|correct)"

PATTERNS = [
    # cells
    ("replace", _compile(rf"{_HEAD}{_SET} {_AT_CELL}(?: from (?P<target>{_QUOTE}))? {_TO} (?P<new>{_QUOTE})")),
    ("replace", _compile(rf"{_HEAD}{_SET} {_VALUE} ?(?P<target>{_QUOTE}) {_CELL}{_IN_TABLE} {_TO} (?P<new>{_QUOTE})")),
    ("replace", _compile(rf"{_HEAD}fill {_AT_CELL} with (?P<new>{_QUOTE})")),
    ("replace", _compile(rf"{_HEAD}(?:enter|write|put) (?P<new>{_QUOTE}) (?:in|into) {_AT_CELL}")),
    ("replace", _compile(rf"{_AT_CELL} is empty: (?:write|enter|put) (?P<new>{_QUOTE}) in it")),
    ("insert_after", _compile(rf"{_HEAD}(?:add|append|insert|write|put) (?P<new>{_QUOTE}) (?:(?:right |directly"
        rf" )?after|to) {_AT_CELL}")),
    ("insert_before", _compile(rf"{_HEAD}(?:add|insert|write|put) (?P<new>{_QUOTE}) (?:right |directly )?"
        rf"before {_AT_CELL}")),
    ("delete", _compile(rf"{_HEAD}(?:delete|clear|remove|erase|empty) {_AT_CELL}(?:(?: and|;|,) (?:leave )?the"
        rf" cell (?:stays )?(?:empty|blank))?")),
    # whole blocks
    ("delete_block", _compile(rf"(?:delete|remove|take out) the (?:whole |entire )?[\w -]+? (?:that begins with"
        rf"|beginning with|that starts with|starting with) (?P<target>{_QUOTE})(?: entirely| completely)?")),
    ("delete_block", _compile(rf"the [\w -]+? (?:that begins with|beginning with|that starts with|starting with)"
        rf" (?P<target>{_QUOTE}) should be (?:taken out|removed|deleted)")),
    ("insert_block", _compile(rf"below the [\w -]+? (?:that begins with|beginning with|starting with) "
        rf"(?P<target>{_QUOTE}), add a new [\w -]+?: (?P<new>{_QUOTE})")),
    ("insert_block", _compile(rf"insert a new [\w -]+? reading (?P<new>{_QUOTE}) (?:directly |right )?(?:after"
        rf"|below) the [\w -]+? (?:that begins with|beginning with|starting with) (?P<target>{_QUOTE})")),
    ("insert_block", _compile(rf"add the [\w -]+? (?P<new>{_QUOTE}) (?:right |directly )?(?:after|below) the [\w"
        rf" -]+? (?:that begins with|beginning with|starting with) (?P<target>{_QUOTE})")),
    # text
    ("replace", _compile(rf"(?:replace|change|edit|modify|update|correct|rewrite|substitute|turn|amend) {_NOUN}"
        rf"(?:from )?(?P<target>{_QUOTE}){_PLACE} {_TO} {_NOUN}(?P<new>{_QUOTE})")),
    ("replace", _compile(rf"(?:replace|change|edit|modify|update|correct|rewrite|substitute|turn|amend) {_NOUN}"
        rf"(?:from )?(?P<target>{_QUOTE}) {_TO} {_NOUN}(?P<new>{_QUOTE}){_PLACE}")),
    ("replace", _compile(rf"where (?:the page|it|the text) (?:says|reads) (?P<target>{_QUOTE}), (?:it|the page)"
        rf" should (?:say|read) (?P<new>{_QUOTE})")),
    ("replace", _compile(rf"(?P<target>{_QUOTE}) should (?:be|read|become|say|be (?:changed to|replaced (?:with"
        rf"|by))) (?P<new>{_QUOTE})")),
    ("replace", _compile(rf"(?:use|write|put) (?P<new>{_QUOTE}) (?:instead of|in place of|for) "
        rf"(?P<target>{_QUOTE}){_PLACE}")),
    ("insert_after", _compile(rf"(?:insert|add|append|put|write|place) {_NOUN}(?P<new>{_QUOTE}) (?:directly |right "
        rf"|immediately |just )?(?:after|behind|following) {_NOUN}(?P<target>{_QUOTE}){_PLACE}")),
    ("insert_after", _compile(rf"(?:after|following|behind) {_NOUN}(?P<target>{_QUOTE}){_PLACE},? (?:insert|add|put"
        rf"|write|place|the text should go on with) {_NOUN}(?:sentence: )?(?P<new>{_QUOTE})")),
    ("insert_before", _compile(rf"(?:insert|add|put|write|place) {_NOUN}(?P<new>{_QUOTE}) (?:directly |right "
        rf"|immediately |just )?(?:before|in front of) {_NOUN}(?P<target>{_QUOTE}){_PLACE}")),
    ("insert_before", _compile(rf"(?:before|in front of) {_NOUN}(?P<target>{_QUOTE}){_PLACE},? (?:insert|add|put"
        rf"|write|place) {_NOUN}(?:sentence: )?(?P<new>{_QUOTE})")),
    ("delete", _compile(rf"(?:delete|remove|erase|take out|cut|drop|strike) {_NOUN}(?P<target>{_QUOTE}){_PLACE}(?:"
        rf" and close the gap| entirely| completely)?")),
]  # fmt: skip
"""Action and pattern; the first pattern that matches the whole instruction is used."""


def unsupported_reason(words: str) -> str:
    """Return why the instruction is not supported; empty if nothing speaks against it."""
    return next((reason for reason, pattern in _UNSUPPORTED if regex.search(pattern, words, regex.IGNORECASE)), "")


_BARE = regex.compile(
    r"(?:please )?(?:replace|change) (?!(?:the|a|an|all|some|every|it|this|that|these|those)\b)"
    r"(\S+(?: \S+){0,5}?) (?:with|to|by) (?!be\b)((?:\S+ ){0,5}\S*[^\s.])\.?",
    regex.IGNORECASE,
)
_PLACE_IN_VALUE = regex.compile(r"\b(?:in|on|at|from|under|below|above) (?:the|this|that)\b", regex.IGNORECASE)


def guess_quotes(words: str) -> tuple[str, list[str]]:
    """Treat the values of `Replace 2023 with 2024` as quotations; empty if they cannot be identified.

    >>> guess_quotes("Replace 2023 with 2024.")
    ('Replace ⟦0⟧ with ⟦1⟧', ['2023', '2024'])
    """
    match = _BARE.fullmatch(words)
    if not match or _PLACE_IN_VALUE.search(match[2]):
        return words, []
    return "Replace ⟦0⟧ with ⟦1⟧", [match[1], match[2]]
