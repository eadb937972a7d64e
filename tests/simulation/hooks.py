"""A webhook that events are told to: it checks their signature, and answers as the bus does."""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError

from onthedot.adapters import clock, net, secrets
from onthedot.adapters import events as outbox
from onthedot.core.web import NoResponse, Request, Response
from tests.simulation.bus import Told

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

URL = "https://ops.example/events"
_SECRET = "whsec_" + b64encode(b"told to nobody else").decode()
_HANGS = 0.02


class Hook:
    """What it took stands among what the bus was told: the same laws ask for it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._random = Random(f"hook {stage.world.seed}")
        # Ids of what was not signed as it has to be, or told by another id than its own.
        self.unsigned: list[str] = []

    def send(self, wanted: Request) -> Response | NoResponse:
        """Receives one event; its answer may be slow, or lost."""
        world, bus = self._stage.world, self._stage.world.bus
        hangs, refuses = self._random.random() < _HANGS, self._random.random() < bus.refuses_some

        def received(**_: object) -> int:
            body = json.loads(wanted.body or b"null")
            now_us = world.epoch_us()
            if not _is_signed(wanted) or wanted.headers["webhook-id"] != body["id"]:
                self.unsigned.append(body["id"])
            busy = bus.refuses[0] <= now_us / 1_000_000 < bus.refuses[1]
            if busy or refuses or (bus.poison and bus.poison in body["subject"]):
                return 503
            if not hangs:
                bus.told.append(Told(now_us / 1000, body))
            return 200

        try:
            status: int = world.act("hook", received, event=wanted.headers["webhook-id"])
        except BotoCoreError:
            return NoResponse("timed_out", "no answer")
        if hangs:
            clock.sleep(wanted.patience_sec)
            return NoResponse("timed_out", "no answer")
        return Response(status=status, headers={}, body=b"")


def put_up(stage: Stage) -> None:
    """Let events be told to it, and to nothing else."""
    stage.hook = Hook(stage)
    stage.places = (URL,)
    wanted: list[tuple[Any, str, Any]] = [
        (net, "send", stage.hook.send),
        (secrets, "reveal", lambda _: _SECRET),
        (outbox, "signing_ref", lambda: "ssm:/events"),
    ]
    stage.stand_ins += wanted


def _is_signed(wanted: Request) -> bool:
    """As docs/targets.md tells its readers to check it."""
    key = b64decode(_SECRET.removeprefix("whsec_"))
    about = f"{wanted.headers['webhook-id']}.{wanted.headers['webhook-timestamp']}."
    expected = b64encode(hmac.digest(key, about.encode() + (wanted.body or b""), sha256))
    signatures = wanted.headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(expected, one[3:].encode()) for one in signatures)
