"""Targets: policy files, world snapshots, manifests, what nodes report, and certificates."""

import io
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Any

import casetable
import nodeobjects
import yaml
from builders import world
from caseworlds import worlds
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.hazmat.primitives.serialization import NoEncryption
from cryptography.hazmat.primitives.serialization import PrivateFormat
from fuzz.target import Target
from fuzz.target import refusal
from inventories import survey_of

from webhook.cli import wiring
from webhook.domain.errors import PolicyError
from webhook.engine.kinds import REGISTERED
from webhook.engine.lint import lint
from webhook.sources.manifests import STDIN
from webhook.sources.manifests import read_manifests
from webhook.sources.policy_file import BUILT_IN
from webhook.sources.policy_file import parse_stream
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode
from webhook.sources.snapshot_reader import Reader
from webhook.tls import files
from webhook.tls.authority import read_authorities
from webhook.tls.authority import read_keys
from webhook.tls.context import CertificateStore
from webhook.tls.inspect import inspect
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names
from webhook.tls.pair import CertificateError

_INSTANT = datetime(2030, 1, 1, tzinfo=UTC)
_WORLD = world()
_FORMATS = wiring.load_formats()


def _policies() -> Iterator[bytes]:
    yield BUILT_IN.read_bytes()
    yield casetable.MACHINES.read_bytes()
    for one in worlds():
        yield one.policy.encode()
        yield json.dumps(yaml.safe_load(one.policy)).encode()
    for document in yaml.safe_load_all(casetable.MACHINES.read_text("utf-8")):
        yield json.dumps(document).encode()


def _check_policy(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    assert refusal(PolicyError, lambda: parse_stream(text, "policy.yaml")).isprintable()


def _snapshots() -> Iterator[bytes]:
    free = {"seen": "2026-11-30T11:59:00Z", "cells": [{"cpu": "44", "memory": "400Gi", "nvidia.com/gpu": "3"}]}
    spec = {"machine": "dgx-h100", "selector": {"matchLabels": {"pool": "a"}}}
    classes = [
        {"name": "a", "spec": spec, "nodes": 2, "trusted": True, "sources": {"numa": "NodeProfile"}, "free": free},
        {"name": "b", "spec": {**spec, "selector": {}}, "nodes": 0, "trusted": False, "sources": {}},
    ]
    for policy in [{}, *(yaml.safe_load(one.policy)["spec"] for one in worlds())]:
        content = Content(
            policies=[{"metadata": {"name": "p"}, "spec": policy}],
            classes=classes,
            namespaces={"a": {"numagate.io/enforce": "aligned"}, "b": {}},
            device_classes=[{"name": "g", "extendedResourceName": "nvidia.com/gpu", "drivers": ["gpu.nvidia.com"]}],
        )
        yield encode(content, _INSTANT)


def _check_snapshot(data: bytes) -> None:
    assert refusal(PolicyError, lambda: Reader().read(data, "world.json")).isprintable()


def _manifests() -> Iterator[bytes]:
    for case in casetable.load():
        yield yaml.safe_dump(case.manifest).encode()
        yield json.dumps(case.manifest).encode()


def _check_manifests(data: bytes) -> None:
    reading = read_manifests([STDIN], stdin=io.BytesIO(data))
    report = lint(
        reading.manifests,
        reading.errors,
        files=len(reading.files),
        world=_WORLD,
        workloads=REGISTERED,
        default_namespace="default",
    )
    for output in _FORMATS.values():
        assert output.write(report).encode()


def _nodes() -> Iterator[bytes]:
    report, nri = nodeobjects.rte_report(), nodeobjects.nri_report()
    nfd = nodeobjects.nfd_report("node-a", report["zones"], "SingleNUMANodeContainerLevel")
    devices = [nodeobjects.nvidia_device(0, 0), nodeobjects.amd_device("card", "pci0000:17")]
    claimed = nodeobjects.resource_slice("gpu.nvidia.com", devices)
    labels = {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    own = nodeobjects.profile("p", labels, kubelet={"cpuManagerPolicy": "static"})
    for objects in ([report], [nri], [nfd], [report, claimed], [report, own], [nfd, claimed, own]):
        yield json.dumps([nodeobjects.node("node-a", labels=labels), *objects]).encode()


def _check_nodes(data: bytes) -> None:
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(found, list):
        survey = survey_of([one for one in found if isinstance(one, dict)])
        assert json.dumps([dict(one) for one in survey.documents])


def _certificates() -> Iterator[bytes]:
    ca = issue_ca(now=_INSTANT)
    leaf = issue_leaf(ca, service_names("numagate", "numagate-system", ["localhost"], ["::1"]), now=_INSTANT)
    yield leaf.certificate_pem + leaf.key_pem
    yield leaf.certificate_pem + ca.key_pem
    yield ca.certificate_pem + ca.key_pem
    key = Ed25519PrivateKey.generate()
    for how in (NoEncryption(), BestAvailableEncryption(b"x")):
        yield leaf.certificate_pem + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how)


def _check_certificates(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in (files.CERTIFICATE, files.KEY, files.CA_CERTIFICATE):
            (folder / file).write_bytes(data)
        inspect(folder, now=_INSTANT)
        read_authorities(data)
        read_keys(data)
        told = refusal(CertificateError, lambda: CertificateStore(folder, clock=lambda: _INSTANT))
        assert told.isprintable()


POLICY = Target("policy", "a policy file", _policies, _check_policy)
SNAPSHOT = Target("snapshot", "a world snapshot", _snapshots, _check_snapshot)
MANIFESTS = Target("manifests", "manifests through lint and every format", _manifests, _check_manifests)
NODES = Target("nodes", "what nodes and their exporters report", _nodes, _check_nodes)
CERTIFICATES = Target("certificates", "certificate and key files", _certificates, _check_certificates)
