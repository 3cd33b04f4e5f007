"""The text of NodeProfile documents."""

from pathlib import Path

import pytest

from webhook.sources.machines import FOLDER
from webhook.sources.machines import list_machines
from webhook.sources.profiles import library_text
from webhook.sources.profiles import texts_of

TEXT = """\
# head
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata: {name: p}
---
# the first
apiVersion: numagate.io/v1alpha1
kind: NodeProfile
metadata: {name: a, annotations: {title: First}}
spec: {machine: dgx-h100}
--- # separator

apiVersion: numagate.io/v1alpha1
kind: NodeProfile
metadata: {name: b}
spec: {machine: dgx-h100}
"""


def test_profiles_of_a_file_keep_their_comments_and_lose_their_separators(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(TEXT, "utf-8")

    first, second = texts_of(file)

    assert (first.name, first.title, second.name, second.title) == ("a", "First", "b", "")
    assert first.text.splitlines()[0] == "# the first"
    assert second.text.splitlines()[0] == "apiVersion: numagate.io/v1alpha1"


@pytest.mark.parametrize("name", list_machines())
def test_the_text_of_a_library_machine_is_its_file(name: str) -> None:
    found = library_text(name)

    assert (found.name, found.text + "\n") == (name, (FOLDER / f"{name}.yaml").read_text("utf-8"))
    assert found.title
