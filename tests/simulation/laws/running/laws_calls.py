"""Laws of calls: what a target is told of its run, when it is heard, how its worker waits for it.

Computed from the keys, the tasks and the true times, not by the code under test.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from onthedot.records.keys import is_slot_key, row_of
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import DELIVER_MIN_SEC, HEARTBEAT_SEC, LEASE_SEC
from tests.simulation.faults.outages import Outage
from tests.simulation.laws.running.laws_moved import is_fetched
from tests.simulation.laws.running.laws_words import disturbed, ends_of
from tests.simulation.laws.timing.laws_lateness import steady_sec
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.outside.call_facts import Told
from tests.simulation.stage import Stage

_ORIGINS = {"m": "manual", "r": "replay", "b": "backfill"}
# Ends wait for starts that take long, and each write takes a while.
_HEARD_MS = 700
# Late slots take their places one by one, while others end.
_LINED_MS = 500
_LATE_MS, _EARLY_MS = 1_500, 200
# A sleep so short is a rounded one: some, but not one after the other.
_SPINS_MAX = 60
# Milliseconds. A clock that was corrected by answers may be off by this much.
_OFF_MS = 1_500
_CALLS = frozenset({"deliver", "post"})
_ONCE = ('"why":"start"', '"why":"retry"')


def told(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each call says whose run it is, what it stands for, and until when it may take."""
    begun = _begun(journal)
    for delivery in stage.deliveries:
        start = begun.get((delivery.run_id, delivery.attempt))
        if delivery.told is None or start is None:
            continue
        tasks = [
            one.task for one in journal.versions[start.task_id] if one.at_ms <= delivery.at_ms + 1
        ]
        for what in _mistaken(stage, delivery.told, start, tasks):
            yield f"mistold: attempt {delivery.attempt} of {delivery.run_id} {what}"


def _mistaken(stage: Stage, told: Told, start: Change, tasks: list[Task]) -> Iterator[str]:
    assert start.after is not None
    if (told.task_id, told.tenant_id) != (start.task_id, tasks[0].tenant_id):
        yield f"is said to be of {told.task_id}, {told.tenant_id}"
    if told.name not in {task.name for task in tasks}:
        yield f"is said to be of a task called {told.name}"
    if told.max_attempts not in {task.max_attempts for task in tasks}:
        yield f"may be tried {told.max_attempts} times"
    if told.scheduled_for != _slot(stage, start.key, start.run_id):
        yield f"stands for {told.scheduled_for}"
    mark = start.key.partition("~")[2][:1]
    own = "task" if start.task_id.startswith("tsk_") else "schedule"
    # A backfill may be what a resume catches up with.
    origins = {_ORIGINS[mark] if mark else own, "catchup"}
    if told.origin not in origins:
        yield f"is of origin {told.origin}"
    given_ms = told.deadline_ms - int(start.after.life["started_ms"]["N"])
    if given_ms not in {task.timeout_sec * 1000 for task in tasks}:
        yield f"is given {given_ms} ms"


def placed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that who fetches a run, or calls its target, is whom a version says that was not
    over by then.
    """
    kinds = {process.name: process.kind for process in stage.world.processes}
    begun = _begun(journal)
    for delivery in stage.deliveries:
        start = begun.get((delivery.run_id, delivery.attempt))
        if start is None:
            continue
        least = max(
            (
                act.version
                for act in stage.acts
                if act.task_id == start.task_id and 0 < act.acked_ms < start.at_ms
            ),
            default=0,
        )
        fetched = {
            is_fetched(one.task)
            for one in journal.versions[start.task_id]
            if one.at_ms <= delivery.at_ms + 1 and one.task.version >= least
        }
        outside = kinds[delivery.process] == "worker"
        if outside not in fetched:
            what = "fetched" if outside else "called"
            yield f"misplaced: {delivery.run_id} was {what} by attempt {delivery.attempt}"


def _slot(stage: Stage, key: str, run_id: str) -> str | None:
    """Returns what a run stands for; one that is run again stands for the same."""
    if is_slot_key(key):
        return key
    first, _, mark = key.partition("~")
    if mark.startswith("b"):
        return first
    repeated = stage.rows()[run_id].replay_of
    return _slot(stage, row_of(repeated)[1], repeated) if repeated else None


def heard(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that where nothing goes wrong, what a handler says is the row's soon after."""
    if not untroubled(stage):
        return
    ends = ends_of(journal)
    late = _caught_up(stage)
    for delivery in stage.deliveries:
        end = ends.get((delivery.run_id, delivery.attempt))
        if delivery.told is None or not delivery.ended_ms:
            continue
        since_ms = (end.at_ms if end else stage.world.epoch_us() / 1000) - delivery.ended_ms
        if since_ms > (_HEARD_MS + _LINED_MS if late else _HEARD_MS):
            yield f"unheard: {delivery.run_id} for {since_ms / 1000:.1f} s"


def beaten(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that where nothing goes wrong, a lease is extended each six seconds, no later and no
    sooner.
    """
    if not untroubled(stage):
        return
    signs: dict[str, tuple[float, bool]] = {}
    for change in journal.changes:
        before, after = change.before, change.after
        if before and after and before.life == after.life:
            # Somebody asked it to stop.
            continue
        if before and after and after.status == "running" and before.lease_ms == after.lease_ms:
            # It notes by which version it is called.
            continue
        said = signs.pop(change.run_id, None)
        ours = not any(is_fetched(one.task) for one in journal.versions[change.task_id])
        if after is None or after.status != "running" or not ours:
            continue
        signs[change.run_id] = (change.at_ms, not change.started)
        if said is None or before is None or change.started:
            continue
        gap_ms = change.at_ms - said[0]
        least_ms = HEARTBEAT_SEC * 1000 - _EARLY_MS if said[1] else 0
        if not least_ms <= gap_ms <= HEARTBEAT_SEC * 1000 + _LATE_MS:
            yield f"out of step: the lease of {change.run_id} after {gap_ms / 1000:.1f} s"


def received(stage: Stage, journal: Journal) -> Iterator[str]:
    """Where nothing goes wrong, a message is handed to one worker, which is done with it.

    But not of a task that somebody edited, or the audit paused.
    """
    if not untroubled(stage) or stage.acts:
        return
    edited = [task_id for task_id, known in journal.versions.items() if len(known) > 1]
    late = _caught_up(stage)
    for queue in stage.world.queues.queues.values():
        left = Counter(body for _, what, body in queue.story if what == "held")
        left.subtract(body for _, what, body in queue.story if what == "received")
        for body, count in left.items():
            if any(one in body for one in (*edited, *late)):
                continue
            if count < 0 and any(why in body for why in _ONCE):
                yield f"shown again: {-count} times, {body}"


def _caught_up(stage: Stage) -> set[str]:
    """Returns late slots: each takes its place by itself, and may be called by who stands behind
    it.
    """
    return {run_id for run_id, row in stage.rows().items() if row.origin == "catchup"}


def untroubled(stage: Stage, but: tuple[Outage, ...] = ()) -> bool:
    """Tells whether nothing goes wrong, neither by chance nor by aim, but for these outages."""
    profile = stage.world.profile
    more = (profile.freezes, profile.clock_steps, profile.astray, stage.killers, stage.poisoned)
    beside = stage.outside.strangers or any(more)
    return not (disturbed(stage, but) or tuple(stage.world.chooser.aims) or beside)


def held(stage: Stage, journal: Journal) -> Iterator[str]:
    """No target is called with hardly anything left of its lease, but where its call stands still.

    What was left is counted from the start, in true time.
    """
    begun = _begun(journal)
    stood = _stood_ms(stage)
    slack_ms = 1000 * steady_sec(stage)
    for at_us, process, what, request, _, _ in stage.world.trace:
        if what not in _CALLS or process is None:
            continue
        start = begun.get((request["run"], request["attempt"]))
        if start is None:
            continue
        at_ms = journal.start_ms + at_us / 1000
        whole = process.name.partition("/")[0]
        frozen_ms = sum(
            sec for name in (process.name, f"{whole} frozen") for sec in stood.get(name, ())
        )
        late_ms = at_ms - start.at_ms - (LEASE_SEC - DELIVER_MIN_SEC) * 1000 - frozen_ms - slack_ms
        if late_ms > 0:
            yield f"too late: {start.run_id} was called with its lease over by {late_ms:.0f} ms"


def _stood_ms(stage: Stage) -> dict[str, list[float]]:
    """Returns how long each part of a process stood still, or the whole of it."""
    found: dict[str, list[float]] = defaultdict(list)
    for _, process, what, request, _, _ in stage.world.trace:
        if what == "stalls" and process is not None:
            note = request["note"]
            name = f"{process.name} frozen" if note.endswith("as a whole") else process.name
            found[name].append(float(note.split()[1]) * 1000)
    return found


def dated(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a row says when its target was called: after its start, before the call came."""
    begun = _begun(journal)
    calls = {one.run_id: one.at_ms for one in stage.deliveries if one.attempt == 1 and one.told}
    off_ms = 1_000 * clocks_off_sec(stage) + _OFF_MS
    for run in stage.rows().values():
        start, called_ms = begun.get((run.run_id, 1)), run.life.called_ms
        if called_ms is None or start is None:
            continue
        if called_ms < start.at_ms - off_ms:
            yield f"misdated: {run.run_id} is said to be called before its start"
        if run.run_id in calls and called_ms > calls[run.run_id] + off_ms:
            yield f"misdated: {run.run_id} is said to be called after it was"


def _begun(journal: Journal) -> dict[tuple[str, int], Change]:
    return {
        (change.run_id, change.after.attempt): change
        for change in journal.changes
        if change.started and change.after
    }


def patient(stage: Stage) -> Iterator[str]:
    """Checks that who waits sleeps: the processor is the handlers' meanwhile."""
    for process in stage.world.processes:
        if process.spins > _SPINS_MAX + 2 * sum(process.counts.values()):
            yield f"spins: {process.name} slept {process.spins} times for next to nothing"
