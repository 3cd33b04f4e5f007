"""Policy and profile files, read from disk or text."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from webhook.domain.errors import PolicyError
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.sources.machines import FOLDER
from webhook.sources.machines import load_machine
from webhook.sources.policy_file import BUILT_IN
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import load_profile
from webhook.sources.policy_file import load_profiles
from webhook.sources.policy_file import parse_stream

POLICY = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: mine}\n"
PROFILE = (
    "---\napiVersion: numagate.io/v1alpha1\nkind: NodeProfile\nmetadata: {name: NAME}\nspec: {machine: dgx-h100}\n"
)


def profile(name: str) -> str:
    """Write a document of a class named `name`."""
    return PROFILE.replace("NAME", name)


def test_without_a_file_the_built_in_policy_holds_and_no_class_is_known() -> None:
    loaded = load_policy()
    assert loaded.policy.name == "default"
    assert loaded.classes == ()
    assert loaded.source == "built-in policy"


def test_the_built_in_policy_passes_all_checks_of_a_user_s_file() -> None:
    assert load_policy(BUILT_IN).policy == load_policy().policy


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n"])
def test_an_empty_file_is_the_built_in_policy(text: str) -> None:
    assert parse_stream(text, "p.yaml").policy == load_policy().policy


def test_a_policy_says_only_what_differs() -> None:
    loaded = parse_stream(POLICY + "spec: {modes: {enforce: none}}\n", "p.yaml")
    assert loaded.policy.name == "mine"
    assert loaded.policy.modes == Modes(enforce=Level.NONE)
    assert loaded.policy.recognition == load_policy().policy.recognition


@pytest.mark.parametrize("spec", ["", "spec:\n", "spec: {}\n", "spec: {modes: null, repair: {share: null}}\n"])
def test_a_policy_that_says_nothing_is_the_built_in_one_under_another_name(spec: str) -> None:
    policy = parse_stream(POLICY + spec, "p.yaml").policy
    assert (policy.modes, policy.repair) == (load_policy().policy.modes, load_policy().policy.repair)
    assert policy.name == "mine"


def test_profiles_stand_beside_the_policy_in_the_order_of_the_file() -> None:
    loaded = parse_stream(POLICY + profile("b") + profile("a"), "p.yaml")
    assert [node_class.name for node_class in loaded.classes] == ["b", "a"]
    assert loaded.classes[0].cells == load_machine("dgx-h100").cells
    assert not loaded.classes[0].assumed


def test_a_profile_that_completes_what_nodes_report_is_no_class_of_its_own() -> None:
    part = profile("part").replace("{machine: dgx-h100}", "{selector: {matchLabels: {a: b}}, kubelet: {}}")
    loaded = parse_stream(POLICY + part + profile("whole"), "p.yaml")
    assert [node_class.name for node_class in loaded.classes] == ["whole"]


def test_given_profiles_replace_those_of_the_file() -> None:
    machine = load_machine("generic-2x4")
    loaded = parse_stream(POLICY + profile("b"), "p.yaml", profiles=[machine])
    assert loaded.classes == (machine,)


def test_the_generation_changes_with_policy_and_classes() -> None:
    texts = [POLICY, POLICY + "spec: {classes: all}\n", POLICY + profile("b"), POLICY + profile("c")]
    assert len({parse_stream(text, "p.yaml").policy.generation for text in texts}) == 4


def test_the_generation_does_not_change_with_spelling() -> None:
    one = POLICY + "spec: {classes: all, repair: {headroom: {memory: 1Gi}}}\n"
    two = POLICY + "spec:\n  repair:\n    headroom:\n      memory: 1024Mi\n  classes: all\n"
    assert parse_stream(one, "a").policy == parse_stream(one, "b").policy
    assert parse_stream(one, "a").policy.generation == parse_stream(two, "a").policy.generation


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            POLICY + "---\n" + POLICY,
            'p.yaml:7: metadata.name: a second AlignmentPolicy is named "mine": give each its own',
        ),
        (profile("a") + profile("a"), 'p.yaml:9: metadata.name: a second NodeProfile is named "a": give each its own'),
        (
            profile("a").replace("dgx-h100", "dgx-h10"),
            'p.yaml:5: spec.machine: "dgx-h10" is no machine of the library: did you mean dgx-h100?',
        ),
        (
            profile("a").replace("}\nspec: {", "}\nspec: {kubelet: {reservedMemory: []}, "),
            "p.yaml:5: spec.kubelet: the kubelet would not start: ",
        ),
    ],
)
def test_a_stream_that_contradicts_itself_is_refused(text: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_stream(text, "p.yaml")
    assert message in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"absent\.yaml: cannot be read: No such file or directory"):
        load_policy(tmp_path / "absent.yaml")


def test_a_folder_is_no_policy(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be read: Is a directory"):
        load_policy(tmp_path)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_bytes(b"a: \xff")
    with pytest.raises(PolicyError, match=r"p\.yaml: cannot be read: not UTF-8 at byte 3"):
        load_policy(file)


def test_a_profile_is_a_machine_or_a_file_of_profiles(tmp_path: Path) -> None:
    file = tmp_path / "classes"
    file.write_text(profile("a") + profile("b"), encoding="utf-8")
    assert [node_class.name for node_class in load_profiles("h100-2x4")] == ["generic-2x4"]
    assert [node_class.name for node_class in load_profiles(str(file))] == ["a", "b"]
    assert all(node_class.assumed for node_class in load_profiles(str(file), assumed=True))


def test_one_profile_is_not_several(tmp_path: Path) -> None:
    file = tmp_path / "classes.yaml"
    file.write_text(profile("a") + profile("b"), encoding="utf-8")
    with pytest.raises(PolicyError, match=r"one NodeProfile is wanted here, not 2 \(a, b\)"):
        load_profile(str(file))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (POLICY, "kind: AlignmentPolicy is no profile: give a policy with --policy"),
        ("# nothing\n", "no NodeProfile with a machine in it: write at least one"),
    ],
)
def test_a_file_without_profiles_is_no_profile(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "classes.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        load_profiles(str(file))
    assert message in str(caught.value)


def test_a_profile_that_is_neither_machine_nor_file_is_refused() -> None:
    with pytest.raises(PolicyError, match=r'"dgx-x100" is no machine of the library: did you mean dgx-[ah]100'):
        load_profiles("dgx-x100")
    with pytest.raises(PolicyError, match=r"absent\.yaml: cannot be read"):
        load_profiles("absent.yaml")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Answer the path of every value inside a document."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, (*path, key))


def put(document: object, path: tuple[str | int, ...], value: object) -> object:
    """Answer the document with another value at `path`."""
    if not path:
        return value
    changed = copy.deepcopy(document)
    parent: Any = changed
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    return changed


DOCUMENTS = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in (BUILT_IN, FOLDER / "generic-2x4.yaml")]
PLACES = [(document, path) for document in DOCUMENTS for path in places(document)]


@given(place=st.sampled_from(PLACES), value=VALUES)
def test_whatever_stands_in_a_document_the_answer_is_a_policy_or_one_line(
    place: tuple[object, tuple[str | int, ...]], value: object
) -> None:
    document, path = place
    try:
        parse_stream(json.dumps(put(document, path, value)), "p.yaml")
    except PolicyError as error:
        assert str(error).isprintable()  # noqa: PT017 - both outcomes are right


@given(st.text())
def test_any_text_is_a_policy_or_one_line(text: str) -> None:
    try:
        parse_stream(text, "p.yaml")
    except PolicyError as error:
        assert str(error).isprintable()  # noqa: PT017 - both outcomes are right
