"""The conditions agree with the policy; what the API server makes of them is tested against a real one."""

import re

import hypothesis
import hypothesis.strategies as st
import pytest

from webhook.domain.policy import Accelerators
from webhook.manifests import match
from webhook.manifests.choices import read_settings

DEFAULT = read_settings().policy.accelerators


class Text(str):
    """A CEL string for Python's `eval`."""

    __slots__ = ()

    def startsWith(self, prefix: str) -> bool:  # noqa: N802 - CEL's spelling
        """Tell what CEL would."""
        return self.startswith(prefix)

    def endsWith(self, suffix: str) -> bool:  # noqa: N802
        """Tell what CEL would."""
        return self.endswith(suffix)

    def contains(self, part: str) -> bool:
        """Tell what CEL would."""
        return part in self

    def matches(self, expression: str) -> bool:
        """Tell what RE2 would of the expressions that we write."""
        return re.search(expression, self) is not None


def holds(expression: str, **variables: str) -> bool:
    python = expression.replace("||", " or ").replace("&&", " and ").replace("!(", " not (").replace("\n", " ")
    names = {name: Text(value) for name, value in variables.items()} | {"true": True, "false": False}
    return bool(eval(python.strip(), {"__builtins__": {}}, names))  # noqa: S307 - our own expression


WORDS = (
    "nvidia.com/",
    "amd.com/",
    "gpu",
    "mig-",
    "1g.5gb",
    "-memory",
    "-core",
    "spx_nps",
    "1",
    "huawei.com/",
    "Ascend",
)


@hypothesis.given(st.lists(st.sampled_from(WORDS), max_size=4).map("".join) | st.sampled_from(DEFAULT.never))
def test_the_condition_knows_the_same_accelerators_as_the_built_in_policy(resource: str) -> None:
    assert holds(match.accelerator("k", DEFAULT), k=resource) == DEFAULT.includes(resource)


PATTERNS = st.lists(st.sampled_from(["a", "b", "/", "*", "?", "a/b", "-"]), min_size=1, max_size=5).map("".join)


@hypothesis.given(
    st.lists(PATTERNS, max_size=4).map(tuple),
    st.lists(PATTERNS, max_size=4).map(tuple),
    st.text("ab/-", max_size=6),
)
def test_the_condition_knows_the_same_accelerators_as_any_policy(
    count: tuple[str, ...], never: tuple[str, ...], resource: str
) -> None:
    accelerators = Accelerators(count=count, never=never)

    assert holds(match.accelerator("k", accelerators), k=resource) == accelerators.includes(resource)


@pytest.mark.parametrize("count", [("a.io/x[12]",), ("a.io/[!1]*",), ("a.io/x[]1]",)])
def test_a_set_of_characters_lets_through_more_but_never_less(count: tuple[str, ...]) -> None:
    accelerators = Accelerators(count=count, never=())

    for resource in ("a.io/x1", "a.io/x2", "a.io/x]", "a.io/21"):
        assert holds(match.accelerator("k", accelerators), k=resource) >= accelerators.includes(resource)


def test_a_set_of_characters_that_excludes_is_left_to_the_service() -> None:
    accelerators = Accelerators(count=("a.io/*",), never=("a.io/[xy]",))

    assert holds(match.accelerator("k", accelerators), k="a.io/x")


def test_resources_without_a_slash_are_told_at_once() -> None:
    assert match.accelerator("k", DEFAULT).startswith("k.contains('/') && (")


def test_an_accelerator_without_a_slash_gets_no_shortcut() -> None:
    accelerators = Accelerators(count=("gpu*",), never=())

    assert match.accelerator("k", accelerators) == "k.startsWith('gpu')"


def test_no_accelerators_match_nothing() -> None:
    assert match.accelerator("k", Accelerators(count=(), never=())) == "false"


@pytest.mark.parametrize(
    ("value", "written"),
    [("nvidia.com/gpu", "'nvidia.com/gpu'"), ("it's", '"it\'s"'), ('a"\\', '"a\\"\\\\"'), ("a\nb", '"a\\nb"')],
)
def test_texts_cannot_break_out_of_the_expression(value: str, written: str) -> None:
    assert match.text(value) == written


def test_namespaces_are_excluded_by_pattern() -> None:
    condition = match.namespace_is_none_of(["openshift-*", "*-system"], "name")
    names = ("openshift-dns", "gpu-system", "team-a")

    assert [holds(condition, name=name) for name in names] == [False, False, True]


def test_what_is_in_no_namespace_is_in_none_that_is_exempt() -> None:
    condition = match.namespace_is_none_of(["openshift-*"], "request.namespace")

    assert condition == "!has(request.namespace) || !(request.namespace.startsWith('openshift-'))"


def test_a_namespace_pattern_with_a_set_excludes_nothing() -> None:
    assert match.namespace_is_none_of(["team-[ab]"], "name") == "!(false)"


def test_both_directions_of_a_change_are_seen() -> None:
    condition = match.key_changed()

    assert "[object.?metadata.?labels.orValue({}), oldObject.?metadata.?labels.orValue({})]" in condition
    assert "[oldObject.?metadata.?annotations.orValue({}), object.?metadata.?annotations.orValue({})]" in condition


def test_templates_at_several_paths_share_one_condition() -> None:
    condition = match.templates([("spec", "template"), ("template",), ("spec", "template")], DEFAULT)

    assert condition.startswith("[object.?spec.?template.orValue({}), object.?template.orValue({})].exists(t,\n")


def test_templates_inside_a_list_or_map_are_looked_for_in_each_member() -> None:
    condition = match.templates([("spec", "groups", "*", "template")], DEFAULT)

    assert condition.startswith(
        "[object.?spec.?groups.orValue([])].map(x, type(x) == list ? x : x.map(k, x[k]))[0].exists(e0,\n"
        "  [e0.?template.orValue({})].exists(t,\n"
    )


def test_templates_that_are_members_themselves_need_no_selection() -> None:
    condition = match.templates([("spec", "templates", "*")], DEFAULT)

    assert ".exists(e0,\n  [e0].exists(t,\n" in condition


def test_no_templates_match_nothing() -> None:
    assert match.templates([], DEFAULT) == "false"


@pytest.mark.parametrize("line", match.pod("object", DEFAULT).splitlines())
def test_conditions_are_written_in_lines_that_fit_a_review(line: str) -> None:
    assert len(line) <= 120
