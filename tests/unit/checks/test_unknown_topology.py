"""What is said where no node class is known for a pod."""

from dataclasses import replace

from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.domain.finding import Severity
from webhook.engine.judge import judge_pod
from webhook.sources.policy_file import load_profile


def test_what_the_missing_profile_must_have_is_named() -> None:
    known = ruling()
    other = pod(container(**equal("12", "96Gi", None, **{"amd.com/gpu": "8"})))

    found = judge_pod(other, known).findings

    assert [one.message for one in found if one.code == "unknown-topology"] == [
        (
            "no NodeProfile is known for the nodes this pod may run on, so its NUMA fit was not checked: "
            "declare one that has amd.com/gpu"
        )
    ]


def test_a_topology_of_too_few_nodes_warns_and_never_refuses() -> None:
    reported = replace(load_profile("two-socket-32c"), name="new-pool", nodes=1, trusted=False)
    judgement = judge_pod(pod(container(**equal("8", "8Gi", 8))), ruling(reported))

    (told,) = [one.message for one in judgement.findings if one.code == "unknown-topology"]
    assert told.startswith(
        "declare a NodeProfile: what is known of new-pool (1 node) is not sure enough to refuse by, "
    )
    assert (judgement.outcome.value, judgement.remaining, judgement.classes[0].fits) == ("accept", (), "unsure")


def test_a_topology_of_too_few_nodes_may_relax_what_others_refuse() -> None:
    small, large = load_profile("two-socket-32c"), replace(load_profile("dgx-h100"), name="new", trusted=False)
    four = pod(container(**equal("32", "64Gi", 4)))

    assert [judge_pod(four, ruling(*some)).outcome.value for some in ((small,), (small, large))] == ["deny", "accept"]


def test_what_such_a_topology_says_gives_no_shares() -> None:
    reported = replace(load_profile("dgx-h100"), nodes=1, trusted=False)
    bare = pod(container(limits={"nvidia.com/gpu": "1"}))

    assert [judge_pod(bare, ruling(one)).outcome.value for one in (reported, replace(reported, trusted=True))] == [
        "deny",
        "repair",
    ]


def test_cores_that_only_such_a_topology_hands_out_whole_are_told_and_not_repaired() -> None:
    odd = pod(container(**equal("7", "64Gi")))
    reported = replace(load_profile("dgx-h100"), name="new", trusted=False)
    judgement = judge_pod(odd, ruling(reported))

    told = [(one.severity, one.wanted) for one in judgement.findings if one.code == "partial-core"]
    assert (judgement.edits, judgement.remaining, told) == ((), (), [(Severity.WARNING, "8")])
    trusted = judge_pod(odd, ruling(replace(reported, trusted=True)))
    assert [edit.new for edit in trusted.edits] == ["8", "8"]


def test_cores_of_such_a_topology_do_not_round_what_another_fault_has_repaired() -> None:
    below = equal("7", "64Gi")
    below["requests"]["cpu"] = "6"
    lax = load_profile("dgx-h100")
    lax = replace(lax, kubelet=replace(lax.kubelet, cpu_manager_policy_options={}))
    reported = replace(load_profile("dgx-h100"), name="new", trusted=False)

    edits = judge_pod(pod(container(**below)), ruling(lax, reported)).edits
    assert [(edit.path[-2], edit.new) for edit in edits] == [("requests", "7")]
