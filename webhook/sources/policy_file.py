"""Reads policy and profile files, over the built-in policy and the machine library."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from webhook.config.alignment_policy import to_policy
from webhook.config.document import Document
from webhook.config.document import read_stream
from webhook.config.generation import generation
from webhook.config.node_profile import on_machine
from webhook.config.node_profile import to_node_class
from webhook.config.overlay import overlay
from webhook.config.overlay import written
from webhook.config.words import printable
from webhook.config.words import shorten
from webhook.domain.claims import ClaimCatalog
from webhook.domain.errors import PolicyError
from webhook.domain.kubelet.admit import startup_error
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.topology import NodeClass
from webhook.domain.topology import with_shared_parts
from webhook.sources.machines import load_machine
from webhook.sources.machines import machine_spec

BUILT_IN = Path(__file__).parent.parent / "data" / "default-policy.yaml"
BUILT_IN_SOURCE = "built-in policy"

_POLICY = "AlignmentPolicy"
_PROFILE = "NodeProfile"


@dataclass(frozen=True, slots=True)
class LoadedPolicy:
    """Policies with the node classes declared beside them; `source` names the file, for messages.

    `policies` stand in the order in which they are asked. A file says nothing of namespaces and device classes.
    """

    policies: tuple[Policy, ...]
    classes: tuple[NodeClass, ...]
    source: str
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    claims: ClaimCatalog = field(default_factory=ClaimCatalog)

    @property
    def policy(self) -> Policy:
        """The policy that is asked first: the only one, where a file holds one."""
        return self.policies[0]


def load_policy(path: str | Path | None = None, *, profiles: Sequence[NodeClass] = ()) -> LoadedPolicy:
    """Read a policy file, or the built-in policy; `profiles`, if any, replace the node classes of the file.

    Raises:
        PolicyError: the file cannot be read or is wrong.
    """
    if path is None:
        return _load((), BUILT_IN_SOURCE, profiles)
    return parse_stream(_read(path), str(path), profiles=profiles)


def parse_stream(text: str, source: str, *, profiles: Sequence[NodeClass] = ()) -> LoadedPolicy:
    """Read a stream of AlignmentPolicy and NodeProfile documents; without a policy the built-in one holds.

    Raises:
        PolicyError: about the first thing that is wrong, with its line.
    """
    return _load(_read_checked(text, source), source, profiles)


def load_profiles(name_or_path: str, *, assumed: bool = False) -> tuple[NodeClass, ...]:
    """Read node classes: one of the machine library by name, or those of a file with NodeProfile documents.

    Raises:
        PolicyError: there is no such machine, or the file is wrong.
    """
    if not is_file(name_or_path):
        return (load_machine(name_or_path, assumed=assumed),)
    documents = _read_checked(_read(name_or_path), name_or_path)
    for document in documents:
        if document.kind != _PROFILE:
            raise document.error(("kind",), f"{document.kind} is no profile: give a policy with --policy")
    classes = _to_classes(documents)
    if not classes:
        message = "no NodeProfile with a machine in it: write at least one"
        raise PolicyError(message, source=name_or_path)
    return tuple(replace(node_class, assumed=assumed) for node_class in classes)


def load_profile(name_or_path: str, *, assumed: bool = False) -> NodeClass:
    """Read exactly one node class; see `load_profiles`.

    Raises:
        PolicyError: there is no such machine, the file is wrong, or it holds several profiles.
    """
    classes = load_profiles(name_or_path, assumed=assumed)
    if len(classes) > 1:
        names = ", ".join(node_class.name for node_class in classes)
        message = f"one NodeProfile is wanted here, not {len(classes)} ({names})"
        raise PolicyError(message, source=name_or_path)
    return classes[0]


def _load(documents: Sequence[Document], source: str, profiles: Sequence[NodeClass]) -> LoadedPolicy:
    declared = _to_classes([document for document in documents if document.kind == _PROFILE])
    classes = with_shared_parts(profiles or declared)
    made: dict[str, Policy] = {}
    for document in [one for one in documents if one.kind == _POLICY] or [_built_in()]:
        policy = read_policy(document)
        if policy.name in made:
            message = f"a second AlignmentPolicy is named {shorten(policy.name)}: give each its own name"
            raise document.error(("metadata", "name"), message)
        made[policy.name] = policy
    return LoadedPolicy(policies=_in_force(made.values(), classes), classes=classes, source=source)


@cache
def _built_in() -> Document:
    return read_stream(BUILT_IN.read_text(encoding="utf-8"), BUILT_IN.name)[0]


def read_policy(document: Document) -> Policy:
    """Read an AlignmentPolicy that was held against the grammar, over the built-in one; `generation` is set later."""
    base = get_object(written(_built_in().data), "spec")
    return to_policy(_name(document), overlay(base, get_object(written(document.data), "spec")))


def _in_force(policies: Iterable[Policy], classes: Sequence[NodeClass]) -> tuple[Policy, ...]:
    """Answer the policies in the order in which they are asked, each with the generation that names its content."""
    ordered = sorted(policies, key=lambda policy: policy.order)
    return tuple(replace(policy, generation=generation(policy, classes)) for policy in ordered)


def _read_checked(text: str, source: str) -> tuple[Document, ...]:
    documents = read_stream(text, source)
    if documents:
        from webhook.config import grammar  # noqa: PLC0415 - costs 0.1 s that the built-in policy need not pay

        for document in documents:
            grammar.check(document)
    return documents


def _to_classes(documents: Sequence[Document]) -> tuple[NodeClass, ...]:
    """Make the classes; a profile that only completes what nodes report makes none."""
    classes: dict[str, NodeClass | None] = {}
    for document in documents:
        name = _name(document)
        if name in classes:
            message = f"a second NodeProfile is named {shorten(name)}: give each its own name"
            raise document.error(("metadata", "name"), message)
        classes[name] = None if is_partial(document) else read_profile(document)
    return tuple(one for one in classes.values() if one is not None)


def is_partial(document: Document) -> bool:
    """Tell a NodeProfile without a machine: it completes what the nodes that match its selector report."""
    spec = written(get_object(document.data, "spec"))
    return "machine" not in spec and "numa" not in spec


def read_profile(document: Document) -> NodeClass:
    """Read a NodeProfile that was held against the grammar.

    Raises:
        PolicyError: it contradicts itself, or its kubelet would not start.
    """
    name = _name(document)
    spec: JsonObject = get_object(written(document.data), "spec")
    machine = get_text(spec, "machine")
    if machine:
        try:
            spec = on_machine(machine_spec(machine), spec)
        except PolicyError as error:
            raise document.error(("spec", "machine"), error.reason) from None
    node_class = to_node_class(document, name, spec)
    problem = startup_error(node_class)
    if problem is not None:
        raise document.error(("spec", "kubelet"), f"the kubelet would not start: {printable(problem)}")
    return node_class


def _name(document: Document) -> str:
    return get_text(get_object(document.data, "metadata"), "name")


def is_file(name_or_path: str) -> bool:
    """Tell whether a profile is given as a file, not as the name of a library machine."""
    return "/" in name_or_path or name_or_path.endswith((".yaml", ".yml", ".json")) or Path(name_or_path).is_file()


def _read(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        message = f"cannot be read: not UTF-8 at byte {error.start}"
    raise PolicyError(message, source=str(path))
