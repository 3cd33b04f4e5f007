"""Makes the report on a node for the tests of `numagate verify`."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from builders import world
from explanations import HOSTILE
from observednodes import observation

from webhook.cli.verify.report import Report
from webhook.cli.verify.report import make
from webhook.domain import keys
from webhook.domain.observation import Interface
from webhook.domain.observation import Unread
from webhook.engine.verify import judge

USUAL: Mapping[str, Any] = {
    "pods": {
        "team-a/llm": {
            "containers": {"server": "4/8Gi/2", "proxy": "2/1Gi"},
            "shows": {
                "server": {
                    "cpus": "2-5",
                    "devices": {"gpu-0": 0, "gpu-1": 0},
                    "usage": 2.9,
                    "processes": [
                        {
                            "pid": 4711,
                            "memory": {
                                "anonymous": {0: 63000},
                                "heap": {0: 20},
                                "stack": {0: 1},
                                "files": {0: 300, 1: 900},
                            },
                        },
                        {"pid": 4712, "command": "nvidia-smi", "cpus": "3"},
                    ],
                },
                "proxy": {"cpus": "8-9", "mems": "1", "usage": 0.1},
            },
        },
        "team-b/sgl": {
            "annotations": {
                keys.ALIGNMENT: json.dumps(
                    {
                        "v": 1,
                        "level": "aligned",
                        "numaNodes": 2,
                        "containers": {"engine": {"cpus": 4, "memory": 0, "devices": {}}},
                        "policy": "default",
                        "generation": "x",
                    }
                )
            },
            "containers": {"engine": "4/8Gi/1"},
            "shows": {
                "engine": {
                    "cpus": "10-13",
                    "devices": {"gpu-2": 0},
                    "mems": "1",
                    "processes": [{"memory": {"anonymous": {0: 20, 1: 2000}}}],
                }
            },
        },
        "team-c/young": {
            "containers": {"engine": "1/8Gi/1"},
            "shows": {"engine": {"cpus": "6", "devices": {"gpu-3": 0}, "started": 4, "processes": []}},
        },
        "team-c/web": {"containers": {"web": "500m/1Gi"}, "shows": {"web": {"effective": "0-1,7,14-15", "mems": ""}}},
    },
    "state_files": {"cpu_manager_state": {"policy": "none"}},
}
"""A node with a pod of each outcome, one forged promise and one fault."""


def reported(raw: Mapping[str, Any] = USUAL, *names: str, **changes: Any) -> Report:
    """Judge what a node shows and report it; `changes` replace fields of the observation."""
    seen = replace(observation(raw), **changes)
    return make(seen, judge(seen, world()), names)


def hostile() -> Report:
    """Report a node on which every text is hostile."""
    container = {
        "cpus": "2-5",
        "devices": {HOSTILE: 1},
        "processes": [{"command": HOSTILE, "memory": "?"}],
        "unread": {"processes": HOSTILE},
    }
    name = HOSTILE[:40]  # an API server takes no longer one, nor do we
    pod = {"containers": {name: "4/8Gi/1"}, "annotations": {keys.ALIGNMENT: HOSTILE}, "shows": {name: container}}
    neighbour = {"containers": {name: "1/1Gi"}, "shows": {name: {"effective": "2-3"}}}
    raw = {
        "node": HOSTILE,
        "pods": {f"{HOSTILE.replace('/', '|')}/llm": pod, "team-b/web": neighbour},
        "state_files": {"cpu_manager_state": {"policy": HOSTILE}},
    }
    seen = observation(raw)
    machine = replace(seen.machine, interfaces=(Interface(HOSTILE, 0, 0xF00),), unread=(Unread(HOSTILE, HOSTILE),))
    return reported(raw, machine=machine, unread=(Unread("kubelet", HOSTILE * 2),))
