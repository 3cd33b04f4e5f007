"""Refusals carry the kubelet's reason and message."""

from webhook.domain.kubelet import refusal


def test_a_refusal_says_where_why_and_in_which_words() -> None:
    error = refusal.unexpected("no luck")

    assert (error.handler, error.reason) == ("topology-manager", "UnexpectedAdmissionError")
    assert error.message == "Allocate failed due to no luck, which is unexpected"
    assert str(error) == f"UnexpectedAdmissionError: {error.message}"


def test_too_many_combinations_name_the_remedy() -> None:
    error = refusal.TooManyCellsError(34)

    assert (error.handler, error.reason) == ("simulation", "TooManyNUMANodes")
    assert "34 NUMA nodes" in error.message
    assert "single-numa-node" in error.message
