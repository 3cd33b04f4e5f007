"""The writer of HTML: everything is escaped unless it was made here."""

from explanations import HOSTILE

from webhook.cli.drawing.html_tags import STYLE
from webhook.cli.drawing.html_tags import Html
from webhook.cli.drawing.html_tags import document
from webhook.cli.drawing.html_tags import join
from webhook.cli.drawing.html_tags import svg_title
from webhook.cli.drawing.html_tags import tag


def test_text_and_attributes_are_escaped_and_made_visible() -> None:
    made = tag("b", HOSTILE, title=HOSTILE)

    assert "<script>" not in made
    assert made.isprintable()
    assert made.count('"') == 2


def test_elements_nest_without_being_escaped_again() -> None:
    assert tag("p", "a & ", tag("b", "c"), None) == "<p>a &amp; <b>c</b></p>"


def test_attributes_lose_their_underscores() -> None:
    assert tag("p", class_="x", data_cpu=1, id=None) == '<p class="x" data-cpu="1"></p>'


def test_elements_without_an_end_have_none() -> None:
    assert (tag("meta", charset="utf-8"), tag("rect", x=1)) == ('<meta charset="utf-8">', '<rect x="1"/>')


def test_children_are_joined() -> None:
    assert join(["<", Html("<br>"), None, "a"], " ") == "&lt; <br> a"


def test_a_title_comes_before_its_shapes() -> None:
    assert svg_title("CPU 1", tag("rect")) == "<g><title>CPU 1</title><rect/></g>"


def test_a_page_forbids_itself_everything_but_its_style() -> None:
    page = document("<t>", "body", style="p{}")

    assert page.startswith("<!DOCTYPE html>\n")
    assert "default-src &#x27;none&#x27;; style-src &#x27;unsafe-inline&#x27;" in page
    style = STYLE.read_text("utf-8")
    assert f"<title>&lt;t&gt;</title>\n<style>{style}p{{}}</style>" in page
