"""What is asked of certificates everywhere: is it a CA, does it hold now, who has signed it?"""

from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.exceptions import UnsupportedAlgorithm

UNREADABLE: Final = (ValueError, UnsupportedAlgorithm, x509.InvalidVersion, x509.DuplicateExtension)
"""What cryptography raises for a certificate that is none, or is damaged inside."""


def holds_at(certificate: x509.Certificate, now: datetime) -> bool:
    """Tell whether a certificate has begun and has not ended."""
    return certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc


def is_authority(certificate: x509.Certificate) -> bool:
    """Tell whether a certificate is of a CA; a damaged one is of none."""
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (x509.ExtensionNotFound, *UNREADABLE):
        return False


def has_signed(ca: x509.Certificate, certificate: x509.Certificate) -> bool:
    """Tell whether a certificate is of this CA."""
    try:
        certificate.verify_directly_issued_by(ca)
    except (InvalidSignature, TypeError, *UNREADABLE):
        return False
    return True
