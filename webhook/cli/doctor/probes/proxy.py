"""Does the API server go through a proxy, and leave the cluster's own Services out of it?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text


def look(facts: Facts) -> Iterator[Result]:
    """Read the environment of the API server's pods, where they are pods."""
    if facts.api_server_pods.error:
        yield unknown(facts.api_server_pods.error)
        return
    if not facts.api_server_pods.items:
        yield unknown("the API server is no pod here: if it has HTTPS_PROXY, its NO_PROXY must hold .svc")
        return
    for pod in facts.api_server_pods.items:
        environment = _environment(pod)
        excluded = environment.get("NO_PROXY", "").split(",")
        if environment.get("HTTPS_PROXY") and not {".svc", "svc"} & {one.strip() for one in excluded}:
            yield problem(
                "the API server has HTTPS_PROXY, and its NO_PROXY does not hold .svc: calls go to the proxy",
                "add .svc to NO_PROXY of kube-apiserver (often /etc/kubernetes/manifests/kube-apiserver.yaml)",
            )
            return
    yield ok("the API server calls Services without a proxy")


def _environment(pod: JsonObject) -> dict[str, str]:
    containers = map(as_object, get_list(get_object(pod, "spec"), "containers"))
    variables = (as_object(one) for container in containers for one in get_list(container, "env"))
    return {get_text(one, "name").upper(): get_text(one, "value") for one in variables}


PROBE = Probe("proxy", 17, look)
