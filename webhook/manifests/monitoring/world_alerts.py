"""Alerts on the controller and what it writes: the world snapshot and our webhook configurations."""

from typing import Final

from webhook.manifests.monitoring.alert import Alert

ALERTS: Final = (
    Alert(
        name="NumagateWorldStale",
        severity="warning",
        expression="max(numagate_world_age_seconds) > 300",
        minutes=5,
        summary="The world snapshot is not refreshed",
        description="The oldest snapshot in force is {{ $value | humanizeDuration }} old; it holds until a new one.",
    ),
    Alert(
        name="NumagateNoLeader",
        severity="warning",
        # Where the policy is a file there is no controller, and the age of the world is NaN.
        expression="(sum(numagate_controller_leader) or vector(0)) < 1\n"
        "and on () count(numagate_world_age_seconds >= 0)",
        minutes=5,
        summary="No replica of the controller leads",
        description="Nobody writes the world snapshot and keeps the webhook configurations in step.",
    ),
    Alert(
        name="NumagateWorldNotWritten",
        severity="warning",
        expression="sum(increase(numagate_world_write_failures_total[10m])) > 0",
        minutes=10,
        summary="The controller cannot write",
        description='{{ printf "%.0f" $value }} writes of the snapshot or of conditions failed in ten minutes.',
    ),
    Alert(
        name="NumagateObjectInvalid",
        severity="warning",
        expression="max by (kind) (numagate_controller_invalid_objects) > 0",
        minutes=10,
        summary="A policy or profile object is not in force",
        description="{{ $value }} {{ $labels.kind }} objects are wrong; their last good versions stay in force.",
    ),
    Alert(
        name="NumagateConfigurationDrift",
        severity="warning",
        expression="max by (configuration, what) (numagate_webhook_configuration_drift) > 0",
        minutes=10,
        summary="A webhook configuration is behind the policies",
        description="{{ $value }} {{ $labels.what }} of the {{ $labels.configuration }} configuration differ.",
    ),
    Alert(
        name="NumagateCertificatesUnattended",
        severity="warning",
        # A write that came second fails once; what fails every ten seconds is not looked after.
        expression="sum(increase(numagate_certificate_step_failures_total[15m])) > 10",
        minutes=15,
        summary="The controller cannot look after the certificates",
        description='{{ printf "%.0f" $value }} looks failed in fifteen minutes; nothing is renewed meanwhile.',
    ),
)
