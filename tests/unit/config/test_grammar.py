"""Documents against their grammar, and the grammar against its documentation."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from webhook.config.document import read_stream
from webhook.config.grammar import check
from webhook.config.policy_schema import ModesSpec
from webhook.config.policy_schema import PolicySpec
from webhook.config.policy_schema import SelectorSpec
from webhook.config.profile_schema import ProfileSpec
from webhook.config.schema import Model
from webhook.domain.errors import PolicyError

PAGE = Path(__file__).parents[3] / "docs" / "policy.md"


def models(annotation: object) -> Iterator[type[BaseModel]]:
    """Find the models inside a type annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from models(part)


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Write the paths of all fields as the documentation does."""
    for name, field in model.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        yield path
        steps = "[][]" if path == "devices" else "[]" if "list[" in str(field.annotation) else ""
        for part in dict.fromkeys(models(field.annotation)):
            yield from fields(part, f"{path}{steps}.")


def first_column() -> set[str]:
    """Answer what the tables of the page name in their first column."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {match[1] for line in lines if (match := re.match(r"\| `([^`]+)` \|", line))}


@pytest.mark.parametrize("model", [PolicySpec, ProfileSpec])
def test_every_field_is_described_in_the_documentation(model: type[Model]) -> None:
    elsewhere = {"selector", "repair.headroom", *fields(ModesSpec, "namespaces[].modes.")}
    elsewhere |= {*fields(SelectorSpec, "match.podSelector."), *fields(SelectorSpec, "match.namespaceSelector.")}
    assert set(fields(model)) - first_column() - elsewhere == set()


def test_the_documentation_describes_no_field_that_does_not_exist() -> None:
    known = {*fields(PolicySpec), *fields(ProfileSpec)}
    other = {"none", "guaranteed", "exclusive", "aligned", "vllm", "vllm-openai", "tensorflow/serving"}
    assert first_column() - known - other == set()


def test_examples_of_the_documentation_are_documents_or_specs() -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) == 7
    for block in blocks:
        for document in read_stream(block, "policy.md"):
            if "kind" in document.data:
                check(document)
            elif "devices" in document.data:
                ProfileSpec.model_validate({"machine": "generic-2x4", **document.data})
            else:
                PolicySpec.model_validate(document.data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1", 'p.yaml:1: apiVersion: "" is not known: write numagate.io/v1alpha1'),
        ("kind: NodeProfile\napiVersion: numagate.io/v1\n", 'p.yaml:2: apiVersion: "numagate.io/v1" is not known'),
        ("apiVersion: numagate.io/v1alpha1\n", 'p.yaml:1: kind: "" is not known: write one of AlignmentPolicy, Node'),
        (
            "apiVersion: numagate.io/v1alpha1\nkind: nodeprofile\n",
            'p.yaml:2: kind: "nodeprofile" is not known: did you mean NodeProfile?',
        ),
        ("apiVersion: [1]\n", 'p.yaml:1: apiVersion: "" is not known'),
    ],
)
def test_a_document_of_another_api_or_kind_is_refused(text: str, message: str) -> None:
    (document,) = read_stream(text, "p.yaml")
    with pytest.raises(PolicyError) as caught:
        check(document)
    assert message in str(caught.value)
