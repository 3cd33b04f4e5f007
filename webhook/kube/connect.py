"""Finds the API server: the one that the pod runs under, or the one of a kubeconfig file."""

import os
from pathlib import Path

import yaml
from kubernetes.client.configuration import Configuration
from kubernetes.config import ConfigException
from kubernetes.config import load_incluster_config
from kubernetes.config import load_kube_config

from webhook.domain.errors import NumagateError
from webhook.kube.client import Client

_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"


def connect(*, kubeconfig: Path | None = None, context: str | None = None, user: str = "numagate") -> Client:
    """Answer a client; nothing is sent yet.

    A file or a context means a kubeconfig (by default the one that kubectl would read), and so does a process outside
    of a cluster; else it is the API server of the pod, as its service account.

    Raises:
        NumagateError: neither can be read.
    """
    configuration = Configuration()
    in_cluster = kubeconfig is None and context is None and _IN_CLUSTER in os.environ
    try:
        if in_cluster:
            load_incluster_config(client_configuration=configuration)  # type: ignore[no-untyped-call]  # it has no annotations
        else:
            load_kube_config(  # type: ignore[no-untyped-call]  # it has no annotations
                config_file=str(kubeconfig) if kubeconfig else None,
                context=context,
                client_configuration=configuration,
                persist_config=False,
            )
    except (ConfigException, OSError, ValueError, yaml.YAMLError, AttributeError, TypeError) as error:
        # The last two are what its reader raises for YAML that is no kubeconfig, such as a list.
        where = "the pod's service account" if in_cluster else f"kubeconfig {kubeconfig or '(as kubectl finds it)'}"
        why = " ".join(str(error).split())  # of YAML it has several lines
        msg = f"{where} cannot be used: {why}: give --kubeconfig FILE and, if need be, --context NAME"
        raise NumagateError(msg) from None
    return Client(configuration, user=user)
