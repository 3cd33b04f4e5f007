"""Which field a finding about counted resources points at."""

from builders import GPU
from builders import container
from builders import pod
from builders import ruling

from webhook.engine.judge import judge_pod


def test_a_fraction_is_shown_where_it_is_written() -> None:
    half = pod(container(limits={"cpu": "16", "memory": "80Gi", GPU: "0.5"}))
    known = ruling()

    found = [one for one in judge_pod(half, known).findings if one.code == "overcommitted-resource"]

    assert [one.path[-2:] for one in found] == [("limits", GPU)]
