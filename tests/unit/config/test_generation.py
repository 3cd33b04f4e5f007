"""The name of a policy's content."""

from dataclasses import replace

from webhook.config.generation import generation
from webhook.domain.levels import Modes
from webhook.domain.quantity import Quantity
from webhook.sources.machines import load_machine
from webhook.sources.policy_file import load_policy


def test_the_same_content_has_the_same_name() -> None:
    policy = load_policy().policy
    assert generation(policy, ()) == generation(replace(policy), ())
    assert len(generation(policy, ())) == 12


def test_spelling_and_order_of_maps_do_not_matter() -> None:
    policy = load_policy().policy
    labels = dict(reversed(policy.recognition.labels.items()))
    same = replace(
        policy,
        recognition=replace(policy.recognition, labels=labels),
        repair=replace(policy.repair, headroom_cpu=Quantity.parse("0.0")),
    )
    assert generation(same, ()) == generation(policy, ())


def test_another_policy_or_class_has_another_name() -> None:
    policy = load_policy().policy
    machine = load_machine("generic-2x4")
    other = replace(policy, modes=replace(Modes()), name="other")
    names = {
        generation(policy, ()),
        generation(other, ()),
        generation(policy, (machine,)),
        generation(policy, (load_machine("generic-2x4-restricted"),)),
        generation(policy, (machine, load_machine("dgx-h100"))),
    }
    assert len(names) == 5
