"""Reads a raw pod into facts: any JSON object will do, and what cannot be read becomes a finding."""

from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType

from webhook.domain import defaults
from webhook.domain import qos
from webhook.domain import scheduling
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodClaim
from webhook.domain.pod import PodFacts
from webhook.domain.pod import QOSClass
from webhook.domain.pointer import Path
from webhook.domain.pointer import field_path
from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.domain.resources import ResourceList
from webhook.domain.resources import is_pod_level
from webhook.domain.versions import NEWEST
from webhook.domain.versions import Rules

MALFORMED_QUANTITY = "malformed-quantity"
MALFORMED_OBJECT = "malformed-object"
MAX_CONTAINERS = 1024
"""Containers in one list; no node runs as many, and what is judged must not grow with what somebody writes."""
MAX_RESOURCES = 64
"""Resources in one list of one container."""
MAX_FAULTS = 256
"""Places that cannot be read; nobody reads more of them."""
MAX_NAME = 63
"""Characters of a container's name (a DNS label)."""
MAX_RESOURCE_NAME = 253 + 1 + 63
"""Characters of a resource's name (a qualified name)."""
_NOTHING: ResourceList = MappingProxyType({})


def read(pod: JsonObject, rules: Rules = NEWEST, *, defaulted: bool = True) -> PodFacts:
    """Read a raw pod, as written or as defaulted by the API server: the facts are the same. Never raises.

    `rules` are those of the cluster's version; only pods with spec.resources are read otherwise by an older one.
    With `defaulted` false no request or limit is filled in, as if the pod had never met an API server.
    """
    faults: list[Finding] = []
    spec, metadata = _object(pod, ("spec",), faults), _object(pod, ("metadata",), faults)
    containers = (
        *_containers(spec, "initContainers", faults, defaulted=defaulted),
        *_containers(spec, "containers", faults, defaulted=defaulted),
    )
    faults += _repeated(containers)
    block = _object(spec, ("spec", "resources"), faults)
    requests = _quantities(block, "requests", ("spec", "resources"), None, faults)
    limits = _quantities(block, "limits", ("spec", "resources"), None, faults)
    if defaulted:
        steps = [(container.kind, container.requests, container.limits) for container in containers]
        requests, limits = defaults.pod_resources(requests, limits, steps, rules)
    resources_set = any(map(is_pod_level, (*requests, *limits)))
    decides = rules.empty_block_decides and spec.get("resources") is not None
    return PodFacts(
        labels=_texts(metadata, ("metadata", "labels"), faults),
        annotations=_texts(metadata, ("metadata", "annotations"), faults),
        containers=containers,
        pod_requests=requests,
        pod_limits=limits,
        resources_set=resources_set,
        qos=_qos(containers, requests, limits, pod_level=resources_set or decides),
        overhead=_quantities(spec, "overhead", ("spec",), None, faults),
        node_selector=_texts(spec, ("spec", "nodeSelector"), faults),
        affinity_terms=scheduling.read_affinity(spec),
        tolerations=scheduling.read_tolerations(spec),
        runtime_class=get_text(spec, "runtimeClassName"),
        claims=tuple(map(_claim, get_list(spec, "resourceClaims"))),
        shm_limits=tuple(_shm(spec)),
        created=bool(get_text(get_object(pod, "status"), "qosClass")),
        unreadable=tuple(faults[:MAX_FAULTS]),
    )


def _qos(
    containers: tuple[Container, ...], requests: ResourceList, limits: ResourceList, *, pod_level: bool
) -> QOSClass:
    if pod_level:
        return qos.of_requirements(requests, limits)
    return qos.of_pod((container.requests, container.limits) for container in containers)


def _containers(spec: JsonObject, key: str, faults: list[Finding], *, defaulted: bool) -> Iterator[Container]:
    value = spec.get(key)
    if value is None:
        return
    if not isinstance(value, list):
        faults.append(_malformed(("spec", key), "a list of containers"))
        return
    if len(value) > MAX_CONTAINERS:
        faults.append(_malformed(("spec", key), f"a list of at most {MAX_CONTAINERS} containers"))
    for index, item in enumerate(value[:MAX_CONTAINERS]):
        path: Path = ("spec", key, index)
        if isinstance(item, dict):
            yield _container(item, path, key, faults, defaulted=defaulted)
        else:
            faults.append(_malformed(path, "a container"))


def _container(item: JsonObject, path: Path, key: str, faults: list[Finding], *, defaulted: bool) -> Container:
    name = get_text(item, "name")
    if len(name) > MAX_NAME:
        faults.append(_malformed((*path, "name"), f"a name of at most {MAX_NAME} characters"))
        name = name[:MAX_NAME]
    block = _object(item, (*path, "resources"), faults)
    limits = _quantities(block, "limits", (*path, "resources"), name, faults)
    requests = _quantities(block, "requests", (*path, "resources"), name, faults)
    kind = ContainerKind.APP
    if key == "initContainers":
        kind = ContainerKind.SIDECAR if item.get("restartPolicy") == "Always" else ContainerKind.INIT
    return Container(
        name=name,
        kind=kind,
        path=path,
        image=get_text(item, "image"),
        command=(*get_texts(item, "command"), *get_texts(item, "args")),
        requests=defaults.container_requests(requests, limits) if defaulted else requests,
        limits=limits,
        claims=tuple((get_text(one, "name"), get_text(one, "request")) for one in get_list(block, "claims")),
    )


def _claim(item: object) -> PodClaim:
    return PodClaim(
        name=get_text(item, "name"),
        claim=get_text(item, "resourceClaimName"),
        template=get_text(item, "resourceClaimTemplateName"),
    )


def _quantities(block: JsonObject, key: str, path: Path, container: str | None, faults: list[Finding]) -> ResourceList:
    values = block.get(key)
    if values is None:
        return _NOTHING
    place = (*path, key)
    if not isinstance(values, dict):
        faults.append(_malformed(place, "a map of resource names to quantities"))
        return _NOTHING
    if len(values) > MAX_RESOURCES:
        faults.append(_malformed(place, f"a map of at most {MAX_RESOURCES} resources"))
    found: dict[str, Quantity] = {}
    for name, value in islice(values.items(), MAX_RESOURCES):
        if len(name) > MAX_RESOURCE_NAME:
            faults.append(_malformed(place, f"a map of names of at most {MAX_RESOURCE_NAME} characters"))
            continue
        try:
            quantity = ZERO if value is None else Quantity.from_json(value).round_up_milli()
        except QuantityError as error:
            faults.append(_bad_quantity((*place, name), container, value, str(error)))
            continue
        if quantity.sign < 0:
            faults.append(_bad_quantity((*place, name), container, value, f"{str(value)[:64]} must not be negative"))
            continue
        found[name] = quantity
    return found


def _object(parent: JsonObject, path: Path, faults: list[Finding]) -> JsonObject:
    value = parent.get(str(path[-1]))
    if value is not None and not isinstance(value, dict):
        faults.append(_malformed(path, "an object"))
    return as_object(value)


def _texts(parent: JsonObject, path: Path, faults: list[Finding]) -> Mapping[str, str]:
    """Read a map of strings; the API server refuses any other value, and YAML makes one of an unquoted 2 or true."""
    found: dict[str, str] = {}
    for key, value in _object(parent, path, faults).items():
        if isinstance(value, str):
            found[key] = value
        else:
            faults.append(_malformed((*path, key), "a string: put it in quotes"))
    return found


def _repeated(containers: tuple[Container, ...]) -> Iterator[Finding]:
    names = Counter(container.name for container in containers)
    for container in containers:
        if names[container.name] > 1:
            names[container.name] = 0
            yield _malformed((*container.path, "name"), "unique among the pod's containers")


def _shm(spec: JsonObject) -> Iterator[tuple[Path, Quantity]]:
    for index, volume in enumerate(get_list(spec, "volumes")):
        source = get_object(volume, "emptyDir")
        if get_text(source, "medium") == "Memory" and source.get("sizeLimit") is not None:
            try:
                yield ("spec", "volumes", index, "emptyDir", "sizeLimit"), Quantity.from_json(source["sizeLimit"])
            except QuantityError:
                continue


def _malformed(path: Path, expected: str) -> Finding:
    return Finding(
        code=MALFORMED_OBJECT,
        severity=Severity.INVALID,
        level=Level.GUARANTEED,
        path=path,
        message=f"{field_path(path)} is not {expected}",
        wanted=expected,
    )


def _bad_quantity(path: Path, container: str | None, value: object, why: str) -> Finding:
    return Finding(
        code=MALFORMED_QUANTITY,
        severity=Severity.INVALID,
        level=Level.GUARANTEED,
        path=path,
        message=f"{field_path(path)}: {why}",
        container=container,
        actual=str(value)[:64],
    )
