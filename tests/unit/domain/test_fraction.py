"""How many classes and nodes take a pod."""

from dataclasses import replace

from builders import container
from builders import equal
from builders import pod

from webhook.domain.facts import read
from webhook.domain.fit import fit_each
from webhook.domain.fraction import fraction_of
from webhook.sources.policy_file import load_profile

LARGE, SMALL = load_profile("dgx-h100"), load_profile("two-socket-32c")
FOUR_GPUS = read(pod(container(**equal("32", "64Gi", 4))))
ASKED = {"server": {"nvidia.com/gpu": 4}}


def test_nodes_are_counted_with_their_classes() -> None:
    fits = fit_each(FOUR_GPUS, (replace(LARGE, nodes=212), replace(SMALL, nodes=28)), ASKED)
    assert str(fraction_of(fits)) == "1 of 2 node classes, 212 of 240 nodes"


def test_where_nobody_counted_no_nodes_are_told() -> None:
    assert str(fraction_of(fit_each(FOUR_GPUS, (LARGE, SMALL), ASKED))) == "1 of 2 node classes"


def test_without_an_eligible_class_there_is_no_fraction() -> None:
    assert fraction_of(()) is None
