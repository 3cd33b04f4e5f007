"""Who renews the certificates, and when one is late."""

from datetime import datetime
from datetime import timedelta
from typing import Final

from cryptography import x509

from webhook.cli.doctor.facts import CONTROLLER
from webhook.cli.doctor.facts import LABEL
from webhook.cli.doctor.facts import Facts
from webhook.domain.raw import get_object
from webhook.manifests.certificates import INJECTED

SOON: Final = timedelta(days=14)
LATE_SHARE: Final = 4
"""Who renews by himself does so when a third of the life is left; a quarter means that he does not."""


def is_late(certificate: x509.Certificate, now: datetime) -> bool:
    """Tell whether somebody should have renewed it by now; the alert NumagateCertificateExpires reckons the same."""
    left = certificate.not_valid_after_utc - now
    life = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    return left < min(SOON, life / LATE_SHARE)


def renewal(facts: Facts) -> str:
    """Say what to do about a certificate, by who has to renew it."""
    annotations = [get_object(one, "metadata", "annotations") for one in facts.configurations.values()]
    if any(INJECTED in one for one in annotations):
        return f"see why cert-manager does not: kubectl -n {facts.namespace} describe certificates,certificaterequests"
    if facts.managed:
        return f"see why the controller does not: kubectl -n {facts.namespace} logs -l {LABEL}={CONTROLLER} --tail=50"
    return "numagate certs issue | kubectl apply -f - (it prints the commands that fill in caBundle, too)"
