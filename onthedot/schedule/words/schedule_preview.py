"""Previews what a schedule will do next, in the form that every door shows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import islice

from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time import zones
from onthedot.schedule.time.instants import local, measured, nominal
from onthedot.schedule.words.dst_notes import note_of
from onthedot.schedule.words.expression_warnings import Warned, warnings_of
from onthedot.schedule.words.phrases import explanation

COUNT_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fire:
    """One slot: the instant, how the job's zone and the viewer's zone show it, and notes on it."""

    at: str
    due_at: str
    local: str
    viewer: str
    note: str | None
    note_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The coming fires, and what a person should know before they save the schedule."""

    explanation: str
    fires: list[Fire]
    warnings: list[Warned]
    # The seed of H and of the jitter. A saved task uses its id instead.
    seed: str
    tzdata: str

    def as_json(self) -> dict[str, object]:
        """Returns plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The start of the preview, the fires to show, the limit on all fires, the viewer's zone."""

    after: int
    count: int
    viewer: str = "UTC"
    max_runs: int | None = None


def preview(
    schedule: Schedule, text: str, window: Window, *, seconds: str = "first", seed: str = ""
) -> Preview:
    """Previews `schedule`, which was compiled from the expression `text`."""
    slots = islice(schedule.slots(window.after), min(window.count, window.max_runs or window.count))
    return Preview(
        explanation=explanation(schedule, window.max_runs),
        fires=[fire(schedule, slot, window.viewer) for slot in slots],
        warnings=warnings_of(schedule, text, window.after, seconds=seconds),
        seed=seed,
        tzdata=zones.VERSION,
    )


def fire(schedule: Schedule, slot: int, viewer: str) -> Fire:
    """Shows one slot."""
    note = note_of(schedule, slot)
    return Fire(
        at=nominal(slot),
        due_at=measured(schedule.due_at(slot)),
        local=local(zones.zone(schedule.timezone), slot),
        viewer=local(zones.zone(viewer), slot),
        note=note.sentence if note else None,
        note_code=note.code if note else None,
    )
