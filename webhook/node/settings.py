"""The settings of the agent, as the command line gives them."""

from dataclasses import dataclass

from webhook.domain import api
from webhook.node.pace import LOOK_SECONDS
from webhook.node.pace import SOON_SECONDS
from webhook.node.policies import ASK_SECONDS
from webhook.node.policies import READ_SECONDS
from webhook.node.report import APART_SECONDS
from webhook.node.telling import LASTING_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `numagate verify --watch` can be told; `bind` "" is every address.

    `namespace` is where the world snapshot is. The first list is asked for within `spread_seconds`, at random.
    """

    node: str
    namespace: str = "numagate-system"
    world: str = api.WORLD_MAP
    bind: str = ""
    probe_port: int = 8081
    look_seconds: float = LOOK_SECONDS
    soon_seconds: float = SOON_SECONDS
    lasting_seconds: float = LASTING_SECONDS
    apart_seconds: float = APART_SECONDS
    read_seconds: float = READ_SECONDS
    ask_seconds: float = ASK_SECONDS
    spread_seconds: float = 5.0
