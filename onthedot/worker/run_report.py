"""Reports outcomes to the API, for as long as that takes or the lease lasts."""

from __future__ import annotations

import time
from threading import BoundedSemaphore

from onthedot.client.errors import ApiError, Unavailable
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped, Stopped, error_of
from onthedot.worker.leased_run import Fetched, moved_on

_PAUSE_SEC = 1.0
# Jobs that end together would each meet a cold start of the API. In turns they share warm ones.
_TURNS = BoundedSemaphore(2)


def tell(fetched: Fetched, answer: Answer) -> bool:
    """Reports an outcome. False: not taken. A run that is another's needs no report."""
    while not fetched.lease_lost():
        try:
            with _TURNS:
                _say(fetched, answer)
        except Unavailable:
            time.sleep(_PAUSE_SEC)
        except ApiError as refusal:
            if not moved_on(refusal):
                raise
            return False
        else:
            return True
    return False


def extend(fetched: Fetched) -> None:
    """Extends the lease, and learns whether the run must stop."""
    since = time.time()
    try:
        answer = fetched.client.leases.extend(
            fetched.run_id,
            fetched.attempt,
            lease_sec=fetched.lease_sec,
            progress=fetched.progress,
        )
    except Unavailable:
        # The lease runs on. If it ends, the handler notices by itself.
        return
    except ApiError as refusal:
        if not moved_on(refusal):
            raise
        fetched.lost = True
        return
    fetched.extended(since, cancel=bool(answer.get("cancel_requested")))


def _say(fetched: Fetched, answer: Answer) -> None:
    leases, run_id, attempt = fetched.client.leases, fetched.run_id, fetched.attempt
    match answer:
        case Done(result):
            leases.complete(run_id, attempt, result)
        case Skipped(note):
            leases.skip(run_id, attempt, note)
        case Dead(_, error):
            leases.fail(run_id, attempt, error, permanent=True)
        case Stopped():
            leases.fail(run_id, attempt, error_of("Cancelled", "stopped as it was asked to"))
        case Again() if answer.released:
            leases.fail(run_id, attempt, answer.error, **_when(answer), release=True)
        case Again():
            leases.fail(run_id, attempt, answer.error, **_when(answer))


def _when(answer: Again) -> dict[str, object]:
    when: dict[str, object] = {}
    if answer.after_sec is not None:
        when["retry_in_sec"] = answer.after_sec
    if answer.checkpoint is not None:
        when["checkpoint"] = answer.checkpoint
    return when
