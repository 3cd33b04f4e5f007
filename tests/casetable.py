"""Reads the table of cases in tests/cases, which four runners judge: engine, lint, HTTP and the API server.

The notation is described in docs/cases.md. Everything here is data in, data out: the runners do the judging.
"""

import re
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any
from typing import TypeAlias

import yaml

FOLDER = Path(__file__).parent / "cases"
MACHINES = FOLDER / "machines.yaml"
"""NodeProfiles of the cases' own machines; the others are in the machine library."""
REFERENCE = "generic-2x4"
RESTRICTED = "generic-2x4-restricted"
GPU = "nvidia.com/gpu"
RUNNERS = ("engine", "lint", "http", "apiserver")

Object: TypeAlias = dict[str, Any]

_TRIPLE = re.compile(r"(?P<cpu>[^/ ]+)/(?P<memory>[^/ ]+)(?:/(?P<gpu>[^/ ]+))?")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_POD_KEYS = {"init", "sidecars", "containers", "labels", "annotations", "generateName", "shm"}
_IMAGE = "registry.example/app:1"

KINDS: Mapping[str, tuple[str, str]] = {
    "Pod": ("v1", ""),
    "PodTemplate": ("v1", "template.spec"),
    "ReplicationController": ("v1", "spec.template.spec"),
    "Deployment": ("apps/v1", "spec.template.spec"),
    "ReplicaSet": ("apps/v1", "spec.template.spec"),
    "StatefulSet": ("apps/v1", "spec.template.spec"),
    "DaemonSet": ("apps/v1", "spec.template.spec"),
    "Job": ("batch/v1", "spec.template.spec"),
    "CronJob": ("batch/v1", "spec.jobTemplate.spec.template.spec"),
}
"""Kinds of the API server: version, and the field path of the pod spec ("" where the object is the pod)."""


@dataclass(frozen=True, slots=True)
class Expect:
    """What a runner must find; None means that the case says nothing about it.

    `fits` and `fits_after` map node class to "yes", "no" or "unenforced"; empty where no class is eligible.
    `faults` and `warns` map a finding's code to its places ("CONTAINER RESOURCE" or a field path), all of them.
    `after` maps container to "CPU/MEMORY", "unchanged", or "shared" (equal, and no whole CPU).
    `elsewhere` holds further expectations on other machines, by machine name.
    """

    decision: str
    qos: str | None
    gpus: int | None
    level: str | None
    level_after: str | None
    fits: Mapping[str, str] | None
    fits_after: Mapping[str, str] | None
    restricted: str | None
    faults: Mapping[str, tuple[str, ...]]
    warns: Mapping[str, tuple[str, ...]]
    after: Mapping[str, str]
    cells: tuple[int, ...] | None
    elsewhere: Mapping[str, "Expect"]


@dataclass(frozen=True, slots=True)
class Template:
    """One pod in an object: `path` is the field path where it lies; `pod` looks like a Pod.

    `form` is "pod", "container" (a container without a pod around it) or "raw" (a vocabulary of its own).
    """

    path: str
    form: str
    pod: Object
    expect: Expect


@dataclass(frozen=True, slots=True)
class Review:
    """An AdmissionReview: the endpoint, and the object before. `allowed` and `codes` are the expected answer."""

    operation: str
    subresource: str
    username: str
    groups: tuple[str, ...]
    old: Object | None
    new: Object
    decisions: Mapping[str, str]
    """Expected decision by pass ("mutate", "validate")."""
    codes: tuple[str, ...]
    patched: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One row: an object with its pods, what lies beside it, and the world that it is judged in."""

    id: str
    title: str
    api_version: str
    kind: str
    namespace: str
    templates: tuple[Template, ...]
    beside: tuple[Object, ...]
    machines: tuple[str, ...]
    governs: str
    policy: Object
    runners: tuple[str, ...]
    manifest: Object
    review: Review | None = field(default=None)

    @property
    def builtin(self) -> bool:
        """Whether every API server knows the kind."""
        return self.kind in KINDS and KINDS[self.kind][0] == self.api_version

    @property
    def policy_document(self) -> Object:
        """The AlignmentPolicy that the case is judged by; node classes come from `machines`."""
        return {
            "apiVersion": "numagate.io/v1alpha1",
            "kind": "AlignmentPolicy",
            "metadata": {"name": "cases"},
            "spec": {"governs": self.governs, **self.policy},
        }

    @property
    def documents(self) -> tuple[Object, ...]:
        """What a file of the case holds: the objects beside it, then the object."""
        return (*self.beside, self.manifest)


def for_runner(runner: str, *, review: bool = False) -> list[Case]:
    """Answer the cases of one runner: those with an object to judge, or those that are a review."""
    return [case for case in load() if runner in case.runners and (case.review is not None) is review]


@cache
def load() -> tuple[Case, ...]:
    """Read every file of the table.

    Raises:
        ValueError: two cases have the same id, or a case is badly written.
    """
    cases = [
        _case(raw)
        for path in sorted(FOLDER.glob("*.yaml"))
        if path != MACHINES
        for raw in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]
    ids = [case.id for case in cases]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        message = f"more than one case is named {', '.join(twice)}"
        raise ValueError(message)
    return tuple(cases)


def own_machines() -> frozenset[str]:
    """Answer the names of the machines that only the cases know."""
    documents = yaml.safe_load_all(MACHINES.read_text(encoding="utf-8"))
    return frozenset(document["metadata"]["name"] for document in documents)


# --- a row ---------------------------------------------------------------------------------------------------------


def _case(raw: Object) -> Case:
    try:
        return _read_case(dict(raw))
    except (KeyError, TypeError, ValueError) as error:
        message = f"case {raw.get('id', raw)}: {error!r}"
        raise ValueError(message) from error


def _read_case(raw: Object) -> Case:
    identifier, title = raw.pop("id"), raw.pop("title")
    raw.pop("shared", None)
    machines = tuple(raw.pop("machines", [REFERENCE]))
    words = raw.pop("kind", "Pod").split()
    kind = words[-1]
    api_version = words[0] if len(words) > 1 else KINDS[kind][0]
    namespace = raw.pop("namespace", "cases")
    known = kind in KINDS and KINDS[kind][0] == api_version
    runners = raw.pop("runners", list(RUNNERS) if known else ["engine", "lint"])
    common = {"policy": raw.pop("policy", {}), "governs": raw.pop("governs", "accelerators")}
    beside = tuple(raw.pop("beside", []))
    review = _review(raw.pop("review"), namespace, identifier) if "review" in raw else None
    if review is not None:
        templates: tuple[Template, ...] = ()
        manifest = review.new
        runners = [runner for runner in runners if runner != "lint"]
    elif known:
        templates = (_template(KINDS[kind][1], {"pod": raw.pop("pod"), "expect": raw.pop("expect")}, machines),)
        manifest = _builtin(kind, templates[0].pod, _slug(identifier), raw.pop("object", {}))
    else:
        templates = tuple(_template(path, dict(item), machines) for path, item in raw.pop("templates").items())
        manifest = _custom(templates, raw.pop("object", {}))
    if raw:
        message = f"unknown keys {sorted(raw)}"
        raise ValueError(message)
    metadata = {**manifest.get("metadata", {}), "namespace": namespace}
    if "generateName" not in metadata:
        metadata["name"] = _slug(identifier)
    return Case(
        id=identifier,
        title=title,
        api_version=api_version,
        kind=kind,
        namespace=namespace,
        templates=templates,
        beside=beside,
        machines=machines,
        runners=tuple(runners),
        manifest={**manifest, "apiVersion": api_version, "kind": kind, "metadata": metadata},
        review=review,
        **common,
    )


def _slug(identifier: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", identifier.lower())


def _template(path: str, raw: Object, machines: tuple[str, ...]) -> Template:
    expect = _expect(raw.pop("expect"), machines)
    if "raw" in raw:
        return Template(path, "raw", raw.pop("raw"), expect)
    if "container" in raw:
        return Template(path, "container", _pod({"containers": raw.pop("container")}), expect)
    return Template(path, "pod", _pod(raw.pop("pod")), expect)


def _review(raw: Object, namespace: str, identifier: str) -> Review:
    old, new = (_reviewed(raw.get(key), namespace, identifier) for key in ("old", "new"))
    if new is None:
        message = "a review needs a new object"
        raise ValueError(message)
    expect = raw["expect"]
    return Review(
        operation=raw.get("operation", "CREATE"),
        subresource=raw.get("subresource", ""),
        username=raw.get("username", "system:serviceaccount:kube-system:replicaset-controller"),
        groups=tuple(raw.get("groups", ["system:authenticated"])),
        old=old,
        new=new,
        decisions={key: expect[key] for key in ("mutate", "validate") if key in expect},
        codes=tuple(expect.get("codes", [])),
        patched=expect.get("patched", False),
    )


def _reviewed(raw: Object | None, namespace: str, identifier: str) -> Object | None:
    if raw is None:
        return None
    raw = dict(raw)
    metadata = raw.pop("metadata", {})
    pod = _pod(raw)
    merged = {**pod.get("metadata", {}), **metadata, "namespace": namespace}
    if "generateName" not in merged:
        merged["name"] = _slug(identifier)
    return {"apiVersion": "v1", "kind": "Pod", **pod, "metadata": merged}


# --- expectations --------------------------------------------------------------------------------------------------


def _expect(raw: Object, machines: tuple[str, ...]) -> Expect:
    raw = dict(raw)
    decision = raw.pop("decision")
    fits = _fits(raw.pop("fits", None), machines)
    fits_after = _fits(raw.pop("fits_after", "yes" if decision in {"accept", "repair"} and fits else None), machines)
    level, level_after = raw.pop("level", None), raw.pop("level_after", None)
    cells = raw.pop("cells", None)
    expect = Expect(
        decision=decision,
        qos=raw.pop("qos", None),
        gpus=raw.pop("gpus", None),
        level=level,
        level_after=level_after or ("aligned" if decision == "repair" else level),
        fits=fits,
        fits_after=fits_after or fits,
        restricted=raw.pop("restricted", None),
        faults=_places(raw.pop("faults", {})),
        warns=_places(raw.pop("warns", {})),
        after={name: str(value) for name, value in raw.pop("after", {}).items()},
        cells=None if cells is None else tuple(cells),
        elsewhere={name: _expect(item, (name,)) for name, item in raw.pop("elsewhere", {}).items()},
    )
    if raw:
        message = f"unknown expectations {sorted(raw)}"
        raise ValueError(message)
    return expect


def _fits(raw: object, machines: tuple[str, ...]) -> Mapping[str, str] | None:
    if raw is None:
        return None
    if raw == "none":
        return {}
    answers = raw if isinstance(raw, dict) else dict.fromkeys(machines, raw)
    return {name: {True: "yes", False: "no"}.get(answer, answer) for name, answer in answers.items()}


def _places(raw: Object) -> Mapping[str, tuple[str, ...]]:
    return {code: tuple(sorted(places)) for code, places in raw.items()}


# --- pods ----------------------------------------------------------------------------------------------------------


def _pod(raw: Object) -> Object:
    """Write a pod out: shorthand containers, labels and annotations, and every other key as a field of the spec."""
    spec: Object = {key: value for key, value in raw.items() if key not in _POD_KEYS}
    init = [_container(name, value) for name, value in raw.get("init", {}).items()]
    init += [_container(name, value) | {"restartPolicy": "Always"} for name, value in raw.get("sidecars", {}).items()]
    if init:
        spec["initContainers"] = init
    spec["containers"] = [_container(name, value) for name, value in raw["containers"].items()]
    if "shm" in raw:
        memory = {"medium": "Memory", **({"sizeLimit": raw["shm"]} if raw["shm"] else {})}
        spec["volumes"] = [*spec.get("volumes", []), {"name": "shm", "emptyDir": memory}]
    metadata = {key: raw[key] for key in ("labels", "annotations", "generateName") if key in raw}
    return {"metadata": metadata, "spec": spec} if metadata else {"spec": spec}


def _container(name: str, value: object) -> Object:
    """Write a container out: None (no resources), "CPU/MEMORY/GPUS", "REQUESTS -> LIMITS", or a map of its fields."""
    head: Object = {"name": name, "image": _IMAGE}
    if value is None:
        return head
    if isinstance(value, str):
        requests, _, limits = value.partition(" -> ")
        return head | {"resources": {"requests": _resources(requests), "limits": _resources(limits or requests)}}
    if not isinstance(value, dict):
        message = f"container {name}: {value!r}"
        raise TypeError(message)
    fields = dict(value)
    equal = fields.pop("equal", None)
    sides = {side: _resources(fields.pop(side)) for side in ("requests", "limits") if side in fields}
    if equal is not None:
        sides = {"requests": _resources(equal), "limits": _resources(equal)}
    return head | ({"resources": sides} if sides else {}) | fields


def _resources(value: object) -> object:
    if not isinstance(value, str):
        return value
    match = _TRIPLE.fullmatch(value)
    if match is None:
        message = f"{value!r} is not CPU/MEMORY or CPU/MEMORY/GPUS"
        raise ValueError(message)
    names = {"cpu": "cpu", "memory": "memory", "gpu": GPU}
    return {names[key]: text for key, text in match.groupdict().items() if text not in {None, "-"}}


# --- objects -------------------------------------------------------------------------------------------------------


def _builtin(kind: str, pod: Object, name: str, extra: Object) -> Object:
    """Put a pod into an object of a built-in kind, complete enough for the API server."""
    if kind == "Pod":
        return {**extra, **pod}
    metadata = pod.get("metadata", {})
    labels = {"case": name, **metadata.get("labels", {})}
    template: Object = {"metadata": {**metadata, "labels": labels}, "spec": dict(pod["spec"])}
    if kind in {"Job", "CronJob"}:
        template["spec"].setdefault("restartPolicy", "Never")
    selector: Object = {"selector": {"matchLabels": {"case": name}}}
    match kind:
        case "PodTemplate":
            return {**extra, "template": template}
        case "CronJob":
            job = {"spec": {"template": template}}
            return {"spec": {"schedule": "0 0 1 1 *", **extra.get("spec", {}), "jobTemplate": job}}
        case "Job":
            return {"spec": {**extra.get("spec", {}), "template": template}}
        case "ReplicationController":
            selector = {"selector": {"case": name}}
        case "StatefulSet":
            selector |= {"serviceName": "cases"}
        case _:
            pass
    return {"spec": {**selector, **extra.get("spec", {}), "template": template}}


def _custom(templates: tuple[Template, ...], extra: Object) -> Object:
    """Build an object of an unknown kind around its pods, from the paths where they lie."""
    root: Object = _copy(extra)
    for template in templates:
        steps = path_steps(template.path)
        value: object = template.pod
        if template.form == "pod":
            value = template.pod["spec"]
            if "metadata" in template.pod and steps[-1] == "spec":
                _put(root, (*steps[:-1], "metadata"), template.pod["metadata"])
        elif template.form == "container":
            container = dict(template.pod["spec"]["containers"][0])
            if container["name"] == steps[-1]:  # a name that lint takes from the path is not in the object
                container = {"resources": container["resources"]}
            value = container
        _put(root, steps, value)
    return root


def path_steps(path: str) -> tuple[str | int, ...]:
    """Split a field path.

    >>> path_steps("spec.roles[0].template.spec")
    ('spec', 'roles', 0, 'template', 'spec')
    """
    return tuple(int(index) if index else name for name, index in _STEP.findall(path))


def follow(document: object, steps: tuple[str | int, ...]) -> object:
    """Answer what lies at a path."""
    value: Any = document
    for step in steps:
        value = value[step]
    return value


def _put(root: Object, steps: tuple[str | int, ...], value: object) -> None:
    place: Any = root
    for step, following in zip(steps, steps[1:], strict=False):
        empty: object = [] if isinstance(following, int) else {}
        if isinstance(place, list):
            place.extend({} for _ in range(int(step) + 1 - len(place)))
            place = place[int(step)]
        else:
            place = place.setdefault(step, empty)
    if isinstance(place, list):
        place.extend({} for _ in range(int(steps[-1]) + 1 - len(place)))
    present = follow(place, steps[-1:]) if isinstance(place, list) or steps[-1] in place else {}
    merged = {**present, **value} if isinstance(present, dict) and isinstance(value, dict) else value
    place[steps[-1]] = merged


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def iter_objects() -> Iterator[tuple[Case, Object]]:
    """Iterate over every manifest of the table, with its case."""
    for case in load():
        yield case, case.manifest
