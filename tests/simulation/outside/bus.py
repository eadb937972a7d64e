"""The simulated bus as a botocore client of EventBridge: what it was told, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.simulation.stores.errors import make, modelled

Answer = dict[str, Any]
ARN = "arn:aws:events:us-east-1:000000000000:event-bus/alarms"


@dataclass(frozen=True, slots=True)
class Told:
    """One event as the bus took it, in true time."""

    at_ms: float
    body: dict[str, Any]


@dataclass(slots=True)
class Bus:
    """Takes what comes; between two times it refuses each call, and now and then a single event."""

    now_us: Callable[[], int]
    random: Random
    refuses: tuple[float, float] = (0.0, 0.0)
    refuses_some: float = 0.0
    # One event that is never taken, whatever else is.
    poison: str = ""
    told: list[Told] = field(default_factory=list)
    exceptions: Any = field(default_factory=lambda: modelled)

    def put_events(self, **request: Any) -> Answer:
        now_us = self.now_us()
        if self.refuses[0] <= now_us / 1_000_000 < self.refuses[1]:
            raise make("ThrottlingException", "Rate exceeded.", "PutEvents")
        return {"Entries": [self._taken(entry["Detail"], now_us) for entry in request["Entries"]]}

    def _taken(self, text: str, now_us: int) -> Answer:
        body = json.loads(text)
        refused = self.random.random() < self.refuses_some
        if refused or (self.poison and self.poison in body["subject"]):
            return {"ErrorCode": "InternalFailure", "ErrorMessage": "not this one"}
        self.told.append(Told(now_us / 1000, body))
        return {"EventId": body["id"]}
