"""The Secret and the commands: applied as they are printed."""

import base64
import json
import subprocess
from datetime import UTC
from datetime import datetime
from pathlib import Path

import yaml
from serving import issue

from webhook.tls.manifest import ca_bundle_patch
from webhook.tls.manifest import render

KUBECTL = """\
#!/bin/sh
case "$1" in
  get) printf 'one.numagate.io two.numagate.io' ;;
  patch) shift; for word; do printf '%s\\n' "$word"; done >> "$CALLS"; printf 'END\\n' >> "$CALLS" ;;
esac
"""


def test_the_output_is_a_secret_for_kubectl_apply(tmp_path: Path) -> None:
    leaf = issue(tmp_path, now=datetime.now(UTC)).leaf

    (secret,) = yaml.safe_load_all(render(leaf, folder=tmp_path, namespace="ours"))

    assert (secret["kind"], secret["type"]) == ("Secret", "kubernetes.io/tls")
    assert secret["metadata"] == {"name": "numagate-tls", "namespace": "ours"}
    assert {key: base64.b64decode(value) for key, value in secret["data"].items()} == {
        "tls.crt": leaf.certificate_pem,
        "tls.key": leaf.key_pem,
    }


def test_the_commands_are_in_the_output_as_comments(tmp_path: Path) -> None:
    text = render(issue(tmp_path).leaf, folder=tmp_path, namespace="ours")

    comments = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    assert {line.strip() for line in ca_bundle_patch(tmp_path).splitlines()} <= set(comments)
    assert any(line.startswith("kubectl -n ours create secret tls numagate-tls --cert=") for line in comments)


def test_the_patch_commands_reach_every_entry_of_both_configurations(tmp_path: Path) -> None:
    issue(tmp_path)
    (tmp_path / "bin").mkdir()
    kubectl = tmp_path / "bin" / "kubectl"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(0o755)
    calls = tmp_path / "calls"

    environment = {"PATH": f"{kubectl.parent}:/usr/bin:/bin", "CALLS": str(calls)}
    subprocess.run(["sh", "-eu", "-c", ca_bundle_patch(tmp_path)], env=environment, check=True)

    bundle = base64.b64encode((tmp_path / "ca.crt").read_bytes()).decode()
    patched = [call.split("\n") for call in calls.read_text().split("END\n")[:-1]]
    assert [words[:4] for words in patched] == [
        [kind, "numagate", "--type=strategic", "-p"]
        for kind in ("mutatingwebhookconfiguration", "validatingwebhookconfiguration")
        for _ in range(2)
    ]
    assert [json.loads(words[4])["webhooks"] for words in patched] == [
        [{"name": name, "clientConfig": {"caBundle": bundle}}] for name in ("one.numagate.io", "two.numagate.io")
    ] * 2
