"""Laws of reading and linting manifests: nothing raises, and what JSON says is what is read."""

import io
import json

from builders import world
from hypothesis import given
from hypothesis import strategies as st

import webhook.formats
import webhook.workloads
from webhook import registry
from webhook.domain.manifest import Positions
from webhook.domain.output_format import OutputFormat
from webhook.domain.workload import Workload
from webhook.engine.lint import lint
from webhook.sources.manifests import Reading
from webhook.sources.manifests import read_manifests

WORLD = world()
WORKLOADS = registry.load(webhook.workloads, "WORKLOAD", Workload)
FORMATS = registry.load(webhook.formats, "FORMAT", OutputFormat)

KEYS = st.sampled_from(
    (
        *("apiVersion", "kind", "metadata", "name", "namespace", "labels", "spec", "template", "containers", "items"),
        *("initContainers", "resources", "limits", "requests", "cpu", "nvidia.com/gpu", "annotations", "<<"),
    )
) | st.text(max_size=4)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.sampled_from(["Pod", "Deployment", "List", "Namespace", "LimitRange", "v1", "apps/v1", "1", "8Gi", "100m"])
    | st.text(max_size=6)
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4))
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
MARKS = st.sampled_from(
    ["---", "\n", ": ", "- ", "{", "}", "[", "]", "&a", "*a", "<<", "!!int ", "\t", "'", '"', "|", "kind"]
)


def read(data: bytes) -> Reading:
    return read_manifests(["-"], stdin=io.BytesIO(data))


def leaves(value: object, positions: Positions) -> bool:
    """Tell whether every value has a place of its own."""
    if isinstance(value, dict):
        return all(key in positions.children and leaves(value[key], positions.children[key]) for key in value)
    if isinstance(value, list):
        return all(leaves(member, positions.children[index]) for index, member in enumerate(value))
    return positions.line >= 1


@given(st.binary(max_size=60))
def test_no_bytes_make_the_reader_raise(data: bytes) -> None:
    assert len(read(data).files) == 1


@given(st.lists(MARKS | st.text(max_size=3), max_size=25).map("".join))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    reading = read(text.encode("utf-8", "surrogatepass"))
    assert all(manifest.positions.line >= 1 for manifest in reading.manifests)


@given(OBJECTS, st.sampled_from([None, 2]))
def test_a_json_object_is_read_as_it_is_with_a_place_for_every_value(
    obj: dict[str, object], indent: int | None
) -> None:
    whole = {**obj, "kind": "Any"}
    (manifest,) = read(json.dumps(whole, indent=indent).encode()).manifests
    assert manifest.content == whole
    assert leaves(manifest.content, manifest.positions)


@given(st.lists(OBJECTS, max_size=3))
def test_no_objects_make_lint_or_a_format_raise(objects: list[dict[str, object]]) -> None:
    reading = read("\n---\n".join(map(json.dumps, objects)).encode())
    report = lint(
        reading.manifests, reading.errors, files=1, world=WORLD, workloads=WORKLOADS, default_namespace="default"
    )
    texts = [output.write(report) for output in FORMATS]
    assert all(character.isprintable() for text in texts for character in text.replace("\n", ""))
    assert report.exit_code() in {0, 1, 2}
