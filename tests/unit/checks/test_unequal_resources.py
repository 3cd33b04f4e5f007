"""A finding about an injected container names who added it and the knob that cures it."""

from builders import container
from builders import equal
from builders import pod
from builders import world

from webhook.engine.judge import judge_pod

VAULT = (
    " (Vault adds it: set annotations vault.hashicorp.com/agent-requests-cpu, agent-limits-cpu, agent-requests-mem, "
    "agent-limits-mem)"
)


def messages(*containers: dict[str, object]) -> list[str]:
    known = world()
    judgement = judge_pod(pod(*containers), known, modes=known.policy.modes)
    return [one.message for one in judgement.findings if one.code in {"unequal-resources", "missing-resources"}]


def test_an_unequal_injected_container_is_told_with_its_knob() -> None:
    agent = container(
        "vault-agent", requests={"cpu": "250m", "memory": "64Mi"}, limits={"cpu": "500m", "memory": "64Mi"}
    )
    assert messages(container(**equal()), agent) == [
        f"cpu request 250m is below its limit 500m, so the pod is not Guaranteed{VAULT}"
    ]


def test_a_request_without_a_limit_is_told_with_its_knob() -> None:
    agent = container("vault-agent", requests={"cpu": "250m"}, limits={"memory": "64Mi"})
    assert messages(container(**equal()), agent) == [
        f"cpu has a request of 250m but no limit, so the pod is not Guaranteed{VAULT}"
    ]


def test_an_injected_container_without_values_is_told_with_its_knob() -> None:
    agent = container("vault-agent", limits={"memory": "64Mi"})
    assert messages(container(**equal()), agent) == [
        f"no cpu is set, so the pod is not Guaranteed: write limits cpu: 250m{VAULT}"
    ]


def test_a_container_that_people_write_has_no_knob() -> None:
    helper = container("side", requests={"cpu": "250m"}, limits={"cpu": "500m", "memory": "64Mi"})
    assert messages(container(**equal()), helper) == [
        "cpu request 250m is below its limit 500m, so the pod is not Guaranteed"
    ]


def test_an_accelerator_container_of_that_name_is_nobody_s() -> None:
    main = container("vault-agent", **{**equal("8"), "requests": {"cpu": "4", "memory": "32Gi", "nvidia.com/gpu": "1"}})
    assert messages(main) == ["cpu request 4 is below its limit 8, so the pod is not Guaranteed"]
