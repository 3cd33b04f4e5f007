"""What all documents share: strictness, and errors that say what to write."""

from typing import Literal

import pytest
from pydantic import Field

from webhook.config.document import read_stream
from webhook.config.schema import Bytes
from webhook.config.schema import Envelope
from webhook.config.schema import Model
from webhook.config.schema import check_model
from webhook.domain.errors import PolicyError

HEAD = "apiVersion: numagate.io/v1alpha1\nkind: Sample\nmetadata: {name: x}\nspec:\n"


class Part(Model):
    """A part with one required field."""

    size: Bytes
    mode_name: Literal["fast", "slow"] | None = None


class Spec(Model):
    """Fields of all sorts."""

    text: str | None = None
    number: int | None = None
    flag: bool | None = None
    parts: list[Part] | None = Field(None, min_length=1)
    by_name: dict[str, Part] | None = None


class Sample(Envelope):
    """A document."""

    spec: Spec | None = None


def check(text: str) -> None:
    """Hold one document against the sample's grammar."""
    (document,) = read_stream(text, "p.yaml")
    check_model(document, Sample)


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "  text: null\n",
        "  text: a\n  number: 1\n  flag: true\n  parts: [{size: 1Gi, modeName: fast}]\n  byName: {a/b: {size: 0}}\n",
    ],
)
def test_what_the_grammar_allows_passes(spec: str) -> None:
    check(HEAD + spec)


def test_what_the_api_server_adds_passes() -> None:
    check("apiVersion: numagate.io/v1alpha1\nkind: Sample\nmetadata: {name: x, uid: y}\nstatus: {a: 1}\n")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("  txt: a\n", "p.yaml:5: spec.txt: unknown field: did you mean text?"),
        ("  parts:\n  - size: 1\n    mode_name: fast\n", "p.yaml:7: spec.parts[0].mode_name: unknown field: did you"),
        ("  zzz: 1\n", "spec.zzz: unknown field: write one of byName, flag, number, parts, text"),
        ("  text: 1.30\n", "p.yaml:5: spec.text: 1.3 is not text (quote it)"),
        ('  number: "1"\n', 'p.yaml:5: spec.number: "1" is not a whole number'),
        ("  number: true\n", "spec.number: true is not a whole number"),
        ('  flag: "true"\n', 'spec.flag: "true" is not true or false'),
        ("  parts: {}\n", "spec.parts: a map is not a list"),
        ("  parts: []\n", "spec.parts: a list is empty: write at least one"),
        ("  byName: []\n", "spec.byName: a list is not a map"),
        ("  byName: {a/b: 1}\n", "spec.byName[a/b]: 1 is not a map"),
        ("  parts:\n  - size: 1\n  - modeName: fast\n", "p.yaml:7: spec.parts[1].size: required, but not written"),
        ("  parts: [{size: 1, modeName: Fast}]\n", 'spec.parts[0].modeName: "Fast" is not known: did you mean fast?'),
        ("  parts: [{size: x}]\n", "spec.parts[0].size: 'x' is not a quantity"),
        ("  text: 1\n  number: a\n  flag: b\n", "p.yaml:5: spec.text: 1 is not text (quote it) (+2 more)"),
    ],
)
def test_what_it_does_not_allow_is_refused_with_line_field_and_remedy(spec: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        check(HEAD + spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ("", "p.yaml:1: metadata: required, but not written"),
        ("metadata: {}\n", "p.yaml:3: metadata.name: required, but not written"),
        (
            "metadata: {name: A_b}\n",
            'metadata.name: "A_b" has signs that are not allowed here: it must match ^[a-z0-9]',
        ),
        ("metadata: {name: 1}\n", "metadata.name: 1 is not text (quote it)"),
    ],
)
def test_every_document_needs_a_name(metadata: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        check("apiVersion: numagate.io/v1alpha1\nkind: Sample\n" + metadata)
    assert message in str(caught.value)
