"""Serving runtimes among the objects that are judged: they complete the services that name them, as KServe does.

Maps are merged key by key and lists by name; what the service writes wins. Whatever comes from the runtime is placed
where the service could write it too.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from webhook.domain.manifest import Manifest
from webhook.domain.pod_location import PodLocation
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.workload import Workload
from webhook.engine.kinds import workload_of

Runtimes: TypeAlias = Mapping[tuple[str, str, str], Sequence[PodLocation]]
"""The pods of each runtime, by API group, namespace ("" for all) and name."""

_NAMESPACED = "ServingRuntime"
_CLUSTER = "ClusterServingRuntime"


def gather(manifests: Iterable[Manifest], workloads: Sequence[Workload], default_namespace: str) -> Runtimes:
    """Collect the runtimes among `manifests`."""
    found: dict[tuple[str, str, str], Sequence[PodLocation]] = {}
    for manifest in manifests:
        kind, metadata = get_text(manifest.content, "kind"), get_object(manifest.content, "metadata")
        group, _, version = get_text(manifest.content, "apiVersion").rpartition("/")
        if kind not in {_NAMESPACED, _CLUSTER}:
            continue
        workload = workload_of(group, version, kind, workloads)
        if workload is not None:
            namespace = "" if kind == _CLUSTER else get_text(metadata, "namespace") or default_namespace
            found[(group, namespace, get_text(metadata, "name"))] = tuple(workload.locate(manifest.content))
    return found


def complete(location: PodLocation, group: str, namespace: str, runtimes: Runtimes) -> PodLocation:
    """Answer the pod with what its runtime adds, if that is among `runtimes`; one of the namespace comes first."""
    if location.lender is None:
        return location
    name, root = location.lender
    for where in (namespace, ""):
        for lent in runtimes.get((group, where, name), ()):
            if lent.root == root:
                return _merged(location, lent)
    return location


def _merged(location: PodLocation, lent: PodLocation) -> PodLocation:
    own, given = get_object(location.pod, "spec"), get_object(lent.pod, "spec")
    spec: dict[str, object] = {**given, **own}
    moved: dict[Path, Path] = dict(location.moved)
    for key in ("containers", "initContainers", "volumes"):
        mine, theirs = get_list(own, key), get_list(given, key)
        if theirs:
            spec[key] = list(_by_name(mine, theirs))
            loose = sum(location.place(("spec", key, index))[-2] != key for index in range(len(mine)))
            for index in range(len(mine), len(get_list(spec, key))):
                moved[("spec", key, index)] = (*location.spec_path, key, index - loose)
    spec["nodeSelector"] = {**get_object(given, "nodeSelector"), **get_object(own, "nodeSelector")}
    metadata = _over(get_object(location.pod, "metadata"), get_object(lent.pod, "metadata"))
    pod: JsonObject = {"metadata": metadata, "spec": spec}
    return replace(location, pod=pod, moved=moved, completed_by="")


def _by_name(mine: Sequence[object], theirs: Sequence[object]) -> Iterator[object]:
    """Yield mine, each over theirs of the same name, then theirs that I do not have."""
    lent = {get_text(one, "name"): as_object(one) for one in theirs}
    for one in mine:
        yield _over(as_object(one), lent.pop(get_text(one, "name"), {})) if isinstance(one, Mapping) else one
    yield from lent.values()


def _over(mine: JsonObject, theirs: JsonObject) -> JsonObject:
    """Lay maps over maps, down to single values."""
    merged: dict[str, object] = {**theirs, **mine}
    for key, value in mine.items():
        if isinstance(value, Mapping) and isinstance(theirs.get(key), Mapping):
            merged[key] = _over(value, as_object(theirs[key]))
    return merged
