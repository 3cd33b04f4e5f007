"""Each container has as many devices as it was promised."""

from collections import Counter
from collections.abc import Iterator

from webhook.domain.policy import IMPLICIT
from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_unread


def _look(case: Case) -> Iterator[Said]:
    for resource, count in case.promise.devices.items():
        wanted = f"{count} {resource}"
        if resource.startswith(IMPLICIT) or resource in case.served_by_claims:
            yield unknown("the kubelet lists the devices of resource claims without a NUMA node", wanted)
        elif case.seen.devices is None:
            why = why_unread(case.seen.unread, "devices", "the kubelet's PodResources were not read")
            yield unknown(f"{resource} cannot be counted: {why}", wanted)
        else:
            found = Counter(resource for resource, _ in {(one.resource, one.id) for one in case.seen.devices})[resource]
            seen = f"{found} {resource}"
            if found == count:
                yield aligned(wanted, seen)
            else:
                yield misaligned(f"{seen} instead of {count}", wanted, seen)


RULE = Rule(
    code="device-count",
    rank=10,
    promise="Each container has as many devices as promised.",
    of_container=_look,
)
