"""Reads stored gates with the runs that they name, and changes them by compare and set.

A task's gate names its runs by their keys, the gate of a concurrency key by their ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import GATE, item_key, row_of
from onthedot.records.runs import overlap_gate
from onthedot.records.runs.overlap_gate import Gate
from onthedot.records.runs.run_row import Run
from onthedot.store import conditional_writer, run_messages, stored_runs, table_reads
from onthedot.store.conditional_writer import Decision
from onthedot.work.gates import concurrency_key

TRIES = 16
# None stands for a run that is gone. One that this version cannot read keeps no place either:
# it never ends by our hands.
Rows = Mapping[str, Run | None]


@dataclass(frozen=True, slots=True)
class Look:
    """A gate as it was read for a run, and the others that it names."""

    seen: Gate
    rows: Rows
    # The gate without runs that are final or gone: those hold no place, and wait for none.
    now: Gate

    def order(self, name: str, run: Run) -> dict[str, int]:
        """Returns when each run is due, the one that asks included."""
        due = {each: row.life.due_ms for each, row in self.rows.items() if row}
        return due | {name: run.life.due_ms}


def read(place: str) -> Gate:
    """Reads a gate; `place` is a task, or the partition of a concurrency key."""
    return overlap_gate.parse(place, table_reads.get(overlap_gate.TABLE, item_key(place, GATE)))


def read_many(places: Sequence[str]) -> dict[str, Gate]:
    """Reads gates by their places, in one call."""
    keys = [item_key(place, GATE) for place in places]
    items = table_reads.get_all(overlap_gate.TABLE, keys)
    found = {item["task_id"]: item for item in items}
    return {place: overlap_gate.parse(place, found.get(place)) for place in places}


def look(place: str, mine: str) -> Look:
    """Reads a gate for the run that it knows as `mine`, and the others that it names."""
    return look_into([(read(place), mine)])[0]


def look_into(gates: Sequence[tuple[Gate, str]]) -> list[Look]:
    """Reads what gates name besides the run that asks at each, in one call."""
    named = [_others(seen, mine) for seen, mine in gates]
    keys = [
        item_key(*_place(seen, name))
        for (seen, _), names in zip(gates, named, strict=True)
        for name in names
    ]
    found = stored_runs.of(keys)
    looks = []
    for (seen, _), names in zip(gates, named, strict=True):
        rows = {name: found.get(_place(seen, name)) for name in names}
        over = [name for name, run in rows.items() if run is None or run.final]
        looks.append(Look(seen, rows, seen.without(over)))
    return looks


def _others(seen: Gate, mine: str) -> list[str]:
    return [name for name in (*seen.holders, *seen.waiting) if name != mine]


def _place(gate: Gate, name: str) -> tuple[str, str]:
    """Returns where the run is that a gate knows by this name: its task, and its key there."""
    return row_of(name) if concurrency_key.is_place(gate.task_id) else (gate.task_id, name)


def written(seen: Gate, wanted: Gate) -> bool:
    """Makes a gate as it is wanted; False says that another was faster."""
    if wanted == seen:
        return True
    return conditional_writer.write_one(overlap_gate.write(seen, wanted)) is Outcome.DONE


def change(place: str, wanted_of: Callable[[Gate], Gate]) -> tuple[Gate, Gate]:
    """Changes a gate, however often others do so meanwhile; returns it before and after.

    If it raises, the message comes back: what it leaves behind would keep others waiting. What
    `wanted_of` wakes is woken at each try, before the write.
    """

    def decide(seen: Gate) -> Decision[tuple[Gate, Gate]]:
        wanted = wanted_of(seen)
        write = None if wanted == seen else overlap_gate.write(seen, wanted)
        return Decision((seen, wanted), write)

    return conditional_writer.compare_and_set(
        read=lambda: read(place), decide=decide, tries=TRIES, what=f"the gate of {place}"
    )


def wake(runs: Iterable[Run | None]) -> None:
    """Wakes the first of the runs that is open."""
    first = next((run for run in runs if run and not run.final), None)
    if first:
        run_messages.wake([first])


def wake_if_free(gate: Gate, rows: Rows, places: int, mine: str) -> None:
    """Wakes the first in line where it could go: the worker that sees a free place does that."""
    first = next(iter(gate.waiting), mine)
    if first != mine and len(gate.holders) < places:
        wake([rows.get(first)])
