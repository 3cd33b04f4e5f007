"""The service is down while `enforce` is installed: accelerator pods wait for it, and nothing else does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from caseworlds import worlds
from controlplane.case_service import CaseService
from controlplane.case_service import asked
from controlplane.case_service import create_namespace
from controlplane.cluster import ControlPlane
from controlplane.process import until
from gpupods import REPAIRED
from gpupods import gpu_pod
from gpupods import gpu_workload
from gpupods import plain_pod

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


@pytest.fixture(scope="module")
def service(case_certificates: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CaseService]:
    """Run a service that tests may halt."""
    running = CaseService(worlds()[0], certificates=case_certificates, folder=tmp_path_factory.mktemp("outage"))
    try:
        running.until_ready()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def outage(
    control_plane: ControlPlane,
    service: CaseService,
    rendered_configurations: list[dict[str, Any]],
    namespace_names: Iterator[str],
) -> Iterator[str]:
    """Halt the service after it has admitted a pod `one`; answer the namespace that waits for it."""
    name = create_namespace(control_plane, next(namespace_names))
    with asked(control_plane, service, rendered_configurations, [name]):
        control_plane.kubectl("create", "-f", "-", input=gpu_pod(name))
        service.halt()
        yield name


def test_an_accelerator_pod_is_refused_by_the_api_server(control_plane: ControlPlane, outage: str) -> None:
    done = control_plane.kubectl("create", "-f", "-", input=gpu_pod(outage, "two"), check=False)

    assert done.returncode == 1
    assert done.stderr.startswith("Error from server (InternalError): error when creating")
    assert 'failed calling webhook "pods.mutate.numagate.io": failed to call webhook: ' in done.stderr


def test_a_pod_without_accelerators_is_created(control_plane: ControlPlane, outage: str) -> None:
    done = control_plane.kubectl("create", "-f", "-", input=plain_pod(outage))

    assert (done.stdout, done.stderr) == ("pod/plain created\n", "")


@pytest.mark.parametrize("kind", ["CronJob", "PodTemplate"])
def test_an_object_with_a_template_is_created(control_plane: ControlPlane, outage: str, kind: str) -> None:
    done = control_plane.kubectl("create", "-f", "-", input=gpu_workload(kind, outage))

    assert (done.stdout.endswith("/one created\n"), done.stderr) == (True, "")


def test_a_promise_stays_as_it_is(control_plane: ControlPlane, outage: str) -> None:
    done = control_plane.kubectl("-n", outage, "annotate", "pod/one", "numagate.io/alignment-", check=False)

    assert done.returncode == 1
    assert 'failed calling webhook "promise.validate.numagate.io"' in done.stderr


def test_running_pods_do_not_notice(control_plane: ControlPlane, outage: str) -> None:
    path = f"/api/v1/namespaces/{outage}/pods/one"
    running = {"status": {"phase": "Running"}}

    labelled = control_plane.request("PATCH", path, {"metadata": {"labels": {"team": "a"}}}, content=MERGE)
    held = control_plane.request("PATCH", path, {"metadata": {"finalizers": ["example.com/a"]}}, content=MERGE)
    released = control_plane.request("PATCH", path, {"metadata": {"finalizers": None}}, content=MERGE)
    reported = control_plane.request("PATCH", f"{path}/status", running, content=STRATEGIC)
    deleted = control_plane.request("DELETE", f"{path}?dryRun=All")

    assert [answer.status for answer in (labelled, held, released, reported, deleted)] == [200] * 5


def test_controllers_try_again_until_the_service_is_back(
    control_plane: ControlPlane, service: CaseService, outage: str
) -> None:
    control_plane.kubectl("create", "-f", "-", input=gpu_workload("ReplicaSet", outage, "late", REPAIRED))
    events = f"/api/v1/namespaces/{outage}/events"
    (event,) = until(lambda: control_plane.request("GET", events).body["items"], what="a refusal")

    service.start()
    service.until_ready()
    path = f"/api/v1/namespaces/{outage}/pods?labelSelector=case=late"
    (made,) = until(lambda: control_plane.request("GET", path).body["items"], what="the pod", seconds=60)

    assert 'failed calling webhook "pods.mutate.numagate.io"' in event["message"]
    assert made["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "8"
