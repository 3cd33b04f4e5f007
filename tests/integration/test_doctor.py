"""`numagate doctor` and a real installation: healthy, then broken in one place after the other."""

import base64
import json
import subprocess
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from pathlib import Path
from typing import Any
from typing import Final
from typing import NoReturn

import pytest
from controlplane.cluster import ControlPlane
from controlplane.identity import ORDINARY
from controlplane.installed import FLAGS
from controlplane.installed import MERGE
from controlplane.installed import NAMESPACE
from controlplane.installed import SLICES
from controlplane.installed import installed
from controlplane.installed import own_address
from controlplane.process import until
from controlplane.service import NUMAGATE
from controlplane.service import numagate
from serving import issue

from webhook import registry
from webhook.cli.doctor import probes
from webhook.cli.doctor.examine import examine
from webhook.cli.doctor.gather import gather
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Status
from webhook.kube.connect import connect

ADMISSION: Final = "/apis/admissionregistration.k8s.io/v1"
VALIDATING: Final = f"{ADMISSION}/validatingwebhookconfigurations/numagate"
RBAC: Final = "/apis/rbac.authorization.k8s.io/v1"
OWN: Final = f"namespaces/{NAMESPACE}"
JSON_PATCH: Final = "application/json-patch+json"

Said = set[tuple[str, str]]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Issue certificates for the Services of an installation."""
    folder = tmp_path_factory.mktemp("certificates")
    numagate("certs", "issue", "--dir", str(folder), "--ip", "127.0.0.1")
    return folder


@pytest.fixture(scope="module")
def cluster(
    programs: dict[str, Path], certificates: Path, unavailable: Callable[[str], NoReturn]
) -> Iterator[ControlPlane]:
    """Run a control plane with a whole installation."""
    address = own_address()
    if address is None:
        unavailable("this machine has no address but loopback, which no endpoint may have")
    with (
        ControlPlane(programs=programs, api_server_flags=FLAGS) as running,
        installed(running, certificates, address),
    ):
        yield running


def findings_of(cluster: ControlPlane, user: str | None = None) -> list[tuple[str, str, str]]:
    """Answer what the doctor says, but for what is well: check, status, text."""
    kubeconfig = cluster.kubeconfig(user) if user else cluster.kubeconfig()
    facts = gather(connect(kubeconfig=kubeconfig), namespace=NAMESPACE, now=datetime.now(UTC))
    found = ((one.probe, one.result.status.value, one.result.text) for one in examine(facts))
    return [one for one in found if one[1] != "ok"]


def until_said(cluster: ControlPlane, expected: Said) -> None:
    """Wait until the doctor says this and nothing else; what was changed a moment ago takes its time."""
    deadline = time.monotonic() + SECONDS
    while True:
        found = findings_of(cluster)
        if {one[:2] for one in found} - ALWAYS == expected:
            return
        assert time.monotonic() < deadline, "\n".join(map(str, found))


SECONDS: Final = 20
EVERY_PROBE: Final = {probe.name for probe in registry.load(probes, "PROBE", Probe)}
ALWAYS: Final[Said] = {("proxy", "unknown")}
"""The API server of the tests is no pod."""


def test_a_healthy_installation_is_healthy(cluster: ControlPlane) -> None:
    until_said(cluster, set())

    facts = gather(connect(kubeconfig=cluster.kubeconfig()), namespace=NAMESPACE, now=datetime.now(UTC))
    assert {one.probe for one in examine(facts) if one.result.status is Status.OK} == EVERY_PROBE - {"proxy"}


def run(cluster: ControlPlane, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as somebody with a kubeconfig does."""
    command = [str(NUMAGATE), "doctor", f"--kubeconfig={cluster.kubeconfig()}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_shows_a_table_and_ends_well(cluster: ControlPlane) -> None:
    done = run(cluster)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == ["STATUS", "CHECK", "FOUND"]
    assert done.stdout.splitlines()[-1].startswith("healthy: 1 unknown, ")


def test_the_command_writes_json_with_a_remedy_for_each_problem(cluster: ControlPlane) -> None:
    with broken(cluster, SCENARIOS["no caBundle"]):
        done = run(cluster, "--output", "json")

    told = json.loads(done.stdout)
    problems = [one for one in told["checks"] if one["status"] == "problem"]
    assert (done.returncode, told["schema"], told["healthy"]) == (1, "numagate.io/doctor/v1", False)
    assert {one["name"] for one in problems} == {"bundle"}
    assert all(one["remedy"] for one in problems)


def test_who_may_see_nothing_is_told_what_it_takes(cluster: ControlPlane) -> None:
    said = {one[:2] for one in findings_of(cluster, ORDINARY)}

    assert ("configurations", "unknown") in said
    assert {status for _, status in said} == {"unknown"}


def test_an_api_server_that_does_not_answer_is_told_in_one_line(tmp_path: Path, cluster: ControlPlane) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(cluster.kubeconfig().read_text().replace(cluster.url, "https://127.0.0.1:1"))

    done = subprocess.run(
        [str(NUMAGATE), "doctor", f"--kubeconfig={kubeconfig}"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@dataclass(frozen=True)
class Scenario:
    """A way to break something, and what the doctor says of it.

    `patch` changes the object at `path` (a function makes it of the object); without one the object is deleted, or,
    where there is none, `body` created.
    """

    said: Said
    path: str
    patch: Callable[[dict[str, Any]], Any] | None = None
    body: dict[str, Any] | None = None


@contextmanager
def broken(cluster: ControlPlane, scenario: Scenario) -> Iterator[None]:
    """Break it for the time of a `with` block."""
    before = cluster.request("GET", scenario.path)
    if scenario.body is not None:
        collection = scenario.path.rpartition("/")[0]
        made = cluster.request("POST", collection, scenario.body)
        assert made.status == 201, made.body
    elif scenario.patch is None:
        cluster.request("DELETE", scenario.path)
        until(lambda: cluster.request("GET", scenario.path).status == 404, what="the end of the object")
    else:
        changed = scenario.patch(deepcopy(before.body))
        kind = JSON_PATCH if isinstance(changed, list) else MERGE
        made = cluster.request("PATCH", scenario.path, changed, content=kind)
        assert made.status == 200, made.body
    try:
        yield
    finally:
        _restore(cluster, scenario, before.body)


def _restore(cluster: ControlPlane, scenario: Scenario, before: dict[str, Any]) -> None:
    if scenario.body is not None:
        cluster.request("DELETE", f"{scenario.path}?gracePeriodSeconds=0")
        return
    for key in ("resourceVersion", "uid", "creationTimestamp", "managedFields"):
        before["metadata"].pop(key, None)
    before.get("spec", {}).pop("clusterIP", None)
    before.get("spec", {}).pop("clusterIPs", None)
    if scenario.patch is None:
        made = cluster.request("POST", scenario.path.rpartition("/")[0], before)
        assert made.status == 201, made.body
    else:
        now = cluster.request("GET", scenario.path).body
        before["metadata"]["resourceVersion"] = now["metadata"]["resourceVersion"]
        made = cluster.request("PUT", scenario.path, before)
        assert made.status == 200, made.body


def each_entry(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], Any]:
    """Make a patch that changes every entry of a configuration."""

    def patch(found: dict[str, Any]) -> Any:
        for entry in found["webhooks"]:
            change(entry)
        return {"webhooks": found["webhooks"]}

    return patch


def other_bundle(tmp_path: Path, *, now: datetime | None = None) -> str:
    """Issue another CA."""
    issue(tmp_path, now=now)
    return base64.b64encode((tmp_path / "ca.crt").read_bytes()).decode()


def without_namespace(entry: dict[str, Any], name: str) -> None:
    """Let an entry be asked about a namespace."""
    for one in entry["namespaceSelector"]["matchExpressions"]:
        one["values"] = [value for value in one["values"] if value != name] or ["nobody"]


def proxied(name: str) -> dict[str, Any]:
    """Write a pod of an API server that goes through a proxy."""
    variables = [{"name": "HTTPS_PROXY", "value": "http://proxy.example"}, {"name": "NO_PROXY", "value": "10.0.0.0/8"}]
    container = {"name": "kube-apiserver", "image": "registry.example/api", "env": variables}
    metadata = {"name": name, "labels": {"component": "kube-apiserver"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def bound_to(name: str) -> dict[str, Any]:
    """Write a binding that gives the serving pods a role of the whole cluster."""
    subject = {"kind": "ServiceAccount", "name": "numagate", "namespace": NAMESPACE}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "too-much"},
        "roleRef": role,
        "subjects": [subject],
    }


def second_configuration() -> dict[str, Any]:
    """Write a configuration that an older installation may have left."""
    entry = {
        "name": "pods.numagate.example",
        "clientConfig": {"service": {"namespace": NAMESPACE, "name": "numagate", "path": "/validate"}},
        "rules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nothing"]}],
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "older"},
        "webhooks": [entry],
    }


SCENARIOS: Final = {
    "no caBundle": Scenario(
        {("bundle", "problem")}, VALIDATING, each_entry(lambda entry: entry["clientConfig"].pop("caBundle"))
    ),
    "the validating configuration is gone": Scenario({("configurations", "problem")}, VALIDATING),
    "the modes differ": Scenario(
        {("configurations", "problem"), ("drift", "warning")},
        VALIDATING,
        lambda _: {"metadata": {"labels": {"numagate.io/mode": "observe"}}},
    ),
    "the Service is gone": Scenario({("target", "problem")}, f"/api/v1/{OWN}/services/numagate"),
    "an entry calls a port that is not there": Scenario(
        {("target", "problem")}, VALIDATING, each_entry(lambda entry: entry["clientConfig"]["service"].update(port=444))
    ),
    "one endpoint is not ready": Scenario(
        {("replicas", "problem")},
        f"{SLICES}/serving-1",
        lambda found: {"endpoints": [{**found["endpoints"][0], "conditions": {"ready": False}}]},
    ),
    "the budget is gone": Scenario({("replicas", "warning")}, f"/apis/policy/v1/{OWN}/poddisruptionbudgets/numagate"),
    "kube-system is not left out": Scenario(
        {("selectors", "problem"), ("drift", "warning")},
        VALIDATING,
        each_entry(lambda entry: without_namespace(entry, "kube-system")),
    ),
    "our own namespace is not left out": Scenario(
        {("selectors", "problem"), ("drift", "warning")},
        VALIDATING,
        each_entry(lambda entry: without_namespace(entry, NAMESPACE)),
    ),
    "the policy of failures was changed": Scenario(
        {("drift", "warning")}, VALIDATING, each_entry(lambda entry: entry.update(failurePolicy="Ignore"))
    ),
    "an entry is gone": Scenario(
        {("drift", "problem")}, VALIDATING, lambda _: [{"op": "remove", "path": "/webhooks/0"}]
    ),
    "an entry calls another path": Scenario(
        {("drift", "problem")}, VALIDATING, each_entry(lambda entry: entry["clientConfig"]["service"].update(path="/x"))
    ),
    "an object selector leaves pods out": Scenario(
        {("drift", "problem")},
        VALIDATING,
        each_entry(lambda entry: entry.update(objectSelector={"matchLabels": {"x": "y"}})),
    ),
    "an older configuration is there, too": Scenario(
        {("duplicates", "problem")}, f"{ADMISSION}/validatingwebhookconfigurations/older", body=second_configuration()
    ),
    "the serving pods may not read the snapshot": Scenario(
        {("rights", "problem")}, f"{RBAC}/{OWN}/rolebindings/numagate"
    ),
    "the serving pods may do everything": Scenario(
        {("rights", "warning")}, f"{RBAC}/clusterrolebindings/too-much", body=bound_to("cluster-admin")
    ),
    "the serving pods may look around": Scenario(
        {("rights", "warning")}, f"{RBAC}/clusterrolebindings/too-much", body=bound_to("view")
    ),
    "a guard is not bound": Scenario(
        {("guards", "problem")}, f"{ADMISSION}/validatingadmissionpolicybindings/levels.numagate.io"
    ),
    "a guard is gone": Scenario({("guards", "problem")}, f"{ADMISSION}/validatingadmissionpolicies/levels.numagate.io"),
    "the quota is gone": Scenario({("priority", "warning")}, f"/api/v1/{OWN}/resourcequotas/numagate-critical-pods"),
    "the API server goes through a proxy": Scenario(
        {("proxy", "problem")}, "/api/v1/namespaces/kube-system/pods/api", body=proxied("api")
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_broken_is_named(cluster: ControlPlane, name: str) -> None:
    scenario = SCENARIOS[name]

    with broken(cluster, scenario):
        until_said(cluster, scenario.said)


def test_another_ca_is_told_from_the_right_one(cluster: ControlPlane, tmp_path: Path) -> None:
    bundle = other_bundle(tmp_path)
    change = each_entry(lambda entry: entry["clientConfig"].update(caBundle=bundle))

    with broken(cluster, Scenario(set(), VALIDATING, change)):
        until_said(cluster, {("bundle", "problem")})


def test_a_ca_that_has_ended_is_told(cluster: ControlPlane, tmp_path: Path) -> None:
    bundle = other_bundle(tmp_path, now=datetime.now(UTC) - timedelta(days=3000))
    change = each_entry(lambda entry: entry["clientConfig"].update(caBundle=bundle))

    with broken(cluster, Scenario(set(), VALIDATING, change)):
        until_said(cluster, {("bundle", "problem")})


def test_a_port_where_nobody_listens_is_told(cluster: ControlPlane) -> None:
    nobody = [{"name": "https", "port": 1, "protocol": "TCP"}]
    one, other = (Scenario(set(), f"{SLICES}/serving-{number}", lambda _: {"ports": nobody}) for number in (1, 2))

    with broken(cluster, one), broken(cluster, other):
        until_said(cluster, {("reach", "problem")})


def test_after_all_that_it_is_healthy_again(cluster: ControlPlane) -> None:
    until_said(cluster, set())
