"""Every kind that carries pods, with a real API server: what who applies one reads, and what its operator does later.

The texts lie in golden/kinds.txt, whose header says how they are written again.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from typing import cast

import kindtable
import pytest
import yaml
from caseobjects import Object
from controlplane.cluster import Answer
from controlplane.cluster import ControlPlane
from controlplane.golden import Golden
from controlplane.kind_crds import WITHOUT_STATUS
from controlplane.kind_crds import definition
from controlplane.kind_crds import definitions
from controlplane.process import until
from controlplane.service import WebhookService
from controlplane.service import numagate
from controlplane.service import registered
from kindtable import Sample

from webhook.domain.pod_path import at
from webhook.domain.pointer import field_path
from webhook.engine.kinds import REGISTERED
from webhook.sources.policy_file import parse_stream

GOLDEN = Path(__file__).parent / "golden" / "kinds.txt"
NAMESPACE = "team-a"
POLICY = """
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata: {name: default}
spec:
  # A pattern makes a condition of its own in every entry, also in those for kinds of the whole cluster.
  exemptions: {rules: [{namespaces: [openshift-*], reason: the platform's own}]}
  workloads:
    - {group: models.example.com, versions: [v1], kind: ModelServer, resource: modelservers,
       templates: [".spec.roles[*].template"], podSpecs: [.spec.router], replicas: .spec.replicas}
    - {group: models.example.com, versions: [v1], kind: LateServer, resource: lateservers, templates: [.spec.template]}
"""
OWN_KINDS = parse_stream(POLICY, "test").policy.workloads
OWN = kindtable.filled(
    name="model-server",
    apiVersion="models.example.com/v1",
    kind="ModelServer",
    pods={"spec.roles[0].template.spec": 2, "spec.router": 2},
    object={"spec": {"replicas": 2, "roles": [{"name": "decode", "template": "$TEMPLATE"}], "router": "$SPEC"}},
)
SAMPLES = (*kindtable.load(), OWN)
BY_NAME = {kind.name: kind for kind in REGISTERED} | {OWN.name: OWN_KINDS[0]}
OF_OPERATORS = [one for one in SAMPLES if "refused" in one.objects and "." in BY_NAME[one.name].group]
JOB_SET = next(one for one in SAMPLES if one.name == "job-set")
CLONE_SET = next(one for one in SAMPLES if one.name == "clone-set")
MERGE = "application/merge-patch+json"
OWNER = {"apiVersion": "example.com/v1", "kind": "Owner", "name": "owner", "uid": "1", "controller": True}


def each(samples: tuple[Sample, ...] | list[Sample]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("sample", samples, ids=lambda sample: sample.id)


@pytest.fixture(scope="module")
def golden() -> Iterator[Golden]:
    """Read the golden texts, and write them where that is asked for."""
    texts = Golden.read(GOLDEN)
    yield texts
    texts.write([sample.id for sample in SAMPLES])


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookService]:
    """Run numagate with a policy that lists a kind of its own."""
    policy = tmp_path_factory.mktemp("kinds") / "policy.yaml"
    policy.write_text(POLICY, "utf-8")
    with WebhookService(policy=policy, arguments=["--profile", "generic-2x4"]) as running:
        yield running


@pytest.fixture(scope="module")
def without_kinds(programs: dict[str, Path], service: WebhookService) -> Iterator[ControlPlane]:
    """Run an API server that asks numagate about kinds of which it knows nothing."""
    with ControlPlane(programs=programs, controllers=False) as running, registered(running, service):
        running.create_namespace(NAMESPACE)
        yield running


@pytest.fixture(scope="module")
def before(without_kinds: ControlPlane) -> dict[str, Answer]:
    """Create a Deployment of each sort while no kind of an operator is there."""
    (sample,) = [one for one in SAMPLES if one.kind == "Deployment"]
    return {word: create(without_kinds, sample, word, dry_run=True) for word in ("accepted", "refused")}


@pytest.fixture(scope="module")
def kinds(without_kinds: ControlPlane, before: dict[str, Answer]) -> ControlPlane:
    """Let that API server learn of every kind, after `before`."""
    assert before
    examples = {one.name: next(iter(one.objects.values())) for one in SAMPLES}
    own, late = OWN_KINDS
    items = [
        *definitions([one for one in REGISTERED if one.name != JOB_SET.name], examples),
        definition(own, OWN.objects["accepted"]),
        # Kinds in a version that is not known: beside one that is, and alone.
        definition(replace(BY_NAME[JOB_SET.name], versions=("v1alpha2", "v9")), examples[JOB_SET.name]),
        definition(replace(late, versions=("v9",)), {}),
    ]
    without_kinds.kubectl("create", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})
    without_kinds.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
    return without_kinds


def as_written(value: Any) -> Any:
    """Answer an object as people write it: whole quantities of containers are numbers."""
    if isinstance(value, list):
        return [as_written(member) for member in value]
    if not isinstance(value, dict):
        return value
    if "nvidia.com/gpu" in value:
        return {key: int(amount) if amount.isdigit() else amount for key, amount in value.items()}
    return {key: as_written(member) for key, member in value.items()}


def named(sample: Sample, name: str, obj: Object) -> Object:
    namespace = {} if BY_NAME[sample.name].namespaced is False else {"namespace": NAMESPACE}
    written: Object = as_written({**obj, "metadata": {"name": name, **namespace}})
    return written


def applied(sample: Sample) -> Object:
    """Answer the objects of a sample, named by what becomes of them; the refused one is the last."""
    objects = {**sample.objects, **({"elsewhere": sample.elsewhere} if sample.elsewhere else {})}
    order = sorted(objects, key="refused".__eq__)
    return {"apiVersion": "v1", "kind": "List", "items": [named(sample, name, objects[name]) for name in order]}


def path_of(sample: Sample) -> str:
    group, _, version = sample.api_version.rpartition("/")
    kind = BY_NAME[sample.name]
    place = "" if kind.namespaced is False else f"namespaces/{NAMESPACE}/"
    return f"/{f'apis/{group}' if group else 'api'}/{version}/{place}{kind.resource}"


def create(cluster: ControlPlane, sample: Sample, word: str, *, dry_run: bool) -> Answer:
    path = path_of(sample) + ("?dryRun=All" if dry_run else "")
    return cluster.request("POST", path, named(sample, word, sample.objects[word]))


def patched(cluster: ControlPlane, path: str, change: Object) -> tuple[int, tuple[str, ...]]:
    answer = cluster.request("PATCH", path, change, content=MERGE)
    return answer.status, answer.warnings


def stored(cluster: ControlPlane, sample: Sample, test: str) -> str:
    """Store an object that would be refused, as one that a controller owns, and let it go; answer its path."""
    name = f"{test}-{sample.id}"
    obj = named(sample, name, sample.objects["refused"])
    obj["metadata"]["ownerReferences"] = [OWNER]
    answer = cluster.request("POST", path_of(sample), obj)
    assert (answer.status, answer.warnings) == (201, ()), answer.body
    path = f"{path_of(sample)}/{name}"
    assert patched(cluster, path, {"metadata": {"ownerReferences": None}}) == (200, ())
    return path


@each(SAMPLES)
def test_kubectl_shows_the_golden_text(sample: Sample, kinds: ControlPlane, golden: Golden) -> None:
    shown = kinds.shown("apply", "--dry-run=server", "-f", "-", input=applied(sample))

    assert golden.compared(sample.id, shown) == golden.expected(sample.id)


def test_there_are_no_golden_texts_of_other_kinds(golden: Golden) -> None:
    assert set(golden.sections) <= {sample.id for sample in SAMPLES}


def test_entries_for_kinds_that_are_not_installed_do_no_harm(before: dict[str, Answer]) -> None:
    assert {word: answer.status for word, answer in before.items()} == {"accepted": 201, "refused": 403}


@each(OF_OPERATORS)
def test_an_update_that_leaves_the_pods_alone_passes(sample: Sample, kinds: ControlPlane) -> None:
    path = stored(kinds, sample, "unchanged")

    assert patched(kinds, path, {"metadata": {"labels": {"team": "a"}, "finalizers": ["example.com/keep"]}}) == (
        200,
        (),
    )
    note = {"note": "of no pod"}  # the spec of a Revision is that of a pod
    assert patched(kinds, path, note if sample.kind == "Revision" else {"spec": note}) == (200, ())


@each(OF_OPERATORS)
def test_a_change_of_the_pods_is_judged(sample: Sample, kinds: ControlPlane) -> None:
    path = stored(kinds, sample, "changed")
    version = kinds.request("GET", path).body["metadata"]["resourceVersion"]
    good, bad = (named(sample, f"changed-{sample.id}", sample.objects[word]) for word in ("accepted", "refused"))
    good["metadata"]["resourceVersion"] = version
    cured = kinds.request("PUT", path, good)
    assert (cured.status, cured.warnings) == (200, ())

    bad["metadata"]["resourceVersion"] = cured.body["metadata"]["resourceVersion"]
    refused = kinds.request("PUT", f"{path}?dryRun=All", bad)
    assert (refused.status, "misfit]" in refused.body["message"]) == (403, True)


@each(OF_OPERATORS)
def test_what_an_operator_reports_never_waits_for_numagate(
    sample: Sample, kinds: ControlPlane, service: WebhookService
) -> None:
    path = stored(kinds, sample, "reported")
    before = service.requests_seen()
    place = path if sample.name in WITHOUT_STATUS else f"{path}/status"

    assert patched(kinds, place, {"status": {"ready": 1}}) == (200, ())
    asked = service.requests_seen() - before
    # Where the status is no subresource, nobody but numagate can tell it from the spec.
    assert asked == (1 if sample.name in WITHOUT_STATUS else 0)


def test_a_version_that_is_not_known_is_judged_as_one_that_is_served_beside_it(kinds: ControlPlane) -> None:
    newer = {**named(JOB_SET, "newer", JOB_SET.objects["refused"]), "apiVersion": "jobset.x-k8s.io/v9"}
    answer = kinds.request("POST", path_of(JOB_SET).replace("v1alpha2", "v9"), newer)

    assert answer.status == 403
    assert JOB_SET.cpu.removesuffix(".limits[cpu]") in answer.body["message"]


def test_a_version_that_is_not_known_and_stands_alone_is_admitted(kinds: ControlPlane) -> None:
    path = f"/apis/models.example.com/v9/namespaces/{NAMESPACE}/lateservers?dryRun=All"
    late = {**CLONE_SET.objects["refused"], "apiVersion": "models.example.com/v9", "kind": "LateServer"}
    answer = kinds.request("POST", path, late)

    assert (answer.status, answer.warnings) == (201, ())


@pytest.fixture
def ahead(kinds: ControlPlane, service: WebhookService, tmp_path: Path) -> Iterator[ControlPlane]:
    """Let the API server ask about a version that numagate does not know yet."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY.replace("[v1]", "[v1, v9]"), "utf-8")
    target = ["--policy", str(policy), "--url", service.url, "--ca-bundle", str(service.ca)]
    rendered = yaml.safe_load_all(numagate("manifests", "--overlay", "enforce", *target))
    (mine,) = [one for one in rendered if one["kind"] == "ValidatingWebhookConfiguration"]
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    answer = kinds.request("POST", path, {**mine, "metadata": {"name": "ahead"}})
    assert (answer.status, answer.warnings) == (201, ())
    yield kinds
    kinds.request("DELETE", f"{path}/ahead")


def test_a_version_that_numagate_is_asked_about_and_does_not_know_is_admitted_with_a_warning(
    ahead: ControlPlane,
) -> None:
    path = f"/apis/models.example.com/v9/namespaces/{NAMESPACE}/lateservers?dryRun=All"
    late = {**CLONE_SET.objects["refused"], "apiVersion": "models.example.com/v9", "kind": "LateServer"}
    answer = until(lambda: warned(ahead.request("POST", path, late)), what="the first warning")

    assert answer.status == 201
    assert answer.warnings == ("numagate does not know kind LateServer: its pods are judged when they are created",)


def warned(answer: Answer) -> Answer | None:
    return answer if answer.warnings else None


@pytest.mark.parametrize("sample", [CLONE_SET, JOB_SET, OWN], ids=lambda sample: sample.id)
def test_large_objects_stay_within_the_cost_limits_of_conditions(sample: Sample, kinds: ControlPlane) -> None:
    large = named(sample, "large", sample.objects["refused"])
    first = next(BY_NAME[sample.name].locate(large))
    resources = {"limits": {f"example.com/{number}": 1 for number in range(20)}}
    more = [{"name": f"c{number}", "image": "app:1", "resources": resources} for number in range(300)]
    cast("Object", at(large, first.spec_path))["containers"][:0] = more
    answer = kinds.request("POST", f"{path_of(sample)}?dryRun=All", large)

    place = f"{field_path(first.spec_path)}.containers"
    assert (answer.status, f"[{place}: 301, want at most 200; crowded-pod]" in answer.body["message"]) == (403, True)
