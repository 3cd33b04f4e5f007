"""Serving runtimes in the same input complete the services that name them."""

from typing import Any

from webhook.domain.manifest import Manifest
from webhook.domain.manifest import Positions
from webhook.domain.pod_location import PodLocation
from webhook.domain.pointer import field_path
from webhook.engine import runtimes
from webhook.engine.kinds import REGISTERED
from webhook.engine.kinds import workload_of

GROUP = "serving.kserve.io"
AMOUNTS = {"cpu": "12", "memory": "32Gi"}


def manifest(content: dict[str, Any]) -> Manifest:
    return Manifest("f.yaml", 0, (), content, Positions(1))


def runtime(kind: str = "ClusterServingRuntime", namespace: str = "team-a", **spec: Any) -> Manifest:
    container = {"name": "kserve-container", "image": "vllm", "resources": {"limits": AMOUNTS, "requests": AMOUNTS}}
    metadata = {"name": "vllm", "namespace": namespace}
    if kind.startswith("Cluster"):
        del metadata["namespace"]
    made = {"apiVersion": f"{GROUP}/v1alpha1", "kind": kind, "metadata": metadata}
    return manifest({**made, "spec": {"containers": [container], **spec}})


def service(runtime: str = "vllm", **predictor: Any) -> dict[str, Any]:
    gpus = {"nvidia.com/gpu": "4"}
    model = {"runtime": runtime, "resources": {"limits": gpus, "requests": gpus}}
    return {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "llm"},
        "spec": {"predictor": {"model": model, **predictor}},
    }


def completed(obj: dict[str, Any], *lent: Manifest, namespace: str = "team-a") -> PodLocation:
    group, _, version = obj["apiVersion"].rpartition("/")
    workload = workload_of(group, version, obj["kind"], REGISTERED)
    assert workload is not None
    found = runtimes.gather(lent, REGISTERED, "default")
    return runtimes.complete(next(iter(workload.locate(obj))), group, namespace, found)


def containers(location: PodLocation) -> list[Any]:
    spec: Any = location.pod["spec"]
    return list(spec["containers"])


def limits(location: PodLocation, index: int = 0) -> Any:
    return containers(location)[index]["resources"]["limits"]


def test_resources_are_merged_name_by_name() -> None:
    location = completed(service(), runtime())
    assert limits(location) == {**AMOUNTS, "nvidia.com/gpu": "4"}
    assert (containers(location)[0]["image"], location.completed_by) == ("vllm", "")


def test_what_the_service_writes_wins() -> None:
    obj = service()
    obj["spec"]["predictor"]["model"]["resources"]["limits"]["cpu"] = "16"
    assert limits(completed(obj, runtime()))["cpu"] == "16"


def test_what_comes_from_the_runtime_is_placed_where_the_service_could_write_it() -> None:
    location = completed(service(), runtime())
    place = location.place(("spec", "containers", 0, "resources", "limits", "memory"))
    assert field_path(place) == "spec.predictor.model.resources.limits[memory]"


def test_further_containers_and_volumes_of_the_runtime_come_after_those_of_the_service() -> None:
    proxy = {"name": "proxy"}
    volumes = [{"name": "shm"}]
    obj = service(containers=[{"name": "own"}], volumes=[{"name": "models"}])
    lent = runtime(volumes=volumes)
    lent.content["spec"]["containers"].append(proxy)  # type: ignore[index] # raw JSON
    location = completed(obj, lent)
    assert [one["name"] for one in containers(location)] == ["kserve-container", "own", "proxy"]
    assert field_path(location.place(("spec", "containers", 1))) == "spec.predictor.containers[0]"
    assert field_path(location.place(("spec", "containers", 2))) == "spec.predictor.containers[1]"
    assert field_path(location.place(("spec", "volumes", 1, "name"))) == "spec.predictor.volumes[1].name"


def test_node_selectors_and_labels_are_merged_too() -> None:
    obj = service(nodeSelector={"a": "1"}, labels={"team": "x"})
    location = completed(obj, runtime(nodeSelector={"a": "2", "b": "2"}, labels={"team": "y", "server": "vllm"}))
    spec: Any = location.pod["spec"]
    metadata: Any = location.pod["metadata"]
    assert spec["nodeSelector"] == {"a": "1", "b": "2"}
    assert (metadata["labels"]["team"], metadata["labels"]["server"]) == ("x", "vllm")


def test_a_runtime_of_the_namespace_comes_before_one_of_the_cluster() -> None:
    local = runtime("ServingRuntime", nodeSelector={"from": "namespace"})
    spec: Any = completed(service(), runtime(nodeSelector={"from": "cluster"}), local).pod["spec"]
    assert spec["nodeSelector"] == {"from": "namespace"}


def test_runtimes_of_other_namespaces_and_names_lend_nothing() -> None:
    location = completed(service(), runtime("ServingRuntime", "team-b"))
    assert (limits(location), location.completed_by) == ({"nvidia.com/gpu": "4"}, "the serving runtime")
    assert completed(service("other"), runtime()).completed_by == "the serving runtime"


def test_the_engine_of_ome_is_completed_by_the_engine_of_its_runtime() -> None:
    gpus = {"limits": {"nvidia.com/gpu": "4"}}
    obj = {
        "apiVersion": "ome.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "llm"},
        "spec": {"runtime": {"name": "srt"}, "engine": {"runner": {"resources": gpus}}},
    }
    runner = {"name": "ome-container", "resources": {"limits": AMOUNTS}}
    lent = {"apiVersion": "ome.io/v1beta1", "kind": "ClusterServingRuntime", "metadata": {"name": "srt"}}
    location = completed(obj, manifest({**lent, "spec": {"engineConfig": {"runner": runner}}}))
    assert limits(location) == {**AMOUNTS, "nvidia.com/gpu": "4"}


def test_a_runtime_of_a_group_that_nobody_knows_is_left_alone() -> None:
    strange = manifest({"apiVersion": "acme.example/v1", "kind": "ServingRuntime", "metadata": {"name": "vllm"}})
    assert runtimes.gather([strange], REGISTERED, "default") == {}
