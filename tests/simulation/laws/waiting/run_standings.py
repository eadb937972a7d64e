"""Where each run stood: what it asked for, when messages named it, when its target was called.

Told by the schedule, the queues and the targets; no list that a flow keeps is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from onthedot.records.keys import is_slot_key
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.laws.running.laws_moved import moved
from tests.simulation.laws.timing.true_bounds import guarded
from tests.simulation.laws.waiting.laws_keys import rekeyed
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Delivery, Stage

FOR_EVER = float("inf")
# From a look at the clock to the row: a read or two.
_ASKED_MS = 30
_RUN = re.compile(r'"run_id":"([^"]+)"')


@dataclass(slots=True)
class Standing:
    """One run; all times are true ones, in milliseconds."""

    run_id: str
    task: Task
    # By the schedule; a run without a slot is due when its caller asked for it.
    due_ms: float
    slot: bool
    # Without a slot it is due a moment before its row is there: when it was asked for.
    asked_sec: float = 0.0
    # Its task was given another key or other workers: which line it stands in, nobody can tell.
    shifted: bool = False
    # When workers were handed messages that name it.
    receipts: list[float] = field(default_factory=list)
    # From when to when no message named it, after a worker was done with the last one.
    quiet: list[tuple[float, float]] = field(default_factory=list)
    calls: list[Delivery] = field(default_factory=list)
    # When its outcome was written.
    over_ms: float = FOR_EVER

    @property
    def received_ms(self) -> float:
        """Gives when a worker was first handed a message that names it."""
        return self.receipts[0] if self.receipts else FOR_EVER

    @property
    def joined_ms(self) -> float:
        """Gives when it first stood in a line: a worker was done with it, and
        had not started it.
        """
        return self.quiet[0][0] if self.quiet and self.quiet[0][0] < self.got_ms else FOR_EVER

    @property
    def called_ms(self) -> float:
        """Gives when its target was first called."""
        return self.calls[0].at_ms if self.calls else FOR_EVER

    @property
    def got_ms(self) -> float:
        """Gives when it had what it waited for, or needed it no more."""
        return min(self.called_ms, self.over_ms)

    @property
    def free(self) -> bool:
        """Tells whether neither its task nor a key bounds it."""
        return not guarded(self.task) and not self.task.shown.get("concurrency_key")

    def stood(self, since_ms: float, until_ms: float) -> bool:
        """Tells whether it stood in a line all the while: open, not called, in no message."""
        if self.got_ms <= until_ms:
            return False
        return any(begin < since_ms and end > until_ms for begin, end in self.quiet)


def standings(stage: Stage, journal: Journal) -> list[Standing]:
    """Gives the runs of which it is known in which line they stand."""
    return [one for one in everybody(stage, journal) if not one.shifted]


def everybody(stage: Stage, journal: Journal) -> list[Standing]:
    """Reads them from the queues' own stories, in the order of their due times."""
    found = {one.run_id: one for one in _asked(stage, journal)}
    for delivery in stage.deliveries:
        if delivery.run_id in found:
            found[delivery.run_id].calls.append(delivery)
    for change in journal.changes:
        one = found.get(change.run_id)
        if one and change.after and change.after.final:
            one.over_ms = min(one.over_ms, change.at_ms)
    _read_queues(stage, found)
    return sorted(found.values(), key=lambda one: one.due_ms)


def _asked(stage: Stage, journal: Journal) -> Iterator[Standing]:
    """Yields every run that has a row, with its due time by the version that has its slot.

    Who was given another key stands in two lines for a while, and no message names what outside
    workers are to fetch.
    """
    kept = {task.task_id for task in stage.tasks if task.name not in stage.poisoned}
    shifted = rekeyed(journal) | moved(journal)
    born = {(one.task_id, one.key): _born_ms(one) for one in reversed(journal.changes)}
    for task_id, key in dict.fromkeys((one.task_id, one.key) for one in journal.changes):
        if task_id not in kept or task_id in stage.illegible or "~g" in key:
            continue
        run_id = f"{task_id}.{key.replace('-', '').replace(':', '')}"
        is_shifted = task_id in shifted
        tasks = [version.task for version in journal.versions[task_id]]
        if not is_slot_key(key):
            asked_ms = born[task_id, key]
            one = Standing(run_id, tasks[0], asked_ms, slot=False, shifted=is_shifted)
            one.asked_sec = _asked_sec(stage)
            yield one
            continue
        slot = parse_nominal(key)
        having = [task for task in tasks if task.schedule.matches(slot)] or tasks
        due_ms = having[0].schedule.due_at(slot) * 1000
        yield Standing(run_id, having[0], due_ms, slot=True, shifted=is_shifted)


def _born_ms(first: Change) -> float:
    """For when it was asked for, as its row was first written."""
    return first.after.due_ms if first.after and first.after.due_ms else first.at_ms


def _asked_sec(stage: Stage) -> float:
    """Returns how long before the write of its row a run may have got its due time."""
    profile = stage.world.profile
    slow_ms = 2 * profile.slow_ms[1] if profile.slow else 0
    return (_ASKED_MS + 2 * profile.skew_ms + slow_ms) / 1000


def _read_queues(stage: Stage, found: dict[str, Standing]) -> None:
    story = [one for queue in stage.world.queues.queues.values() for one in queue.story]
    story.sort(key=lambda one: one[0])
    copies: dict[str, int] = defaultdict(int)
    quiet_since: dict[str, float] = {}
    for at_us, what, body in story:
        at_ms = at_us / 1000
        for run_id in _RUN.findall(body):
            one = found.get(run_id)
            if one is None:
                continue
            if what == "held":
                copies[run_id] += 1
                if run_id in quiet_since:
                    one.quiet.append((quiet_since.pop(run_id), at_ms))
            elif what == "received":
                one.receipts.append(at_ms)
            else:
                copies[run_id] -= 1
                # A run whose message was lost stands nowhere.
                if what == "deleted" and not copies[run_id]:
                    quiet_since[run_id] = at_ms
    for run_id, since_ms in quiet_since.items():
        found[run_id].quiet.append((since_ms, FOR_EVER))
