"""Places in an object, as the API server writes them."""

import pytest

from webhook.domain.pointer import field_path
from webhook.domain.pointer import pointer


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec",), "spec"),
        (("spec", "containers", 0, "image"), "spec.containers[0].image"),
        (("spec", "containers", 0, "resources", "limits", "cpu"), "spec.containers[0].resources.limits[cpu]"),
        (("metadata", "annotations", "numagate.io/x"), "metadata.annotations[numagate.io/x]"),
        (("metadata", "labels", "labels"), "metadata.labels[labels]"),
    ],
)
def test_a_field_path_puts_map_keys_into_brackets(path: tuple[str | int, ...], text: str) -> None:
    assert field_path(path) == text


def test_a_pointer_escapes_tilde_and_slash() -> None:
    assert pointer(("a/b", "c~d", 0)) == "/a~1b/c~0d/0"
