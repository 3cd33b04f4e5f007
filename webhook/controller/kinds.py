"""What the controller watches: kinds of objects, each in the versions that it can read, the newest first."""

from typing import Final

from webhook.domain import api
from webhook.kube.resource import Resource

NODE: Final = "Node"
ALIGNMENT: Final = api.ALIGNMENT
REPORT: Final = "NodeResourceTopology"
SLICE: Final = "ResourceSlice"
DEVICE_CLASS: Final = "DeviceClass"
NAMESPACE: Final = "Namespace"
WORLD: Final = "World"
"""Not a kind of the API server: the one ConfigMap that holds the snapshot."""

VERSIONS: Final = {
    NODE: (Resource("", "v1", "nodes"),),
    ALIGNMENT: (Resource(api.GROUP, api.VERSION, api.ALIGNMENTS),),
    REPORT: (
        Resource("topology.node.k8s.io", "v1alpha2", "noderesourcetopologies"),
        Resource("topology.node.k8s.io", "v1alpha1", "noderesourcetopologies"),
    ),
    SLICE: tuple(Resource("resource.k8s.io", version, "resourceslices") for version in ("v1", "v1beta2", "v1beta1")),
    DEVICE_CLASS: tuple(
        Resource("resource.k8s.io", version, "deviceclasses") for version in ("v1", "v1beta2", "v1beta1")
    ),
    NAMESPACE: (Resource("", "v1", "namespaces"),),
    api.POLICY: (Resource(api.GROUP, api.VERSION, api.POLICIES),),
    api.PROFILE: (Resource(api.GROUP, api.VERSION, api.PROFILES),),
}
