"""Reads the table of cases in tests/cases, which four runners judge: engine, lint, HTTP and the API server.

The notation is described in docs/cases.md. Everything here is data in, data out: the runners do the judging.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from functools import cache
from pathlib import Path

import yaml
from caseobjects import KINDS
from caseobjects import Object
from caseobjects import builtin
from caseobjects import copied
from caseobjects import pod
from caseobjects import put_template
from caseobjects import slug

from webhook.engine.kinds import REGISTERED
from webhook.engine.kinds import workload_of

FOLDER = Path(__file__).parent / "cases"
MACHINES = FOLDER / "machines.yaml"
"""NodeProfiles of the cases' own machines; the others are in the machine library."""
REFERENCE = "generic-2x4"
RESTRICTED = "generic-2x4-restricted"
RUNNERS = ("engine", "lint", "http", "apiserver")


@dataclass(frozen=True, slots=True, eq=False)
class Expect:
    """What a runner must find; None means that the case says nothing about it.

    `fits` and `fits_after` map node class to "yes", "no" or "unenforced"; empty where no class is eligible.
    `faults` and `warns` map a finding's code to its places ("CONTAINER RESOURCE" or a field path), all of them.
    `after` maps container to "CPU/MEMORY", "unchanged", or "shared" (equal, and no whole CPU).
    `cells` are the NUMA nodes used on the first machine; `admitted` tells whether its kubelet takes the pod at all.
    `elsewhere` holds further expectations on other machines, by machine name. `later` means that lint says who may
    still add what is missing. `gates` are the conditions that the pod's readiness waits for in the end.
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
    admitted: bool | None
    later: bool
    elsewhere: Mapping[str, "Expect"]
    gates: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """One pod in an object: `path` is the field path where it lies; `pod` looks like a Pod.

    `form` is "pod", "container" (a container without a pod around it), "resources" (no more than its resources) or
    "raw" (a vocabulary of its own). `root` is the part of the object that lint tells of. `written` is what the object
    holds of the pod, where objects beside it hold the rest.
    """

    path: str
    form: str
    pod: Object
    expect: Expect
    root: str
    written: Object


@dataclass(frozen=True, slots=True, eq=False)
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
    chained: str
    """Expected decision of the validating pass on what the mutating pass makes of the object, and its codes."""
    chained_codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
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
    judged_beside: int = 0
    """How many pods the objects beside it hold."""
    review: Review | None = field(default=None)
    free: tuple[Mapping[str, str], ...] | None = None
    """What NUMA nodes of the machines have free at the moment; for the engine alone, as no manifest says it."""
    verified: frozenset[str] = frozenset()
    """The machines on whose nodes agents verify pods; for the engine alone, too."""

    @property
    def builtin(self) -> bool:
        """Whether every API server knows the kind."""
        return self.kind in KINDS and KINDS[self.kind][0] == self.api_version

    @property
    def known(self) -> bool:
        """Whether numagate knows where the kind keeps its pods."""
        group, _, version = self.api_version.rpartition("/")
        return workload_of(group, version, self.kind, REGISTERED) is not None

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
    judged_beside = raw.pop("judged_beside", 0)
    free = tuple(raw.pop("free")) if "free" in raw else None
    verified = frozenset(raw.pop("verified", ()))
    review = _review(raw.pop("review"), namespace, identifier) if "review" in raw else None
    if review is not None:
        templates: tuple[Template, ...] = ()
        manifest = review.new
        runners = [runner for runner in runners if runner != "lint"]
    elif known:
        templates = (_template(KINDS[kind][1], {"pod": raw.pop("pod"), "expect": raw.pop("expect")}, machines),)
        manifest = builtin(kind, templates[0].pod, slug(identifier), raw.pop("object", {}))
    else:
        templates = tuple(_template(path, dict(item), machines) for path, item in raw.pop("templates").items())
        manifest = copied(raw.pop("object", {}))
        for template in templates:
            put_template(manifest, template.path, template.form, template.written)
    if raw:
        message = f"unknown keys {sorted(raw)}"
        raise ValueError(message)
    metadata = {**manifest.get("metadata", {}), "namespace": namespace}
    if "generateName" not in metadata:
        metadata["name"] = slug(identifier)
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
        judged_beside=judged_beside,
        review=review,
        free=free,
        verified=verified,
        **common,
    )


def _template(path: str, raw: Object, machines: tuple[str, ...]) -> Template:
    expect = _expect(raw.pop("expect"), machines)
    root = raw.pop("root", path)
    form = next(word for word in ("raw", "container", "resources", "pod") if word in raw)
    written = raw[form] if form == "raw" else pod(raw["pod"] if form == "pod" else {"containers": raw[form]})
    judged = pod(raw["judged"]) if "judged" in raw else written
    return Template(path, form, judged, expect, root, written)


def _review(raw: Object, namespace: str, identifier: str) -> Review:
    old, new = (_reviewed(raw.get(key), namespace, identifier) for key in ("old", "new"))
    if new is None:
        message = "a review needs a new object"
        raise ValueError(message)
    expect = raw["expect"]
    codes = tuple(expect.get("codes", []))
    return Review(
        operation=raw.get("operation", "CREATE"),
        subresource=raw.get("subresource", ""),
        username=raw.get("username", "system:serviceaccount:kube-system:replicaset-controller"),
        groups=tuple(raw.get("groups", ["system:authenticated"])),
        old=old,
        new=new,
        decisions={key: expect[key] for key in ("mutate", "validate") if key in expect},
        codes=codes,
        patched=expect.get("patched", False),
        chained=expect.get("chained", expect.get("validate", "accept")),
        chained_codes=tuple(expect.get("chained_codes", () if "chained" in expect else codes)),
    )


def _reviewed(raw: Object | None, namespace: str, identifier: str) -> Object | None:
    if raw is None:
        return None
    raw = dict(raw)
    metadata = raw.pop("metadata", {})
    written = pod(raw)
    merged = {**written.get("metadata", {}), **metadata, "namespace": namespace}
    if "generateName" not in merged:
        merged["name"] = slug(identifier)
    return {"apiVersion": "v1", "kind": "Pod", **written, "metadata": merged}


# --- expectations --------------------------------------------------------------------------------------------------


def _expect(raw: Object, machines: tuple[str, ...]) -> Expect:
    raw = dict(raw)
    decision = raw.pop("decision")
    fits = _fits(raw.pop("fits", None), machines)
    fits_after = _fits(raw.pop("fits_after", "yes" if decision == "repair" and fits else None), machines)
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
        admitted=raw.pop("admitted", None),
        later=raw.pop("later", False),
        elsewhere={name: _expect(item, (name,)) for name, item in raw.pop("elsewhere", {}).items()},
        gates=tuple(raw.pop("gates")) if "gates" in raw else None,
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
    answers: Object = raw if isinstance(raw, dict) else dict.fromkeys(machines, raw)
    return {name: _yes_no(answer) for name, answer in answers.items()}


def _yes_no(answer: object) -> str:
    """Undo YAML's reading of yes and no."""
    return {"True": "yes", "False": "no"}.get(str(answer), str(answer))


def _places(raw: Object) -> Mapping[str, tuple[str, ...]]:
    return {code: tuple(sorted(places)) for code, places in raw.items()}
