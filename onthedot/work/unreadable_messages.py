"""Puts aside messages that no release of ours wrote: each is logged once, counted and deleted."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from onthedot.store import invocation_metrics
from onthedot.work.batch import Batch

_log = logging.getLogger(__name__)
# Characters. The text may be anybody's, so only enough is shown to find its origin.
_SHOWN_MAX = 200


def put_aside(batch: Batch) -> None:
    """Logs first and deletes last: a message must not disappear without a trace."""
    for each in batch.foreign:
        _log.warning(
            "put aside message %s: %s; it begins %s",
            each.message_id,
            each.why,
            ascii(each.body[:_SHOWN_MAX]),
        )
    for message in batch.messages:
        if message.pack.strange:
            _log.warning(
                "put aside %d entries of message %s: they name no run",
                message.pack.strange,
                message.message_id,
            )
    batch.put_aside += len(batch.foreign) + sum(each.pack.strange for each in batch.messages)
    batch.drop_foreign()


def without_row(batch: Batch, run_ids: Iterable[str]) -> None:
    """Logs the named runs that do not exist: purged, restored away, or never made."""
    for run_id in run_ids:
        _log.warning("put aside run %s: it has no row", run_id)
        batch.put_aside += 1


def count(batch: Batch) -> None:
    """Writes the metric if there is something to count. Other invocations write nothing."""
    if batch.put_aside:
        invocation_metrics.emit(invocation_metrics.MESSAGES, {"put_aside": batch.put_aside})
