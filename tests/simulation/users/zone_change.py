"""A change of the zones' data in a history: its slots come at other times from one moment on."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from random import Random

from onthedot.records.tasks import task_cursor, task_spec
from onthedot.schedule import dst_stretches
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.schedule.time import zones
from onthedot.schedule.time.tzif import BEGINNING, Segments
from onthedot.schedule.time.zones import Zone
from onthedot.store import table_reads
from onthedot.upkeep import completed_schedules, new_tzdata
from tests.simulation.machine.process import Process
from tests.simulation.stage import Stage, make_task

# From when on the functions have the new data; an offset by it comes some minutes later or earlier.
CHANGED_SEC = 420
ZONE = "Africa/Lagos"
_HOUR_SEC = 3_600
# -1 is for a zone whose local mean time was corrected by one second.
_SHIFTS_SEC = (240, 420, -240, 1_020, -1)
_TEXTS = ("2-59/12 * * * *", "7-59/15 * * * *", "*/9 * * * *")
_TRIES = 12
_ORIGINAL, _VERSION = zones.zone, zones.VERSION


def zone(shift_sec: int) -> Zone:
    """Returns an hour ahead of UTC and, by newer data, so much more since long ago."""
    starts, offsets = array("q", [BEGINNING]), array("l", [_HOUR_SEC + shift_sec])
    return Zone(ZONE, Segments(starts, offsets, ("WAT",)))


def prepared(stage: Stage) -> None:
    """Registers schedules by the old data; the deployment walks them once it has the new."""
    _have(0)
    for number, text in enumerate(_TEXTS):
        made = make_task(f"zoned {number}", "* * * * *", stage.world)
        compiled = pack(compile_schedule(text, timezone=ZONE))
        stage.register(replace(made, compiled=compiled, overlap="allow", max_concurrent=None))
    stage.world.call_at(CHANGED_SEC, lambda: _change(stage))


def undone() -> None:
    """Lets other histories have the data of this release."""
    zones.VERSION = _VERSION
    _read_by(_ORIGINAL)


def shift_sec(stage: Stage) -> int:
    """Returns by how much a history's zone is shifted."""
    return Random(f"zone {stage.world.seed}").choice(_SHIFTS_SEC)


def _change(stage: Stage) -> None:
    _have(shift_sec(stage))
    zones.VERSION = "2099z"
    stage.world.note("new zones", f"{ZONE} by {shift_sec(stage)} s")
    _deploy(stage, CHANGED_SEC + 1, _TRIES)


def _deploy(stage: Stage, at_sec: float, tries: int) -> None:
    """Runs the end of `make deploy`, again until it has come to its end."""

    def ended(process: Process) -> None:
        if (process.dead or process.error is not None) and tries:
            _deploy(stage, stage.world.now_us / 1_000_000 + 1, tries - 1)

    def do() -> list[str]:
        found = [*new_tzdata.retime(), *completed_schedules.list_those_before()]
        assert (table_reads.get(task_cursor.TABLE, new_tzdata.KEY) or {})[
            "version"
        ] == zones.VERSION
        return found

    stage.world.spawn("deploy", do, at_sec=at_sec, ended=ended)


def _have(shift: int) -> None:
    _read_by(lambda _name: zone(shift))


def _read_by(read: Callable[[str], Zone]) -> None:
    """Puts another reader of zones in its place, and forgets what the former one gave."""
    vars(dst_stretches)["zone"] = read
    dst_stretches.stretches.cache_clear()
    task_cursor._unpacked.cache_clear()  # noqa: SLF001  # a new process has none of it
    task_spec._unpacked.cache_clear()  # noqa: SLF001  # a new process has none of it
