"""Loops: begun with what they are to do, moved on minute by minute, stopped, shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from onthedot.adapters import claims, clock, tables
from onthedot.core import loop as loops
from onthedot.core.errors import BusyError
from onthedot.core.loop import RUNNING, TABLE, Loop
from onthedot.core.writes import Outcome
from onthedot.flows import backfill, calendars, dead_letters
from onthedot.flows.apart import Apart

_TRIES = 8
# The minute has its audit to do besides; what is left of the loops waits for the next one.
_BUDGET_SEC = 15
_STEPS = {
    "backfill": backfill.step,
    "replay": dead_letters.replay_step,
    "purge": dead_letters.purge_step,
    "calendar": calendars.step,
}
FIGURES = {
    "backfill": "backfilled",
    "replay": "replayed",
    "purge": "purged",
    "calendar": "recomputed",
}


def begin(loop: Loop) -> bool:
    """Start it; the next minute makes its first step. False: it has begun before."""
    return claims.write_together(loops.begin(loop)) is Outcome.DONE


def read(kind: str, tenant_id: str, loop_id: str) -> Loop | None:
    """Read one."""
    key = {"task_id": loops.partition(kind, tenant_id), "scheduled_for": loop_id}
    item = tables.get(TABLE, key)
    return loops.parse(item) if item else None


def stop(kind: str, tenant_id: str, loop_id: str) -> Loop | None:
    """Take on no more of it; what runs goes on."""
    for _ in range(_TRIES):
        seen = read(kind, tenant_id, loop_id)
        if seen is None or not seen.running:
            return seen
        if _moved(seen, replace(seen, status="cancelled", ended_ms=clock.now_ms())):
            return read(kind, tenant_id, loop_id)
    raise BusyError(f"{loop_id} kept moving under {_TRIES} attempts to stop it")


def step() -> Counter[str]:
    """Move all that go on by a minute's worth; give how many runs that was, by kind."""
    done, apart = Counter[str](), Apart()
    over = clock.monotonic() + _BUDGET_SEC
    for pointer in _in_turn(list(tables.rows(("task_id", RUNNING), "scheduled_for", ("0", "~")))):
        if clock.monotonic() > over:
            done["loops_put_off"] += 1
            continue
        with apart.each(f"a step of {pointer['scheduled_for']}"):
            done += _step(pointer)
    apart.end()
    return done


def _step(pointer: tables.Item) -> Counter[str]:
    item = tables.get(TABLE, {"task_id": pointer["of"], "scheduled_for": pointer["scheduled_for"]})
    seen = loops.parse(item) if item else None
    if seen is None or not seen.running:
        # A step that died between the end and this.
        tables.delete(TABLE, loops.pointer_key(pointer["scheduled_for"]))
        return Counter()
    return Counter({FIGURES[seen.kind]: advance(seen)})


def _in_turn(pointers: list[tables.Item]) -> list[tables.Item]:
    """Begin with another one each minute: whoever is put off comes first sooner or later."""
    first = clock.now_ms() // 60_000 % max(1, len(pointers))
    return [*pointers[first:], *pointers[:first]]


def advance(seen: Loop) -> int:
    """Move one on by what its minute has room for; give how many runs or tasks that was."""
    after = _STEPS[seen.kind](seen)
    # Two may try at once; only the one that moved it counts.
    return after.done_since(seen) if after == seen or _moved(seen, after) else 0


def _moved(seen: Loop, after: Loop) -> bool:
    if claims.write_one(loops.moved(seen, after)) is not Outcome.DONE:
        return False
    if not after.running:
        tables.delete(TABLE, loops.pointer_key(after.loop_id))
    return True
