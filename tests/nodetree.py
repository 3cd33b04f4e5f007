"""Makes the /sys, /proc, cgroup and kubelet files of a node below a folder, as kernel and kubelet write them."""

from collections.abc import Mapping
from pathlib import Path

from webhook.domain import cpuset
from webhook.node.roots import Roots

GIB = 1 << 30
MIB = 1 << 20
UID = "0f9a1c2e-0000-4000-8000-{:012x}"


def pod_uid(number: int = 1) -> str:
    """Answer the uid of the pod of that number."""
    return UID.format(number)


def container_id(number: int = 1) -> str:
    """Answer the runtime's id of the container of that number."""
    return f"{number:064x}"


class NodeTree:
    """A node's files; what is not made is not there."""

    def __init__(self, root: Path) -> None:
        """Make the folders that every node has."""
        self.root = root
        self.roots = Roots.below(root)
        self.write("sys/devices/system/cpu/online", "")
        self.write("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory hugetlb pids rdma misc")
        self.roots.kubelet.mkdir(parents=True)
        self._memory = 0

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file with the line end that the kernel writes."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else f"{text}\n".encode())
        return file

    def cell(
        self,
        number: int,
        cpus: str = "",
        *,
        threads: int = 1,
        socket: int | None = None,
        memory: int = 64 * GIB,
        hugepages: Mapping[int, int] | None = None,
        distances: str = "10",
        caches: int | None = None,
    ) -> None:
        """Make a NUMA node; its threads are paired as Linux does, and its CPUs share `caches` L3 caches."""
        folder = f"sys/devices/system/node/node{number}"
        self.write(f"{folder}/cpulist", cpus)
        self.write(f"{folder}/meminfo", f"Node {number} MemTotal:  {memory >> 10} kB\nNode {number} MemFree:  1 kB")
        self.write(f"{folder}/distance", distances)
        for size, pages in (hugepages or {2048: 0}).items():
            self.write(f"{folder}/hugepages/hugepages-{size}kB/nr_hugepages", str(pages))
        self._memory += memory
        self.write("proc/meminfo", f"MemTotal:       {self._memory >> 10} kB\nMemFree:        1 kB")
        bits = cpuset.parse(cpus)
        ids = cpuset.ids(bits)
        cores = [ids[index :: max(len(ids) // threads, 1)] for index in range(len(ids) // threads)]
        for index, core in enumerate(cores):
            group = index * (caches or 1) // len(cores)
            shared = [one for at, one in enumerate(cores) if at * (caches or 1) // len(cores) == group]
            for cpu in core:
                self.cpu(
                    cpu,
                    sum(1 << thread for thread in core),
                    number if socket is None else socket,
                    shared=sum(1 << thread for one in shared for thread in one),
                    cache=number * (caches or 1) + group,
                )
        self.online(bits | cpuset.parse(self.roots.sys.joinpath("devices/system/cpu/online").read_text().strip()))

    def cpu(self, number: int, siblings: int, socket: int, *, shared: int, cache: int) -> None:
        """Make a CPU that is online."""
        folder = f"sys/devices/system/cpu/cpu{number}"
        self.write(f"{folder}/topology/core_cpus_list", cpuset.format(siblings))
        self.write(f"{folder}/topology/physical_package_id", str(socket))
        for index, level, cpus in ((0, 1, siblings), (1, 1, siblings), (2, 2, siblings), (3, 3, shared)):
            self.write(f"{folder}/cache/index{index}/level", str(level))
            self.write(f"{folder}/cache/index{index}/shared_cpu_list", cpuset.format(cpus))
            self.write(f"{folder}/cache/index{index}/id", str(cache if index == 3 else number))

    def online(self, cpus: int) -> None:
        """Say which CPUs are online."""
        self.write("sys/devices/system/cpu/online", cpuset.format(cpus))

    def pci(self, address: str, kind: int = 0x030200, cell: int | None = None) -> str:
        """Make a PCI device and answer its folder; without a NUMA node there is no such file."""
        real = f"sys/devices/pci{address[:7]}/{address}"
        self.write(f"{real}/class", f"0x{kind:06x}")
        if cell is not None:
            self.write(f"{real}/numa_node", str(cell))
        self._link(f"sys/bus/pci/devices/{address}", real)
        return real

    def interface(self, name: str, device: str) -> None:
        """Make a network interface of a device."""
        self.write(f"{device}/net/{name}/mtu", "1500")
        self._link(f"{device}/net/{name}/device", device)
        self._link(f"sys/class/net/{name}", f"{device}/net/{name}")

    def interrupt(self, number: int, cpus: str, *, device: str = "", effective: str | None = None) -> None:
        """Make an interrupt that may go to `cpus`, and goes to `effective` if the kernel says so."""
        if device:
            self.write(f"{device}/msi_irqs/{number}", "msix")
        self.write(f"proc/irq/{number}/smp_affinity_list", cpus)
        if effective is not None:
            self.write(f"proc/irq/{number}/effective_affinity_list", effective)

    def container(
        self,
        number: int = 1,
        *,
        pod: int = 1,
        path: str | None = None,
        cpus: str = "",
        effective_cpus: str = "0-3",
        cells: str = "",
        effective_cells: str = "0",
        quota: str = "max 100000",
        used: int = 0,
    ) -> str:
        """Make the cgroup of a container (systemd driver, containerd) and answer its path."""
        uid = pod_uid(pod).replace("-", "_")
        path = path or (
            f"kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{uid}.slice/"
            f"cri-containerd-{container_id(number)}.scope"
        )
        folder = f"sys/fs/cgroup/{path}"
        self.write(f"{folder}/cpuset.cpus", cpus)
        self.write(f"{folder}/cpuset.cpus.effective", effective_cpus)
        self.write(f"{folder}/cpuset.mems", cells)
        self.write(f"{folder}/cpuset.mems.effective", effective_cells)
        self.write(f"{folder}/cpu.max", quota)
        self.write(f"{folder}/cpu.stat", f"usage_usec {used}\nuser_usec {used}\nsystem_usec 0")
        return path

    def process(
        self,
        pid: int,
        cgroup: str,
        *,
        name: str = "python3",
        cpus: str = "0-3",
        cells: str = "0",
        maps: str | None = "7f0000000000 default anon=4 dirty=4 N0=4 kernelpagesize_kB=4",
        threads: Mapping[int, str] | None = None,
    ) -> None:
        """Make a process in a cgroup; `threads` are further ones and the CPUs that each may use."""
        folder = f"proc/{pid}"
        self.write(f"{folder}/cgroup", f"0::/{cgroup}")
        for thread, allowed in {pid: cpus, **(threads or {})}.items():
            text = status(name, thread, allowed, cells, threads=1 + len(threads or {}))
            self.write(f"{folder}/task/{thread}/status", text)
            if thread == pid:
                self.write(f"{folder}/status", text)
        if maps is not None:
            self.write(f"{folder}/numa_maps", maps)

    def _link(self, path: str, target: str) -> None:
        link = self.root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(self.root / target)


def status(name: str, pid: int, cpus: str, cells: str, *, threads: int = 1) -> str:
    """Answer the lines of /proc/PID/status around those that count."""
    return "\n".join(
        (
            f"Name:\t{name}",
            "Umask:\t0022",
            "State:\tS (sleeping)",
            f"Tgid:\t{pid}",
            f"Pid:\t{pid}",
            f"Threads:\t{threads}",
            "Cpus_allowed:\tff",
            f"Cpus_allowed_list:\t{cpus}",
            "Mems_allowed:\t00000000,00000003",
            f"Mems_allowed_list:\t{cells}",
            "voluntary_ctxt_switches:\t150",
        )
    )


def two_sockets(root: Path) -> NodeTree:
    """Make a node of two NUMA nodes with 8 CPUs each, in pairs, and a GPU and a NIC on each."""
    tree = NodeTree(root)
    tree.cell(0, "0-3,8-11", threads=2, distances="10 21", hugepages={2048: 512, 1048576: 4})
    tree.cell(1, "4-7,12-15", threads=2, distances="21 10")
    for cell, bus in ((0, "3b"), (1, "b1")):
        tree.pci(f"0000:{bus}:00.0", cell=cell)
        nic = tree.pci(f"0000:{bus}:01.0", 0x020000, cell=cell)
        tree.interface(f"eth{cell}", nic)
        tree.interrupt(40 + cell, "0-15", device=nic, effective=str(4 * cell))
    return tree
