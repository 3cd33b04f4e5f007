"""Laws of the wire: any JSON object is answered with a valid review, any bytes with a review or a Status."""

import json
from datetime import UTC
from datetime import datetime

from hypothesis import example
from hypothesis import given
from hypothesis import strategies as st
from replies import check_answer
from replies import check_refusal
from serving import UID
from serving import review_body

from webhook.domain.errors import RequestError
from webhook.engine.decision import Decision
from webhook.engine.request import Pass
from webhook.engine.review import review
from webhook.engine.world import World
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import load_profiles
from webhook.web import duration
from webhook.web import wire

LOADED = load_policy(profiles=load_profiles("generic-2x4"))
WORLD = World(
    policies=LOADED.policies,
    classes=LOADED.classes,
    own_namespace="numagate-system",
    instant=datetime(2030, 1, 1, tzinfo=UTC),
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
QUANTITIES = st.sampled_from(
    ["1", "2", "0", "500m", "1.5", "1999.5m", "64Gi", "1e1000000", "10e999999", "-1", "", "x", "٣", "1_0", " 1", "1\n"]
) | st.integers(-3, 2**70)
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
)
JSON_VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=12
)

# Names that the engine looks at, so that the nonsense lands where it is read.
KEYS = st.sampled_from(
    [
        "metadata", "name", "namespace", "labels", "annotations", "ownerReferences", "spec", "template", "jobTemplate",
        "containers", "initContainers", "ephemeralContainers", "resources", "limits", "requests", "claims", "image",
        "command", "args", "env", "volumes", "emptyDir", "medium", "sizeLimit", "nodeSelector", "affinity",
        "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", "matchExpressions",
        "key", "operator", "values", "tolerations", "effect", "restartPolicy", "overhead", "runtimeClassName",
        "resourceClaims", "status", "kind", "apiVersion", "cpu", "memory", "nvidia.com/gpu", "hugepages-1Gi",
        "numagate.io/alignment", "numagate.io/level", "numagate.io/numa-nodes", "numagate.io/governed",
        "kubernetes.io/config.mirror", "a/b~c",
    ]
)  # fmt: skip
WORDS = st.sampled_from(["Pod", "v1", "Always", "vllm/vllm-openai:v1", "true", "In", "Exists", "NoSchedule", "Memory"])
NEARLY = st.recursive(
    SCALARS | QUANTITIES | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=40,
)
OBJECTS = st.dictionaries(TEXTS, JSON_VALUES, max_size=4) | st.dictionaries(KEYS, NEARLY, max_size=6)


@st.composite
def pods(draw: st.DrawFn) -> dict[str, object]:
    """Draw an object of a pod's shape with nonsense in it."""
    resources = st.dictionaries(st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "hugepages-2Mi"]), QUANTITIES)
    container = st.fixed_dictionaries(
        {"name": st.sampled_from(["main", "side", "a~/b"]), "image": st.sampled_from(["vllm/vllm-openai:v1", "nginx"])},
        optional={
            "resources": st.fixed_dictionaries({}, optional={"limits": resources, "requests": resources}) | NEARLY,
            "restartPolicy": WORDS,
            "env": NEARLY,
        },
    )
    spec: dict[str, object] = {"containers": draw(st.lists(container | NEARLY, max_size=3))}
    if draw(st.booleans()):
        spec["initContainers"] = draw(st.lists(container | NEARLY, max_size=2))
    if draw(st.booleans()):
        spec |= draw(st.dictionaries(KEYS, NEARLY, max_size=3))
    metadata = draw(st.dictionaries(KEYS, NEARLY, max_size=4))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


KINDS = st.sampled_from(
    [
        ({"group": "", "version": "v1", "kind": "Pod"}, "pods"),
        ({"group": "apps", "version": "v1", "kind": "Deployment"}, "deployments"),
        ({"group": "batch", "version": "v1", "kind": "CronJob"}, "cronjobs"),
        ({"group": "example.com", "version": "v1", "kind": "Thing"}, "things"),
    ]
)


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """Draw a well-formed review of any object."""
    kind, resource = draw(KINDS)
    return review_body(
        obj=draw(OBJECTS | pods()),
        oldObject=draw(st.none() | OBJECTS | pods()),
        kind=kind,
        resource={"group": kind["group"], "version": "v1", "resource": resource},
        operation=draw(st.sampled_from(["CREATE", "UPDATE", "DELETE", "CONNECT"])),
        subResource=draw(st.sampled_from(["", "resize", "ephemeralcontainers", "status", "binding"])),
        namespace=draw(st.sampled_from(["", "default", "kube-system"])),
    )


@given(body=bodies(), review_pass=st.sampled_from(list(Pass)))
@example(body=review_body(obj={}), review_pass=Pass.MUTATE)
def test_any_object_gets_a_valid_review(body: bytes, review_pass: Pass) -> None:
    request = wire.read(body, review_pass)

    check_answer(review_pass, wire.write(request.uid, review_pass, review(request, WORLD)), UID)


@given(obj=OBJECTS | pods())
def test_a_dry_run_is_decided_alike(obj: dict[str, object]) -> None:
    def decide(*, dry_run: bool) -> Decision:
        return review(wire.read(review_body(obj=obj, dryRun=dry_run), Pass.MUTATE), WORLD)

    assert decide(dry_run=True) == decide(dry_run=False)


@given(obj=OBJECTS)
def test_what_was_written_is_what_is_read(obj: dict[str, object]) -> None:
    assert wire.read(review_body(obj=obj), Pass.MUTATE).object == obj


def refusal_of(body: bytes) -> RequestError | None:
    """Read `body` and answer how it was refused, if it was."""
    try:
        wire.read(body, Pass.MUTATE)
    except RequestError as error:
        return error
    return None


@given(body=st.binary(max_size=200) | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_other_bytes_are_bad_requests_and_nothing_else(body: bytes) -> None:
    refusal = refusal_of(body)

    assert refusal is not None
    check_refusal(refusal)


@given(data=st.data())
def test_a_damaged_review_is_read_or_refused(data: st.DataObject) -> None:
    body = bytearray(review_body())
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))

    refusal = refusal_of(bytes(body))

    assert refusal is None or refusal.status == 400


@given(query=st.binary(max_size=60) | st.from_regex(rb"timeout=[-+0-9.a-z]{0,12}", fullmatch=True))
def test_any_query_gives_a_budget_within_the_api_servers_limits(query: bytes) -> None:
    assert 0.2 <= duration.budget(query) <= 29.8
