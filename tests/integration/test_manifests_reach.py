"""Which requests a real API server sends to numagate, and which never leave it."""

import json
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from controlplane.cluster import ControlPlane
from controlplane.process import until

from webhook.domain.policy import ExemptionRule
from webhook.manifests.choices import read_settings
from webhook.manifests.crds import crds
from webhook.manifests.webhooks import configurations

GPU = {"nvidia.com/gpu": "1", "cpu": "4", "memory": "8Gi"}
BOTH = ["/mutate CREATE pods", "/validate CREATE pods"]
ONE = ["/validate CREATE pods"]
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


@dataclass
class Recorder:
    """An HTTPS server that allows everything and keeps what it was asked."""

    url: str = ""
    ca: bytes = b""
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    """Serve a Recorder for the tests of this file."""
    authority = trustme.CA()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    made = Recorder(ca=authority.cert_pem.bytes())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet

        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = review.pop("request")
            parts = (request["resource"]["resource"], request.get("subResource"))
            resource = "/".join(part for part in parts if part)
            made.asked.append(f"{self.path.split('?')[0]} {request['operation']} {resource}")
            body = json.dumps({**review, "response": {"uid": request["uid"], "allowed": True}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        made.url = f"https://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path], recorder: Recorder) -> Iterator[ControlPlane]:
    """Run an API server that asks the recorder, by a policy with patterns of every form."""
    policy = read_settings().policy
    accelerators = replace(
        policy.accelerators, count=(*policy.accelerators.count, "example.com/a*c*e", "example.com/*_nps1")
    )
    more = ExemptionRule("tests", namespaces=("openshift-*",))
    exemptions = replace(policy.exemptions, rules=(*policy.exemptions.rules, more))
    policy = replace(policy, accelerators=accelerators, exemptions=exemptions)
    items = configurations(policy, url=recorder.url, ca_bundle=recorder.ca)
    with ControlPlane(programs=programs, controllers=False) as running:
        running.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})
        until(lambda: bool(asked(running, recorder, pod(GPU))), what="the first admission request")
        yield running


def pod(limits: dict[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example/app:1", "resources": {"limits": limits or {}}}
    metadata = {"name": "one", **changes.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **changes}}


def init(limits: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"name": "init", "image": "registry.example/app:1", "resources": {"limits": limits}, **more}


def asked(
    cluster: ControlPlane, recorder: Recorder, obj: dict[str, Any], *, namespace: str = "default", path: str = "api/v1"
) -> list[str]:
    """Answer what numagate is asked when `obj` is created, as a dry run."""
    recorder.asked.clear()
    plural = f"{obj['kind'].lower()}s"
    answer = cluster.request("POST", f"/{path}/namespaces/{namespace}/{plural}?dryRun=All", obj)
    assert answer.status == 201, answer.body
    return list(recorder.asked)


PODS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no resources": (pod(), []),
    "every built-in resource": (
        pod({"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "2Mi", "ephemeral-storage": "1Gi"}),
        [],
    ),
    "a GPU": (pod(GPU), BOTH),
    "a MIG slice": (pod({"nvidia.com/mig-1g.5gb": "1"}), BOTH),
    "a partition": (pod({"amd.com/spx_nps1": "1"}), BOTH),
    "a pattern with three parts": (pod({"example.com/a-b-c-d-e": "1"}), BOTH),
    "a pattern with a star in the middle": (pod({"example.com/x_nps1": "1"}), BOTH),
    "a name that only nearly matches": (pod({"example.com/x_nps2": "1"}), []),
    "a name by prefix": (pod({"huawei.com/Ascend910": "1"}), BOTH),
    "a name by prefix that is never one": (pod({"huawei.com/Ascend910-memory": "1"}), []),
    "a NIC": (pod({"nvidia.com/hostdev": "1"}), []),
    "an amount of device memory": (pod({"nvidia.com/gpumem": "1"}), []),
    "a GPU in an init container": (pod(initContainers=[init(GPU)]), BOTH),
    "a GPU in a sidecar": (pod(initContainers=[init(GPU, restartPolicy="Always")]), BOTH),
    "a label of ours": (pod(metadata={"labels": {"numagate.io/level": "aligned"}}), BOTH),
    "an annotation of ours": (pod(metadata={"annotations": {"numagate.io/alignment": "{}"}}), BOTH),
    "a label of another domain": (pod(metadata={"labels": {"x.numagate.io/level": "aligned"}}), []),
    "a claim": (pod(resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]), ONE),
    "a GPU and a claim": (pod(GPU, resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}]), BOTH),
}


@pytest.mark.parametrize("name", list(PODS))
def test_only_pods_that_concern_numagate_reach_it(cluster: ControlPlane, recorder: Recorder, name: str) -> None:
    created, expected = PODS[name]

    assert asked(cluster, recorder, created) == expected


@pytest.mark.parametrize(
    ("name", "labels", "expected"),
    [
        ("team", {}, BOTH),
        ("opted-out", {"numagate.io/admission": "disabled"}, []),
        ("gpu-operator", {}, []),
        ("openshift-dns", {}, []),
        ("numagate-system", {}, []),
    ],
)
def test_exempt_namespaces_never_wait_for_numagate(
    cluster: ControlPlane, recorder: Recorder, name: str, labels: dict[str, str], expected: list[str]
) -> None:
    cluster.create_namespace(name, labels)

    assert asked(cluster, recorder, pod(GPU), namespace=name) == expected


def test_kube_system_never_waits_for_numagate(cluster: ControlPlane, recorder: Recorder) -> None:
    assert asked(cluster, recorder, pod(GPU), namespace="kube-system") == []


def workload(kind: str, limits: dict[str, str]) -> dict[str, Any]:
    labels = {"app": "one"}
    template = {"metadata": {"labels": labels}, "spec": pod(limits)["spec"]}
    selected = {"selector": {"matchLabels": labels}, "template": template}
    job = {"template": {"spec": {**template["spec"], "restartPolicy": "Never"}}}
    spec: dict[str, Any] = {
        "Deployment": selected,
        "ReplicaSet": selected,
        "StatefulSet": selected,
        "DaemonSet": selected,
        "ReplicationController": {"selector": labels, "template": template},
        "Job": job,
        "CronJob": {"schedule": "0 0 * * *", "jobTemplate": {"spec": job}},
    }
    place = {"template": template} if kind == "PodTemplate" else {"spec": spec[kind]}
    return {"kind": kind, "metadata": {"name": "one"}, **place}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("apis/apps/v1", "Deployment"),
        ("apis/apps/v1", "ReplicaSet"),
        ("apis/apps/v1", "StatefulSet"),
        ("apis/apps/v1", "DaemonSet"),
        ("apis/batch/v1", "Job"),
        ("apis/batch/v1", "CronJob"),
        ("api/v1", "PodTemplate"),
        ("api/v1", "ReplicationController"),
    ],
)
def test_templates_reach_numagate_only_with_an_accelerator(
    cluster: ControlPlane, recorder: Recorder, path: str, kind: str
) -> None:
    with_gpu = asked(cluster, recorder, workload(kind, GPU), path=path)
    without = asked(cluster, recorder, workload(kind, {"cpu": "1"}), path=path)

    assert (with_gpu, without) == ([f"/validate CREATE {kind.lower()}s"], [])


@pytest.fixture(scope="module")
def pods(cluster: ControlPlane) -> str:
    """Create a pod with a GPU and one without, gated, so that their node selectors may still change."""
    gates = [{"name": "example.com/wait"}]
    path = f"/api/v1/namespaces/{cluster.create_namespace('updates')}/pods"
    for name, limits in (("gpu", GPU), ("plain", {"cpu": "1", "memory": "1Gi"})):
        assert cluster.request("POST", path, pod(limits, metadata={"name": name}, schedulingGates=gates)).status == 201
    return path


RESIZE = {"spec": {"containers": [{"name": "main", "resources": {"limits": {"cpu": "5"}, "requests": {"cpu": "5"}}}]}}
DEBUGGER = {"name": "debug", "image": "registry.example/debug:1", "terminationMessagePolicy": "File"}


@pytest.mark.parametrize(
    ("place", "change", "content", "expected"),
    [
        ("gpu", {"metadata": {"labels": {"team": "a"}}}, MERGE, []),
        ("gpu", {"metadata": {"annotations": {"numagate.io/alignment": "{}"}}}, MERGE, ["pods"]),
        ("gpu", {"metadata": {"annotations": {"numagate.io/alignment": '{"v":1}'}}}, MERGE, ["pods"]),
        ("gpu", {"metadata": {"labels": {"team": "b"}}}, MERGE, []),
        ("gpu/status", {"status": {"message": "pulling"}}, MERGE, []),
        ("gpu/status", {"metadata": {"annotations": {"numagate.io/alignment": None}}}, MERGE, ["pods/status"]),
        ("gpu", {"spec": {"nodeSelector": {"pool": "a"}}}, MERGE, ["pods"]),
        ("plain", {"spec": {"nodeSelector": {"pool": "a"}}}, MERGE, []),
        ("plain/status", {"status": {"message": "pulling"}}, MERGE, []),
        ("plain", {"metadata": {"labels": {"numagate.io/level": "aligned"}}}, MERGE, ["pods"]),
        ("plain", {"metadata": {"labels": {"numagate.io/level": None}}}, MERGE, ["pods"]),
        ("gpu/resize", RESIZE, STRATEGIC, ["pods/resize"]),
        ("plain/resize", RESIZE, STRATEGIC, []),
        (
            "gpu/ephemeralcontainers",
            {"spec": {"ephemeralContainers": [DEBUGGER]}},
            STRATEGIC,
            ["pods/ephemeralcontainers"],
        ),
        ("plain/ephemeralcontainers", {"spec": {"ephemeralContainers": [DEBUGGER]}}, STRATEGIC, []),
        ("gpu", {"metadata": {"finalizers": ["example.com/keep"]}}, MERGE, []),
        ("gpu", {"metadata": {"finalizers": []}}, MERGE, []),
    ],
    ids=str,
)
def test_updates_reach_numagate_only_where_the_promise_is_touched(  # noqa: PLR0917 - fixtures and cases
    cluster: ControlPlane, recorder: Recorder, pods: str, place: str, change: Any, content: str, expected: list[str]
) -> None:
    recorder.asked.clear()

    answer = cluster.request("PATCH", f"{pods}/{place}", change, content=content)

    assert answer.status == 200, answer.body
    # The API server may try a patch twice, if the object it had cached was old.
    assert sorted(set(recorder.asked)) == [f"/validate UPDATE {resource}" for resource in expected]


@pytest.mark.parametrize(
    "created",
    [
        pod(metadata={"labels": {f"example.com/{n}": "x" for n in range(3000)}}),
        pod(metadata={"annotations": {f"example.com/{n}": "x" for n in range(3000)}}),
        pod({f"example.com/{n}": "1" for n in range(500)}),
        pod(containers=[{**init({"example.com/nic": "1", "cpu": "1"}), "name": f"c{n}"} for n in range(1000)]),
    ],
    ids=["3000 labels", "3000 annotations", "500 resources", "1000 containers"],
)
def test_large_pods_stay_within_the_cost_limits_of_conditions(
    cluster: ControlPlane, recorder: Recorder, created: dict[str, Any]
) -> None:
    assert asked(cluster, recorder, created) == []


def test_policies_reach_numagate_though_they_are_in_no_namespace(cluster: ControlPlane, recorder: Recorder) -> None:
    cluster.kubectl("create", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": crds()})
    cluster.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
    recorder.asked.clear()
    body = {"apiVersion": "numagate.io/v1alpha1", "kind": "AlignmentPolicy", "metadata": {"name": "one"}, "spec": {}}
    answer = cluster.request("POST", "/apis/numagate.io/v1alpha1/alignmentpolicies?dryRun=All", body)

    assert (answer.status, recorder.asked) == (201, ["/validate CREATE alignmentpolicies"])


def test_reading_and_deleting_never_wait_for_numagate(cluster: ControlPlane, recorder: Recorder, pods: str) -> None:
    recorder.asked.clear()

    assert cluster.request("DELETE", f"{pods}/plain?gracePeriodSeconds=0").status == 200
    assert recorder.asked == []
