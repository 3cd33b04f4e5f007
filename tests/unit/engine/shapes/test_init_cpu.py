"""An init container with the CPUs of the main one."""

from builders import container
from builders import equal
from builders import pod
from misfits import reserved_first
from misfits import texts

from webhook.engine.shapes.init_cpu import KIND

MAIN = container(**equal("14", "1Gi", 1))


def test_an_init_container_takes_the_number_of_the_main_one() -> None:
    loading = pod(MAIN, init=(container("load", **equal("1", "1Gi", None)), container("copy", **equal("14"))))

    assert texts(KIND, loading, reserved_first()) == ["give container load cpu 14, as container server has"]


def test_sidecars_and_shared_cpus_stay() -> None:
    sidecar = container("proxy", **equal("2", "1Gi", None), restartPolicy="Always")
    shared = container("copy", **equal("500m", "1Gi", None))

    assert texts(KIND, pod(MAIN, init=(sidecar, shared)), reserved_first()) == []


def test_several_are_named_together() -> None:
    first, second = (container(name, **equal("1", "1Gi", None)) for name in ("a", "b"))

    assert texts(KIND, pod(MAIN, init=(first, second)), reserved_first()) == [
        "give container a and container b cpu 14, as container server has"
    ]


def test_without_a_main_container_that_pins_cpus_there_is_no_measure() -> None:
    shared = container(**equal("1500m", "1Gi", 1))

    assert texts(KIND, pod(shared, init=(container("load", **equal("1", "1Gi", None)),)), reserved_first()) == []
