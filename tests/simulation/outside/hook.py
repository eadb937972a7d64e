"""A webhook that is told of events: what it was sent, and what it refuses or leaves unanswered."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError

from onthedot.targets.http import http_client, secrets
from onthedot.targets.http.web_exchange import NoResponse, Request, Response
from onthedot.upkeep.events import destinations
from tests.simulation.outside.bus import Told
from tests.simulation.stores.errors import make

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

URL = "https://alarms.example.com/onthedot"
KEY = b"k" * 24
_SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
_REF = "ssm:/hook"
# Not so slow that nobody waits for it.
SLOW_SEC = 7


@dataclass(frozen=True, slots=True)
class Post:
    """One request as it came, in true time, from a process; status 0 is no answer."""

    at_ms: float
    process: str
    request: Request
    status: int


@dataclass(slots=True)
class Hook:
    """Stands in the place of the network; in some seconds it refuses, in some it is silent."""

    stage: Stage
    # Between which seconds it is `refusing`, `silent` or `slow`; when the secret is `no secret`,
    # and when nobody may read it: `unread`.
    when: Mapping[str, tuple[float, float]]
    posts: list[Post] = field(default_factory=list)
    random: Random = field(default_factory=lambda: Random("hook"))

    @property
    def taken(self) -> list[Told]:
        """Returns what it said that it has taken."""
        good = [each for each in self.posts if each.status // 100 == 2]
        return [Told(each.at_ms, json.loads(each.request.body or b"")) for each in good]

    def set_up(self) -> None:
        """Lets events be told to it, each signed."""
        self.stage.hook = self
        self.stage.places = (URL, *self.stage.places)
        self.stage.stand_ins += [
            (http_client, "send", self.send),
            (destinations, "signing_ref", lambda: _REF),
            (secrets, "reveal", self.reveal),
        ]

    def send(self, wanted: Request) -> Response | NoResponse:
        """Returns receive one request; who does not hear the answer has none."""
        world = self.stage.world
        status = self._status()

        def received() -> None:
            process = world.running.name if world.running else ""
            self.posts.append(Post(world.epoch_us() / 1000, process, wanted, status))

        try:
            world.act("hook", received)
        except BotoCoreError:
            return NoResponse("timed_out", "no answer")
        if self._now("slow"):
            world.wait(SLOW_SEC * 1_000_000)
        if not status:
            world.wait(int(wanted.patience_sec * 1_000_000))
            return NoResponse("timed_out", "no answer")
        return Response(status=status, headers={}, body=b"")

    def reveal(self, _ref: str) -> str:
        """Gives the secret that its receiver knows."""
        if self._now("unread"):
            raise make("AccessDeniedException", "no such grant", "GetParameter")
        return "whsec_no base64!" if self._now("no secret") else _SECRET

    def _status(self) -> int:
        if self._now("silent"):
            return 0
        if self._now("refusing"):
            return 503
        return self.random.choice((200, 202, 204, 204, 299, 301, 404, 199))

    def _now(self, what: str) -> bool:
        since, until = self.when.get(what, (0.0, 0.0))
        return since <= self.stage.world.now_us / 1_000_000 < until
