"""Every process of a container may run where its container is at home, and nowhere else."""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.locality import cpus_of
from webhook.domain.locality import home
from webhook.domain.locality import told
from webhook.domain.observation import ObservedProcess
from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_incomplete
from webhook.domain.rule import why_unread


def _look(case: Case) -> Iterator[Said]:
    allowed = _allowed(case)
    wanted = "processes on its CPUs" if allowed is None else f"processes within {cpuset.format(allowed)}"
    astray = [(one, why) for one in case.seen.processes if (why := _astray(case, one, allowed))]
    unread = [one for one in case.seen.processes if one.cpus is None]
    if astray:
        one, why = astray[0]
        others = f" (and {len(astray) - 1} more processes)" if len(astray) > 1 else ""
        yield misaligned(why + others, wanted, f"{_named(one)} on {cpuset.format(one.cpus or 0)}")
    elif unread:
        why = why_unread(unread[0].unread, "cpus", "its status was not read")
        yield unknown(f"where process {unread[0].pid} may run is not known: {why}", wanted)
    elif why := why_incomplete(case):
        yield unknown(f"its processes are not all known: {why}", wanted)
    elif allowed is None:
        yield unknown("what its cgroup allows is not known", wanted)
    else:
        yield aligned(wanted, f"{len(case.seen.processes)} within")


def _allowed(case: Case) -> int | None:
    cpus = cpus_of(case.seen)
    if cpus is not None:
        return cpus
    cgroup = case.seen.cgroup
    if cgroup is None:
        return None
    return cgroup.cpus if cgroup.effective_cpus is None else cgroup.effective_cpus


def _astray(case: Case, process: ObservedProcess, allowed: int | None) -> str:
    """Say where a process may run that is no place for it, "" where it may not.

    In the shared pool only a process that has narrowed itself counts: the kubelet changes the pool as pods come and go,
    and it may have done so between the two readings.
    """
    if process.cpus is None:
        return ""
    if cpus_of(case.seen) is not None and allowed is not None and process.cpus & ~allowed:
        outside = cpuset.format(process.cpus & ~allowed)
        return f"process {_named(process)} may run on CPUs {outside}, which are not its container's"
    cells, own = case.site.machine.cells_of(process.cpus), home(case)
    narrowed = allowed is not None and process.cpus != allowed
    if narrowed and own is not None and cells and not cells & own:
        return f"process {_named(process)} keeps to {told(cells)}, its container belongs on {told(own)}"
    return ""


def _named(process: ObservedProcess) -> str:
    return f"{process.pid} ({process.command})"


RULE = Rule(
    code="process-affinity",
    rank=70,
    promise="No process may run on other CPUs than its container's, or has narrowed itself to another NUMA node.",
    of_container=_look,
)
