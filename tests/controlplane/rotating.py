"""`python -m controlplane.rotating` is the real controller with other waits: its rotations take seconds."""

import argparse
from datetime import timedelta
from functools import partial
from pathlib import Path

from webhook.controller.service import Controller
from webhook.controller.settings import Settings
from webhook.domain import api
from webhook.kube.connect import connect
from webhook.kube.election import Times
from webhook.manifests import in_force
from webhook.tls.rotation import Rhythm
from webhook.web import logs


def main() -> None:
    """Run until a signal comes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--identity", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--probe-port", type=int, required=True)
    parser.add_argument("--settle", type=float, required=True, help="seconds that API servers get for a new bundle")
    parser.add_argument("--overlap", type=float, required=True, help="seconds that replicas get for a new certificate")
    arguments = parser.parse_args()
    settle, overlap = timedelta(seconds=arguments.settle), timedelta(seconds=arguments.overlap)
    settings = Settings(
        identity=arguments.identity,
        secret=api.TLS_SECRET,
        names=("127.0.0.1",),
        rhythm=Rhythm(settle=settle, overlap=overlap),
        times=Times(lease=3.0, renew=2.0, retry=0.4),
        bind="127.0.0.1",
        port=arguments.port,
        probe_port=arguments.probe_port,
        drain_seconds=0.0,
        look_seconds=0.2,
        read_seconds=0.4,
    )
    client = connect(kubeconfig=arguments.kubeconfig)
    controller = Controller(settings, client=client, render=partial(in_force.render, namespace=settings.namespace))
    logs.configure("info")
    controller.run()


if __name__ == "__main__":
    main()
