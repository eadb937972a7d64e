"""Whether the service answers, and whether the scheduler behind it is alive."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from onthedot.adapters import clock
from onthedot.api import answers
from onthedot.api.answers import Handlers
from onthedot.core import pulse, zones
from onthedot.flows import pulse as pulses


def health() -> Response[str]:
    """Tell how the scheduler is: 503 once no tick has come for three minutes.

    Anybody may ask; the answer is up to 5 s old.
    """
    told = pulse.health(pulses.recent(), clock.now_ms())
    status = 503 if told["status"] == "down" else 200
    return answers.answer({**told, "tzdata": zones.VERSION}, status)


HANDLERS: Handlers = {"GET /v1/health": health}
