"""Law of replays: a run that is over and still there runs again if a caller asks; no other does.

Judged by when rows ended, by purges, and by when schedules ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from onthedot.records.keys import row_of, run_id
from onthedot.records.tasks.task_spec import ENDED
from tests.simulation.machine.journal import Journal, pairs
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

# The time limit of a replay: what it has read is no older than that.
_READ_MS = 30_000
_REFUSED = frozenset({404, 409})


@dataclass(frozen=True, slots=True)
class _Ends:
    """When each run was over, when it was purged, and when each schedule had ended.

    A run from days ago is over from the beginning on.
    """

    over: Mapping[str, float]
    ranges: frozenset[str]
    purged: Mapping[str, float]
    ended: Mapping[str, float]


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that each replay is of a run that may be replayed; each request for such a run is
    granted.
    """
    rows = stage.rows()
    replays = [
        (change, rows[change.run_id].replay_of)
        for change in journal.changes
        if change.before is None and "~r" in change.key and change.run_id in rows
    ]
    asks = [act for act in stage.acts if isinstance(act, Ask) and act.name == "replay"]
    if not replays and not asks:
        return
    ends = _ends(stage, journal)
    still = stage.world.profile.stall_before or stage.world.profile.stall_after
    for change, old in replays:
        if old in ends.ranges or change.at_ms < ends.over.get(old, 0.0):
            yield f"replayed in vain: {old} was not over, and {change.run_id} runs it again"
        gone_ms = min(_at(ends.purged, old), _at(ends.ended, change.task_id))
        if change.at_ms > gone_ms + _READ_MS and not still:
            yield f"replayed in vain: of {old} nothing was left, and {change.run_id} runs it again"
    for ask in asks:
        old = ask.route.split("/")[3]
        if ask.answer is None or ask.answer.status not in _REFUSED:
            continue
        gone_ms = min(_at(ends.purged, old), _at(ends.ended, row_of(old)[0]))
        if ends.over.get(old, 0.0) < ask.began_ms and gone_ms == float("inf"):
            yield f"not replayed: {old} was over, and was not run again when it was asked for"


def _at(times: Mapping[str, float], name: str) -> float:
    return times.get(name, float("inf"))


def _ends(stage: Stage, journal: Journal) -> _Ends:
    over = dict.fromkeys((change.run_id for change in journal.changes), float("inf"))
    ranges: set[str] = set()
    for change in journal.changes:
        if change.after and change.after.range_to:
            ranges.add(change.run_id)
        elif change.after and change.after.final:
            since_ms = 0.0 if change.before and change.before.final else change.at_ms
            over[change.run_id] = min(over[change.run_id], since_ms)
    purged: dict[str, float] = {}
    for at_us, key, _, after in pairs(stage.world, "runs"):
        if after is not None and "purged_ms" in after:
            purged.setdefault(run_id(*key), at_us / 1000)
    ended = {
        task_id: one.at_ms
        for task_id, versions in journal.versions.items()
        for one in reversed(versions)
        if one.task.status in ENDED
    }
    return _Ends(over, frozenset(ranges), purged, ended)
