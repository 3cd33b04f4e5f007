"""Paths of pods in objects of a kind."""

import pytest

from webhook.domain import pod_path


@pytest.mark.parametrize("text", [".spec.template", ".spec.roles[*].template", ".spec.a-b_c[*].d[*]", "."])
def test_a_path_is_written_as_it_was_read(text: str) -> None:
    assert pod_path.write(pod_path.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "spec", ".spec.", "..spec", ".spec[0]", ".spec[*][*]", ".1a", ".spec.a/b", ".spec.*", " .spec"]
)
def test_what_is_no_path_is_refused_with_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no path: write field names like \.spec\.roles\[\*\]\.template"):
        pod_path.parse(text)


def test_members_of_lists_and_maps_are_followed_in_their_order() -> None:
    content = {"spec": {"b": {"x": [{"t": 1}, {}, {"t": 2}]}, "a": {"x": [{"t": 3}]}}}
    found = list(pod_path.follow(content, pod_path.parse(".spec[*].x[*].t")))
    assert found == [(("spec", "b", "x", 0, "t"), 1), (("spec", "b", "x", 2, "t"), 2), (("spec", "a", "x", 0, "t"), 3)]


@pytest.mark.parametrize("content", [None, [], "x", {"spec": None}, {"spec": "x"}, {"spec": {"roles": "x"}}])
def test_nothing_is_found_in_what_has_another_shape(content: object) -> None:
    assert list(pod_path.follow(content, pod_path.parse(".spec.roles[*].template"))) == []


@pytest.mark.parametrize(
    ("path", "found"),
    [(("a", 1), 2), (("a", 5), None), (("a", "b"), None), (("b", 0), None), ((), {"a": [1, 2]})],
)
def test_what_lies_at_a_place_is_answered_or_nothing(path: tuple[str | int, ...], found: object) -> None:
    assert pod_path.at({"a": [1, 2]}, path) == found
