"""Puts a schedule together: an expression, a zone, a DST policy, bounds, jitter and calendars.

The dispatcher, the API's preview, the CLI and the console all use this one engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from onthedot.schedule.calendar_times import Calendar, Outside
from onthedot.schedule.dst_stretches import Policy, stretches
from onthedot.schedule.expression.cron import Cron, Every, parse
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.expression.stable_hash import spread
from onthedot.schedule.never_reasons import never_fires
from onthedot.schedule.slots import CronSlots, ElapsedSlots, Slots, Within
from onthedot.schedule.time.zones import zone
from onthedot.schedule.walls import NEVER, walls_of

DST_CHOICES = {
    "dst_mode": ("auto", "interval", "fixed"),
    "dst_gap": ("fire", "skip", "shift"),
    "dst_overlap": ("first", "last", "both"),
}
JITTER_MAX_SEC = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a task fires. Instants are whole seconds since the Unix epoch."""

    rule: Cron | Every
    timezone: str
    policy: Policy
    start_at: int | None = None
    end_at: int | None = None
    # Drawn from the task's id, so it is the same for every slot.
    jitter_offset_sec: int = 0
    calendars: tuple[Calendar, ...] = ()
    _slots: Slots = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Builds the walk once, so that `next` takes about a microsecond."""
        slots: Slots
        if isinstance(self.rule, Every):
            slots = ElapsedSlots(self.rule.seconds)
        else:
            slots = CronSlots(walls_of(self.rule), stretches(self.timezone, self.policy))
        if self.start_at is not None or self.end_at is not None:
            slots = Within(slots, self.start_at, self.end_at)
        if self.calendars:
            slots = Outside(slots, self.calendars)
        object.__setattr__(self, "_slots", slots)

    def next(self, after: int) -> int | None:
        """Returns the first slot strictly after an instant, or None if none comes before 2200."""
        return self._slots.next(after)

    def prev(self, before: int) -> int | None:
        """Returns the last slot strictly before an instant, or None if there is none since 1970."""
        return self._slots.prev(before)

    def slots(self, after: int) -> Iterator[int]:
        """Walks all slots strictly after an instant."""
        slot = self._slots.next(after)
        while slot is not None:
            yield slot
            slot = self._slots.next(slot)

    def matches(self, instant: int) -> bool:
        """Tells whether the instant is one of the slots."""
        return self._slots.next(instant - 1) == instant

    def due_at(self, slot: int) -> int:
        """Returns the slot plus the jitter, but always before the next slot."""
        if not self.jitter_offset_sec:
            return slot
        following = self._slots.next(slot)
        gap = self.jitter_offset_sec if following is None else following - slot - 1
        return slot + min(self.jitter_offset_sec, gap)


def compile_schedule(
    text: str,
    *,
    timezone: str = "UTC",
    seconds: str = "first",
    dst_mode: str = "auto",
    dst_gap: str = "fire",
    dst_overlap: str = "first",
    start_at: int | None = None,
    end_at: int | None = None,
    jitter_sec: int = 0,
    seed: str = "",
    calendars: Sequence[Calendar] = (),
) -> Schedule:
    """Compiles an expression, or says what is wrong with it. `seed` (the task's id) places H."""
    rule = parse(text, seconds=seconds, seed=seed)
    zone(timezone)
    for name, value in (("dst_mode", dst_mode), ("dst_gap", dst_gap), ("dst_overlap", dst_overlap)):
        _check_choice(name, value)
    _check_jitter(jitter_sec)
    _check_bounds(start_at, end_at)
    elapsed = isinstance(rule, Cron) and (
        rule.starred if dst_mode == "auto" else dst_mode == "interval"
    )
    schedule = Schedule(
        rule=rule,
        timezone=timezone,
        policy=Policy(elapsed=elapsed, gap=dst_gap, overlap=dst_overlap),
        start_at=start_at,
        end_at=end_at,
        jitter_offset_sec=spread(seed, "jitter", jitter_sec + 1) if jitter_sec else 0,
        calendars=tuple(calendars),
    )
    if isinstance(rule, Cron) and walls_of(rule).next(0) >= NEVER:
        raise never_fires(text, seconds, rule)
    return schedule


def _check_choice(name: str, value: str) -> None:
    if value not in DST_CHOICES[name]:
        choices = ", ".join(DST_CHOICES[name])
        message = f"{name} is '{value}': expected {choices}."
        raise ScheduleError("bad_value", message, field=name, suggestion=DST_CHOICES[name][0])


def _check_jitter(jitter_sec: int) -> None:
    if not 0 <= jitter_sec <= JITTER_MAX_SEC:
        message = f"jitter_sec is {jitter_sec}: expected 0 to {JITTER_MAX_SEC}."
        raise ScheduleError("out_of_range", message, field="jitter_sec")


def _check_bounds(start_at: int | None, end_at: int | None) -> None:
    if start_at is not None and end_at is not None and end_at < start_at:
        message = "end_at is before start_at: expected it at the same time or later."
        raise ScheduleError("out_of_range", message, field="end_at")
