"""The drawing of a node as it is: owners, devices that nobody has, and devices without a home."""

from dataclasses import replace

from builders import GPU
from observednodes import observation
from verifications import USUAL

from webhook.cli.verify.picture import picture
from webhook.domain.drawing import State
from webhook.domain.observation import ObservedDevice


def test_who_has_something_of_their_own_is_an_owner() -> None:
    _, owners = picture(observation(USUAL))

    assert owners == ("team-a/llm server", "team-a/llm proxy", "team-b/sgl engine", "team-c/young engine")


def test_cpus_and_devices_are_where_they_are() -> None:
    devices = tuple(ObservedDevice(GPU, f"gpu-{number}", 1 << number // 4) for number in range(5))
    drawing, _ = picture(replace(observation(USUAL), devices=devices))
    first, second = (cell for socket in drawing.sockets for cell in socket.cells)

    assert [mark.owner for mark in first.cpus] == [None, None, 0, 0, 0, 0, 3, None]
    assert [(mark.id, mark.state) for mark in second.devices[GPU]] == [("gpu-4", State.FREE)]
    assert [mark.owner for mark in first.devices[GPU]] == [0, 0, 2, 3]


def test_a_device_without_a_home_stands_apart() -> None:
    pods = {"team-a/llm": {"containers": {"server": "4/8Gi/1"}, "shows": {"server": {"devices": {"gpu-0": "?"}}}}}
    drawing, _ = picture(observation({"pods": pods}))

    assert [mark.id for mark in drawing.loose[GPU]] == ["gpu-0"]


def test_on_a_machine_with_one_numa_node_a_device_without_a_home_is_there() -> None:
    pods = {"team-a/llm": {"containers": {"server": "4/8Gi/1"}, "shows": {"server": {"devices": {"gpu-0": "?"}}}}}
    drawing, _ = picture(observation({"machine": {0: "0-7"}, "pods": pods}))
    (only,) = (cell for socket in drawing.sockets for cell in socket.cells)

    assert [mark.id for mark in only.devices[GPU]] == ["gpu-0"]
    assert not drawing.loose
