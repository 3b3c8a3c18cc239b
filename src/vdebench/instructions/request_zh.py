"""Grammar of Chinese edit instructions, as regular expressions.

Quotations are replaced by placeholders before matching: `⟦0⟧` is the first one. `request.parse` uses this module.
"""

from __future__ import annotations

import regex

ORDINALS = {
    **{f"第{digit}": str(number) for number, digit in enumerate("一二三四五六七八九十", 1)},
    "最后一": "-1",
    "末": "-1",
    "首": "1",
}
_UNSUPPORTED = (
    ("it is conditional: it leaves open whether to edit", "如果|若是|要是|除非"),
    (
        "it asks for more than one edit",
        r"(?:并|然后|再|同时)(?:且)?(?:将|把)?⟦\d+⟧(?:替换|改|删)|⟦\d+⟧[，；](?:并|再|同时|然后)(?:将|把|删|在)",
    ),
    (
        "it changes a table's structure",
        "合并|合成|拆分|一整行|一整列|插入一行|插入一列|新增一行|新增一列|添加一行|添加一列|⟧[行列]删去|删除[^⟧]*的⟦\\d+⟧[行列]。",
    ),
    (
        "it changes the appearance or position of text, not the text",
        "加粗|粗体|斜体|颜色|[红蓝绿橙紫黑]色|字体|字号|对齐|居中|缩放|大小|放大|缩小|移到|挪到|移动|移至",
    ),
)

_QUOTE = r"⟦\d+⟧"
_START = r"(?:请)?(?:你)?(?:帮我)?"
_END = r"[。！；]?"
_TABLE = r"(?:(?:表格|该表|此表|上表|下表|表中|表)(?:⟦\d+⟧)?(?:中|里|内)?的?)"
_NUMBER = r"第[一二三四五六七八九十]|第?\d+|最后一|首|末"
_ROW = rf"(?:(?P<row>{_QUOTE}|{_NUMBER})(?:这|一)?行|(?P<row>{_QUOTE})对应)"
_COLUMN = rf"(?:(?P<column>{_QUOTE}|{_NUMBER})(?:这|一)?(?:列|项|栏)|(?P<column>{_QUOTE})一(?:项|栏))"
_WHAT = r"(?:的)?(?:空)?(?:单元格|值|内容|数值|数据|文字|数字)?(?:中|里|内)?(?:的)?(?:值|内容|数值|数据|文字|数字)?"
_CELL = (
    rf"{_TABLE}?(?:中|里|内)?(?:[，,])?(?:将|把|于|在)?{_TABLE}?(?:{_ROW}(?:[、，的和])?{_COLUMN}"
    rf"|{_COLUMN}(?:[、，的和])?{_ROW}){_WHAT}"
)
_TO = (
    r"(?:替换为|替换成|改为|改成|修改为|修改成|更改为|更改成|换成|换为|更新为|设为|设置为|变为|变成|写成"
    r"|，使其变为|，使其内容为|，使其改为)"
)
_NOUN = (
    r"(?:(?:[\p{Han}\d]{1,8}(?:中|里|内|上|处)的?)?(?:文字|文本|标题|小标题|新闻标题|报头|段落|导语|摘要"
    r"|列表项|笔记行|提示框|引语|图注|表题|文字行|小字行|页眉|页脚|页码|脚注|参考文献|题目|选项行|练习题"
    r"|句子|一句|词|词语|内容|数字|数值|值|短语)?)"
)
_PLACE = r"(?:(?:在)?(?P<place>[\p{Han}\d]{1,8}(?:中|里|内|上|处))(?:的)?)?"
_WITHIN = rf"(?:(?:在)?(?:句子|段落|文字|一句)(?P<within>{_QUOTE})(?:中|里|内)?(?:的)?)?"


def _compile(pattern: str) -> regex.Pattern[str]:
    return regex.compile(rf"{_START}{pattern}{_END}", regex.V0)


_ADD = r"(?:插入|加上|添加|添上|加入|写上|接着写上|增加|补充|填上)"
_CUT = r"(?:删除|删去|删掉|去掉|移除|去除|清除)"
_BEGIN = rf"(?:以)?(?P<target>{_QUOTE})开头的"
_ROLE = r"[\p{Han}]{1,6}?"

PATTERNS = [
    # cells
    ("replace", _compile(rf"(?:在|将|把)?{_CELL}(?:从|由)(?P<target>{_QUOTE}){_TO}(?P<new>{_QUOTE})")),
    ("replace", _compile(rf"(?:在|将|把)?{_CELL}(?P<target>{_QUOTE}){_TO}(?P<new>{_QUOTE})")),
    ("replace", _compile(rf"(?:在|将|把)?{_CELL}(?:{_TO}|填上|填入|填写|写上|填为)(?P<new>{_QUOTE})")),
    ("replace", _compile(rf"(?:在)?{_CELL}为空，请?(?:写上|填上|填入)(?P<new>{_QUOTE})")),
    ("insert_after", _compile(rf"(?:在)?{_CELL}(?:之后|后面|末尾|后){_ADD}(?P<new>{_QUOTE})")),
    ("insert_before", _compile(rf"(?:在)?{_CELL}(?:之前|前面|开头|前){_ADD}(?P<new>{_QUOTE})")),
    ("delete", _compile(rf"(?:在{_TABLE}[，,]?)?(?:{_CUT}|清空){_CELL}(?:[，,](?:并)?(?:将)?单元格(?:留空"
        rf"|保持空白|为空))?")),
    ("delete", _compile(rf"(?:将|把){_CELL}(?:{_CUT}|清空)(?:[，,](?:并)?(?:将)?单元格(?:留空|保持空白|为空))?")),
    # whole blocks
    ("delete_block", _compile(rf"{_CUT}{_BEGIN}(?:整个|整段|整条)?{_ROLE}")),
    ("delete_block", _compile(rf"(?:把|将)?{_BEGIN}(?:整个)?{_ROLE}(?:应)?(?:整体|完全|整个|全部)?{_CUT}")),
    ("insert_block", _compile(rf"(?:紧接)?在{_BEGIN}{_ROLE}(?:下面|之后|后面)，?(?:新增一个|插入新的"
        rf"|添加){_ROLE}：?(?P<new>{_QUOTE})")),
    # text
    ("replace", _compile(rf"(?:将|把|修改|更改|重写|更新){_WITHIN}{_NOUN}(?P<target>{_QUOTE})[，,]?{_TO}{_NOUN}"
        rf"(?P<new>{_QUOTE})")),
    ("replace", _compile(rf"(?:将|把){_PLACE}{_NOUN}(?P<target>{_QUOTE})[，,]?{_TO}{_NOUN}(?P<new>{_QUOTE})")),
    ("replace", _compile(rf"页面(?:上|中)?写着(?P<target>{_QUOTE})的地方应{_TO}(?P<new>{_QUOTE})")),
    ("replace", _compile(rf"用(?P<new>{_QUOTE})(?:替换|代替|取代){_NOUN}(?P<target>{_QUOTE})")),
    ("insert_after", _compile(rf"(?:紧接)?(?:在|于){_PLACE}{_NOUN}(?P<target>{_QUOTE})(?:之后|后面|后边|后)"
        rf"(?:紧接着)?{_ADD}{_NOUN}：?(?P<new>{_QUOTE})")),
    ("insert_before", _compile(rf"(?:紧接)?(?:在|于){_PLACE}{_NOUN}(?P<target>{_QUOTE})(?:之前|前面|前边"
        rf"|前){_ADD}{_NOUN}：?(?P<new>{_QUOTE})")),
    ("delete", _compile(rf"{_CUT}{_WITHIN}{_NOUN}(?P<target>{_QUOTE})(?:这(?:句|句话|段|个词|几个字))?")),
    ("delete", _compile(rf"{_CUT}{_PLACE}{_NOUN}(?P<target>{_QUOTE})")),
    ("delete", _compile(rf"(?:将|把){_WITHIN}{_NOUN}(?P<target>{_QUOTE})(?:这(?:句|句话|段|个词|几个字))?{_CUT}"
        rf"(?:，并将前后文接上)?")),
]  # fmt: skip
"""Action and pattern; the first pattern that matches the whole instruction is used."""


def unsupported_reason(words: str) -> str:
    """Return why the instruction is not supported; empty if nothing speaks against it."""
    return next((reason for reason, pattern in _UNSUPPORTED if regex.search(pattern, words)), "")


_BARE = regex.compile(rf"请?(?:将|把)([\p{{L}}\p{{N}}.,%$-]{{1,20}}?){_TO}([\p{{L}}\p{{N}}.,%$-]{{1,20}}?)。?")
_VAGUE = regex.compile("一处|原来|其中|它|这里|那里|的|一个")


def guess_quotes(words: str) -> tuple[str, list[str]]:
    """Treat the values of `将2023改为2024` as quotations; empty if they cannot be identified.

    >>> guess_quotes("将2023改为2024。")
    ('将⟦0⟧改为⟦1⟧', ['2023', '2024'])
    """
    match = _BARE.fullmatch(words)
    if not match or _VAGUE.search(match[1]):
        return words, []
    return "将⟦0⟧改为⟦1⟧", [match[1], match[2]]
