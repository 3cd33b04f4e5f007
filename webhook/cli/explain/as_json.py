"""Writes an explanation as JSON, schema `numagate.io/explain/v1`: fields are added to it, never renamed or removed.

Whatever is not printable ASCII is written as an escape, so that nothing in a manifest reaches a terminal as it is.
"""

import json
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from webhook.domain import cpuset
from webhook.domain.drawing import CellDrawing
from webhook.domain.drawing import MachineDrawing
from webhook.domain.drawing import Mark
from webhook.domain.drawing import State
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Placement
from webhook.domain.kubelet.trace import HintList
from webhook.domain.kubelet.trace import Merge
from webhook.engine.explanation import ExplainedClass
from webhook.engine.explanation import ExplainedTemplate
from webhook.engine.explanation import Explanation
from webhook.engine.suggestion import Suggestion

SCHEMA: Final = "numagate.io/explain/v1"


def write(explanation: Explanation) -> str:
    """Answer one JSON object over several lines, always with the same keys in the same order."""
    document = {
        "schema": SCHEMA,
        "templates": [_template(template) for template in explanation.templates],
        "skipped": [
            {
                "file": one.file,
                "document": one.document,
                "line": one.line,
                "kind": one.kind,
                "name": one.name,
                "reason": one.reason,
            }
            for one in explanation.skipped
        ],
        "errors": [
            {"file": error.file, "document": error.document, "line": error.line, "message": error.message}
            for error in explanation.errors
        ],
        "summary": {
            "files": explanation.files,
            "templates": len(explanation.templates),
            "skipped": len(explanation.skipped),
            "errors": len(explanation.errors),
            "policy": explanation.policy,
            "assumedClasses": list(explanation.assumed),
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _template(template: ExplainedTemplate) -> Mapping[str, object]:
    result = template.result
    return {
        "file": result.file,
        "document": result.document,
        "line": result.line,
        "kind": result.kind,
        "name": result.name,
        "namespace": result.namespace,
        "path": result.path,
        "pods": result.pods,
        "decision": result.decision,
        "because": list(template.because),
        "repaired": template.repaired,
        "edits": [{"path": edit.path, "line": edit.line, "old": edit.old, "new": edit.new} for edit in result.edits],
        "qos": template.qos,
        "notes": list(template.notes),
        "containers": [
            {"name": one.name, "kind": one.kind, "requests": dict(one.requests)} for one in template.containers
        ],
        "classes": [_class(one) for one in template.classes],
        "ineligible": [{"name": name, "reason": reason} for name, reason in template.ineligible.items()],
    }


def _class(one: ExplainedClass) -> Mapping[str, object]:
    admission = one.trace.admission
    return {
        "name": one.name,
        "assumed": one.assumed,
        "settings": dict(one.settings),
        "fits": one.fits.value,
        "reason": one.reason,
        "kubelet": _admission(admission),
        "replicas": one.replicas,
        "stranded": one.stranded,
        "shapes": [_shape(shape) for shape in one.shapes],
        "placements": [_placement(placement) for placement in admission.placements],
        "merges": [_merge(merge) for merge in one.trace.merges],
        "machine": _machine(one.drawing, [placement.container for placement in admission.placements]),
    }


def _shape(shape: Suggestion) -> Mapping[str, object]:
    return {
        "kind": shape.kind,
        "text": shape.text,
        "edits": [
            {"container": edit.container, "resource": edit.resource, "old": edit.old, "new": edit.new}
            for edit in shape.edits
        ],
        "numaNodes": shape.numa_nodes,
        "replicas": shape.replicas,
        "nodeSelector": dict(shape.node_selector),
        "tolerations": [{"key": one.key, "value": one.value, "effect": one.effect} for one in shape.tolerations],
    }


def _admission(admission: Admission) -> Mapping[str, object]:
    return {
        "admitted": admission.admitted,
        "handler": admission.handler,
        "reason": admission.reason,
        "message": admission.message,
    }


def _placement(placement: Placement) -> Mapping[str, object]:
    return {
        "container": placement.container,
        "cpus": cpuset.format(placement.cpus),
        "cpuCells": list(placement.cpu_cells),
        "memory": [{"type": one.type, "cells": list(one.cells), "bytes": one.size} for one in placement.memory],
        "devices": {resource: list(ids) for resource, ids in placement.devices.items()},
        "deviceCells": list(placement.device_cells),
        "hint": placement.hint,
    }


def _merge(merge: Merge) -> Mapping[str, object]:
    return {
        "container": merge.container,
        "hints": [_hints(one) for one in merge.lists],
        "merged": {
            "cells": None if merge.cells is None else list(merge.cells),
            "preferred": merge.preferred,
            "admitted": merge.admitted,
        },
    }


def _hints(one: HintList) -> Mapping[str, object]:
    listed = one.hints
    return {
        "manager": one.manager,
        "resource": one.resource,
        "hints": None if listed is None else [{"cells": list(x.cells), "preferred": x.preferred} for x in listed],
        "count": one.count,
        "preferred": one.preferred,
        "complete": one.complete,
    }


def _machine(drawing: MachineDrawing, owners: Sequence[str]) -> Mapping[str, object]:
    return {
        "cells": [_cell(cell, socket.name, owners) for socket in drawing.sockets for cell in socket.cells],
        "idle": [{"cells": list(fold.cells), "each": _cell(fold.sample, "", owners)} for fold in drawing.folds],
        "devices": _devices(drawing.loose, owners),
    }


def _cell(cell: CellDrawing, socket: str, owners: Sequence[str]) -> Mapping[str, object]:
    cpus = {state: sum(1 << int(cpu.id) for cpu in cell.cpus if cpu.state is state) for state in State}
    shown = (State.FREE, State.TAKEN, State.RESERVED)
    return {
        "id": cell.id,
        "socket": socket or None,
        "cpus": {state.value: cpuset.format(cpus[state]) for state in shown},
        "memory": [
            {"type": bar.resource, "bytes": bar.size, **{state.value: bar.of(state) for state in shown}}
            for bar in cell.bars
        ],
        "devices": _devices(cell.devices, owners),
    }


def _devices(devices: Mapping[str, Sequence[Mark]], owners: Sequence[str]) -> Mapping[str, object]:
    return {
        resource: [
            {"id": one.id, "state": one.state.value, "container": None if one.owner is None else owners[one.owner]}
            for one in marks
        ]
        for resource, marks in devices.items()
    }
