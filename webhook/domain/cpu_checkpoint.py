"""Why a static CPU manager does not start with the checkpoint that it finds (CPU/policy_static.go:validateState).

It starts only where the CPUs named in it, shared and given, are exactly those that there are: a CPU that was switched
on is as bad as one that was switched off.
"""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.kubelet.options import STRICT_RESERVATION
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import cpu_options
from webhook.domain.observation import StateFile
from webhook.domain.topology import KubeletSettings


def is_strict(settings: KubeletSettings) -> bool:
    """Tell whether reserved CPUs are kept out of the shared pool."""
    try:
        return settings.cpu_manager_policy == "static" and cpu_options(settings).strict_reservation
    except StartupError:
        return False


def refused(file: StateFile, settings: KubeletSettings, *, reserved: int, online: int) -> Iterator[str]:
    """Yield what is wrong with the checkpoint of a static CPU manager, each the end of a sentence about the file.

    `reserved` and `online` are CPUs as bit sets, 0 where they are not known.
    """
    strict, shared = is_strict(settings), file.default_cpus or 0
    if not shared:
        if file.given_cpus:
            yield "has no CPUs in its shared pool, and gave some away"
        return
    if strict and reserved & shared:
        shown = cpuset.format(reserved & shared)
        yield f"has the reserved CPUs {shown} in its shared pool, and {STRICT_RESERVATION} keeps them out"
    elif not strict and reserved & ~shared:
        yield f"does not have the reserved CPUs {cpuset.format(reserved & ~shared)} in its shared pool"
    known = shared | (file.given_cpus or 0)
    if online and known & ~online:
        yield f"names CPUs {cpuset.format(known & ~online)}, which are not online"
    missing = online & ~known & ~(reserved if strict else 0)
    # Which CPUs are kept out is not known where they are reserved by number alone.
    if file.given_cpus is not None and missing and (reserved or not strict):
        yield f"knows nothing of CPUs {cpuset.format(missing)}, which are online"
