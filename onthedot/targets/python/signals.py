"""What a handler may raise to say what becomes of its run; anything else is a failed attempt."""

from __future__ import annotations

from math import ceil
from typing import Any

from onthedot.records.small_json import checked

# A leap year, as wherever else a time to come is given in seconds.
AFTER_MAX_SEC = 31_622_400


class Fail(Exception):  # noqa: N818 a handler says it, as a verb
    """It will never work: the run is dead at once, without further attempts."""


class Skip(Exception):  # noqa: N818 a handler says it, as a verb
    """There is nothing to do: the run ends as skipped, with these words."""


class RetryLater(Exception):  # noqa: N818 a handler says it, as a verb
    """Go on at another time: the attempt does not count, and the next one sees the checkpoint."""

    def __init__(self, after: float | None = None, checkpoint: Any = None) -> None:
        """Without `after`, in seconds, the task's own backoff decides when."""
        if after is not None and not 0 <= after <= AFTER_MAX_SEC:
            raise ValueError(
                f"after is {after}: expected seconds from now, {AFTER_MAX_SEC} at most."
            )
        checked(checkpoint, "the checkpoint")
        super().__init__("the handler asked for another time")
        self.after = None if after is None else ceil(after)
        self.checkpoint = checkpoint


class Stop(BaseException):
    """Raised by `ctx.heartbeat()`; no `except Exception` of a handler's own swallows it."""


class Cancelled(Stop):
    """Somebody asked the run to stop, and the handler does."""


class TimedOut(Stop):
    """The attempt's deadline has passed."""


class LeaseLost(Stop):
    """The run is no longer this worker's; another may have begun it by now."""
