"""Every label and annotation key that numagate reads or writes."""

from webhook.domain import levels

DOMAIN = "numagate.io/"

ALIGNMENT = DOMAIN + "alignment"
"""Annotation: the promise, written by the mutating pass (see `expectation`)."""

ALIGNED = DOMAIN + "Aligned"
"""Condition of a pod: whether the agent on its node has found it as promised; a readiness gate may wait for it."""

LEVEL = DOMAIN + "level"
"""Label: the level that the pod reached, so that pods can be selected by it."""

NUMA_NODES = DOMAIN + "numa-nodes"
"""Annotation: the pod asks for this many NUMA nodes instead of one."""

GOVERNED = DOMAIN + "governed"
"""Label: `true` makes an accelerator pod an inference pod, whatever its image."""

EXEMPT = DOMAIN + "exempt"
"""Annotation: the reason why this pod is exempt, where the policy honours it."""

EXEMPT_UNTIL = DOMAIN + "exempt-until"
"""Annotation: RFC 3339 instant at which the exemption ends."""

LIMIT_RANGER = "kubernetes.io/limit-ranger"
"""Annotation of the LimitRanger plug-in: which values it filled in, and in which containers."""

MIRROR = "kubernetes.io/config.mirror"
"""Annotation of a mirror pod, the API server's image of a static pod."""

MODES = tuple(DOMAIN + mode for mode in levels.MODES)
"""Namespace labels: the level of each mode in the namespace, where the policy lets it choose."""

NAMESPACE_NAME = "kubernetes.io/metadata.name"
"""Label that the API server gives every namespace: its name. A world need not hold it."""

ADMISSION = DOMAIN + "admission"
"""Namespace label of the administrator: `disabled` keeps the namespace's pods away from numagate."""

DISABLED = "disabled"
"""The one value of that label."""

INSTALLED_MODE = DOMAIN + "mode"
"""Label of both webhook configurations: the mode that they were rendered for."""

CERTIFICATES = DOMAIN + "certificates"
"""Annotation of both webhook configurations: who fills in their caBundle."""

MANAGED = "managed"
"""The value of it that says: the controller."""

KEEP_IN_STEP = DOMAIN + "keep-in-step"
"""Annotation of a webhook configuration: `false` keeps the controller from writing it."""

NODE_NAME = "authentication.kubernetes.io/node-name"
NODE_UID = "authentication.kubernetes.io/node-uid"
"""Of a user with a token that is bound to a pod: the node that it runs on (pkg/serviceaccount/claims.go)."""
