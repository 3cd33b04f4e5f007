"""Label selectors against labels, as the API server matches them."""

import pytest

from webhook.domain.selector import LabelRequirement
from webhook.domain.selector import LabelSelector

LABELS = {"app": "llm", "tier": "gold"}


@pytest.mark.parametrize(
    ("operator", "key", "values", "expected"),
    [
        ("In", "app", ("llm", "other"), True),
        ("In", "app", ("other",), False),
        ("In", "absent", ("llm",), False),
        ("NotIn", "app", ("llm",), False),
        ("NotIn", "absent", ("llm",), True),
        ("Exists", "app", (), True),
        ("Exists", "absent", (), False),
        ("DoesNotExist", "app", (), False),
        ("DoesNotExist", "absent", (), True),
    ],
)
def test_each_operator(operator: str, key: str, values: tuple[str, ...], *, expected: bool) -> None:
    assert LabelRequirement(key, operator, values).matches(LABELS) == expected


def test_all_requirements_must_be_met_and_none_matches_everything() -> None:
    app, tier = LabelRequirement("app", "Exists"), LabelRequirement("tier", "In", ("silver",))
    selectors = [LabelSelector((app, tier)), LabelSelector((app,)), LabelSelector()]
    assert [one.matches(LABELS) for one in selectors] == [False, True, True]
    assert selectors[0].keys == {"app", "tier"}


def test_it_is_written_as_kubectl_takes_it() -> None:
    requirements = (
        LabelRequirement("app", "In", ("a", "b")),
        LabelRequirement("tier", "NotIn", ("c",)),
        LabelRequirement("old", "DoesNotExist"),
        LabelRequirement("new", "Exists"),
    )
    assert str(LabelSelector(requirements)) == "app in (a, b),tier notin (c),!old,new"
    assert str(LabelSelector()) == "any labels"
