"""A helper whose CPU is not whole pins nothing."""

from builders import container
from builders import equal
from builders import pod
from misfits import texts

from webhook.engine.shapes.unpinned_helper import KIND

HELPER = {name: container(name, **equal(cpu, "1Gi", None)) for name, cpu in {"a": "2", "b": "4", "c": "500m"}.items()}
MAIN = container(**equal("94", "64Gi", 1))


def test_one_helper_gives_up_ten_milli() -> None:
    assert texts(KIND, pod(MAIN, HELPER["a"])) == ["give container a cpu 1990m, which pins no CPUs"]


def test_of_several_the_greediest_is_tried_alone_before_all() -> None:
    assert texts(KIND, pod(MAIN, HELPER["a"], HELPER["b"], HELPER["c"])) == [
        "give container b cpu 3990m, which pins no CPUs",
        "give container a cpu 1990m, which pins no CPUs",
        "give container a cpu 1990m and container b cpu 3990m, which pins no CPUs",
    ]


def test_a_helper_without_exclusive_cpus_has_nothing_to_give() -> None:
    assert texts(KIND, pod(MAIN, HELPER["c"])) == []


def test_values_inside_spec_resources_decide_nothing() -> None:
    assert texts(KIND, pod(MAIN, HELPER["a"], resources={"limits": {"cpu": "100"}})) == []


def test_of_many_helpers_the_text_names_a_few() -> None:
    many = [container(f"h{number}", **equal("2", "1Gi", None)) for number in range(30)]

    assert texts(KIND, pod(MAIN, *many))[-1].endswith("container h4 cpu 1990m and 25 more, which pins no CPUs")
