"""Resources in an operator's own vocabulary."""

from webhook.domain.own_words import OwnWords


def test_amounts_get_the_names_of_kubernetes_and_keep_their_places() -> None:
    written = {"limits": {"cpu": "8", "gpu": "2"}, "requests": {"memory": "1Gi"}, "claims": [{"name": "gpu"}]}
    assert OwnWords().translate(written) == (
        {
            "claims": [{"name": "gpu"}],
            "requests": {"memory": "1Gi"},
            "limits": {"cpu": "8", "nvidia.com/gpu": "2"},
        },
        {
            ("requests",): ("requests",),
            ("requests", "memory"): ("requests", "memory"),
            ("limits",): ("limits",),
            ("limits", "cpu"): ("limits", "cpu"),
            ("limits", "nvidia.com/gpu"): ("limits", "gpu"),
        },
    )


def test_the_resource_of_the_devices_can_be_named_beside_them() -> None:
    resources, places = OwnWords().translate({"limits": {"gpu": "1", "gpuType": "gpu.intel.com/xe"}})
    assert resources == {"limits": {"gpu.intel.com/xe": "1"}}
    assert places[("limits", "gpu.intel.com/xe")] == ("limits", "gpu")


def test_any_other_resource_has_a_map_of_its_own() -> None:
    resources, places = OwnWords().translate({"limits": {"custom": {"rdma/ib": "1"}}})
    assert resources == {"limits": {"rdma/ib": "1"}}
    assert places[("limits", "rdma/ib")] == ("limits", "custom", "rdma/ib")


def test_a_flat_map_is_requests_and_limits_at_once() -> None:
    resources, places = OwnWords(flat=True).translate({"cpu": "5", "gpu": "1"})
    both = {"cpu": "5", "nvidia.com/gpu": "1"}
    assert resources == {"requests": both, "limits": both}
    assert (places[("limits",)], places[("requests", "cpu")], places[("limits", "cpu")]) == ((), ("cpu",), ("cpu",))


def test_what_has_another_shape_is_no_amount() -> None:
    assert OwnWords().translate({"limits": {"cpu": ["8"], "custom": "x"}})[0] == {"limits": {}}
