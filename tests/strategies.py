"""Hypothesis strategies for pods: plausible ones with every fault mixed in, and objects of any shape."""

from typing import Any

from builders import GPU
from hypothesis import strategies as st

CPUS = ("0", "100m", "500m", "1", "2", "3", "7500m", "16", "94", "200", "1999.5m", "1e3", "1e1000000")
MEMORIES = ("0", "64Mi", "1Gi", "1.2Gi", "64Gi", "1008Gi", "2Ti", "100M", "0.5", "1e1000000")
GPUS = ("0", "1", "2", "4", "5", "8")
IMAGES = ("registry.example/vllm:1", "registry.example/own", "istio/proxyv2:1", "kserve/storage-initializer")

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=12), children, max_size=4),
    max_leaves=12,
)


@st.composite
def resource_blocks(draw: st.DrawFn) -> dict[str, Any]:
    """Draw requests and limits, each resource present or not, equal or not."""
    block: dict[str, dict[str, str]] = {"requests": {}, "limits": {}}
    for resource, values in (("cpu", CPUS), ("memory", MEMORIES), (GPU, GPUS)):
        limit = draw(st.sampled_from(values) | st.none())
        request = draw(st.sampled_from((limit, *values)) | st.none()) if resource != GPU else limit
        for side, value in (("requests", request), ("limits", limit)):
            if value is not None:
                block[side][resource] = value
    return {side: values for side, values in block.items() if values or draw(st.booleans())}


@st.composite
def containers(draw: st.DrawFn, name: str, *, init: bool = False) -> dict[str, Any]:
    """Draw a container, or an init container that may be a sidecar."""
    made: dict[str, Any] = {"name": name, "image": draw(st.sampled_from(IMAGES))}
    if draw(st.integers(0, 5)):
        made["resources"] = draw(resource_blocks())
    if init and draw(st.booleans()):
        made["restartPolicy"] = "Always"
    return made


@st.composite
def pods(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a pod with one to three containers, up to two init containers and now and then something special."""
    spec: dict[str, Any] = {"containers": [draw(containers(f"c{number}")) for number in range(draw(st.integers(1, 3)))]}
    if draw(st.booleans()):
        spec["initContainers"] = [
            draw(containers(f"i{number}", init=True)) for number in range(draw(st.integers(1, 2)))
        ]
    if not draw(st.integers(0, 9)):
        spec["resources"] = draw(resource_blocks())
    metadata: dict[str, Any] = {"name": "llm"}
    if draw(st.booleans()):
        metadata["annotations"] = draw(
            st.dictionaries(
                st.sampled_from(("numagate.io/numa-nodes", "example.com/a/b~c")), st.sampled_from(("1", "2", "x"))
            )
        )
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@st.composite
def any_objects(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a pod in which something was replaced by JSON of any shape, or an object of any shape."""
    if draw(st.booleans()):
        return draw(st.dictionaries(st.text(max_size=12), json_values, max_size=5))
    obj: Any = draw(pods())
    place: Any = obj
    for _ in range(draw(st.integers(0, 6))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list):
            place[key] = draw(json_values)
            break
        place = place[key]
    else:
        if isinstance(place, dict):
            place[draw(st.sampled_from(("resources", "limits", "containers", "annotations")))] = draw(json_values)
    return dict(obj)
