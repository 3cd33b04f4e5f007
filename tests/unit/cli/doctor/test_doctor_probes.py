"""What the doctor says of facts: a healthy installation as it is rendered, with one thing changed."""

import base64
import json
from collections.abc import Callable
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from typing import Any
from typing import Final

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from webhook import __version__
from webhook import registry
from webhook.cli.doctor import probes
from webhook.cli.doctor.examine import Finding
from webhook.cli.doctor.examine import examine
from webhook.cli.doctor.examine import healthy
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import Many
from webhook.cli.doctor.facts import One
from webhook.cli.doctor.facts import Replica
from webhook.cli.doctor.facts import Right
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Status
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.show import as_json
from webhook.cli.doctor.show import as_text
from webhook.domain.api import WORLD_KEY
from webhook.manifests.choices import read_settings
from webhook.manifests.overlays import flat
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names

NOW: Final = datetime(2030, 6, 1, tzinfo=UTC)
NAMESPACE: Final = "numagate-system"
CA: Final = issue_ca(now=NOW - timedelta(days=10))
NAMES: Final = service_names("numagate", NAMESPACE, dns=[f"numagate-controller.{NAMESPACE}.svc"])
LEAF: Final = issue_leaf(CA, NAMES, now=NOW - timedelta(days=10)).certificate.public_bytes(Encoding.PEM)
BUNDLE: Final = base64.b64encode(CA.certificate.public_bytes(Encoding.PEM)).decode()


def replica(name: str, component: str = "serve", **changes: Any) -> Replica:
    """Make a replica that is well."""
    metrics = {
        f'numagate_build_info{{component="{component}",version="{__version__}"}}': 1.0,
        'numagate_policy_info{generation="a",name="default"}': 1.0,
        "numagate_policy_last_reload_successful": 1.0,
        "numagate_certificate_last_reload_successful": 1.0,
    }
    return replace(Replica(name, component, metrics, LEAF), **changes)


def policy_document(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Answer the policy of the rendering."""
    found = next(one for one in items if one["kind"] == "AlignmentPolicy")
    return {"metadata": {"name": found["metadata"]["name"]}, "spec": found["spec"]}


def world(
    items: list[dict[str, Any]], *, written: datetime = NOW, policies: bool = True, classes: Sequence[Any] = ()
) -> One:
    """Write a snapshot."""
    content = Content(
        policies=(policy_document(items),) if policies else (), classes=classes, namespaces={}, device_classes=()
    )
    return One({"data": {WORLD_KEY: encode(content, written).decode()}})


def gates(*verified: bool, nodes: int = 4, devices: bool = True) -> One:
    """Write a snapshot whose policy wants readiness gates, with a class for each word."""
    machine = {"numa": [{"id": 0, "memory": "1Gi", "coreCount": 4, "threadsPerCore": 1}]}
    spec = {**machine, "devices": {"nvidia.com/gpu": {"0": 1}}} if devices else machine
    classes = [
        {"name": f"class-{number}", "spec": spec, "nodes": nodes, "trusted": True, "verified": word}
        for number, word in enumerate(verified)
    ]
    wanting = {"kind": "AlignmentPolicy", "metadata": {"name": "p"}, "spec": {"verification": {"readinessGate": True}}}
    return world([wanting], classes=classes)


def held(by: str = "controller-1", *, seconds_ago: float = 2) -> One:
    """Write the Lease."""
    renewed = (NOW - timedelta(seconds=seconds_ago)).isoformat().replace("+00:00", "Z")
    return One({"spec": {"holderIdentity": by, "renewTime": renewed}})


def well() -> Facts:
    """Answer the facts of a healthy installation."""
    settings = read_settings()
    items: list[dict[str, Any]] = deepcopy(flat(settings, "enforce"))

    def kinds(word: str) -> Many:
        return Many(tuple(one for one in items if one["kind"] == word))

    for one in items:
        for entry in one.get("webhooks", []):
            entry["clientConfig"]["caBundle"] = BUNDLE
    slices = {"metadata": {"labels": {"kubernetes.io/service-name": "numagate"}}, "endpoints": 2 * [ENDPOINT]}
    accepted = {"status": {"conditions": [{"type": "Accepted", "status": "True"}]}}
    return Facts(
        namespace=NAMESPACE,
        now=NOW,
        server="https://10.0.0.1",
        date=NOW + timedelta(seconds=2),
        version=One({"gitVersion": "v1.37.2"}),
        mutating=kinds("MutatingWebhookConfiguration"),
        validating=kinds("ValidatingWebhookConfiguration"),
        services=kinds("Service"),
        slices=Many((slices,)),
        budgets=kinds("PodDisruptionBudget"),
        deployments=kinds("Deployment"),
        quotas=kinds("ResourceQuota"),
        world=world(items),
        lease=held(),
        crds=Many(tuple(flat(settings, "crds"))),
        policies=Many(({**policy_document(items), **accepted},)),
        guards=kinds("ValidatingAdmissionPolicy"),
        bindings=kinds("ValidatingAdmissionPolicyBinding"),
        api_server_pods=Many(({"spec": {"containers": [{"env": [{"name": "NO_PROXY", "value": "x"}]}]}},)),
        reach="",
        replicas=(replica("a"), replica("b"), replica("c", "controller")),
        rights=(Right(account="numagate", verb="get", what="it", wanted=True, allowed=True),),
    )


ENDPOINT: Final = {"addresses": ["10.0.0.2"], "conditions": {"ready": True}}
WELL: Final = well()
Change = Callable[[Facts], Facts]


def each_configuration(change: Callable[[dict[str, Any]], object]) -> Change:
    """Change both configurations."""

    def apply(facts: Facts) -> Facts:
        both = {word: deepcopy(getattr(facts, word).items) for word in ("mutating", "validating")}
        for one in (one for items in both.values() for one in items):
            change(one)
        return replace(facts, **{word: Many(items) for word, items in both.items()})

    return apply


def each_entry(change: Callable[[dict[str, Any]], object]) -> Change:
    """Change every entry of both configurations."""
    return each_configuration(lambda one: [change(entry) for entry in one["webhooks"]])


def put(**changes: Any) -> Change:
    """Replace facts."""
    return lambda facts: replace(facts, **changes)


def leaf(*, days_ago: float, days: float = 365, dns: str = "") -> bytes:
    """Issue a certificate that began so long ago."""
    names = service_names("other", "elsewhere") if dns else NAMES
    return issue_leaf(CA, names, now=NOW - timedelta(days=days_ago), days=days).certificate.public_bytes(Encoding.PEM)


def shows(pem: bytes) -> Change:
    """Let every replica show a certificate."""
    return lambda facts: replace(facts, replicas=tuple(replace(one, certificates=pem) for one in facts.replicas))


def conditioned(status: str) -> Many:
    """Answer a policy with a condition."""
    condition = {"type": "Accepted", "status": status, "message": "spec.modes: no such level"}
    return Many(({"metadata": {"name": "p"}, "status": {"conditions": [condition]}},))


def without_field() -> Many:
    """Answer both definitions, one of an older version."""
    items = deepcopy(flat(read_settings(), "crds"))
    spec: dict[str, Any] = items[0]["spec"]  # type: ignore[assignment]  # a manifest
    del spec["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["governs"]
    return Many(tuple(items))


def in_metrics(**changes: float) -> Replica:
    """Answer a replica whose metrics differ."""
    one = replica("odd")
    return replace(one, metrics={**one.metrics, **changes})


PROXY: Final = {"spec": {"containers": [{"env": [{"name": "https_proxy", "value": "http://p"}]}]}}
WAITING: Final = {
    "metadata": {"name": "numagate-1", "labels": {"app.kubernetes.io/name": "numagate"}},
    "status": {"containerStatuses": [{"state": {"waiting": {"reason": "CreateContainerConfigError"}}}]},
}
TABLE: Final[list[tuple[str, Change, str, str, str]]] = [
    ("an old API server", put(version=One({"gitVersion": "v1.29.4"})), "api-server", "problem", "v1.29.4"),
    ("an API server without a version", put(version=One({})), "api-server", "unknown", "does not tell"),
    ("a clock that is behind", put(date=NOW - timedelta(seconds=90)), "clock", "warning", "90 s behind"),
    ("a clock that is ahead", put(date=NOW + timedelta(seconds=90)), "clock", "warning", "90 s ahead of"),
    ("no clock", put(date=None), "clock", "unknown", "does not tell its time"),
    ("no configuration", put(mutating=Many(), validating=Many()), "configurations", "warning", "nobody asks"),
    ("half of the configurations", put(mutating=Many()), "configurations", "problem", "mutating"),
    (
        "an annotation that is gone",
        each_configuration(lambda one: one["metadata"]["annotations"].pop("numagate.io/certificates")),
        "configurations",
        "warning",
        "the mutating configuration says nothing of who issues",
    ),
    (
        "an annotation that means nothing",
        each_configuration(lambda one: one["metadata"]["annotations"].update({"numagate.io/certificates": "me"})),
        "configurations",
        "warning",
        "the validating configuration says nothing of who issues",
    ),
    ("a strange Service", put(services=Many()), "target", "problem", "does not exist"),
    (
        "another Service",
        each_entry(lambda entry: entry["clientConfig"]["service"].update(name="x")),
        "target",
        "problem",
        "not ours",
    ),
    ("no endpoint", put(slices=Many()), "replicas", "problem", "no replicas are ready"),
    (
        "a pod that waits",
        put(slices=Many(), pods=Many((WAITING,))),
        "replicas",
        "problem",
        "CreateContainerConfigError",
    ),
    ("no way to the pods", put(reach="dial tcp: i/o timeout"), "reach", "problem", "i/o timeout"),
    ("no right to the pods", put(reach="needs the right to get services/proxy"), "reach", "unknown", "services/proxy"),
    (
        "garbage as CA",
        each_entry(lambda entry: entry["clientConfig"].update(caBundle="!!")),
        "bundle",
        "problem",
        "holds no",
    ),
    (
        "no CA",
        each_entry(lambda entry: entry["clientConfig"].pop("caBundle")),
        "bundle",
        "problem",
        "and 8 more: there is no caBundle",
    ),
    (
        "a certificate for others",
        shows(leaf(days_ago=1, dns="x")),
        "bundle",
        "problem",
        "not for numagate.numagate-system.svc",
    ),
    ("a certificate of the past", shows(leaf(days_ago=9, days=3)), "bundle", "problem", "only"),
    ("no certificate seen", shows(b""), "bundle", "unknown", "pods/proxy"),
    ("a certificate that ends", shows(leaf(days_ago=9, days=10)), "certificate", "problem", "ends at 2030-06-02"),
    ("a certificate that has ended", shows(leaf(days_ago=9, days=3)), "certificate", "problem", "has ended"),
    (
        "missing rights",
        put(rights=(Right(account="numagate", verb="get", what="it", wanted=True, allowed=False),)),
        "rights",
        "problem",
        "may not get it",
    ),
    (
        "too many rights",
        put(rights=(Right(account="numagate", verb="list", what="secrets", wanted=False, allowed=True),)),
        "rights",
        "warning",
        "list secrets",
    ),
    (
        "unknown rights",
        put(rights=(Right(account="numagate", verb="get", what="it", wanted=True, error="needs x"),)),
        "rights",
        "unknown",
        "needs x",
    ),
    (
        "an entry that is not installed",
        each_configuration(lambda one: one["webhooks"].pop(0)),
        "drift",
        "problem",
        "pods.validate.numagate.io: is not installed",
    ),
    (
        "a path where nobody judges",
        each_entry(lambda entry: entry["clientConfig"]["service"].update(path="/validat")),
        "drift",
        "problem",
        "calls path /validat, where nobody judges, not /validate",
    ),
    (
        "an object selector",
        each_entry(lambda entry: entry.update(objectSelector={"matchLabels": {"x": "y"}})),
        "drift",
        "problem",
        "objectSelector leaves objects out",
    ),
    (
        "other versions that pass",
        each_entry(lambda entry: entry.update(matchPolicy="Exact")),
        "drift",
        "warning",
        "matchPolicy is Exact, rendered as Equivalent",
    ),
    ("no Lease", put(lease=One()), "leader", "problem", "nobody holds Lease numagate-controller"),
    ("a Lease that was given up", put(lease=held("")), "leader", "problem", "nobody holds"),
    ("a Lease without a time", put(lease=One({"spec": {"holderIdentity": "x"}})), "leader", "problem", "nobody holds"),
    ("a leader that is silent", put(lease=held(seconds_ago=90)), "leader", "problem", "silent for 90 s"),
    ("no snapshot", put(world=One()), "world", "problem", "no snapshot"),
    ("an old snapshot", put(now=NOW + timedelta(seconds=400)), "world", "problem", "400 s old"),
    ("a torn snapshot", put(world=One({"data": {WORLD_KEY: "{"}})), "world", "problem", "cannot be read"),
    ("no agents", put(world=gates(True, False)), "readiness", "warning", "like those of class-1 (4 nodes): new pods"),
    ("no agent at all", put(world=gates(*[False] * 5, nodes=1)), "readiness", "warning", "class-2 (1 node) (+2 more)"),
    ("no kinds", put(crds=Many()), "kinds", "problem", "not defined"),
    ("older kinds", put(crds=without_field()), "kinds", "warning", "governs"),
    ("a refused policy", put(policies=conditioned("False")), "objects", "problem", "no such level"),
    (
        "a policy that nobody saw",
        put(policies=Many(({"metadata": {"name": "p"}},))),
        "objects",
        "warning",
        "not looked at",
    ),
    ("no guards", put(guards=Many()), "guards", "problem", "missing"),
    ("guards that are not bound", put(bindings=Many()), "guards", "problem", "not bound"),
    ("a proxy", put(api_server_pods=Many((PROXY,))), "proxy", "problem", "NO_PROXY"),
    ("an API server that is no pod", put(api_server_pods=Many()), "proxy", "unknown", "no pod"),
    ("no quota", put(quotas=Many()), "priority", "warning", "ResourceQuota"),
    (
        "another version",
        put(replicas=(replica("a"), in_metrics(**{'numagate_build_info{component="serve",version="0.0.1"}': 1.0}))),
        "versions",
        "warning",
        "different versions",
    ),
    (
        "another policy",
        put(replicas=(replica("a"), in_metrics(**{'numagate_policy_info{generation="b",name="x"}': 1.0}))),
        "versions",
        "problem",
        "different policies",
    ),
    (
        "a refused certificate",
        put(replicas=(in_metrics(numagate_certificate_last_reload_successful=0.0),)),
        "versions",
        "problem",
        "newest certificate",
    ),
    (
        "a replica that is silent",
        put(replicas=(replica("a"), Replica("b", "serve", error="503"))),
        "versions",
        "unknown",
        "503",
    ),
]


def said(facts: Facts) -> list[tuple[str, str, str]]:
    """Answer what is not well."""
    found = ((one.probe, one.result.status.value, one.result.text) for one in examine(facts))
    return [one for one in found if one[1] != "ok"]


def test_every_probe_says_that_a_healthy_installation_is_well() -> None:
    assert said(WELL) == []
    assert {one.probe for one in examine(WELL)} == {probe.name for probe in registry.load(probes, "PROBE", Probe)}


@pytest.mark.parametrize(
    ("change", "probe", "status", "text"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_what_is_not_well_is_said(change: Change, probe: str, status: str, text: str) -> None:
    found = said(change(WELL))

    assert [one for one in found if one[:2] == (probe, status) and text in one[2]], found


@pytest.mark.parametrize("change", [row[1] for row in TABLE], ids=[row[0] for row in TABLE])
def test_every_problem_and_warning_has_a_remedy_in_one_line(change: Change) -> None:
    found = [one.result for one in examine(change(WELL))]

    assert [one for one in found if one.status in {Status.PROBLEM, Status.WARNING} and not one.remedy] == []
    assert [one for one in found if "\n" in one.text + one.remedy] == []


def test_what_may_not_be_seen_is_unknown_and_no_problem() -> None:
    hidden = {
        name: type(value)(error="needs the right to list it")
        for name in Facts.__dataclass_fields__
        if isinstance(value := getattr(WELL, name), One | Many)
    }

    found = examine(replace(WELL, **hidden, replicas=(), reach=None, date=None, rights=()))

    assert {one.result.status for one in found} == {Status.UNKNOWN}
    assert healthy(found)


def test_where_nothing_is_installed_that_is_the_one_problem_and_nothing_else_is_asked() -> None:
    bare = replace(well(), mutating=Many(), validating=Many(), deployments=Many())
    assert [one[:2] for one in said(bare)] == [("configurations", "problem")]
    assert [one.probe for one in examine(bare)] == ["api-server", "clock", "configurations"]
    unseen = replace(bare, deployments=Many(error="no right to list deployments"))
    assert ("configurations", "warning") in [one[:2] for one in said(unseen)]


def test_where_the_policy_is_a_file_nobody_asks_for_a_controller() -> None:
    made = [one for one in flat(read_settings(), "enforce-file") if one["kind"] in {"ConfigMap", "Deployment"}]
    configured = {
        word: Many(
            tuple(one for one in flat(read_settings(), "enforce-file") if one["kind"] == f"{kind}WebhookConfiguration")
        )
        for word, kind in (("mutating", "Mutating"), ("validating", "Validating"))
    }
    bare = {"world": One(), "crds": Many(), "policies": Many(), "rights": (), "replicas": WELL.replicas[:2]}
    facts = replace(WELL, **configured, **bare, deployments=Many((made[1],)), policy_map=One(made[0]))

    assert {one[0] for one in said(facts)} == {"bundle"}


@pytest.mark.parametrize(
    "seen",
    [gates(True, True), gates(False, nodes=0), gates(False, devices=False), gates()],
    ids=["agents everywhere", "a class without nodes", "nodes without devices", "no class"],
)
def test_readiness_gates_that_somebody_answers_are_well(seen: One) -> None:
    told = [one for one in examine(replace(WELL, world=seen)) if one.probe == "readiness"]

    assert [one.result.status for one in told] == [Status.OK]


def test_nobody_asks_for_agents_where_no_gate_is_wanted() -> None:
    told = [one.result for one in examine(WELL) if one.probe == "readiness"]

    assert told == [ok("no policy wants readiness gates")]


def test_the_policies_of_a_cluster_serve_where_the_snapshot_cannot_be_seen() -> None:
    facts = replace(WELL, world=One(error="needs the right to get configmaps"))

    assert [one[0] for one in said(facts)] == ["world"]


@pytest.mark.parametrize(
    ("annotation", "remedy"),
    [
        ("cert-manager.io/inject-ca-from", "cert-manager"),
        ("numagate.io/certificates", "controller"),
        ("x", "certs issue"),
    ],
)
def test_who_renews_is_known_by_the_configurations(annotation: str, remedy: str) -> None:
    items = deepcopy(WELL.validating.items)
    for one in items:
        one["metadata"]["annotations"] = {annotation: "managed"}  # type: ignore[index]  # a manifest
    facts = shows(leaf(days_ago=9, days=3))(replace(WELL, mutating=Many(), validating=Many(items)))

    (told,) = {one.result.remedy for one in examine(facts) if one.probe == "certificate"}
    assert remedy in told


def test_a_remedy_names_the_mode_of_the_cluster() -> None:
    found = examine(replace(WELL, guards=Many()))

    assert {one.result.remedy for one in found if one.probe == "guards"} == {
        "numagate manifests --overlay enforce … | kubectl apply -f -"
    }


def test_a_release_of_helm_is_mended_by_helm() -> None:
    items = deepcopy(WELL.deployments.items)
    for one in items:
        one["metadata"]["annotations"] = {"meta.helm.sh/release-name": "gate"}  # type: ignore[index]  # a manifest
    found = examine(replace(WELL, deployments=Many(items), guards=Many()))

    assert {one.result.remedy for one in found if one.probe == "guards"} == {
        "helm upgrade gate CHART -n numagate-system --force-conflicts -f values.yaml"
    }


def test_an_object_selector_is_emptied_by_a_patch_since_applying_does_not() -> None:
    facts = each_configuration(lambda one: one["webhooks"][0].update(objectSelector={"matchLabels": {"x": "y"}}))(WELL)

    (mutating, validating) = (one.result.remedy for one in examine(facts) if one.probe == "drift")
    assert mutating == (
        "kubectl patch mutatingwebhookconfiguration numagate --type=json -p "
        '\'[{"op": "replace", "path": "/webhooks/0/objectSelector", "value": {}}]\''
    )
    assert validating.startswith("kubectl patch validatingwebhookconfiguration numagate")


def test_an_address_is_asked_for_its_certificate() -> None:
    at = each_entry(lambda entry: entry.update(clientConfig={"url": "https://127.0.0.1:1/x", "caBundle": BUNDLE}))

    found = said(replace(at(WELL), served=LEAF))

    assert ("target", "warning") in {one[:2] for one in found}
    assert [one for one in found if one[0] == "bundle" and "not for 127.0.0.1" in one[2]]


def test_the_text_shows_each_remedy_once_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    findings = [Finding("a", problem("x", "do this")), Finding("b", problem("y\x1b", "do this")), Finding("c", ok("z"))]

    as_text(findings)

    text = capsys.readouterr().out
    assert text.count("do this") == 1
    assert "\x1b" not in text
    assert text.splitlines()[-1] == "not healthy: 2 problems, 1 ok"


def test_the_document_says_whether_all_is_well() -> None:
    told = json.loads(json.dumps(as_json([Finding("a", problem("x", "do this")), Finding("c", ok("z"))])))

    assert told["healthy"] is False
    assert told["checks"][0] == {"name": "a", "status": "problem", "message": "x", "remedy": "do this"}
    assert told["checks"][1]["remedy"] is None
