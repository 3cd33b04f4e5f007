"""Do all replicas run one version, by one generation of the policies, and are they well by their own account?"""

from collections.abc import Iterator

from webhook import __version__
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning


def look(facts: Facts) -> Iterator[Result]:
    """Read what each says in its metrics."""
    answered = [one for one in facts.replicas if one.metrics]
    yield from (unknown(f"{one.name} says nothing: {one.error}") for one in facts.replicas if one.error)
    if not answered:
        return
    versions = {part for one in answered for part in map(_version, one.series("numagate_build_info"))}
    if len(versions) > 1:
        yield warning(
            f"replicas run different versions: {', '.join(sorted(versions))}",
            f"kubectl -n {facts.namespace} rollout status deployment/numagate deployment/numagate-controller",
        )
    elif versions != {__version__}:
        yield warning(
            f"the replicas run {', '.join(versions)} and this is {__version__}: it compares with its own rendering",
            f"use numagate {', '.join(versions)} for this installation",
        )
    policies = {frozenset(one.series("numagate_policy_info")) for one in answered if one.component == "serve"}
    if len(policies) > 1:
        yield problem(
            "replicas decide by different policies",
            f"kubectl -n {facts.namespace} rollout restart deployment/numagate",
        )
    for metric, what in (
        ("numagate_policy_last_reload_successful", "the newest policy or snapshot"),
        ("numagate_certificate_last_reload_successful", "the newest certificate"),
    ):
        for one in answered:
            if 0.0 in one.series(metric).values():
                yield problem(f"{one.name} has refused {what}", f"kubectl -n {facts.namespace} logs {one.name}")
    if len(versions) == 1 and len(policies) <= 1:
        yield ok(f"{len(answered)} replicas run {', '.join(versions)}, by the same policies")


def _version(labels: str) -> str:
    return labels.partition('version="')[2].partition('"')[0]


PROBE = Probe("versions", 19, look)
