"""Judges every case of the table with a real API server that asks the real service, as `kubectl` shows it."""

import json
import re
import subprocess
from dataclasses import replace
from typing import Any

import casetable
import pytest
from caseanswers import codes_of_refusal
from caseanswers import codes_of_warnings
from caseanswers import places_of_refusal
from caseanswers import refusal_codes
from caseanswers import refused_at_apply
from caseanswers import repairs_in
from caseanswers import unlike
from caseanswers import warned_codes_on_a_server
from caseobjects import Object
from casetable import Case
from casetable import Expect
from caseworlds import documents_in
from caseworlds import world_of
from caseworlds import worlds
from controlplane.case_service import CaseService
from controlplane.cluster import Answer
from controlplane.cluster import ControlPlane

ALIGNMENT = "numagate.io/alignment"
LEVEL = "numagate.io/level"
MESSAGE_BYTES = 900
REFUSAL = re.compile(
    r'Error from server \(Forbidden\): error when creating "STDIN": '
    r'admission webhook "(?P<name>pods|templates|claims)\.validate\.numagate\.io" denied the request: (?P<ours>.+)'
)


def rows(cases: list[Case], *, elsewhere: bool = False) -> list[Any]:
    """Answer case, expectation and world, worlds that are alike one after another."""
    found = []
    for case in cases:
        expect = case.templates[0].expect
        if elsewhere:
            found += [(case, there, world_of(case, name)) for name, there in expect.elsewhere.items()]
        else:
            found.append((case, expect, world_of(case)))
    found.sort(key=lambda row: worlds().index(row[-1]))
    return [pytest.param(*row, id=f"{row[0].id}-{row[-1].name}") for row in found]


CASES = casetable.for_runner("apiserver")
PODS = [case for case in CASES if case.kind == "Pod"]
SHOWN = list({(case.kind, case.templates[0].expect.decision): case for case in reversed(CASES)}.values())
"""For each kind and decision one case."""


def judged(cases: list[Case], *, elsewhere: bool = False) -> pytest.MarkDecorator:
    """Run a test for each of the cases, in its world."""
    found = rows(cases) + (rows(cases, elsewhere=True) if elsewhere else [])
    return pytest.mark.parametrize(
        ("case", "expect", "case_service"), found, indirect=["case_service"], scope="session"
    )


def kubectl(
    cluster: ControlPlane, service: CaseService, case: Case, *arguments: str
) -> subprocess.CompletedProcess[str]:
    items = {"apiVersion": "v1", "kind": "List", "items": documents_in(case, service.world)}
    return cluster.kubectl(*arguments, "-o", "json", "-f", "-", input=items, check=False)


def warnings_in(stderr: str) -> list[str]:
    return [line.removeprefix("Warning: ") for line in stderr.splitlines() if line.startswith("Warning: ")]


def object_in(stdout: str, kind: str) -> Any:
    """Answer the object of `kind` that kubectl printed, alone or in a list."""
    printed = json.loads(stdout)
    return next(item for item in printed.get("items", [printed]) if item["kind"] == kind)


def another(case: Case, suffix: str) -> Case:
    """Answer the case under a name that no other test uses."""
    metadata = case.manifest["metadata"]
    if "generateName" in metadata:
        return case
    return replace(case, manifest={**case.manifest, "metadata": {**metadata, "name": f"{metadata['name']}-{suffix}"}})


def create(cluster: ControlPlane, service: CaseService, case: Case, *, dry_run: bool) -> Answer:
    pod = documents_in(case, service.world)[-1]
    path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"
    return cluster.request("POST", f"{path}?dryRun=All" if dry_run else path, pod)


def assert_right_refusal(line: str, case: Case, expect: Expect) -> None:
    match = REFUSAL.fullmatch(line)
    assert match is not None, line
    ours = match["ours"]
    assert ours.isprintable()
    assert len(ours.encode()) <= MESSAGE_BYTES
    places = places_of_refusal(ours)
    root = case.templates[0].path.removesuffix("spec")
    assert places, ours
    assert all(place.startswith((f"{root}spec", f"{root}metadata")) for place in places)
    codes = codes_of_refusal(ours)
    assert codes
    assert codes <= refusal_codes(expect)


@judged(CASES, elsewhere=True)
def test_kubectl_shows_the_stated_verdict(
    case: Case, expect: Expect, case_service: CaseService, case_cluster: ControlPlane
) -> None:
    verb = "create" if "generateName" in case.manifest["metadata"] else "apply"
    done = kubectl(case_cluster, case_service, case, verb, "--dry-run=server")

    warnings = warnings_in(done.stderr)
    if refused_at_apply(case, expect):
        assert done.returncode == 1
        if expect.decision == "deny":
            assert_right_refusal(done.stderr.splitlines()[-1], case, expect)
        return
    assert done.returncode == 0, done.stderr
    assert all(len(warning) <= 120 for warning in warnings if codes_of_warnings([warning]))
    if case.kind == "Pod":
        assert unlike(expect.after, case.templates[0].pod, object_in(done.stdout, "Pod")) == []
        assert codes_of_warnings(warnings) <= warned_codes_on_a_server(expect)
    assert bool(repairs_in(warnings)) == (expect.decision == "repair")
    if expect.decision not in {"repair", "deny"}:
        assert codes_of_warnings(warnings) == warned_codes_on_a_server(expect)


@judged(PODS)
def test_a_pod_is_stored_as_the_dry_run_showed_it(
    case: Case, expect: Expect, case_service: CaseService, case_cluster: ControlPlane
) -> None:
    named = another(case, "stored")
    dry = create(case_cluster, case_service, named, dry_run=True)
    real = create(case_cluster, case_service, named, dry_run=False)

    assert (real.status, real.warnings) == (dry.status, dry.warnings)
    if refused_at_apply(case, expect):
        assert real.body["message"] == dry.body["message"]
        assert real.status in ({403} if expect.decision == "deny" else {400, 403, 422})
        return
    assert real.status == 201
    metadata = real.body["metadata"]
    stored = case_cluster.request("GET", f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}").body
    assert resources_in(stored) == resources_in(dry.body)
    assert promised(stored) == promised(dry.body)
    assert unlike(expect.after, case.templates[0].pod, stored) == []
    if expect.decision in {"accept", "repair"} and case.governs == "accelerators":
        level = stored["metadata"]["labels"][LEVEL]
        assert (level, json.loads(promised(stored)[0])["level"]) == (expect.level_after, expect.level_after)
        assert stored["status"]["qosClass"] == "Guaranteed"


def resources_in(pod: Object) -> list[Any]:
    spec = pod["spec"]
    return [spec.get("resources"), *(one["resources"] for one in spec.get("initContainers", []) + spec["containers"])]


def promised(pod: Object) -> tuple[Any, Any]:
    metadata = pod["metadata"]
    return metadata.get("annotations", {}).get(ALIGNMENT), metadata.get("labels", {}).get(LEVEL)


@judged(SHOWN)
def test_kubectl_create_says_the_same_as_the_dry_run_of_apply(
    case: Case, expect: Expect, case_service: CaseService, case_cluster: ControlPlane
) -> None:
    named = another(case, "created")
    shown = kubectl(case_cluster, case_service, named, "apply", "--dry-run=server")
    created = kubectl(case_cluster, case_service, named, "create")

    assert shown.returncode == created.returncode == refused_at_apply(case, expect)
    assert shown.stderr == created.stderr
