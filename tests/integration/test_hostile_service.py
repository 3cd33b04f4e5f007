"""The real service under hostile input: a Status or a review for every body, nothing foreign in replies and logs."""

import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import hostile
import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from replies import check_answer
from replies import check_refusal
from replies import patch_of
from serving import UID
from serving import Running
from serving import exchange
from serving import review_body
from serving import running

from webhook.domain.errors import RequestError
from webhook.engine.decision import Decision
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.own_objects import with_own_objects
from webhook.server.recall import Recall
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import load_profiles
from webhook.web import logs

PASSES = ("mutate", "validate")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run the service as `numagate serve` does, on one known machine."""

    def load() -> Any:
        return load_policy(profiles=load_profiles("generic-2x4"))

    with running(tmp_path_factory.mktemp("certs"), review=with_own_objects(Recall()), load=load) as service:
        yield service


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Catch what the service logs, down to debug, as it would write it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def check_log(log: io.StringIO) -> str:
    """Check that each line is one JSON object in ASCII, and answer all of them."""
    text = log.getvalue()
    assert text.isascii()
    assert all(isinstance(json.loads(line), dict) and line.isprintable() for line in text.splitlines())
    return text


def decided(service: Running, name: str, body: bytes) -> dict[str, Any]:
    """Ask one pass, check the reply and answer its response."""
    reply = service.ask("POST", f"/{name}?timeout=10s", body)
    assert reply.status == 200
    return check_answer(Pass(name), reply.body, UID)


@pytest.mark.parametrize("name", PASSES)
def test_a_body_that_is_no_review_gets_a_status_and_the_next_one_its_review(
    live: Running, log: io.StringIO, name: str
) -> None:
    connection = live.connect()
    statuses: dict[str, int] = {}
    for row, body in hostile.BODIES.items():
        reply = exchange(connection, "POST", f"/{name}", body)
        statuses[row] = reply.status
        found = reply.json
        assert (found["kind"], found["status"], found["code"]) == ("Status", "Failure", 400)
        check_refusal(RequestError(str(found["message"])))
        assert exchange(connection, "POST", f"/{name}", review_body()).status == 200
    connection.close()

    assert statuses == dict.fromkeys(hostile.BODIES, 400)
    check_log(log)


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("body", hostile.ODD_REVIEWS.values(), ids=hostile.ODD_REVIEWS)
def test_an_odd_review_gets_its_answer(live: Running, name: str, body: bytes) -> None:
    assert decided(live, name, body)["allowed"]


@pytest.mark.parametrize("code", hostile.CPUS)
def test_a_hostile_quantity_is_decided_on(live: Running, code: str) -> None:
    for value in hostile.CPUS[code]:
        body = review_body(obj=pod(container(limits={"cpu": value, "memory": "32Gi", GPU: "1"})))
        assert decided(live, "mutate", body)["allowed"]
        response = decided(live, "validate", body)
        assert code in json.dumps(response.get("status", response.get("warnings")))


def with_text(text: str, gpus: int) -> dict[str, Any]:
    """Write a text wherever a pod holds one."""
    main = container(
        text,
        image=f"registry.example/{text}/vllm:1",
        command=["vllm", text],
        args=[text],
        env=[{"name": text, "value": text}],
        volumeMounts=[{"name": text, "mountPath": text}],
        workingDir=text,
        **equal("7500m", "32Gi", gpus, **{text: text}),
    )
    odd = container("odd", image=text, limits={f"nvidia.com/{text}": "1", text: text, "memory": text})
    return pod(
        main,
        odd,
        labels={text: text, "app": text, "numagate.io/level": text},
        annotations={text: text, "numagate.io/numa-nodes": text, "numagate.io/exempt": text},
        nodeSelector={text: text},
        tolerations=[{"key": text, "operator": text, "value": text}],
        volumes=[{"name": text, "emptyDir": {"medium": "Memory", "sizeLimit": text}}],
        resourceClaims=[{"name": text, "resourceClaimName": text}],
        imagePullSecrets=[{"name": text}],
        runtimeClassName=text,
    )


@pytest.mark.parametrize("text", hostile.TEXTS, ids=range(len(hostile.TEXTS)))
def test_a_hostile_text_breaks_no_line_limit_or_label(live: Running, log: io.StringIO, text: str) -> None:
    before = series(live)
    for gpus in (1, 16):
        obj = with_text(text, gpus)
        for kind in ("Pod", text[:100] or "Thing"):
            asked = review_body(obj=obj, kind={"group": "", "version": "v1", "kind": kind}, namespace=text[:200])
            for name in PASSES:
                decided(live, name, asked)

    found = check_log(log)
    assert [json.loads(line)["message"] for line in found.splitlines()].count("decided") == 8
    assert {name for name in series(live) - before if not name.startswith(KNOWN_SERIES)} == set()


LABEL = re.compile(r"[A-Za-z0-9.+_-]{1,40}")
KNOWN_SERIES = ("numagate_findings_total", "numagate_decisions_total", "numagate_repairs_total", "numagate_request")


def series(service: Running) -> set[str]:
    """Answer the names and labels of all metrics; a label that came from a pod would make a new one."""
    lines = service.probe("/metrics").body.decode().splitlines()
    return {line.rpartition(" ")[0] for line in lines if not line.startswith("#")}


def test_every_label_of_a_metric_is_a_word_of_ours(live: Running) -> None:
    labels = [part for name in series(live) if "{" in name for part in name.split('"')[1::2]]

    assert labels
    assert [label for label in labels if not LABEL.fullmatch(label)] == []


MARKER = "MARKER-b7e1"
"""What must be found nowhere."""


def with_secrets(number: int) -> dict[str, Any]:
    """Make a pod that holds a marker in every place where people keep secrets, and has one of many faults."""
    secret = f"{MARKER}-{number}"
    faults: tuple[dict[str, Any], ...] = (
        equal(),
        equal("7500m", "32Gi", 1),
        equal("94", "1Ti", 16),
        {"limits": {GPU: "1"}},
        {"limits": {GPU: "1", "cpu": "x", "memory": "32Gi"}},
        {"requests": {GPU: "2"}, "limits": {GPU: "1"}},
        {"limits": {GPU: "0.5", "cpu": "1", "memory": "1Gi"}},
        {},
    )
    probe = {"httpGet": {"path": f"/{secret}", "port": 80, "httpHeaders": [{"name": "Authorization", "value": secret}]}}
    main = container(
        env=[{"name": "TOKEN", "value": secret}, {"name": secret, "valueFrom": {"secretKeyRef": {"name": secret}}}],
        envFrom=[{"secretRef": {"name": secret}}],
        command=["sh", "-c", f"exec vllm --api-key {secret}"],
        args=["--api-key", secret],
        lifecycle={"preStop": {"exec": {"command": [secret]}}},
        readinessProbe=probe,
        volumeMounts=[{"name": "v", "mountPath": f"/{secret}", "subPath": secret}],
        **faults[number % len(faults)],
    )
    annotations: Any = {"team.example/token": secret, "kubectl.kubernetes.io/last-applied-configuration": secret}
    if number % 5 == 0:
        annotations = {**annotations, "wrong": [secret]}
    made = pod(
        main,
        annotations=annotations,
        imagePullSecrets=[{"name": secret}],
        volumes=[
            {"name": "v", "secret": {"secretName": secret}},
            {"name": "w", "csi": {"volumeAttributes": {"k": secret}}},
        ],
        hostname=secret.lower(),
        serviceAccountName=secret,
    )
    if number % 7 == 0:
        made["spec"]["containers"].append({"name": "odd", "env": secret, "args": {"a": secret}, "resources": []})
    return made


def test_no_secret_of_a_thousand_pods_is_told_anywhere(live: Running, log: io.StringIO) -> None:
    connection = live.connect()
    told: list[str] = []
    outcomes: set[bool] = set()
    for number in range(1000):
        body = review_body(obj=with_secrets(number), namespace="team-a")
        reply = exchange(connection, "POST", f"/{PASSES[number % 2]}", body)
        response = check_answer(Pass(PASSES[number % 2]), reply.body, UID)
        outcomes.add(response["allowed"])
        told += [reply.body.decode(), json.dumps(patch_of(response))]
        told.append(exchange(connection, "POST", "/validate", body[: 200 + number]).body.decode())
    connection.close()

    assert outcomes == {True, False}
    assert check_log(log).count('"decided"') == 1000
    assert [text for text in (*told, log.getvalue(), *series(live)) if MARKER in text] == []


def quoting(request: Request, _world: World) -> Decision:
    """Fail as a bug would that quotes the pod, in the error and in the one before it."""
    try:
        return {}[json.dumps(dict(request.object or {}))]
    except KeyError as error:
        raise RuntimeError(str(error)) from error


def test_a_bug_quotes_no_pod(tmp_path: Any, log: io.StringIO) -> None:
    with running(tmp_path, review=quoting) as service:
        reply = service.ask("POST", "/validate", review_body(obj=with_secrets(1)))
        after = service.ask("GET", "/healthz")

    assert (reply.status, reply.json["kind"], after.status) == (500, "Status", 200)
    assert MARKER not in reply.body.decode()
    found = check_log(log)
    assert MARKER not in found
    assert "in quoting" in found
