"""The standard library's HTML parser, kept from what it cannot do."""

from __future__ import annotations

from html.parser import HTMLParser

from vdebench.errors import InputError, TooLargeError

MAX_OPEN = 500
"""Tags and comments that nothing closes: the parser's time grows with their square, and a table has dozens at most."""


def feed(parser: HTMLParser, html: str, *, close: bool = True) -> None:
    """Parse a whole piece of HTML; refuse what would take hours or breaks the parser.

    Without `close` the parser drops what it is still buffering at the end: an unfinished tag or entity and what
    follows it.

    >>> feed(HTMLParser(), "<td>p < 0.05</td>")
    """
    tags = html.count("<", html.rfind(">") + 1)
    comments = html.count("<!--") - html.count("-->")
    if max(tags, comments) > MAX_OPEN:
        raise TooLargeError(f"a table with {max(tags, comments):,} tags that nothing closes, more than {MAX_OPEN}")
    try:
        parser.feed(html)
        if close:
            parser.close()
    except AssertionError:  # `<![` that begins no section html.parser knows
        raise InputError(f"a table whose HTML cannot be parsed: {html[:60]!r}") from None
