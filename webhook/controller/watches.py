"""The watches of the controller: one thread for each kind, all into one picture of the cluster."""

import threading
from collections.abc import Callable
from collections.abc import Mapping
from datetime import UTC
from datetime import datetime
from functools import partial
from typing import Protocol

from webhook.controller import kinds
from webhook.controller.changes import Changes
from webhook.controller.compose import WorldComposer
from webhook.controller.devices import DeviceClasses
from webhook.controller.documents import Documents
from webhook.controller.fleet import Facts
from webhook.controller.fleet import Fleet
from webhook.controller.namespaces import Namespaces
from webhook.domain import api
from webhook.domain.claim_documents import entry_of
from webhook.domain.claim_documents import read_device_class
from webhook.domain.raw import JsonObject
from webhook.kube.client import Client
from webhook.kube.reflector import Reflector
from webhook.kube.reflector import Sink
from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import ReportFacts
from webhook.sources.inventory.reduce import reduce_alignment
from webhook.sources.inventory.reduce import reduce_node
from webhook.sources.inventory.reduce import reduce_nrt
from webhook.sources.inventory.reduce import reduce_slice
from webhook.sources.inventory.store import Inventory
from webhook.sources.policy_object import faults


class _Counted(Sink, Protocol):
    def __len__(self) -> int: ...


def _now() -> datetime:
    return datetime.now(UTC)


class Picture:
    """What is known of the cluster, kept by the sinks of the watches."""

    def __init__(self, changes: Changes, *, own_namespace: str, clock: Callable[[], datetime] = _now) -> None:
        check = partial(faults, own_namespace=own_namespace)
        fleet = Fleet(Inventory(), changes)
        policy, profile = kinds.VERSIONS[api.POLICY][0], kinds.VERSIONS[api.PROFILE][0]
        self.policies = Documents(api.POLICY, policy, check=check, changes=changes)
        self.profiles = Documents(api.PROFILE, profile, check=check, changes=changes)
        self.namespaces = Namespaces(changes)
        devices = DeviceClasses(changes, reduce=_device_class)
        self.composer = WorldComposer(
            fleet=fleet,
            policies=self.policies,
            profiles=self.profiles,
            namespaces=self.namespaces,
            devices=devices,
            clock=clock,
        )
        self.sinks: Mapping[str, _Counted] = {
            api.POLICY: self.policies,
            api.PROFILE: self.profiles,
            kinds.NAMESPACE: self.namespaces,
            kinds.DEVICE_CLASS: devices,
            kinds.NODE: Facts(kinds.NODE, fleet, reduce=reduce_node, changes=changes, lasting=_lasting_of_node),
            kinds.SLICE: Facts(kinds.SLICE, fleet, reduce=reduce_slice, changes=changes),
            kinds.ALIGNMENT: Facts(
                kinds.ALIGNMENT, fleet, reduce=reduce_alignment, changes=changes, lasting=_lasting_of_report
            ),
            kinds.REPORT: Facts(kinds.REPORT, fleet, reduce=reduce_nrt, changes=changes, lasting=_lasting_of_report),
        }

    def threads(
        self, client: Client, stop: threading.Event, *, on_restart: Callable[[str], None]
    ) -> list[threading.Thread]:
        """Make the threads that watch, one for each kind; they end when `stop` is set and the client closed."""
        made: list[threading.Thread] = []
        for kind, sink in self.sinks.items():
            reflector = Reflector(client, kinds.VERSIONS[kind], sink, on_restart=partial(on_restart, kind))
            made.append(threading.Thread(target=reflector.run, args=(stop,), name=f"watch-{kind}", daemon=True))
        return made


def _lasting_of_node(node: NodeFacts) -> NodeFacts:
    """Answer what classes are made of: a node that takes no pods for a while has nothing free, and is what it was."""
    return node._replace(schedulable=True)


def _lasting_of_report(report: AlignmentFacts | ReportFacts) -> AlignmentFacts | ReportFacts:
    """Answer what classes are made of: all but free capacity, and since when it is known."""
    return report._replace(free=(), seen="")


def _device_class(found: JsonObject) -> JsonObject:
    """Answer the entry of a snapshot."""
    return entry_of(read_device_class(found))
