"""Turns the content of an AlignmentPolicy, laid over the built-in one, into the domain's `Policy`."""

from types import MappingProxyType

from webhook.config.amounts import read_amount
from webhook.config.policy_workloads import to_workload
from webhook.domain import instant
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import Accelerators
from webhook.domain.policy import Answer
from webhook.domain.policy import Classes
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.domain.policy import Governs
from webhook.domain.policy import HelperDefault
from webhook.domain.policy import Match
from webhook.domain.policy import NamespaceModes
from webhook.domain.policy import Override
from webhook.domain.policy import Overrides
from webhook.domain.policy import Policy
from webhook.domain.policy import Recognition
from webhook.domain.policy import RepairRules
from webhook.domain.policy import Verification
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.domain.selector import LabelRequirement
from webhook.domain.selector import LabelSelector


def to_policy(name: str, spec: JsonObject) -> Policy:
    """Read a complete spec that was held against the grammar before; `generation` is set later."""
    modes = get_object(spec, "modes")
    accelerators = get_object(spec, "accelerators")
    return Policy(
        name=name,
        generation="",
        priority=_number(spec, "priority"),
        match=_match(get_object(spec, "match")),
        governs=Governs(get_text(spec, "governs")),
        modes=_modes(modes),
        namespaces=tuple(_namespace(entry, modes) for entry in get_list(spec, "namespaces")),
        overrides=_overrides(get_object(spec, "overrides")),
        classes=Classes(get_text(spec, "classes")),
        on_unknown=Answer(get_text(spec, "onUnknown")),
        on_unenforced=Answer(get_text(spec, "onUnenforced")),
        min_reporting_nodes=_number(spec, "minReportingNodes"),
        accelerators=Accelerators(
            count=get_texts(accelerators, "count"),
            never=get_texts(accelerators, "never"),
            device_classes=get_texts(accelerators, "deviceClasses"),
        ),
        recognition=_recognition(get_object(spec, "recognition")),
        repair=_repair(get_object(spec, "repair")),
        exemptions=_exemptions(get_object(spec, "exemptions")),
        verification=_verification(get_object(spec, "verification")),
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
    return Exemptions(
        rules=tuple(_exemption(entry) for entry in get_list(block, "rules")), pods=block.get("pods") is True
    )


def _exemption(entry: object) -> ExemptionRule:
    return ExemptionRule(
        reason=get_text(entry, "reason"),
        until=instant.parse(get_text(entry, "until")),
        namespaces=get_texts(entry, "namespaces"),
        users=get_texts(entry, "users"),
        groups=get_texts(entry, "groups"),
        runtime_classes=get_texts(entry, "runtimeClasses"),
    )


def _verification(block: JsonObject) -> Verification:
    return Verification(
        local_memory_percent=_number(block, "localMemoryPercent"),
        settle_seconds=_number(block, "settleSeconds"),
        readiness_gate=block.get("readinessGate") is True,
        unknown_is_ready=get_text(block, "onUnknown") == "ready",
    )


def _match(block: JsonObject) -> Match:
    return Match(
        accelerators=get_texts(block, "accelerators") or None,
        namespaces=get_texts(block, "namespaces") or None,
        namespace_selector=_selector(block, "namespaceSelector"),
        pod_selector=_selector(block, "podSelector"),
    )


def _selector(block: JsonObject, key: str) -> LabelSelector | None:
    if key not in block:
        return None
    written = get_object(block, key)
    labels = get_object(written, "matchLabels")
    expressions = get_list(written, "matchExpressions")
    return LabelSelector(
        (
            *(LabelRequirement(name, "In", (get_text(labels, name),)) for name in labels),
            *(
                LabelRequirement(get_text(one, "key"), get_text(one, "operator"), get_texts(one, "values"))
                for one in expressions
            ),
        )
    )


def _overrides(block: JsonObject) -> Overrides:
    return Overrides(**{mode: Override(word) for mode, word in block.items()})


def _number(block: JsonObject, key: str) -> int:
    number = block.get(key)
    return number if isinstance(number, int) else 0
