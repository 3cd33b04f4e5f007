"""The warnings about running pods that a raised level would refuse: golden texts."""

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from builders import GPU
from builders import container
from builders import equal
from builders import pod
from builders import policy
from builders import world

from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.domain.policy import Match
from webhook.engine.namespace_change import Change
from webhook.engine.namespace_review import Watch
from webhook.engine.namespace_review import label_warnings
from webhook.engine.namespace_review import review
from webhook.engine.running_pods import RunningPods
from webhook.engine.world import World

RAISED = Change("team-a", {}, {"numagate.io/enforce": "aligned"})
LOOKING = Modes(enforce=Level.NONE, repair=Level.NONE)
UNFIT = equal(gpus=8, cpu="40")
FRACTION = equal(cpu="7500m")


def owned(name: str, resources: dict[str, Any], kind: str = "StatefulSet", **fields: Any) -> dict[str, Any]:
    made = pod(container(**resources), **fields)
    owner = {"kind": kind, "name": name, "controller": True}
    return {**made, "metadata": {**made["metadata"], "ownerReferences": [owner]}}


def warned(pods: Iterable[dict[str, Any]], known: World | None = None, *, most: float = 1.0, **more: Any) -> list[str]:
    known = known or world(modes=LOOKING)
    running = RunningPods(known.policies)
    running.add(pods)
    times = count()
    return list(review(RAISED, known, running, Watch(lambda: 0.001 * next(times), most), **more))


def test_pods_that_fit_are_not_spoken_of() -> None:
    assert warned([owned("llama", equal())]) == []


def test_a_namespace_without_pods_has_nothing_to_say() -> None:
    assert warned([]) == []


def test_what_is_wrong_is_told_once_with_the_workloads_that_have_it() -> None:
    pods = [owned("llama", equal()), *[owned(f"qwen-{number}", FRACTION) for number in range(5) for _ in range(4)]]

    assert warned([*pods, *[owned("gemma", UNFIT)] * 3]) == [
        'existing pods in namespace "team-a" violate numagate level "aligned": 23 of 24',
        (
            "qwen-0, qwen-1, qwen-2 (+2 more; 20 pods): "
            "server: cpu 7500m is not a whole number, so the co…: write 8 [fractional-cpu]"
        ),
        (
            "gemma (3 pods): server: 8 nvidia.com/gpu never fit one NUMA node of generic-2x4 (4 per NUMA n…: "
            "write at most 4 [misfit]"
        ),
    ]


def test_every_fault_of_a_pod_is_told() -> None:
    unequal = {"requests": {"cpu": "4", GPU: "1"}, "limits": {GPU: "1"}}

    assert warned([owned("llama", unequal)]) == [
        'existing pods in namespace "team-a" violate numagate level "aligned": 1 of 1',
        "llama: server: cpu has a request of 4 but no limit, so the pod is not Guaranteed [unequal-resources]",
        (
            "llama: server: no memory is set, so the pod is not Guaranteed: write limits memory: 25…: write 252Gi "
            "[missing-resources]"
        ),
    ]


def test_what_would_be_repaired_is_counted_but_does_not_fail() -> None:
    repairing = world(modes=Modes(enforce=Level.NONE))

    assert warned([owned("qwen", FRACTION), owned("llama", equal())], repairing) == []
    assert warned([owned("qwen", FRACTION), owned("gemma", UNFIT)], repairing) == [
        'existing pods in namespace "team-a" violate numagate level "aligned": 1 of 2',
        (
            "gemma: server: 8 nvidia.com/gpu never fit one NUMA node of generic-2x4 (4 per NUMA node): run…: "
            "write at most 4 [misfit]"
        ),
        "1 more pod would be changed by numagate and then admitted",
    ]


def test_exempt_pods_are_left_out() -> None:
    rules = (ExemptionRule("tests", runtime_classes=("kata",)),)
    known = world(modes=LOOKING, exemptions=Exemptions(rules=rules, pods=True))
    wish = {"numagate.io/exempt": "until the new model comes"}

    assert warned([owned("a", UNFIT, runtimeClassName="kata"), owned("b", UNFIT, annotations=wish)], known) == []
    assert len(warned([owned("c", UNFIT)], known)) == 2


def test_pods_whose_policy_and_level_stay_are_left_out() -> None:
    match = Match(accelerators=("amd.com/*",))
    known = replace(world(), policies=(policy(name="a"), policy(name="b", match=match, modes=LOOKING)))

    assert warned([owned("llama", UNFIT)], known) == []


def test_the_level_is_the_one_that_the_namespace_then_has() -> None:
    known = world(modes=LOOKING)
    running = RunningPods(known.policies)
    running.add([owned("qwen", {"requests": {GPU: "1"}, "limits": {GPU: "1"}}), owned("gemma", UNFIT)])
    change = Change("team-a", {}, {"numagate.io/enforce": "guaranteed"})

    assert review(change, known, running, Watch(lambda: 0.0, 1.0))[0] == (
        'existing pods in namespace "team-a" violate numagate level "guaranteed": 1 of 2'
    )


def many(number: int) -> Iterator[dict[str, Any]]:
    return (owned(f"w{index}", equal(cpu=f"{index + 1}500m")) for index in range(number))


def test_where_findings_take_too_much_room_there_is_a_line_for_each_rule() -> None:
    texts = warned([*many(20), owned("gemma", UNFIT)])

    assert texts == [
        'existing pods in namespace "team-a" violate numagate level "aligned": 21 of 21',
        (
            "w0, w1, w2 (+17 more): such as server: cpu 1500m is not a whole number, so the container gets…: write 2 "
            "[fractional-cpu]"
        ),
        (
            "gemma: server: 8 nvidia.com/gpu never fit one NUMA node of generic-2x4 (4 per NUMA node): run…: "
            "write at most 4 [misfit]"
        ),
    ]


def test_the_number_and_the_length_of_warnings_are_bounded() -> None:
    long = [owned("n" * 60 + str(index), equal(cpu=f"{index + 1}500m")) for index in range(12)]
    pods = [*long, owned("gemma", UNFIT), *[owned("many", {"limits": {GPU: "1"}})] * 5]

    texts = warned(pods, room=3)

    assert (len(texts), max(map(len, texts)) <= 120) == (3, True)
    assert texts[-1] == "(+2 more findings; numagate lint shows them all)"


def test_nine_different_findings_have_room() -> None:
    assert len(warned(many(9))) == 10


def fractional(owner: str, cpu: str, wanted: str) -> str:
    why = "so the container gets no exclusive CPUs"
    return f"{owner}: server: cpu {cpu} is not a whole number, {why}: write {wanted} [fractional-cpu]"


def test_where_the_time_ends_it_is_said_how_far_it_went() -> None:
    assert warned(many(20), most=0.003, unread=1380) == [
        'existing pods in namespace "team-a" violate numagate level "aligned": 3 of 3',
        fractional("w0", "1500m", "2"),
        fractional("w1", "2500m", "4"),
        fractional("w2", "3500m", "4"),
        "numagate judged 3 of 1,400 pods in 0.0 s: others may be refused, too",
    ]


def test_pods_that_were_not_listed_are_spoken_of_though_the_others_fit() -> None:
    assert warned([owned("llama", equal())], unread=9) == [
        "numagate judged 1 of 10 pods in 0.0 s: others may be refused, too"
    ]


def test_a_label_without_effect_is_a_warning() -> None:
    change = Change("team-a", {}, {"numagate.io/enforce": "guaranteed"})

    assert label_warnings(change, world()) == (
        (
            "numagate.io/enforce: guaranteed is below the policy's aligned: "
            "a namespace may only raise a level, so it has no effect"
        ),
    )


def test_names_from_the_cluster_are_shown_escaped() -> None:
    assert warned([owned("a\nb", UNFIT)])[1].startswith("a\\nb: server: 8 nvidia.com/gpu")
