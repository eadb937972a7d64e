"""Laws of dead letters by the many: those that were meant are run again or purged, and no other.

Judged by when runs died, by what was asked, and by what replays and purges came to be.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.records.keys import run_id
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.laws.requests.laws_asked import befallen
from tests.simulation.laws.running.purge_remains import kept
from tests.simulation.machine.journal import SKEW_MS, Change, Journal, pairs
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

_REPLAY, _PURGE = "replay letters", "purge letters"
_MINUTE_MS = 60_000
# A minute begins late, and does other things before.
_LOOKED_AT_MS = 15_000
# What moves operations on, with the audit and without.
_STEPS = frozenset({"step", "loops"})
# A plan is good for so long.
_GOOD_MS = 600_000
# A clock of the API, the clock of the process that wrote the death, and the rest of a second.
_EDGE_MS = 2 * SKEW_MS + 1_000
_ENDED = frozenset({"deleted", "cancelled"})
# How the payload of a run is called.
_PAYLOAD = "^payload"


@dataclass(frozen=True, slots=True)
class _Death:
    """A run that died: when, and of what."""

    run_id: str
    task_id: str
    at_ms: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What became of dead letters: by the run that died, its replays, and when it was purged."""

    deaths: Mapping[str, _Death]
    again: Mapping[str, list[Change]]
    purged: Mapping[str, float]


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them."""
    asks = [act for act in stage.acts if isinstance(act, Ask)]
    begun = [ask for ask in asks if ask.name in (_REPLAY, _PURGE) and ask.plan is not None]
    if not begun:
        return
    known = _Known(_deaths(journal), _again(stage, journal), _purges(stage))
    loops = _loops(stage)
    done = {*known.again, *known.purged}
    calm = not befallen(stage)
    for ask in begun:
        loop = loops.get(ask.said["operation_id"]) if ask.said else None
        if loop is not None and loop["status"] == "done":
            yield from _carried_out(journal, ask, list(known.deaths.values()), done)
        if loop is not None and calm:
            yield from _in_time(stage, ask, loop)
    yield from _nothing_else(known, begun)
    if known.purged:
        yield from _nothing_left(stage)
    if calm and not any(ask.name == "stop" for ask in asks):
        # Of two minutes at once one purges what the other has left, and does not count it.
        twice = stage.world.profile.double_tick > 0
        yield from _paced(known, begun, twice=twice)
        yield from _counted(loops, known, twice=twice)
        yield from _summed_up(stage, loops)


def _loops(stage: Stage) -> dict[str, dict[str, Any]]:
    rows = stage.world.store.table("runs").rows.items
    return {
        key[1]: plain_item(item) for key, item in rows.items() if key[0].startswith("operation#")
    }


def _deaths(journal: Journal) -> dict[str, _Death]:
    found: dict[str, _Death] = {}
    for change in journal.changes:
        before, after = change.before, change.after
        if after is not None and after.status == "dead" and not (before and before.final):
            death = _Death(change.run_id, change.task_id, change.at_ms, after.reason)
            found[change.run_id] = death
    return found


def _purges(stage: Stage) -> dict[str, float]:
    """Returns when each run was purged first."""
    found: dict[str, float] = {}
    for at_us, key, _, after in pairs(stage.world, "runs"):
        if after is not None and "purged_ms" in after:
            found.setdefault(run_id(*key), at_us / 1000)
    return found


def _nothing_left(stage: Stage) -> Iterator[str]:
    """Checks that once a run is purged, its payload and its results are gone."""
    payloads: dict[Any, Any] = {}
    for _, key, before, after in pairs(stage.world, "runs"):
        if key[1].endswith(_PAYLOAD):
            payloads[key] = after
        if after is None or "purged_ms" not in after or "purged_ms" in (before or ()):
            continue
        # What lies beside the row may have to keep the target of the replay.
        if "payload" in (payloads.get((key[0], f"{key[1]}{_PAYLOAD}")) or ()):
            yield f"not purged: the payload of {run_id(*key)} is still there"
        if kept(after["life"]["M"]) != plain_item(after["life"]["M"]):
            yield f"not purged: {run_id(*key)} still shows what it came to"


def _again(stage: Stage, journal: Journal) -> dict[str, list[Change]]:
    """Returns the first writes of the runs that replay each letter."""
    rows = stage.rows()
    found: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        run = rows.get(change.run_id)
        if change.before is None and run is not None and run.replay_of:
            found[run.replay_of].append(change)
    return found


def _may_be_meant(death: _Death, ask: Ask, edge_ms: float) -> bool:
    """Tells whether it had died when the plan was made, and fits what was asked."""
    body = ask.body or {}
    since_ms = parse_nominal(body["from"]) * 1000 if "from" in body else 0
    fits = body.get("task_id") in (None, death.task_id)
    fits = fits and body.get("reason") in (None, death.reason)
    return fits and since_ms - edge_ms <= death.at_ms <= _planned_ms(ask) + edge_ms


def _planned_ms(ask: Ask) -> float:
    """Tell when its plan was made, by the time until which it is good."""
    assert ask.plan is not None
    return datetime.fromisoformat(ask.plan["expires_at"]).timestamp() * 1000 - _GOOD_MS


def _carried_out(
    journal: Journal, ask: Ask, deaths: list[_Death], done: Container[str]
) -> Iterator[str]:
    """Checks that of what was meant beyond doubt nothing is left, but where its schedule is no
    more.
    """
    name = ask.said["operation_id"]
    for death in deaths:
        if not _may_be_meant(death, ask, -_EDGE_MS) or death.run_id in done:
            continue
        ended = any(one.task.status in _ENDED for one in journal.versions[death.task_id])
        if not ended or ask.name == _PURGE:
            yield f"left out: {death.run_id} died, and {name} is done"


def _nothing_else(known: _Known, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that no step purges what nobody meant, or runs a letter again more often than it was
    asked to.
    """
    for run, at_ms in known.purged.items():
        meant = [ask for ask in asks if ask.name == _PURGE and ask.began_ms < at_ms]
        death = known.deaths.get(run)
        if death is None or not any(_may_be_meant(death, ask, _EDGE_MS) for ask in meant):
            yield f"purged in vain: {run}"
    for run, births in known.again.items():
        by_steps = [one for one in births if one.writer and one.writer.kind in _STEPS]
        if not by_steps:
            continue
        if run not in known.deaths:
            yield f"replayed in vain: {run} has not died"
            continue
        replays = [ask for ask in asks if ask.name == _REPLAY]
        most = sum(_may_be_meant(known.deaths[run], ask, _EDGE_MS) for ask in replays)
        if len(by_steps) > most:
            yield f"replayed in vain: {run}, {len(by_steps)} times instead of {most}"


def _paced(known: _Known, asks: Sequence[Ask], *, twice: bool) -> Iterator[str]:
    """Checks that no minute takes on more than was asked for, by the clock of who takes it on."""
    births = [one for found in known.again.values() for one in found]
    launched = Counter(
        int((one.at_ms + one.skew_ms) // _MINUTE_MS)
        for one in births
        if one.writer and one.writer.kind in _STEPS
    )
    purged = Counter(int(at_ms // _MINUTE_MS) for at_ms in known.purged.values())
    for what, counted in ((_REPLAY, launched), (_PURGE, purged)):
        most = sum((ask.body or {}).get("rate_per_min", 100) for ask in asks if ask.name == what)
        most *= 1 + twice
        for count in counted.values():
            if count > most:
                yield f"too fast: {count} of {what} in a minute, {most} may be"


def _counted(
    loops: Mapping[str, Mapping[str, Any]], known: _Known, *, twice: bool
) -> Iterator[str]:
    """Operations that were let alone say how many runs they have taken on, and end in time."""
    births = [one for found in known.again.values() for one in found]
    by_steps = sum(bool(one.writer and one.writer.kind in _STEPS) for one in births)
    for kind, found in (("replay", by_steps), ("purge", len(known.purged))):
        mine = [loop for loop in loops.values() if loop["kind"] == kind]
        told = sum(loop["counts"].get("done", 0) for loop in mine)
        if told > found or (told < found and not twice):
            yield f"miscounted: {told} by {kind}, {found} were"
        for loop in mine:
            seen = loop["counts"].get("done", 0) + loop["counts"].get("left", 0)
            if seen > loop["wanted"]["total"]:
                yield f"miscounted: {loop['scheduled_for']} has seen {seen}"


def _summed_up(stage: Stage, loops: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Checks that the minutes tell of no more than operations have taken on: of two at once one
    counts.
    """
    for kind, name in (("replay", "replayed"), ("purge", "purged")):
        told = sum(figures.get(name, 0) for _, figures in stage.figures if "audits" in figures)
        mine = (loop for loop in loops.values() if loop["kind"] == kind)
        done = sum(loop["counts"].get("done", 0) for loop in mine)
        if told > done:
            yield f"miscounted: the minutes say {told} {name}, operations {done}"


def _last_step_ms(stage: Stage) -> float:
    """Returns when something moved on what goes on for the last time."""
    steps = (at for at, who, *_ in stage.world.trace if who is not None and who.kind in _STEPS)
    return stage.world.start.timestamp() * 1000 + max(steps, default=0) / 1000


def _in_time(stage: Stage, ask: Ask, loop: Mapping[str, Any]) -> Iterator[str]:
    """As many minutes as its plan says, and those in which it begins and ends."""
    assert ask.plan is not None
    until_ms = ask.acked_ms + max(1, ask.plan["effects"]["minutes"]) * _MINUTE_MS + _LOOKED_AT_MS
    over_ms = loop["ended_ms"] or _last_step_ms(stage)
    if over_ms > until_ms and loop["status"] != "cancelled":
        yield f"dawdled: {ask.said['operation_id']} by {(over_ms - until_ms) / 1000:.0f} s"
