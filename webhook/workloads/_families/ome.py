"""The pods of OME: pod specs written inline, with the server's container in a field of its own."""

from dataclasses import replace

from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_count import times
from webhook.domain.pod_path import parse
from webhook.domain.pod_source import PodSource
from webhook.domain.pointer import Path

_FIELDS: tuple[tuple[Path, Path], ...] = (
    (("metadata", "labels"), ("labels",)),
    (("metadata", "annotations"), ("annotations",)),
)
LABELS = (("ome.io/inferenceservice", ""),)
_RUNNER = (LooseContainer("ome-container", ("runner",)),)


def components(names: tuple[str, ...], *, completed_by: str, lender: str = "") -> tuple[PodSource, ...]:
    """Read each component: one pod, or a leader and the workers that belong to it; a router never has these.

    `lender` is where the object names a runtime, in which each component has its name with "Config" behind it.
    """
    found = (source for name in names for source in _component(f".spec.{name}", completed_by))
    return tuple(replace(one, lender=(parse(lender), _config(one.base))) for one in found) if lender else tuple(found)


def _config(base: Path) -> Path:
    return ("spec", f"{base[1]}Config", *base[2:])


def _component(path: str, completed_by: str) -> tuple[PodSource, ...]:
    replicas = f"{path}.minReplicas"
    counts = {path: times(replicas)}
    if not path.startswith(".spec.router"):
        counts[f"{path}.leader"] = times(replicas)
        counts[f"{path}.worker"] = times(replicas, f"{path}.worker.size")
    return tuple(
        PodSource(
            base=parse(base),
            spec=(),
            metadata=None,
            fields=_FIELDS if base == path else (),
            containers=_RUNNER,
            labels=LABELS,
            count=count,
            completed_by=completed_by,
        )
        for base, count in counts.items()
    )
