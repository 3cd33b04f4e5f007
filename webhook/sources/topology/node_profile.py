"""NodeProfiles whose selector matches the node's labels: a person's word, for all of a node or for parts of it."""

from collections.abc import Iterator
from collections.abc import Mapping

from webhook.config.node_profile import on_machine
from webhook.domain.errors import PolicyError
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.sources.evidence import Evidence
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import TopologySource
from webhook.sources.machines import machine_spec

NAME = "NodeProfile"


def _read(view: NodeView) -> Evidence | None:
    fields: dict[str, object] = {}
    problems: list[str] = []
    title = ""
    for profile in view.profiles:
        try:
            found = dict(fields_of(profile.spec))
        except PolicyError as error:
            problems.append(f"NodeProfile {profile.name}: {error.reason}")
            continue
        title = title or (profile.name if "numa" in found else "")
        fields = {**found, **fields}
    if not view.profiles:
        return None
    return Evidence(source=NAME, fields=fields, declared=True, title=title, problems=tuple(problems))


def fields_of(spec: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Take a profile's spec apart into fields, those of the machine it names included.

    Raises:
        PolicyError: the library has no such machine.
    """
    machine = get_text(spec, "machine")
    whole = on_machine(machine_spec(machine), spec) if machine else spec
    for key in ("numa", "taints"):
        if whole.get(key) is not None:
            yield key, whole[key]
    for block in ("devices", "kubelet"):
        yield from ((f"{block}.{key}", value) for key, value in get_object(whole, block).items() if value is not None)


SOURCE = TopologySource(name="node-profile", rank=10, read=_read)
