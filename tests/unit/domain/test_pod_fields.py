"""Which fields of a bare pod spec are the pod's."""

import kubernetes

from webhook.domain.pod_fields import POD_FIELDS


def test_every_field_of_a_pod_spec_is_known() -> None:
    assert set(kubernetes.client.V1PodSpec.attribute_map.values()) <= POD_FIELDS
