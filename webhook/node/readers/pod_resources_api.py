"""The messages of the kubelet's PodResources API, v1, with the field numbers that it has on the wire.

They are written as a table and made into classes when first asked for: no generated code that has to fit the version
of a library. Fields that nobody here reads are left out; the wire format passes over them.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any
from typing import Final

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message_factory

LIST: Final = "/v1.PodResourcesLister/List"
ALLOCATABLE: Final = "/v1.PodResourcesLister/GetAllocatableResources"
PACKAGE: Final = "v1"

MESSAGES: Final[Mapping[str, Mapping[str, tuple[int, str]]]] = {
    "ListPodResourcesRequest": {},
    "ListPodResourcesResponse": {"pod_resources": (1, "PodResources*")},
    "AllocatableResourcesRequest": {},
    "AllocatableResourcesResponse": {
        "devices": (1, "ContainerDevices*"),
        "cpu_ids": (2, "int64*"),
        "memory": (3, "ContainerMemory*"),
    },
    "PodResources": {
        "name": (1, "string"),
        "namespace": (2, "string"),
        "containers": (3, "ContainerResources*"),
        "cpu_ids": (4, "int64*"),
        "memory": (5, "ContainerMemory*"),
    },
    "ContainerResources": {
        "name": (1, "string"),
        "devices": (2, "ContainerDevices*"),
        "cpu_ids": (3, "int64*"),
        "memory": (4, "ContainerMemory*"),
        "dynamic_resources": (5, "DynamicResource*"),
    },
    "ContainerMemory": {"memory_type": (1, "string"), "size": (2, "uint64"), "topology": (3, "TopologyInfo")},
    "ContainerDevices": {"resource_name": (1, "string"), "device_ids": (2, "string*"), "topology": (3, "TopologyInfo")},
    "TopologyInfo": {"nodes": (1, "NUMANode*")},
    "NUMANode": {"ID": (1, "int64")},
    "DynamicResource": {
        "claim_name": (2, "string"),
        "claim_namespace": (3, "string"),
        "claim_resources": (4, "ClaimResource*"),
    },
    "ClaimResource": {"driver_name": (2, "string"), "pool_name": (3, "string"), "device_name": (4, "string")},
}
"""Message, then field, then its number and type; a star marks what is repeated."""

_Field = descriptor_pb2.FieldDescriptorProto
_TYPES: Final = {"string": _Field.TYPE_STRING, "int64": _Field.TYPE_INT64, "uint64": _Field.TYPE_UINT64}


@cache
def message(name: str) -> Any:
    """Answer the class of a message; its fields are attributes, and `FromString` and `SerializeToString` the codec."""
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"{PACKAGE}.{name}"))


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    """Make the descriptors in a pool of our own: another library may know a package of that name."""
    file = descriptor_pb2.FileDescriptorProto(name="podresources.proto", package=PACKAGE, syntax="proto3")
    for name, fields in MESSAGES.items():
        described = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            base = kind.removesuffix("*")
            described.field.add(
                name=field,
                number=number,
                label=_Field.LABEL_OPTIONAL if base == kind else _Field.LABEL_REPEATED,
                type=_TYPES.get(base, _Field.TYPE_MESSAGE),
                type_name=None if base in _TYPES else f".{PACKAGE}.{base}",
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
