"""The definitions of our kinds."""

from collections.abc import Iterator
from typing import Any

import pytest

from webhook.manifests.crds import crds
from webhook.manifests.structural import Schema

POLICY, PROFILE, ALIGNMENT = crds()


def version(crd: Any) -> dict[str, Any]:
    (only,) = crd["spec"]["versions"]
    return only


def fields(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    for name, member in schema.get("properties", {}).items():
        yield f"{path}.{name}", member
        yield from fields(member, f"{path}.{name}")
    for below in ("items", "additionalProperties"):
        if below in schema:
            yield from fields(schema[below], f"{path}[]")


@pytest.mark.parametrize(
    ("crd", "name", "short"),
    [
        (POLICY, "alignmentpolicies.numagate.io", "alignpol"),
        (PROFILE, "nodeprofiles.numagate.io", "nodeprof"),
        (ALIGNMENT, "nodealignments.numagate.io", "nodealign"),
    ],
)
def test_every_kind_is_cluster_wide_and_has_a_short_name(crd: Any, name: str, short: str) -> None:
    assert (crd["metadata"]["name"], crd["spec"]["scope"]) == (name, "Cluster")
    assert crd["spec"]["names"]["shortNames"] == [short]


@pytest.mark.parametrize("crd", [POLICY, PROFILE, ALIGNMENT])
def test_every_field_of_a_spec_says_what_it_is(crd: Any) -> None:
    spec = version(crd)["schema"]["openAPIV3Schema"]["properties"]["spec"]

    assert [path for path, member in fields(spec, "spec") if not member.get("description")] == []


@pytest.mark.parametrize("crd", [POLICY, PROFILE, ALIGNMENT])
def test_every_description_is_one_line(crd: Any) -> None:
    spec = version(crd)["schema"]["openAPIV3Schema"]["properties"]["spec"]

    assert [path for path, member in fields(spec, "spec") if not member["description"].isprintable()] == []


@pytest.mark.parametrize("crd", [POLICY, PROFILE])
def test_the_status_is_written_apart_and_its_conditions_merge_by_type(crd: Any) -> None:
    status = version(crd)["schema"]["openAPIV3Schema"]["properties"]["status"]

    assert version(crd)["subresources"] == {"status": {}}
    assert status["properties"]["conditions"]["x-kubernetes-list-map-keys"] == ["type"]


@pytest.mark.parametrize(
    ("crd", "columns"),
    [
        (POLICY, ["Priority", "Enforce", "Repair", "Accepted", "Age"]),
        (PROFILE, ["Machine", "Nodes", "Accepted", "Age"]),
        (ALIGNMENT, ["NUMA", "Policy", "Aligned", "Misaligned", "Unknown", "Observed", "Age"]),
    ],
)
def test_the_columns_show_what_one_looks_for(crd: Any, columns: list[str]) -> None:
    assert [column["name"] for column in version(crd)["additionalPrinterColumns"]] == columns


def test_a_profile_needs_a_spec_and_a_policy_does_not() -> None:
    assert version(PROFILE)["schema"]["openAPIV3Schema"]["required"] == ["spec"]
    assert "required" not in version(POLICY)["schema"]["openAPIV3Schema"]


@pytest.mark.parametrize("crd", [POLICY, PROFILE, ALIGNMENT])
def test_no_built_in_value_is_written_into_an_object(crd: Any) -> None:
    assert "'default':" not in repr(crd)


def test_what_an_agent_writes_has_no_status_that_another_writes() -> None:
    assert "subresources" not in version(ALIGNMENT)
    assert "status" not in version(ALIGNMENT)["schema"]["openAPIV3Schema"]["properties"]
