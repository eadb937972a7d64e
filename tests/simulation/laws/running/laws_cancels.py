"""Laws of cancels: a call under way is broken off in time, and its run says what that means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from onthedot.records.attributes import plain_item
from onthedot.records.timings import LEASE_SEC
from onthedot.targets.attempt_outcome import Done, Stopped
from tests.simulation.laws.running.laws_words import disturbed, ends_of
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Stage
from tests.simulation.users.act import Act

# From the answer to a cancel until the run's outcome, where nothing goes wrong.
_SOON_MS = 8_000
# A handler may take as much longer to see it.
_HANDLER_MS = 5_000
_CALLS = ("http", "lambda")
_HANDLERS = ("python", "recording")
_MAY_HAVE = "may have acted, and may still be working"


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them; a store that refuses may take what a lease takes, and no longer."""
    if not disturbed(stage):
        yield from _in_time(stage, journal, _SOON_MS)
        yield from _answered_first(stage, journal)
    elif not disturbed(stage, stage.world.profile.outages):
        yield from _in_time(stage, journal, LEASE_SEC * 1000)
    yield from _noted(stage, journal)


def _in_time(stage: Stage, journal: Journal, soon_ms: int) -> Iterator[str]:
    """Checks that a run whose cancel was answered while its target was called has its outcome
    soon.
    """
    of_run: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        of_run[change.run_id].append(change)
    for act in stage.acts:
        if act.name != "cancel" or not act.acked_ms or not _called(stage, act):
            continue
        changes = of_run[act.run_id]
        seen = next((one.after for one in reversed(changes) if one.at_ms <= act.acked_ms), None)
        if seen is None or seen.status != "running":
            continue
        kind = stage.task_of(act.run_id).target["type"]
        until_ms = act.acked_ms + soon_ms + (_HANDLER_MS if kind in _HANDLERS else 0)
        ended = next((one.at_ms for one in changes if one.after and one.after.final), None)
        if until_ms > stage.world.epoch_us() / 1000:
            continue
        if ended is None or ended > until_ms:
            took = f"{(ended - act.acked_ms) / 1000:.1f} s" if ended else "for ever"
            yield f"not broken off: {act.run_id} went on {took} after its cancel"


def _called(stage: Stage, act: Act) -> bool:
    """Tells whether a worker of ours calls a target that may take long."""
    return bool(act.run_id) and stage.task_of(act.run_id).target["type"] in _CALLS + _HANDLERS


def _noted(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that who reads of a call that was broken off learns that its target may have acted."""
    for (run_id, attempt), end in ends_of(journal).items():
        delivery = stage.delivery(run_id, attempt)
        after = end.after
        if delivery is None or after is None or after.status != "cancelled":
            continue
        if stage.task_of(run_id).target["type"] not in _CALLS or end.asked:
            continue
        broken = isinstance(delivery.answer, Stopped) and delivery.ended_ms <= end.at_ms
        own = end.writer is not None and end.writer.name.startswith(delivery.process)
        if broken and own and _MAY_HAVE not in plain_item(after.life).get("note", ""):
            yield f"not noted: {run_id} was broken off, and does not say so"


def _answered_first(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what a target did, and its worker heard before it broke the call off, is the
    outcome.
    """
    for (run_id, attempt), end in ends_of(journal).items():
        delivery = stage.delivery(run_id, attempt)
        after = end.after
        if delivery is None or after is None or after.status != "cancelled":
            continue
        called = stage.task_of(run_id).target["type"] in _CALLS
        if called and isinstance(delivery.answer, Done) and delivery.ended_ms <= end.at_ms:
            yield f"answered first: {run_id} is cancelled though its target was done"
