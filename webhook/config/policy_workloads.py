"""Turns the kinds that a policy lists into the domain's `Workload`s."""

from webhook.domain.pod_count import times
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.domain.workload import Workload
from webhook.domain.workload import pod_spec
from webhook.domain.workload import template


def to_workload(entry: object) -> Workload:
    """Read an entry that was held against the grammar before; whether it is namespaced is for the cluster to know."""
    group, kind, replicas = get_text(entry, "group"), get_text(entry, "kind"), get_text(entry, "replicas")
    count = times(replicas) if replicas else ()
    return Workload(
        name=f"{kind}.{group}",
        group=group,
        versions=get_texts(entry, "versions"),
        kind=kind,
        resource=get_text(entry, "resource"),
        pods=(
            *(template(path, count) for path in get_texts(entry, "templates")),
            *(pod_spec(path, count) for path in get_texts(entry, "podSpecs")),
        ),
        namespaced=None,
    )
