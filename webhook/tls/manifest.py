"""Writes what brings a certificate into a cluster: the Secret, and the commands around it."""

import base64
import textwrap
from pathlib import Path

from webhook.tls import files
from webhook.tls.pair import Pair

SECRET = "numagate-tls"  # noqa: S105  # a name
CONFIGURATION = "numagate"
"""Both webhook configurations have this name."""

_COMMANDS = """\
# The Secret. Apply this output (numagate certs issue | kubectl apply -f -), or run
#
#   kubectl -n {namespace} create secret tls {secret} --cert={folder}/{crt} --key={folder}/{key} \\
#     --dry-run=client -o yaml | kubectl apply -f -
#
# Then let the API server trust it, in every entry of both webhook configurations:
#
{patch}
#
# Keep {folder}/{ca_key} where no cluster can read it; it signs the next certificate.
"""

_PATCH = """\
CA=$(base64 < {folder}/{ca} | tr -d '\\n')
for kind in mutatingwebhookconfiguration validatingwebhookconfiguration; do
  entries=$(kubectl get $kind {configuration} -o jsonpath='{{.webhooks[*].name}}')
  for entry in $entries; do
    kubectl patch $kind {configuration} --type=strategic \\
      -p '{{"webhooks":[{{"name":"'$entry'","clientConfig":{{"caBundle":"'$CA'"}}}}]}}'
  done
done
"""


def render(leaf: Pair, *, folder: Path, namespace: str) -> str:
    """Answer a YAML document with the Secret, headed by comments with the commands."""
    commands = _COMMANDS.format(
        namespace=namespace,
        secret=SECRET,
        folder=folder,
        crt=files.CERTIFICATE,
        key=files.KEY,
        ca_key=files.CA_KEY,
        patch=textwrap.indent(ca_bundle_patch(folder).rstrip("\n"), "#   "),
    )
    return f"{commands}{_secret(leaf, namespace)}"


def ca_bundle_patch(folder: Path) -> str:
    """Answer the shell commands that put the CA into both webhook configurations."""
    return _PATCH.format(folder=folder, ca=files.CA_CERTIFICATE, configuration=CONFIGURATION)


def _secret(leaf: Pair, namespace: str) -> str:
    certificate = base64.b64encode(leaf.certificate_pem).decode("ascii")
    key = base64.b64encode(leaf.key_pem).decode("ascii")
    return f"""\
apiVersion: v1
kind: Secret
metadata:
  name: {SECRET}
  namespace: {namespace}
type: kubernetes.io/tls
data:
  {files.CERTIFICATE}: {certificate}
  {files.KEY}: {key}
"""
