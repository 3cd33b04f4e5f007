"""The devices of each container lie on as many NUMA nodes as promised, at most."""

from collections.abc import Iterator

from webhook.domain.locality import device_cells
from webhook.domain.locality import home_of
from webhook.domain.locality import nodes
from webhook.domain.locality import told
from webhook.domain.locality import why_no_cells
from webhook.domain.observation import ObservedDevice
from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_unread


def _look(case: Case) -> Iterator[Said]:
    devices = [one for one in case.seen.devices or () if one.resource in case.promise.devices]
    if not devices:
        return  # that some are missing is for device-count to say
    wanted = f"devices on {nodes(case.numa_nodes)}"
    sure = 0
    for one in devices:
        sure |= home_of(case.site.machine, one.cells) or 0
    if sure.bit_count() > case.numa_nodes:
        reason = f"its devices are on {told(sure)}, promised {nodes(case.numa_nodes)}"
        yield misaligned(reason, wanted, f"on {told(sure)}")
        return
    cells = device_cells(case)
    if cells is None:
        yield unknown(_homeless(case, devices), wanted)
    else:
        yield aligned(wanted, f"on {told(cells)}")


def _homeless(case: Case, devices: list[ObservedDevice]) -> str:
    one = next(one for one in devices if home_of(case.site.machine, one.cells) is None)
    if not one.cells:
        otherwise = f"nobody says on which NUMA node device {one.id} is"
        return why_unread(case.seen.unread, "devices", otherwise)
    if why := why_no_cells(case.site.machine):
        return why
    missing = one.cells & ~sum(1 << cell.id for cell in case.site.machine.cells)
    if missing:
        return f"device {one.id} is said to be on {told(missing)}, which the machine does not show"
    return f"device {one.id} is said to be near {told(one.cells)}: it has no home to compare with"


RULE = Rule(
    code="device-locality",
    rank=40,
    promise="A container's devices lie on as many NUMA nodes as promised, at most.",
    of_container=_look,
)
