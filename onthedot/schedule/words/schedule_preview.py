"""What a schedule will do next, in the shape in which every door shows it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import islice

from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time import zones
from onthedot.schedule.time.instants import local, measured, nominal
from onthedot.schedule.words.dst_notes import note_of
from onthedot.schedule.words.explanation import explanation
from onthedot.schedule.words.expression_warnings import Warned, warnings_of

COUNT_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fire:
    """One slot: when, how the job's zone and the viewer's show it, and what is to be said of it."""

    at: str
    due_at: str
    local: str
    viewer: str
    note: str | None
    note_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The coming fires and what a person should know before saving the schedule."""

    explanation: str
    fires: list[Fire]
    warnings: list[Warned]
    # What H and the jitter were drawn from; a saved task draws them from its id.
    seed: str
    tzdata: str

    def as_json(self) -> dict[str, object]:
        """Give plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """From when, how many, how many there are at all, and in whose zone besides the job's."""

    after: int
    count: int
    viewer: str = "UTC"
    max_runs: int | None = None


def preview(
    schedule: Schedule, text: str, window: Window, *, seconds: str = "first", seed: str = ""
) -> Preview:
    """Answer for the expression `text`, which `schedule` was compiled from."""
    slots = islice(schedule.slots(window.after), min(window.count, window.max_runs or window.count))
    return Preview(
        explanation=explanation(schedule, window.max_runs),
        fires=[fire(schedule, slot, window.viewer) for slot in slots],
        warnings=warnings_of(schedule, text, window.after, seconds=seconds),
        seed=seed,
        tzdata=zones.VERSION,
    )


def fire(schedule: Schedule, slot: int, viewer: str) -> Fire:
    """Show one slot."""
    note = note_of(schedule, slot)
    return Fire(
        at=nominal(slot),
        due_at=measured(schedule.due_at(slot)),
        local=local(zones.zone(schedule.timezone), slot),
        viewer=local(zones.zone(viewer), slot),
        note=note.sentence if note else None,
        note_code=note.code if note else None,
    )
