"""Writes a survey as a JSON value; docs/topology.md has the fields."""

from dataclasses import asdict

from webhook.sources.inventory.survey import Survey
from webhook.sources.inventory.survey import SurveyedClass

SCHEMA = "numagate.io/topology/v1"


def as_json(survey: Survey) -> dict[str, object]:
    """Answer the whole survey."""
    return {
        "schema": SCHEMA,
        "nodes": survey.nodes,
        "classes": [_class(one) for one in survey.classes],
        "unknown": [
            {"reason": one.reason, "nodes": one.nodes, "examples": list(one.examples)} for one in survey.unknown
        ],
    }


def _class(one: SurveyedClass) -> dict[str, object]:
    return {
        **one.document,
        **({"free": one.free} if one.free else {}),
        "examples": list(one.examples),
        "assumed": dict(one.assumed),
        "conflicts": [
            {"field": found["field"], "kept": found["kept"], "keptSource": found["kept_source"]}
            | {"other": found["other"], "otherSource": found["other_source"]}
            for found in map(asdict, one.conflicts)
        ],
        "problems": list(one.problems),
        "distrust": one.distrust,
        "outlierOf": one.outlier_of,
        "drivers": {driver: dict(counts) for driver, counts in one.drivers.items()},
    }
