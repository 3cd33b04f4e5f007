"""The path of a kind of objects in the API server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind as the API server names it; `group` is "" for the core group."""

    group: str
    version: str
    plural: str

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Answer the path of the objects, of those of a namespace, of one of them, or of a part of it.

        >>> Resource("", "v1", "nodes").path()
        '/api/v1/nodes'
        >>> Resource("coordination.k8s.io", "v1", "leases").path("ours", "it")
        '/apis/coordination.k8s.io/v1/namespaces/ours/leases/it'
        """
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        within = f"/namespaces/{namespace}" if namespace else ""
        rest = "".join(f"/{part}" for part in (name, subresource) if part)
        return f"{root}{within}/{self.plural}{rest}"

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural
