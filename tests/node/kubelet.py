"""The real kubelet in the guest: started with any configuration, on an empty node, in a few seconds."""

import json
import ssl
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from typing import Final

import httpx
import trustme
from controlplane import identity
from controlplane.cluster import ControlPlane
from controlplane.identity import KUBELET
from controlplane.identity import NODE
from controlplane.process import until
from differential.scenarios import kubelet_fields
from node.guest import ADDRESS
from node.guest import HOST
from node.guest import Guest

from webhook.domain.kubelet.admit import node_allocatable
from webhook.domain.quantity import Quantity
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass

READY_SECONDS: Final = 400
EVICTION_MIB: Final = 100
ROOT: Final = "/var/lib/kubelet"
FOLDER: Final = "/etc/kubernetes"
CONFIG: Final = f"{ROOT}/config.yaml"
"""Where kubeadm has it too, and where the agent looks for it."""

PODS: Final = "/sys/fs/cgroup/kubepods"
NODE_PATH: Final = f"/api/v1/nodes/{NODE}"

FIXED: Final = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "kind": "KubeletConfiguration",
    "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
    "cgroupDriver": "cgroupfs",
    "failSwapOn": False,
    # Made beforehand: a key takes the guest long.
    "tlsCertFile": f"{FOLDER}/kubelet.crt",
    "tlsPrivateKeyFile": f"{FOLDER}/kubelet.key",
    "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
    "authorization": {"mode": "AlwaysAllow"},
    "cpuManagerReconcilePeriod": "1s",
    "nodeStatusUpdateFrequency": "1s",
    "nodeStatusReportFrequency": "5m",
    "evictionHard": {"memory.available": f"{EVICTION_MIB}Mi"},
    "localStorageCapacityIsolation": False,
    "imageGCHighThresholdPercent": 100,
    "imageGCLowThresholdPercent": 99,
    "resolvConf": "",
    "runtimeRequestTimeout": "10m",
    "enableControllerAttachDetach": False,
}

STOP: Final = f"""
for name in kubelet devices; do
  for pid in $(pidof $name); do kill -9 $pid; done
  while pidof $name > /dev/null; do sleep 0.02; done
done
[ ! -e {PODS} ] || echo 1 > {PODS}/cgroup.kill
for place in $(grep -o ' {ROOT}/pods/[^ ]*' /proc/mounts); do umount -l $place; done
rm -rf {ROOT}/*_state {ROOT}/device-plugins {ROOT}/pods/*
"""


def configuration(settings: KubeletSettings) -> dict[str, Any]:
    """Write the kubelet's configuration; what is reserved of memory beside the eviction threshold is the system's."""
    fields = kubelet_fields(settings)
    del fields["version"]
    reservation = dict(settings.node_allocatable_reservation)
    del fields["nodeAllocatableReservation"]
    if "memory" in reservation:
        reservation["memory"] = Quantity.of_bytes(reservation["memory"].value - (EVICTION_MIB << 20))
    system = {name: str(quantity) for name, quantity in reservation.items()}
    return {**FIXED, **{name: value for name, value in fields.items() if value}, "systemReserved": system}


def plugin_arguments(devices: Mapping[str, Sequence[Device]]) -> list[str]:
    """Write devices for the plug-in in the guest.

    >>> plugin_arguments({"nvidia.com/gpu": (Device("a", (0, 1)), Device("b", healthy=False))})
    ['nvidia.com/gpu=a@0+1,b@!']
    """
    return [f"{resource}={','.join(map(_device, found))}" for resource, found in devices.items()]


def _device(device: Device) -> str:
    return f"{device.id}@{'+'.join(map(str, device.numa or ()))}{'' if device.healthy else '!'}"


@dataclass(frozen=True, slots=True)
class States:
    """What the kubelet's managers have written down; None where a manager has no state file."""

    cpus: dict[str, Any] | None
    memory: dict[str, Any] | None
    devices: dict[str, Any] | None


class Kubelet:
    """The kubelet of a guest, which registers at a control plane."""

    def __init__(self, guest: Guest, cluster: ControlPlane) -> None:
        self.guest = guest
        self.cluster = cluster
        self.http = httpx.Client(
            base_url=f"https://127.0.0.1:{guest.kubelet_port}", verify=_unverified(), timeout=30, trust_env=False
        )
        self._provision()

    def close(self) -> None:
        """Close the connections to it."""
        self.http.close()

    def _provision(self) -> None:
        """Write what stays the same over all its starts."""
        kubeconfig = identity.write_kubeconfig(
            self.cluster.folder / "kubelet.kubeconfig",
            server=self.cluster.url.replace("127.0.0.1", HOST),
            ca=self.cluster.identity.ca,
            token=self.cluster.identity.tokens[KUBELET],
        )
        leaf = trustme.CA().issue_cert(NODE, ADDRESS)
        files = {
            "ca.crt": self.cluster.identity.ca.read_text("utf-8"),
            "kubeconfig": kubeconfig.read_text("utf-8").replace(str(self.cluster.identity.ca), f"{FOLDER}/ca.crt"),
            "kubelet.crt": leaf.cert_chain_pems[0].bytes().decode(),
            "kubelet.key": leaf.private_key_pem.bytes().decode(),
        }
        self.guest.run("".join(here_document(f"{FOLDER}/{name}", text) for name, text in files.items()))

    def stop(self) -> None:
        """End it, and wipe what it has written down: the next one starts on an empty node."""
        self.guest.run(STOP)
        self.cluster.request("DELETE", NODE_PATH)

    def start(self, node: NodeClass) -> None:
        """Start it with the settings of a node class, and wait until its node has what the class has for pods."""
        self.launch(configuration(node.kubelet), plugin_arguments(node.devices))
        expected = {name: str(quantity) for name, quantity in node_allocatable(node).items() if not quantity.is_zero}
        until(lambda: self._is_ready(expected), seconds=READY_SECONDS, what=f"a ready node with {expected}")

    def launch(self, config: Mapping[str, Any], plugin: Sequence[str]) -> None:
        """Start it with a configuration, and the device plug-in with its arguments; wait for nothing."""
        devices = f"setsid devices {' '.join(plugin)} > /var/log/devices.log 2>&1 < /dev/null &\n" if plugin else ""
        command = f"kubelet --config={CONFIG} --kubeconfig={FOLDER}/kubeconfig --v=2 "
        command += f"--hostname-override={NODE} --node-ip={ADDRESS}"
        self.guest.run(
            here_document(CONFIG, json.dumps(config))
            + devices
            + f"setsid {command} > /var/log/kubelet.log 2>&1 < /dev/null &\n"
        )

    def _is_ready(self, expected: Mapping[str, str]) -> bool:
        answer = self.cluster.request("GET", NODE_PATH)
        if answer.status != httpx.codes.OK:
            return False
        status = answer.body["status"]
        ready = any(one["type"] == "Ready" and one["status"] == "True" for one in status.get("conditions", ()))
        return ready and expected.items() <= shown(status["allocatable"]).items()

    def log(self, lines: int = 40) -> str:
        """Answer the last lines of its log."""
        return self.guest.run(f"tail -n {lines} /var/log/kubelet.log")

    def states(self) -> States:
        """Read the checkpoints of its managers."""
        names = ("cpu_manager_state", "memory_manager_state", "device-plugins/kubelet_internal_checkpoint")
        said = self.guest.run("".join(f"cat {ROOT}/{name} 2>/dev/null || echo -n null\necho\n" for name in names))
        return States(*map(json.loads, said.splitlines()))

    def pods(self) -> list[dict[str, Any]]:
        """Answer the pods that it knows, with the status that it has for them."""
        answer = self.http.get("/pods").raise_for_status().json()
        return list(answer["items"] or ())


def shown(quantities: Mapping[str, str]) -> dict[str, str]:
    """Answer quantities in their canonical form."""
    return {name: str(Quantity.parse(value)) for name, value in quantities.items()}


def here_document(path: str, text: str) -> str:
    """Write the shell's words that write a file."""
    return f"cat > {path} <<'NODE_END'\n{text}\nNODE_END\n"


def _unverified() -> ssl.SSLContext:
    """Trust whoever answers on the guest's port."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
