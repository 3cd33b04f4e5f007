"""Every workload kind finds its pods, counts them, and knows where their parts are written."""

import kindtable
import pytest
from kindtable import Sample

from webhook.domain.pointer import field_path
from webhook.domain.workload import Workload
from webhook.engine.kinds import REGISTERED
from webhook.engine.kinds import workload_of

CONTAINER = ("spec", "containers", 0)
SAMPLES = [pytest.param(sample, id=sample.id) for sample in kindtable.load()]
WITH_PODS = [pytest.param(sample, id=sample.id) for sample in kindtable.load() if "accepted" in sample.objects]
UNSEEN = [pytest.param(sample, id=sample.id) for sample in kindtable.load() if "unseen" in sample.objects]
ELSEWHERE = [pytest.param(sample, id=sample.id) for sample in kindtable.load() if sample.elsewhere is not None]
BY_NAME = {workload.name: workload for workload in REGISTERED}


def workload(sample: Sample) -> Workload:
    group, _, version = sample.api_version.rpartition("/")
    found = workload_of(group, version, sample.kind, REGISTERED)
    assert found is not None
    return found


def test_every_kind_of_the_registry_has_samples() -> None:
    assert {sample.name for sample in kindtable.load()} == set(BY_NAME)


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_kind_is_found_by_group_version_and_kind(sample: Sample) -> None:
    assert workload(sample).name == sample.name


def test_no_two_kinds_answer_for_the_same_objects() -> None:
    keys = [(one.group, version, one.kind) for one in REGISTERED for version in one.versions]
    assert sorted(set(keys)) == sorted(keys)


@pytest.mark.parametrize("sample", WITH_PODS)
def test_the_pods_are_found_at_their_places_and_counted(sample: Sample) -> None:
    found = workload(sample).locate(sample.objects["accepted"])
    assert {field_path(location.root): location.pods for location in found} == dict(sample.pods)


@pytest.mark.parametrize("sample", WITH_PODS)
def test_every_pod_looks_like_a_pod(sample: Sample) -> None:
    for location in workload(sample).locate(sample.objects["accepted"]):
        spec: object = location.pod["spec"]
        assert isinstance(spec, dict)
        assert [one["resources"]["limits"] for one in spec["containers"]] == [
            {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "1"}
        ]


@pytest.mark.parametrize("sample", WITH_PODS)
def test_what_is_inside_a_pod_is_placed_in_the_object(sample: Sample) -> None:
    location = next(iter(workload(sample).locate(sample.objects["accepted"])))
    assert field_path(location.place((*CONTAINER, "resources", "limits", "cpu"))) == sample.cpu


@pytest.mark.parametrize("sample", UNSEEN)
def test_an_object_that_leaves_its_resources_to_the_operator_shows_no_pod_to_judge(sample: Sample) -> None:
    assert not workload(sample).required
    assert [one for one in workload(sample).locate(sample.objects["unseen"]) if not one.unseen] == []


@pytest.mark.parametrize("sample", ELSEWHERE)
def test_an_object_that_names_the_origin_of_its_pods_has_none(sample: Sample) -> None:
    assert sample.elsewhere is not None
    assert workload(sample).is_elsewhere(sample.elsewhere)
    assert list(workload(sample).locate(sample.elsewhere)) == []


@pytest.mark.parametrize("content", [{}, {"spec": None}, {"spec": {}}, {"spec": {"template": []}}, {"template": "x"}])
@pytest.mark.parametrize("sample", SAMPLES)
def test_an_object_without_a_pod_has_none_to_judge(sample: Sample, content: dict[str, object]) -> None:
    found = [one for one in workload(sample).locate(content) if not one.unseen]
    if sample.kind in {"Pod", "Revision"}:
        assert [location.pod for location in found] == [content] * ("spec" in content)
    else:
        assert found == []


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_the_resource_is_the_plural_of_the_kind(name: str) -> None:
    assert f"{BY_NAME[name].kind.lower()}s" == BY_NAME[name].resource
