"""Reads scenarios; docs/kubelet.md has their fields. Machine and kubelet are read as those of a NodeProfile."""

from collections.abc import Iterator
from functools import lru_cache
from functools import partial
from typing import BinaryIO

from webhook.config.document import Document
from webhook.config.node_profile import on_machine
from webhook.config.node_profile import to_node_class
from webhook.config.overlay import written
from webhook.config.words import shorten
from webhook.domain import facts
from webhook.domain import versions
from webhook.domain.errors import InputError
from webhook.domain.errors import PolicyError
from webhook.domain.manifest import Positions
from webhook.domain.pod import PodFacts
from webhook.domain.pointer import Path
from webhook.domain.pointer import field_path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.scenario import Arrival
from webhook.domain.scenario import Scenario
from webhook.domain.topology import NodeClass
from webhook.sources.machines import machine_spec
from webhook.sources.manifests import read_text
from webhook.sources.scenario_text import Place
from webhook.sources.scenario_text import read_places

_MACHINE = ("numa", "devices", "kubelet")
_ROOT = "spec"
"""Where a scenario is put, so that it looks like a NodeProfile."""

_machine_spec = lru_cache(maxsize=64)(machine_spec)


def read_scenarios(file: str, *, stdin: BinaryIO) -> Iterator[Scenario | InputError]:
    """Yield the scenarios of a file, or of `stdin` for `-`; one that cannot be read is an error beside the rest.

    Raises:
        InputError: the whole file cannot be read, or holds no scenario.
    """
    empty = True
    for value in parse_scenarios(read_text(file, stdin), file):
        empty = False
        yield value
    if empty:
        message = "no scenario in it: write at least one, as a line of JSON or a YAML document"
        raise InputError(message, file=file)


def parse_scenarios(text: str, file: str) -> Iterator[Scenario | InputError]:
    """Yield the scenarios of a text, and an error for each that cannot be read."""
    for found in read_places(text, file):
        try:
            yield found if isinstance(found, InputError) else _scenario(found)
        except InputError as error:
            yield error


def _scenario(place: Place) -> Scenario:
    if not isinstance(place.value, dict):
        message = f"{shorten(place.value)} is no scenario: write an object with name, numa and pods"
        raise place.error((), message)
    content: JsonObject = place.value
    if "apiVersion" in content and "kind" in content:
        message = f"{shorten(content['kind'])} is no scenario: write pods into a list pods, or ask numagate explain"
        raise place.error(("kind",), message)
    node_class = _node_class(place, content)
    rules = versions.rules(node_class.kubelet.version)
    read = partial(facts.read, rules=rules, defaulted=content.get("raw") is not True)
    pods = enumerate(map(as_object, get_list(content, "pods")))
    return Scenario(
        name=get_text(content, "name"),
        node_class=node_class,
        arrivals=tuple(_arrival(place, index, pod, read(pod)) for index, pod in pods),
        skip_predicates=content.get("skipPredicates") is True,
        start=content.get("start") is True,
    )


def _node_class(place: Place, content: JsonObject) -> NodeClass:
    data = {_ROOT: content}
    positions = Positions(line=place.positions.line, children={_ROOT: place.positions})
    try:
        return _checked(Document(data, Place(place.file, data, positions), place.file))
    except PolicyError as error:
        field = error.field.removeprefix(_ROOT).removeprefix(".")
        message = f"{field}: {error.reason}" if field else error.reason
        raise InputError(message, file=place.file, line=error.line) from None


def _checked(document: Document) -> NodeClass:
    from webhook.config.scenario_schema import ScenarioDocument  # noqa: PLC0415 - pydantic loads slowly
    from webhook.config.schema import check_model  # noqa: PLC0415 - as above

    check_model(document, ScenarioDocument)
    spec = get_object(document.data, _ROOT)
    machine: JsonObject = written({key: spec[key] for key in _MACHINE if key in spec})
    profile = get_text(spec, "profile")
    if profile:
        try:
            machine = on_machine(_machine_spec(profile), machine)
        except PolicyError as error:
            raise document.error((_ROOT, "profile"), error.reason) from None
    return to_node_class(document, get_text(spec, "name"), machine, strangers=True)


def _arrival(place: Place, index: int, content: JsonObject, pod: PodFacts) -> Arrival:
    for path, message in _faults(content, pod):
        raise place.error(("pods", index, *path), f"pods[{index}].{message}")
    return Arrival(get_text(get_object(content, "metadata"), "name"), pod)


def _faults(content: JsonObject, pod: PodFacts) -> Iterator[tuple[Path, str]]:
    """Yield what the API server would refuse of a pod, as far as the answer depends on it."""
    kind = content.get("kind", "Pod")
    if kind != "Pod":
        yield ("kind",), f"kind: {shorten(kind)} is no Pod: write the pod that comes from its template"
    for finding in pod.unreadable:
        yield finding.path, finding.message
    if not get_list(get_object(content, "spec"), "containers"):
        yield ("spec", "containers"), "spec.containers: required, but not written"
    for container in pod.containers:
        if not container.name:
            path = (*container.path, "name")
            yield path, f"{field_path(path)}: required, but not written"
