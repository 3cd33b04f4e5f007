"""The names of numagate's own API: group, version, the resources of its kinds, and the objects it lives by."""

GROUP = "numagate.io"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"

POLICY = "AlignmentPolicy"
PROFILE = "NodeProfile"
ALIGNMENT = "NodeAlignment"
"""What the agent on a node writes about it; the object has the node's name."""

POLICIES = "alignmentpolicies"
PROFILES = "nodeprofiles"
ALIGNMENTS = "nodealignments"

WORLD_MAP = "numagate-world"
"""ConfigMap of the world snapshot: the controller writes it, the serving pods read it."""
WORLD_KEY = "world.json"
"""The key in it that holds the document."""

CLIENT_CA_SECRET = "numagate-client-ca"  # noqa: S105 - the name of a Secret
"""Secret of the CA that the API server's own certificate is from, where one is asked for; it holds no key."""
CLIENT_CA_KEY = "ca.crt"

TLS_SECRET = "numagate-tls"  # noqa: S105 - the name of a Secret
"""Secret of the serving certificate: the controller, cert-manager or a person writes it, the serving pods mount it."""

LEASE = "numagate-controller"
"""Lease that the controller's replicas elect their leader by."""

REPORTER = "numagate.io/agent"
"""Reporting controller of the agents' events; their reporting instance is the node."""
MOST_INSTANCE = 128
"""Characters of a reporting instance, by the API server's validation."""
