"""The names of numagate's own API: group, version, and the resources of both kinds."""

GROUP = "numagate.io"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"

POLICY = "AlignmentPolicy"
PROFILE = "NodeProfile"

POLICIES = "alignmentpolicies"
PROFILES = "nodeprofiles"
