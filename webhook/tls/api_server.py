"""Writes what makes an API server show a certificate to numagate: its admission configuration and a kubeconfig.

The API server calls webhooks without one unless the file of --admission-control-config-file names a kubeconfig in which
a user has the name of the webhook's Service. The paths in the kubeconfig are relative to it, so that the folder can lie
anywhere; the one to the kubeconfig has to be absolute.
"""

import base64
import json
from collections.abc import Iterable
from pathlib import PurePosixPath

from webhook.domain.api import CLIENT_CA_KEY
from webhook.domain.api import CLIENT_CA_SECRET
from webhook.tls import files
from webhook.tls.pair import Pair

_PLUGINS = ("MutatingAdmissionWebhook", "ValidatingAdmissionWebhook")

_ADMISSION = """\
# For kube-apiserver --admission-control-config-file={folder}/{admission}
# It is read when the API server starts. If yours has such a file already, put these two plug-ins into it.
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
"""
_PLUGIN = """\
- name: {name}
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: WebhookAdmissionConfiguration
    kubeConfigFile: {path}
"""
_KUBECONFIG = """\
# Who the API server is when it calls these webhooks; it shows nothing to any other.
apiVersion: v1
kind: Config
users:
"""
_USER = """\
- name: {name}
  user:
    client-certificate: {certificate}
    client-key: {key}
"""


def services(namespace: str, service: str = "numagate") -> tuple[str, str]:
    """Answer how the API server names our two Services when it looks for a user."""
    return f"{service}.{namespace}.svc", f"{service}-controller.{namespace}.svc"


def texts(folder: PurePosixPath, targets: Iterable[str]) -> dict[str, str]:
    """Answer both files by name, for `folder` on the host of the API server.

    `targets` are names of `services`, or HOST:PORT of webhooks that are called by URL.
    """
    plugins = (_PLUGIN.format(name=name, path=json.dumps(f"{folder}/{files.KUBECONFIG}")) for name in _PLUGINS)
    pair = {"certificate": files.CLIENT_CERTIFICATE, "key": files.CLIENT_KEY}
    users = (_USER.format(name=json.dumps(name), **pair) for name in targets)
    return {
        files.ADMISSION: _ADMISSION.format(folder=folder, admission=files.ADMISSION) + "".join(plugins),
        files.KUBECONFIG: _KUBECONFIG + "".join(users),
    }


def secret(ca: Pair, *, namespace: str) -> str:
    """Answer the Secret that the pods mount the clients' CA from; the CA's key is not in it."""
    return f"""\
apiVersion: v1
kind: Secret
metadata:
  name: {CLIENT_CA_SECRET}
  namespace: {namespace}
type: Opaque
data:
  {CLIENT_CA_KEY}: {base64.b64encode(ca.certificate_pem).decode("ascii")}
"""
