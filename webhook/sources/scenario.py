"""Reads scenarios: JSON lines, or JSON and YAML documents; docs/kubelet.md has the fields."""

import re
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import BinaryIO

from webhook.config.document import Document
from webhook.config.document import field_text
from webhook.config.node_profile import on_machine
from webhook.config.node_profile import to_node_class
from webhook.config.overlay import written
from webhook.config.words import shorten
from webhook.domain import facts
from webhook.domain.errors import InputError
from webhook.domain.errors import PolicyError
from webhook.domain.manifest import Positions
from webhook.domain.pod import PodFacts
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.scenario import Arrival
from webhook.domain.scenario import Scenario
from webhook.domain.topology import NodeClass
from webhook.sources.chunk import Chunk
from webhook.sources.chunk import refuse_what_is_no_yaml
from webhook.sources.chunk import split
from webhook.sources.json_text import read_json
from webhook.sources.machines import machine_spec
from webhook.sources.manifests import read_text
from webhook.sources.yaml_text import read_yaml

_JSON_START = re.compile(r"^\{", re.MULTILINE)
_SEPARATOR = re.compile(r"^---", re.MULTILINE)
_MACHINE = ("numa", "devices", "kubelet")
_ROOT = "spec"

_machine_spec = lru_cache(maxsize=64)(machine_spec)


def read_scenarios(file: str, *, stdin: BinaryIO) -> Iterator[Scenario | InputError]:
    """Yield the scenarios of a file, or of `stdin` for `-`; one that cannot be read is an error beside the rest.

    Raises:
        InputError: the whole file cannot be read, or holds no scenario.
    """
    empty = True
    for value in parse_stream(read_text(file, stdin), file):
        empty = False
        yield value
    if empty:
        message = "no scenario in it: write at least one, as a line of JSON or a YAML document"
        raise InputError(message, file=file)


def parse_stream(text: str, file: str) -> Iterator[Scenario | InputError]:
    """Yield the scenarios of a text, and an error for each that cannot be read."""
    for found in _values(text, file):
        if isinstance(found, InputError):
            yield found
            continue
        try:
            yield found.scenario()
        except InputError as error:
            yield error


def _values(text: str, file: str) -> Iterator["_Value | InputError"]:
    """Read the documents of the text. In JSON each line that starts with a brace starts one."""
    is_json = _JSON_START.search(text) is not None and _SEPARATOR.search(text) is None
    for chunk in _cut(file, text) if is_json else split(file, text):
        try:
            for value, positions in read_json(chunk) if is_json else _yaml(chunk):
                yield _Value(file, value, positions)
        except InputError as error:
            yield InputError(error.reason, file=file, line=error.line)


def _cut(file: str, text: str) -> Iterator[Chunk]:
    starts = sorted({0, *(match.start() for match in _JSON_START.finditer(text))})
    line = 1
    for document, (start, end) in enumerate(pairwise([*starts, len(text)])):
        part = text[start:end]
        breaks = tuple(match.start() for match in re.finditer("\n", part))
        yield Chunk(file=file, document=document, text=part, first_line=line, breaks=breaks)
        line += len(breaks)


def _yaml(chunk: Chunk) -> Iterator[tuple[object, Positions]]:
    refuse_what_is_no_yaml(chunk)
    value, positions = read_yaml(chunk)
    if value is not None:
        yield value, positions


class _Lines(Mapping[Path, int]):
    """The line of every place in a scenario that stands at `_ROOT`; looked up when an error asks for it."""

    def __init__(self, positions: Positions) -> None:
        self._tree = Positions(line=positions.line, children={_ROOT: positions})

    def __getitem__(self, path: Path) -> int:
        here = self._tree
        for step in path:
            here = here.children[step]
        return here.line

    def __iter__(self) -> Iterator[Path]:
        return self._below((), self._tree)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _below(self, path: Path, here: Positions) -> Iterator[Path]:
        yield path
        for step, child in here.children.items():
            yield from self._below((*path, step), child)


@dataclass(frozen=True, slots=True)
class _Value:
    """A value that should be a scenario, and where it is."""

    file: str
    value: object
    positions: Positions

    def scenario(self) -> Scenario:
        """Answer the scenario.

        Raises:
            InputError: about the first thing that is wrong.
        """
        if not isinstance(self.value, dict):
            raise self.error((), f"{shorten(self.value)} is no scenario: write an object with name, numa and pods")
        content: JsonObject = self.value
        document = Document({_ROOT: content}, _Lines(self.positions), self.file)
        try:
            node_class = _node_class(document)
        except PolicyError as error:
            field = error.field.removeprefix(_ROOT).removeprefix(".")
            message = f"{field}: {error.reason}" if field else error.reason
            raise InputError(message, file=self.file, line=error.line) from None
        defaulted = content.get("raw") is not True
        pods = enumerate(get_list(content, "pods"))
        return Scenario(
            name=get_text(content, "name"),
            node_class=node_class,
            arrivals=tuple(self._arrival(index, as_object(pod), defaulted=defaulted) for index, pod in pods),
            skip_predicates=content.get("skipPredicates") is True,
        )

    def _arrival(self, index: int, content: JsonObject, *, defaulted: bool) -> Arrival:
        pod = facts.read(content, defaulted=defaulted)
        for path, message in _faults(content, pod):
            raise self.error(("pods", index, *path), message)
        return Arrival(get_text(get_object(content, "metadata"), "name"), pod)

    def error(self, path: Path, message: str) -> InputError:
        """Make the error about the value at `path`."""
        where = f"{field_text(path)}: " if path else ""
        return InputError(where + message, file=self.file, line=self.positions.at(path))


def _node_class(document: Document) -> NodeClass:
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


def _faults(content: JsonObject, pod: PodFacts) -> Iterator[tuple[Path, str]]:
    """Yield what the API server would refuse of a pod, as far as the answer depends on it."""
    kind = content.get("kind", "Pod")
    if kind != "Pod":
        yield ("kind",), f"{shorten(kind)} is no Pod: write the pod that comes from its template"
    for finding in pod.unreadable:
        yield finding.path, finding.message.removeprefix(f"{field_text(finding.path)}: ")
    if not get_list(get_object(content, "spec"), "containers"):
        yield ("spec", "containers"), "required, but not written: a pod has at least one container"
    for container in pod.containers:
        if not container.name:
            yield (*container.path, "name"), "required, but not written"
