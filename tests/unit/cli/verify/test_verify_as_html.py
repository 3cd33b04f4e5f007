"""The page of a node's report: escaped by construction, and it runs and loads nothing."""

from html.parser import HTMLParser

from explanations import HOSTILE
from verifications import hostile
from verifications import reported

from webhook.cli.verify import as_html
from webhook.domain.visible import visible


class Page(HTMLParser):
    """Collects what a browser would make of the page."""

    def __init__(self, text: str) -> None:
        """Read the page."""
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag and the names of its attributes."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.texts.append(data)


def test_the_page_runs_nothing_and_loads_nothing() -> None:
    page = Page(as_html.write(hostile()))

    assert page.tags & {"script", "iframe", "img", "link", "object", "embed", "form", "a"} == {"a"}
    assert [name for name in page.attributes if name.startswith("on") or name in {"src", "style"}] == []
    assert "url(" not in as_html.STYLE.read_text("utf-8")


def test_hostile_names_are_shown_as_text() -> None:
    page = Page(as_html.write(hostile()))

    assert f"Node {visible(HOSTILE)}" in page.texts


def test_each_pod_has_a_place_that_the_overview_leads_to() -> None:
    text = as_html.write(reported())

    assert all(f'href="#p{number}"' in text and f'id="p{number}"' in text for number in range(3))
