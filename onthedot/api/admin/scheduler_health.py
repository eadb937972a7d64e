"""Says whether the service answers, and whether the scheduler behind it is alive."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from onthedot.api.door import responses
from onthedot.api.door.responses import Handlers
from onthedot.schedule.time import zones
from onthedot.store import clock
from onthedot.upkeep import pulse, read_pulse


def health() -> Response[str]:
    """Tell how the scheduler is: 503 if no tick has come for three minutes.

    Anybody may ask; the answer is up to 5 s old.
    """
    told = pulse.health(read_pulse.recent(), clock.now_ms())
    status = 503 if told["status"] == "down" else 200
    return responses.answer({**told, "tzdata": zones.VERSION}, status)


HANDLERS: Handlers = {"GET /v1/health": health}
