"""Where a node's files lie: the real ones, those of a host mounted below a folder, or a recorded tree."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that are read; `kubelet` is the kubelet's --root-dir.

    `proc` must be that of the host's process namespace (hostPID), and `sys` a mount of the host's: the /sys of a
    container shows the network interfaces of its pod.
    """

    proc: Path
    sys: Path
    cgroup: Path
    kubelet: Path
    kubelet_config: Path

    @property
    def pod_resources(self) -> Path:
        """The socket of the PodResources API."""
        return self.kubelet / "pod-resources" / "kubelet.sock"

    @staticmethod
    def below(root: Path, *, kubelet: str = "var/lib/kubelet", config: str | None = None) -> "Roots":
        """Answer the usual places below `root`; `config` is the file of the kubelet's configuration, from there too."""
        folder = root / kubelet.lstrip("/")
        return Roots(
            proc=root / "proc",
            sys=root / "sys",
            cgroup=root / "sys" / "fs" / "cgroup",
            kubelet=folder,
            kubelet_config=folder / "config.yaml" if config is None else root / config.lstrip("/"),
        )
