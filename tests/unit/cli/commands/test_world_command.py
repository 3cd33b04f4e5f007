"""`numagate world export` against a scripted API server."""

import argparse
import json
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime
from pathlib import Path

import pytest
from nodeobjects import H100
from nodeobjects import node
from scripted import Reply
from scripted import Stream
from scripted import listed
from scripted import scripted

from webhook.cli.commands.world import COMMAND
from webhook.domain.errors import NumagateError
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode

WORLD = "GET /api/v1/namespaces/numagate-system/configmaps/numagate-world"
WRITTEN = encode(Content([], [], {}), datetime(2026, 11, 30, tzinfo=UTC)).decode()
EMPTY = {f"GET {path}": [listed()] for path in ("/api/v1/nodes", "/api/v1/namespaces")}
Script = dict[str, list[Reply | Stream]]


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Play the script of an indirect parameter; answer the kubeconfig of its server."""
    with scripted(request.param) as (_, client):
        cluster = [{"name": "it", "cluster": {"server": client.server}}]
        context = [{"name": "it", "context": {"cluster": "it", "user": "me"}}]
        config = {"clusters": cluster, "contexts": context, "users": [{"name": "me", "user": {}}]}
        file = tmp_path / "kubeconfig"
        file.write_text(json.dumps({"kind": "Config", "current-context": "it", **config}), "utf-8")
        yield file


def export(kubeconfig: Path, *arguments: str) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser()
    COMMAND.configure(parser)
    return COMMAND.run(parser.parse_args(["export", f"--kubeconfig={kubeconfig}", *arguments]))


@pytest.mark.parametrize("script", [{WORLD: [Reply({"data": {"world.json": WRITTEN}})]}], indirect=True)
def test_the_snapshot_of_the_controller_is_written_as_it_is(script: Path, tmp_path: Path) -> None:
    assert export(script, f"--output={tmp_path / 'world.json'}") == 0
    assert (tmp_path / "world.json").read_text("utf-8") == WRITTEN


@pytest.mark.parametrize(
    "script",
    [
        {**EMPTY, "GET /api/v1/nodes": [listed(node("a", labels={"nvidia.com/gpu.product": H100}, cpu=192, gpus=8))]},
        {**EMPTY, WORLD: [Reply({"data": {"world.json": "{"}})]},
    ],
    ids=["none", "one that cannot be read"],
    indirect=True,
)
def test_without_a_snapshot_one_is_made(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(script) == 0
    out, err = capsys.readouterr()

    assert json.loads(out)["kind"] == "World"
    assert err == "no snapshot of a controller in namespace numagate-system: making one\n"


@pytest.mark.parametrize(
    "script", [{**EMPTY, "GET /api/v1/nodes": [Reply({"message": "nodes is forbidden"}, 403)]}], indirect=True
)
def test_what_may_not_be_listed_is_named(script: Path) -> None:
    with pytest.raises(NumagateError, match=r"Node objects cannot be listed: .*nodes is forbidden"):
        export(script)


@pytest.mark.parametrize("script", [{WORLD: [Reply({"message": "configmaps is forbidden"}, 403)]}], indirect=True)
def test_a_snapshot_that_may_not_be_read_is_no_absent_one(script: Path) -> None:
    with pytest.raises(NumagateError, match="configmaps is forbidden"):
        export(script)


@pytest.mark.parametrize("script", [{WORLD: [Reply({"data": {"world.json": WRITTEN}})]}], indirect=True)
def test_an_output_that_cannot_be_written_is_named(script: Path, tmp_path: Path) -> None:
    with pytest.raises(NumagateError, match="cannot be written: Is a directory: choose another file"):
        export(script, f"--output={tmp_path}")
