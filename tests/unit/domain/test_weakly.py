"""What is remembered of an object ends with it."""

import gc
from weakref import ref

from builders import container
from builders import equal
from builders import pod

from webhook.domain.facts import read
from webhook.domain.fit import fit_each
from webhook.domain.weakly import weakly
from webhook.sources.policy_file import load_profile


class Subject:
    """Anything."""


def test_what_was_derived_is_not_derived_again() -> None:
    asked: list[Subject] = []

    def derive(subject: Subject) -> int:
        asked.append(subject)
        return len(asked)

    first, second = Subject(), Subject()
    remembered = weakly(derive)

    assert [remembered(one) for one in (first, second, first, second)] == [1, 2, 1, 2]


def test_a_node_class_that_was_asked_is_forgotten_with_its_policy() -> None:
    machine = load_profile("generic-2x4")
    assert fit_each(read(pod(container(**equal("8", "16Gi", 1)))), (machine,), {})
    gone = ref(machine)
    del machine
    gc.collect()

    assert gone() is None
