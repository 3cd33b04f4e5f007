"""Gathers device classes, claims and claim templates from objects that lie beside pods."""

from collections.abc import Iterable

from webhook.domain.claim_documents import GROUP
from webhook.domain.claim_documents import read_claim
from webhook.domain.claim_documents import read_device_class
from webhook.domain.claim_documents import read_template
from webhook.domain.claims import Claim
from webhook.domain.claims import ClaimCatalog
from webhook.domain.claims import DeviceClass
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text


def catalogued(objects: Iterable[tuple[str, JsonObject]], known: ClaimCatalog) -> ClaimCatalog:
    """Answer what is known of claims with what `objects`, each with its namespace, add or say otherwise."""
    classes: dict[str, DeviceClass] = dict(known.classes)
    claims: dict[str, dict[str, Claim]] = {place: dict(found) for place, found in known.claims.items()}
    templates: dict[str, dict[str, Claim]] = {place: dict(found) for place, found in known.templates.items()}
    for namespace, obj in objects:
        if get_text(obj, "apiVersion").partition("/")[0] != GROUP:
            continue
        name = get_text(get_object(obj, "metadata"), "name")
        match get_text(obj, "kind"):
            case "DeviceClass":
                classes[name] = read_device_class(obj)
            case "ResourceClaim":
                claims.setdefault(namespace, {})[name] = read_claim(obj)
            case "ResourceClaimTemplate":
                templates.setdefault(namespace, {})[name] = read_template(obj)
    return ClaimCatalog(classes, claims, templates)
