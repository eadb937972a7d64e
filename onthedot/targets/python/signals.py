"""Defines what a handler may raise to decide about its run. Anything else fails the attempt."""

from __future__ import annotations

from math import ceil
from typing import Any

from onthedot.records.attributes import checked

# Seconds of a leap year, the limit wherever a future time is given in seconds.
AFTER_MAX_SEC = 31_622_400


class Fail(Exception):  # noqa: N818 a handler says it, as a verb
    """It can never work: the run is dead at once, without further attempts."""


class Skip(Exception):  # noqa: N818 a handler says it, as a verb
    """There is nothing to do: the run ends as skipped, with this text."""


class RetryLater(Exception):  # noqa: N818 a handler says it, as a verb
    """Go on at another time. The attempt does not count, and the next one gets the checkpoint."""

    def __init__(self, after: float | None = None, checkpoint: Any = None) -> None:
        """Takes `after` in seconds. Without it the task's own backoff decides."""
        if after is not None and not 0 <= after <= AFTER_MAX_SEC:
            raise ValueError(
                f"after is {after}: expected seconds from now, {AFTER_MAX_SEC} at most."
            )
        checked(checkpoint, "the checkpoint")
        super().__init__("the handler asked for another time")
        self.after = None if after is None else ceil(after)
        self.checkpoint = checkpoint


class Stop(BaseException):
    """Raised by `ctx.heartbeat()`. A handler's own `except Exception` does not catch it."""


class Cancelled(Stop):
    """Somebody asked the run to stop."""


class TimedOut(Stop):
    """The attempt's deadline has passed."""


class LeaseLost(Stop):
    """The run is no longer this worker's. Another may have begun it."""
