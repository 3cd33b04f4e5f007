"""Every kind that carries pods, with a real API server: what a person who applies one reads.

The texts lie in golden/kinds.txt, whose header says how they are written again.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kindtable
import pytest
from caseobjects import Object
from controlplane.cluster import ControlPlane
from controlplane.golden import Golden
from controlplane.kind_crds import definitions
from controlplane.service import WebhookService
from controlplane.service import registered
from kindtable import Sample

from webhook.engine.kinds import REGISTERED

GOLDEN = Path(__file__).parent / "golden" / "kinds.txt"
NAMESPACE = "team-a"
BY_NAME = {kind.name: kind for kind in REGISTERED}
SAMPLES = kindtable.load()


@pytest.fixture(scope="module")
def golden() -> Iterator[Golden]:
    """Read the golden texts, and write them where that is asked for."""
    texts = Golden.read(GOLDEN)
    yield texts
    texts.write([sample.id for sample in SAMPLES])


@pytest.fixture(scope="module")
def kinds(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server that asks numagate, and then learns of every kind."""
    with (
        ControlPlane(programs=programs, controllers=False) as running,
        WebhookService(arguments=["--profile", "generic-2x4"]) as service,
        registered(running, service),
    ):
        running.create_namespace(NAMESPACE)
        examples = {one.name: next(iter(one.objects.values())) for one in SAMPLES}
        items = definitions(REGISTERED, examples)
        running.kubectl("create", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})
        running.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
        yield running


def as_written(value: Any) -> Any:
    """Answer an object as people write it: whole quantities of containers are numbers."""
    if isinstance(value, list):
        return [as_written(member) for member in value]
    if not isinstance(value, dict):
        return value
    if "nvidia.com/gpu" in value:
        return {key: int(amount) if amount.isdigit() else amount for key, amount in value.items()}
    return {key: as_written(member) for key, member in value.items()}


def named(sample: Sample, name: str, obj: Object) -> Object:
    namespace = {"namespace": NAMESPACE} if BY_NAME[sample.name].namespaced else {}
    return as_written({**obj, "metadata": {"name": name, **namespace}})


def applied(sample: Sample) -> Object:
    """Answer the objects of a sample, named by what becomes of them; the refused one is the last."""
    objects = {**sample.objects, **({"elsewhere": sample.elsewhere} if sample.elsewhere else {})}
    order = sorted(objects, key="refused".__eq__)
    return {"apiVersion": "v1", "kind": "List", "items": [named(sample, name, objects[name]) for name in order]}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)
def test_kubectl_shows_the_golden_text(sample: Sample, kinds: ControlPlane, golden: Golden) -> None:
    shown = kinds.shown("apply", "--dry-run=server", "-f", "-", input=applied(sample))

    assert golden.compared(sample.id, shown) == golden.expected(sample.id)
