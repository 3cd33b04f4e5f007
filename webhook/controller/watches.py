"""The watches of the controller: one thread for each kind, all into one picture of the cluster."""

import threading
from collections.abc import Callable
from collections.abc import Mapping
from functools import partial
from typing import Protocol

from webhook.controller import kinds
from webhook.controller.changes import Changes
from webhook.controller.compose import WorldComposer
from webhook.controller.compose import check_policy
from webhook.controller.compose import check_profile
from webhook.controller.devices import DeviceClasses
from webhook.controller.documents import Documents
from webhook.controller.fleet import Facts
from webhook.controller.fleet import Fleet
from webhook.controller.namespaces import Namespaces
from webhook.domain.claim_documents import entry_of
from webhook.domain.claim_documents import read_device_class
from webhook.domain.raw import JsonObject
from webhook.kube.client import Client
from webhook.kube.reflector import Reflector
from webhook.kube.reflector import Sink
from webhook.sources.evidence import ReportFacts
from webhook.sources.inventory.reduce import reduce_node
from webhook.sources.inventory.reduce import reduce_nrt
from webhook.sources.inventory.reduce import reduce_slice
from webhook.sources.inventory.store import Inventory


class _Counted(Sink, Protocol):
    def __len__(self) -> int: ...


class Picture:
    """What is known of the cluster, kept by the sinks of the watches."""

    def __init__(self, changes: Changes) -> None:
        fleet = Fleet(Inventory(), changes)
        policy, profile = kinds.VERSIONS[kinds.POLICY][0], kinds.VERSIONS[kinds.PROFILE][0]
        self.policies = Documents(kinds.POLICY, policy, check=check_policy, changes=changes)
        self.profiles = Documents(kinds.PROFILE, profile, check=check_profile, changes=changes)
        self.namespaces = Namespaces(changes)
        devices = DeviceClasses(changes, reduce=_device_class)
        self.composer = WorldComposer(
            fleet=fleet,
            policies=self.policies,
            profiles=self.profiles,
            namespaces=self.namespaces,
            devices=devices,
        )
        self.sinks: Mapping[str, _Counted] = {
            kinds.POLICY: self.policies,
            kinds.PROFILE: self.profiles,
            kinds.NAMESPACE: self.namespaces,
            kinds.DEVICE_CLASS: devices,
            kinds.NODE: Facts(kinds.NODE, fleet, reduce=reduce_node, changes=changes),
            kinds.SLICE: Facts(kinds.SLICE, fleet, reduce=reduce_slice, changes=changes),
            kinds.REPORT: Facts(kinds.REPORT, fleet, reduce=reduce_nrt, changes=changes, lasting=_lasting),
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


def _lasting(report: ReportFacts) -> ReportFacts:
    """Answer what classes are made of: all but free capacity, and since when it is known."""
    return report._replace(free=(), seen="")


def _device_class(found: JsonObject) -> JsonObject:
    return entry_of(read_device_class(found))
