"""What a server makes of a pod, read as numagate reads the pod before: on Kubernetes 1.37, and as 1.36 behaves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import casetable
import pytest
from caseanswers import codes_of_refusal
from caseobjects import Object
from casetable import Case
from caseworlds import world_of
from caseworlds import worlds
from controlplane.case_service import CaseService
from controlplane.case_service import asked
from controlplane.case_service import create_namespace
from controlplane.cluster import ControlPlane

from webhook.domain.facts import read

MINORS = ("1.37", "1.36")
PODS = [case for case in casetable.for_runner("apiserver") if case.kind == "Pod"]
STORABLE = [case for case in PODS if case.templates[0].expect.decision != "invalid" and not case.policy]
WITH_BLOCK = [case for case in PODS if "resources" in case.manifest["spec"] and world_of(case) == worlds()[0]]


@pytest.fixture(scope="module")
def older(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server that behaves as 1.36 does."""
    with ControlPlane(programs=programs, controllers=False, api_server_flags=["--emulated-version=1.36"]) as running:
        yield running


@pytest.fixture(scope="module")
def clusters(control_plane: ControlPlane, older: ControlPlane) -> dict[str, ControlPlane]:
    """Name the clusters by the version that they behave as."""
    return dict(zip(MINORS, (control_plane, older), strict=True))


@pytest.fixture(scope="module")
def unseen(clusters: dict[str, ControlPlane]) -> str:
    """Create a namespace in each cluster that numagate is not asked about."""
    for cluster in clusters.values():
        create_namespace(cluster, "unseen")
    return "unseen"


@pytest.fixture(scope="module")
def judged(
    clusters: dict[str, ControlPlane],
    case_certificates: Path,
    rendered_configurations: list[dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """Let both clusters ask one service about a namespace."""
    service = CaseService(worlds()[0], certificates=case_certificates, folder=tmp_path_factory.mktemp("pod-level"))
    try:
        service.until_ready()
        for cluster in clusters.values():
            create_namespace(cluster, "judged")
        with (
            asked(clusters["1.37"], service, rendered_configurations, ["judged"]),
            asked(clusters["1.36"], service, rendered_configurations, ["judged"]),
        ):
            yield "judged"
    finally:
        service.stop()


def create(cluster: ControlPlane, namespace: str, pod: Object) -> Any:
    pod = {**pod, "metadata": {**pod["metadata"], "namespace": namespace}}
    return cluster.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod)


def what_decides(pod: Any) -> list[Any]:
    facts = read(pod)
    return [
        facts.qos,
        facts.resources_set,
        dict(facts.pod_requests),
        dict(facts.pod_limits),
        [(one.name, one.kind, dict(one.requests), dict(one.limits)) for one in facts.containers],
        facts.shm_limits,
        facts.unreadable,
    ]


@pytest.mark.parametrize("case", STORABLE, ids=lambda case: case.id)
def test_a_pod_is_read_before_the_server_as_after_it(
    clusters: dict[str, ControlPlane], unseen: str, case: Case
) -> None:
    answer = create(clusters["1.37"], unseen, case.manifest)

    assert answer.status == 201, answer.body
    assert what_decides(case.manifest) == what_decides(answer.body)
    assert read(case.manifest).qos.value == answer.body["status"]["qosClass"]


REQUESTS = {"requests": {"cpu": "2", "memory": "1Gi"}}
LIMITS = {"limits": {"cpu": "2", "memory": "1Gi"}}
BLOCKS = [
    ({"limits": {"cpu": "4", "memory": "8Gi"}}, REQUESTS),
    ({"limits": {"cpu": "4", "memory": "8Gi"}}, {}),
    ({"requests": {"cpu": "4", "memory": "8Gi"}}, LIMITS),
    ({"requests": {"cpu": "4"}}, LIMITS),
    ({"limits": {"cpu": "4"}}, LIMITS),
    ({"limits": {"hugepages-2Mi": "4Mi", "cpu": "1"}}, {}),
    ({}, REQUESTS),
    ({"requests": {}, "limits": {}}, LIMITS),
]
"""spec.resources, and those of the one container."""


@pytest.mark.parametrize(("block", "own"), BLOCKS, ids=str)
def test_a_pod_level_block_is_filled_in_as_the_server_does(
    clusters: dict[str, ControlPlane], unseen: str, block: Object, own: Object
) -> None:
    container = {"name": "server", "image": "registry.example/app:1", "resources": own}
    spec = {"resources": block, "containers": [container]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": spec}

    answer = create(clusters["1.37"], unseen, pod)

    assert what_decides(pod) == what_decides(answer.body)
    assert read(pod).qos.value == answer.body["status"]["qosClass"]


def refused(case: Case) -> bool:
    return case.templates[0].expect.decision == "deny"


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("case", WITH_BLOCK, ids=lambda case: case.id)
def test_a_pod_with_a_promise_is_guaranteed_on_either_version(
    clusters: dict[str, ControlPlane], judged: str, case: Case, minor: str
) -> None:
    """An empty spec.resources makes a pod BestEffort before 1.37: the validating pass sees that class and refuses."""
    answer = create(clusters[minor], judged, case.manifest)

    assert answer.status == (403 if refused(case) or minor == "1.36" else 201)
    if answer.status == 201:
        assert answer.body["metadata"]["labels"]["numagate.io/level"] == case.templates[0].expect.level
        assert answer.body["status"]["qosClass"] == "Guaranteed"


@pytest.mark.parametrize("case", [one for one in WITH_BLOCK if refused(one)], ids=lambda case: case.id)
def test_a_pod_level_block_is_refused_alike_by_both_versions(
    clusters: dict[str, ControlPlane], judged: str, case: Case
) -> None:
    newer, older = (create(clusters[minor], judged, case.manifest) for minor in MINORS)

    assert (newer.status, newer.body["message"], newer.warnings) == (
        older.status,
        older.body["message"],
        older.warnings,
    )
    assert (newer.status, codes_of_refusal(newer.body["message"])) == (403, set(case.templates[0].expect.faults))
