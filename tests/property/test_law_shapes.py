"""Law: whatever shape is shown for a pod that does not fit, the pod written so fits."""

from dataclasses import replace
from typing import Any

from builders import GPU
from builders import ruling
from hypothesis import given
from hypothesis import strategies as st
from misfits import CONTAINER_SCOPE
from misfits import P0
from misfits import RESTRICTED
from misfits import SPREADING
from misfits import answer
from misfits import apply
from misfits import kubelet
from misfits import misfit
from misfits import reserved_first
from strategies import pods

from webhook.domain.finding import Severity
from webhook.domain.fit import Fits
from webhook.domain.fit import is_aligned
from webhook.domain.levels import Level
from webhook.domain.policy import Classes
from webhook.engine.judge import judge_pod
from webhook.engine.suggest import remedies
from webhook.engine.suggest import shapes
from webhook.engine.suggestion import Suggestion
from webhook.sources.machines import load_machine

HUGE_PAGES = replace(P0, cells=tuple(replace(cell, hugepages={"2Mi": 1024}) for cell in P0.cells))
CLASSES = {
    "reference": P0,
    "restricted": RESTRICTED,
    "spreading": SPREADING,
    "container scope": CONTAINER_SCOPE,
    "huge pages": HUGE_PAGES,
    "reserved first": reserved_first(),
    "best-effort": kubelet(topology_manager_policy="best-effort"),
    "restricted containers": kubelet(RESTRICTED, topology_manager_scope="container"),
    "unpinned memory": kubelet(memory_manager_policy="None", reserved_memory={}),
    **{name: load_machine(name) for name in ("two-socket-32c", "dgx-a100", "gh200-x1", "gb200-tray-cdmm")},
    "epyc-1s-nps4-4gpu": load_machine("epyc-1s-nps4-4gpu"),
}
CPUS = ("1", "2", "7", "16", "32", "47", "60", "94", "96", "126", "188", "500", "1500m", "1e30")
MEMORIES = ("1Gi", "100Gi", "101Gi", "252Gi", "500Gi", "1000Gi", "1500Gi", "2100Gi", "1e18", "3")


@st.composite
def guaranteed(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a Guaranteed pod that is too large for many a machine: main containers, helpers, init containers."""

    def made(name: str, gpus: tuple[str, ...], **fields: str) -> dict[str, Any]:
        values = {"cpu": draw(st.sampled_from(CPUS)), "memory": draw(st.sampled_from(MEMORIES))}
        count = draw(st.sampled_from(gpus))
        values |= {GPU: count} if count else {}
        values |= {"hugepages-2Mi": draw(st.sampled_from(("2Mi", "1Gi", "3Gi")))} if not draw(st.integers(0, 5)) else {}
        return {"name": name, **fields, "resources": {"limits": values, "requests": dict(values)}}

    small, large = ("", "", "1"), ("1", "2", "3", "4", "5", "6", "7", "8", "12", "16")
    spec: dict[str, Any] = {"containers": [made("main", large)]}
    spec["containers"] += [made(f"c{number}", small) for number in range(draw(st.integers(0, 2)))]
    spec["initContainers"] = [
        made(f"i{number}", small, **draw(st.sampled_from(({}, {"restartPolicy": "Always"}))))
        for number in range(draw(st.integers(0, 2)))
    ]
    if not draw(st.integers(0, 4)):
        spec["overhead"] = {"cpu": "250m", "memory": "2Gi"}
    annotations = {"numagate.io/numa-nodes": "2"} if not draw(st.integers(0, 4)) else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "llm", "annotations": annotations}, "spec": spec}


def holds(obj: dict[str, Any], shape: Suggestion) -> bool:
    """Tell whether the class that the shape names takes the pod written so, aligned."""
    found = answer(obj, shape)
    mains = {one.container for one in found.admission.placements if one.devices}
    wide = shape.numa_nodes > 1
    return (
        found.fits is not Fits.NO
        and is_aligned(found.admission, mains, shape.numa_nodes)
        and (not wide or (len(found.cells) == shape.numa_nodes and not found.uneven))
    )


@given(guaranteed() | pods(), st.sampled_from(list(CLASSES)))
def test_a_shape_that_is_shown_fits(obj: dict[str, Any], machine: str) -> None:
    node_class = CLASSES[machine]
    wrong = [one.text for one in shapes(misfit(obj, node_class), node_class) if not holds(obj, one)]

    assert wrong == []


@given(guaranteed(), st.sampled_from(list(CLASSES)))
def test_a_pod_written_as_told_has_no_fault_of_its_fit(obj: dict[str, Any], machine: str) -> None:
    node_class = CLASSES[machine]
    known = ruling(node_class)
    shown = [one for one in shapes(misfit(obj, node_class), node_class) if one.node_class is node_class]
    judged = [judge_pod(apply(obj, one), known) for one in shown]
    faults = [
        (one.code, one.message)
        for judgement in judged
        for one in judgement.findings
        if one.severity is Severity.FAULT and one.level is Level.ALIGNED
    ]

    assert faults == []


@given(
    guaranteed() | pods(),
    st.lists(st.sampled_from(list(CLASSES)), min_size=1, max_size=4, unique=True),
    st.sampled_from(list(Classes)),
)
def test_a_refusal_gets_two_lines_at_most_and_always_the_same(
    obj: dict[str, Any], machines: list[str], required: Classes
) -> None:
    told = misfit(obj, *(replace(CLASSES[name], name=name) for name in machines), required=required)
    lines = remedies(told)

    assert (lines, len(lines) <= 2, all("\n" not in line for line in lines)) == (remedies(told), True, True)
