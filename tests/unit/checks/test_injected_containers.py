"""Injections that are announced: with the setting to write, and only before they happen."""

from builders import container
from builders import deployment
from builders import equal
from builders import pod
from builders import policy
from builders import request
from builders import world

from webhook.domain.facts import read
from webhook.domain.finding import Finding
from webhook.engine import judge
from webhook.engine import messages
from webhook.engine.review import review
from webhook.engine.subject import gather

CALLED = {"vault.hashicorp.com/agent-inject": "true"}


def found(made: dict[str, object]) -> list[Finding]:
    subject = gather(read(made), policy(), world().classes)
    return [finding for finding in judge.find(subject) if finding.code == "injected-containers"]


def test_the_warning_holds_the_whole_setting() -> None:
    texts = [messages.finding_warning(finding) for finding in found(pod(annotations=CALLED))]

    assert texts == [
        "Vault adds vault-agent: annotate vault.hashicorp.com/agent-{limits,requests}-cpu: 250m [injected-containers]",
        "Vault adds vault-agent: annotate vault.hashicorp.com/agent-{limits,requests}-mem: 128Mi [injected-containers]",
    ]


def test_a_pod_that_went_through_all_mutations_awaits_none() -> None:
    assert found({**pod(annotations=CALLED), "status": {"qosClass": "Guaranteed"}}) == []


def test_a_pod_without_accelerators_is_left_alone() -> None:
    assert found(pod(container(**equal(gpus=None)), annotations=CALLED)) == []


def test_where_spec_resources_decide_nothing_is_announced() -> None:
    block = {"limits": {"cpu": "8", "memory": "64Gi"}}

    assert found(pod(annotations=CALLED, resources=block)) == []


def test_a_template_is_warned_about_on_a_server_and_its_pods_are_not() -> None:
    template = deployment(pod())
    template["spec"]["template"]["metadata"]["annotations"] = CALLED
    known = world()

    warned = review(request(template, kind="Deployment", resource="deployments"), known)
    made = pod(annotations=CALLED, labels={"istio.io/rev": "stable"})
    admitted = review(request({**made, "status": {"qosClass": "Guaranteed"}}), known)

    assert [text.rpartition(" ")[2] for text in warned.warnings] == ["[injected-containers]"] * 2
    assert {finding.code for finding in admitted.findings} == {"missing-promise"}
