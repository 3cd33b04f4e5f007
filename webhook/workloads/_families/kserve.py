"""The pods of KServe: pod specs written inline, around a container that a serving runtime completes."""

from webhook.domain.injectors import MODEL_URI
from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_count import times
from webhook.domain.pod_path import parse
from webhook.domain.pod_source import OF_THE_OBJECT
from webhook.domain.pod_source import PodSource
from webhook.domain.pointer import Path

_RUNTIME = "the serving runtime"
_LABELS = (("serving.kserve.io/inferenceservice", ""),)
_FIELDS: tuple[tuple[Path, Path], ...] = (
    (("metadata", "labels"), ("labels",)),
    (("metadata", "annotations"), ("annotations",)),
)
_DOWNLOAD: Path = ("metadata", "annotations", MODEL_URI)
_FRAMEWORKS = ("model", "huggingface", "triton", "pytorch", "tensorflow", "onnx", "sklearn", "xgboost", "lightgbm")
"""Fields that hold the server's container: the one in use, then those by framework that came before it."""


def predictor(path: str) -> tuple[PodSource, PodSource]:
    """Read a predictor: a pod spec around the server's container, and further pods of one that spans nodes."""
    runtime = parse(f"{path}.model.runtime")
    return (
        PodSource(
            base=parse(path),
            spec=(),
            metadata=None,
            shared=OF_THE_OBJECT,
            fields=(*_FIELDS, (_DOWNLOAD, ("model", "storageUri"))),
            containers=tuple(LooseContainer("kserve-container", (name,)) for name in _FRAMEWORKS),
            labels=_LABELS,
            count=times(f"{path}.minReplicas"),
            completed_by=_RUNTIME,
            lender=(runtime, ("spec",)),
        ),
        PodSource(
            base=parse(f"{path}.workerSpec"),
            spec=(),
            metadata=None,
            shared=OF_THE_OBJECT,
            labels=_LABELS,
            completed_by=_RUNTIME,
            lender=(runtime, ("spec", "workerSpec")),
        ),
    )


def companion(path: str) -> PodSource:
    """Read a transformer or explainer: its containers are all there."""
    return PodSource(
        base=parse(path),
        spec=(),
        metadata=None,
        shared=OF_THE_OBJECT,
        fields=_FIELDS,
        labels=_LABELS,
        count=times(f"{path}.minReplicas"),
    )


def runtime(path: str) -> PodSource:
    """Read the pod spec of a runtime, which an InferenceService completes in turn."""
    return PodSource(
        base=parse(path),
        spec=(),
        metadata=None,
        fields=_FIELDS,
        labels=_LABELS,
        completed_by="the InferenceService",
    )


def llm(path: str, replicas: str = "", *, completed_by: str = "its base configurations") -> PodSource:
    """Read a pod spec of an LLMInferenceService."""
    return PodSource(
        base=parse(path),
        spec=(),
        metadata=None,
        shared=((_DOWNLOAD, ("spec", "model", "uri")),),
        labels=(("app.kubernetes.io/part-of", "llminferenceservice"),),
        count=times(replicas) if replicas else (),
        completed_by=completed_by,
    )


def llm_pods(*, completed_by: str = "its base configurations") -> tuple[PodSource, ...]:
    """Read every pod spec of an LLMInferenceService; how many workers a leader has is the operator's arithmetic."""
    return (
        llm(".spec.template", ".spec.replicas", completed_by=completed_by),
        llm(".spec.worker", completed_by=completed_by),
        llm(".spec.prefill.template", ".spec.prefill.replicas", completed_by=completed_by),
        llm(".spec.prefill.worker", completed_by=completed_by),
        llm(".spec.router.scheduler.template", completed_by=completed_by),
    )
