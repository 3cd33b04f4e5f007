"""The pod of a NIM: an image, resources and claims, which its operator turns into one container."""

from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_count import times
from webhook.domain.pod_path import parse
from webhook.domain.pod_source import PodSource
from webhook.domain.pointer import Path

_FIELDS: tuple[tuple[Path, Path], ...] = (
    (("metadata", "labels"), ("labels",)),
    (("metadata", "annotations"), ("annotations",)),
    (("spec", "nodeSelector"), ("nodeSelector",)),
    (("spec", "tolerations"), ("tolerations",)),
    (("spec", "affinity"), ("affinity",)),
    (("spec", "runtimeClassName"), ("runtimeClassName",)),
    (("spec", "resourceClaims"), ("draResources",)),
    (("spec", "initContainers"), ("initContainers",)),
)


def service(path: str) -> PodSource:
    """Read the spec of a NIMService at `path`; over several nodes it is one pod a stage of the pipeline."""
    return PodSource(
        base=parse(path),
        spec=None,
        metadata=None,
        fields=_FIELDS,
        containers=(LooseContainer("nim", resources=("resources",), image=("image", "repository")),),
        labels=(("app.kubernetes.io/part-of", "nim-service"),),
        count=times(f"{path}.replicas", f"{path}.multiNode.parallelism.pipeline"),
        completed_by="the NIM operator",
        presets=True,
    )
