"""Sends messages again that died with the emulator, long before the audit would.

Run as a program, it goes where its environment says. A message too many does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onthedot.records.keys import manifest_keys
from onthedot.records.runs import manifest, message_pack, run_row
from onthedot.records.runs.message_pack import Address, Ticket
from onthedot.records.runs.run_row import Run
from onthedot.records.timings import MARGIN_SEC
from onthedot.store import clock, run_messages, table_reads

_MINUTE_SEC = 60
# Seconds, as far ahead as a dispatch lists runs, or as the audit puts long runs off.
_AHEAD_SEC = 16 * _MINUTE_SEC
# Handlers of unknown length share an invocation, so no more than a dispatch packs.
_RUNS_MAX = 10


def recall() -> int:
    """Sends a message for every open run in the manifests of the coming minutes."""
    now_ms = clock.now_ms()
    listed = dict.fromkeys(_listed(now_ms // 1000))
    items = table_reads.get_all(run_row.TABLE, map(run_row.row_key, listed))
    lost = [each for each in map(run_row.parse, items) if not each.final]
    run_messages.send_packed(_first_starts(lost))
    begun = [(each, _delay_sec(each, now_ms)) for each in lost if each.life.starts > 0]
    run_messages.send_each(begun, "resend")
    return len(lost)


def _first_starts(lost: Sequence[Run]) -> list[tuple[Address, Ticket]]:
    """They are packed as a dispatch does: one message each would wake a worker for a few runs."""
    return [
        (
            (each.queue, each.tenant_id, each.life.due_ms, _RUNS_MAX),
            Ticket(each.run_id, 1, each.life.tv),
        )
        for each in lost
        if each.life.starts == 0
    ]


def _listed(now: int) -> Iterator[str]:
    for minute in range(now, now + _AHEAD_SEC, _MINUTE_SEC):
        for partition in manifest_keys(minute):
            for item in table_reads.rows(("task_id", partition), "scheduled_for", ("0", "~")):
                yield from (run_id for run_id, *_ in manifest.parse(item).entries)


def _delay_sec(of: Run, now_ms: int) -> int:
    """Returns the delay. Its worker is dead, but only the end of its lease proves that."""
    takeover_ms = of.life.lease_ms + MARGIN_SEC * 1000
    return message_pack.delay_sec(max(of.life.due_ms, takeover_ms), now_ms)


if __name__ == "__main__":
    recall()
