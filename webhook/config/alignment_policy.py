"""Turns the content of an AlignmentPolicy, laid over the built-in one, into the domain's `Policy`."""

from types import MappingProxyType

from webhook.config.amounts import read_amount
from webhook.config.policy_workloads import to_workload
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import Accelerators
from webhook.domain.policy import Answer
from webhook.domain.policy import Classes
from webhook.domain.policy import Exemptions
from webhook.domain.policy import Governs
from webhook.domain.policy import HelperDefault
from webhook.domain.policy import NamespaceModes
from webhook.domain.policy import Policy
from webhook.domain.policy import Recognition
from webhook.domain.policy import RepairRules
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts

ALWAYS_EXEMPT = ("kube-system", "numagate-system")
"""Namespaces that no policy can govern: the cluster's own pods and ours must start without us."""


def to_policy(name: str, spec: JsonObject) -> Policy:
    """Read a complete spec that was held against the grammar before; `generation` is set later."""
    modes = get_object(spec, "modes")
    accelerators = get_object(spec, "accelerators")
    return Policy(
        name=name,
        generation="",
        governs=Governs(get_text(spec, "governs")),
        modes=_modes(modes),
        namespaces=tuple(_namespace(entry, modes) for entry in get_list(spec, "namespaces")),
        classes=Classes(get_text(spec, "classes")),
        on_unknown=Answer(get_text(spec, "onUnknown")),
        on_unenforced=Answer(get_text(spec, "onUnenforced")),
        accelerators=Accelerators(count=get_texts(accelerators, "count"), never=get_texts(accelerators, "never")),
        recognition=_recognition(get_object(spec, "recognition")),
        repair=_repair(get_object(spec, "repair")),
        exemptions=_exemptions(get_object(spec, "exemptions")),
        workloads=tuple(map(to_workload, get_list(spec, "workloads"))),
    )


def _modes(block: JsonObject) -> Modes:
    levels = {mode: Level[str(level).upper()] for mode, level in block.items()}
    return Modes(**levels)


def _namespace(entry: object, modes: JsonObject) -> NamespaceModes:
    return NamespaceModes(patterns=get_texts(entry, "match"), modes=_modes({**modes, **get_object(entry, "modes")}))


def _recognition(block: JsonObject) -> Recognition:
    labels = get_object(block, "labels")
    return Recognition(
        images=get_texts(block, "images"),
        image_paths=get_texts(block, "imagePaths"),
        never_gpu_images=get_texts(block, "neverGpuImages"),
        commands=get_texts(block, "commands"),
        labels=MappingProxyType({key: get_texts(labels, key) for key in labels}),
        runtime_classes=get_texts(block, "runtimeClasses"),
        accelerator_selectors=get_texts(block, "acceleratorSelectors"),
    )


def _repair(block: JsonObject) -> RepairRules:
    headroom = get_object(block, "headroom")
    share = block.get("share")
    fallback = block.get("helperDefault")
    return RepairRules(
        fair_share=block.get("fairShare") is True,
        headroom_cpu=read_amount(headroom.get("cpu")),
        headroom_memory=_size(headroom),
        share=(read_amount(as_object(share).get("cpu")), _size(as_object(share))) if share is not None else None,
        helpers=tuple(_helper(as_object(entry)) for entry in get_list(block, "helpers")),
        helper_fallback=None if isinstance(fallback, str) else _helper({"name": "default", **as_object(fallback)}),
    )


def _helper(block: JsonObject) -> HelperDefault:
    return HelperDefault(
        name=get_text(block, "name"),
        containers=get_texts(block, "containers"),
        images=get_texts(block, "images"),
        cpu=read_amount(block.get("cpu")),
        memory=_size(block),
    )


def _size(block: JsonObject) -> Quantity:
    return read_amount(block.get("memory"))


def _exemptions(block: JsonObject) -> Exemptions:
    listed = get_texts(block, "namespaces")
    return Exemptions(
        namespaces=(*(name for name in ALWAYS_EXEMPT if name not in listed), *listed),
        users=get_texts(block, "users"),
        groups=get_texts(block, "groups"),
        pods=block.get("pods") is True,
    )
