"""Alerts on the agents and what they find: pods that do not have what they were promised, and nodes nobody can see."""

from typing import Final

from webhook.manifests.monitoring.alert import Alert

ALERTS: Final = (
    Alert(
        name="NumagatePodsMisaligned",
        severity="warning",
        expression='sum(numagate_agent_pods{outcome="misaligned"}) > 0',
        minutes=10,
        summary="Pods run without what they were promised",
        description="{{ $value }} pods are misaligned on their nodes.",
    ),
    Alert(
        name="NumagatePodsHeldBack",
        severity="warning",
        # A pod that has just started waits for a verdict, too, but not for so long.
        expression="sum(numagate_agent_held_back_pods) > 0",
        minutes=30,
        summary="A readiness gate keeps pods out of service",
        description="{{ $value }} pods wait for their condition numagate.io/Aligned.",
    ),
    Alert(
        name="NumagatePromiseForged",
        severity="warning",
        expression="sum(numagate_agent_forged_promises) > 0",
        minutes=5,
        summary="Pods carry a promise that numagate did not write",
        description="{{ $value }} pods have an annotation numagate.io/alignment that their spec does not earn.",
    ),
    Alert(
        name="NumagateVerdictsUnknown",
        severity="info",
        expression='sum(numagate_agent_pods{outcome="unknown"}) > 0.5 * sum(numagate_agent_pods)',
        minutes=30,
        summary="Of most pods nobody can tell whether they are aligned",
        description="{{ $value }} pods cannot be verified: their nodes do not show what is needed.",
    ),
    Alert(
        name="NumagateNodeFault",
        severity="warning",
        expression="sum by (fault) (numagate_agent_node_faults) > 0",
        minutes=10,
        summary="A kubelet will not start again as it is configured",
        description="{{ $value }} nodes have the fault {{ $labels.fault }}: after a restart they take no pods.",
    ),
    Alert(
        name="NumagateAgentBlind",
        severity="warning",
        expression="count(time() - numagate_agent_last_look_timestamp_seconds > 600) > 0",
        minutes=5,
        summary="Agents do not look at their nodes",
        description="{{ $value }} agents have not looked at their node for ten minutes; what they told stays.",
    ),
    Alert(
        name="NumagateAgentCannotTell",
        severity="warning",
        expression="sum by (what) (increase(numagate_agent_write_failures_total[15m])) > 10",
        minutes=15,
        summary="Agents cannot write what they find",
        description='{{ printf "%.0f" $value }} writes of kind {{ $labels.what }} failed in fifteen minutes.',
    ),
)
