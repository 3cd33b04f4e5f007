"""What of a pod is judged: what a patch points at keeps its place."""

from builders import container
from builders import equal
from builders import pod

from webhook.domain import keys
from webhook.engine.essence import essence


def test_what_no_decision_reads_is_left_out() -> None:
    written = equal("1", "1Gi", 1)
    made = pod(
        container("a", **written, env=[{"name": "A", "value": "x"}]),
        init=(container("b", restartPolicy="Always", volumeMounts=[]),),
        schedulerName="own",
        volumes=[{"name": "token", "projected": {}}, {"name": "shm", "emptyDir": {"medium": "Memory"}}],
        annotations={"example.com/note": "text", keys.NUMA_NODES: "2"},
        labels={"app": "llm"},
    )

    assert essence(made) == {
        "metadata": {"annotations": {keys.NUMA_NODES: "2"}, "labels": {"app": "llm"}},
        "spec": {
            "containers": [container("a", **written)],
            "initContainers": [container("b", restartPolicy="Always")],
            "volumes": [{}, {"emptyDir": {"medium": "Memory"}}],
        },
    }


def test_parts_of_a_wrong_type_stay_to_be_reported() -> None:
    wrong = {"metadata": {"annotations": {"a": 1}}, "spec": {"containers": [None, "x"], "volumes": {}}, "status": 3}

    assert essence(wrong) == wrong
    assert essence({"metadata": [], "spec": "x"}) == {"metadata": [], "spec": "x"}
