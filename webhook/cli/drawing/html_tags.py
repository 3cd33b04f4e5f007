"""Writes HTML in which nothing can be forgotten to be escaped: whatever is not `Html` is foreign text."""

import html
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from typing import TypeAlias

from webhook.domain.visible import visible

STYLE: Final = Path(__file__).with_name("page.css")


class Html(str):
    """Text that is HTML already; only this module makes it."""

    __slots__ = ()


Child: TypeAlias = "str | Html | None"
"""Text to escape, HTML, or nothing."""

_VOID = frozenset({"meta", "rect"})


def tag(name: str, /, *children: Child, **attributes: object) -> Html:
    """Make an element; a trailing `_` of an attribute's name is dropped, other `_` become `-`, None leaves it out.

    >>> tag("b", "<script>", class_="x")
    '<b class="x">&lt;script&gt;</b>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Html(f"<{name}{written}>" if name == "meta" else f"<{name}{written}/>")
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Iterable[Child], between: str = "") -> Html:
    """Put children one after the other, escaping what is not HTML."""
    return Html(between.join(_child(child) for child in children if child is not None))


def svg_title(text: str, *shapes: Html) -> Html:
    """Make a group of shapes with a text that appears under the pointer, and for screen readers."""
    return tag("g", tag("title", text), *shapes)


def document(title: str, *body: Child, style: str = "") -> Html:
    """Make a page that loads nothing and runs nothing; `style` is our own, after the style that all pages have."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = join(
        [
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name_="color-scheme", content="light dark"),
            tag("title", title),
            tag("style", Html(STYLE.read_text(encoding="utf-8") + style)),
        ],
        "\n",
    )
    return Html(f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{join(body)}\n</body>\n</html>\n')


def _child(child: str) -> str:
    return child if isinstance(child, Html) else _text(child)


def _text(text: str) -> str:
    return html.escape(visible(text))
