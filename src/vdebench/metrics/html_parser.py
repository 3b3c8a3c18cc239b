"""Safe use of the standard library's HTML parser."""

from __future__ import annotations

from html.parser import HTMLParser

from vdebench.errors import InputError, TooLargeError

MAX_OPEN = 500
"""Limit of unclosed tags and comments: the parser's time grows with their square."""


def feed(parser: HTMLParser, html: str, *, close: bool = True) -> None:
    """Parse HTML; raise an error for input that would take hours or crash the parser.

    Without `close` the parser drops an unfinished tag or entity at the end and the text after it.

    >>> feed(HTMLParser(), "<td>p < 0.05</td>")
    """
    tags = html.count("<", html.rfind(">") + 1)
    comments = html.count("<!--") - html.count("-->")
    if max(tags, comments) > MAX_OPEN:
        raise TooLargeError(f"a table with {max(tags, comments):,} unclosed tags, more than {MAX_OPEN}")
    try:
        parser.feed(html)
        if close:
            parser.close()
    except AssertionError:  # `<![` that begins no section html.parser knows
        raise InputError(f"a table whose HTML cannot be parsed: {html[:60]!r}") from None
