"""Puts a schedule together: an expression, a zone, a DST policy, bounds, jitter and calendars.

One engine serves dispatcher, preview, CLI and console. Stored, a schedule is packed to bytes.
"""

from __future__ import annotations

import struct
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


FORMAT = 1
_LAYOUT = struct.Struct(">BBBBIqq")
_CRON = struct.Struct(">QQIIIHBQ29s")
_EVERY = struct.Struct(">I")
_GAPS = ("fire", "skip", "shift")
_OVERLAPS = ("first", "last", "both")
_UNBOUNDED = -(1 << 63)
# Errors of reading bytes that `pack` did not write, or of walking such a schedule.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
_IS_CRON, _ELAPSED, _BOTH_DAYS, _STARRED = 1, 2, 4, 8


def pack(schedule: Schedule) -> bytes:
    """Writes everything except the calendars, which have items of their own."""
    rule, policy = schedule.rule, schedule.policy
    flags = _ELAPSED * policy.elapsed
    if isinstance(rule, Cron):
        flags |= _IS_CRON | _BOTH_DAYS * rule.both_days | _STARRED * rule.starred
    head = _LAYOUT.pack(
        FORMAT,
        flags,
        _GAPS.index(policy.gap),
        _OVERLAPS.index(policy.overlap),
        schedule.jitter_offset_sec,
        _UNBOUNDED if schedule.start_at is None else schedule.start_at,
        _UNBOUNDED if schedule.end_at is None else schedule.end_at,
    )
    return head + _pack_rule(rule) + schedule.timezone.encode()


def unpack(packed: bytes) -> Schedule:
    """Reads what `pack` wrote. Another format belongs to another version and is refused."""
    if packed[0] != FORMAT:
        message = f"packed schedule of format {packed[0]}; this version reads {FORMAT}"
        raise ValueError(message)
    _, flags, gap, overlap, jitter, start, end = _LAYOUT.unpack_from(packed)
    rule, at = _unpack_rule(packed, flags)
    return Schedule(
        rule=rule,
        timezone=packed[at:].decode(),
        policy=Policy(elapsed=bool(flags & _ELAPSED), gap=_GAPS[gap], overlap=_OVERLAPS[overlap]),
        start_at=None if start == _UNBOUNDED else start,
        end_at=None if end == _UNBOUNDED else end,
        jitter_offset_sec=jitter,
    )


def _pack_rule(rule: Cron | Every) -> bytes:
    if isinstance(rule, Every):
        return _EVERY.pack(rule.seconds)
    return _CRON.pack(
        rule.seconds,
        rule.minutes,
        rule.hours,
        rule.days,
        rule.nearest,
        rule.months,
        rule.weekdays,
        rule.nth,
        rule.years.to_bytes(29, "big"),
    )


def _unpack_rule(packed: bytes, flags: int) -> tuple[Cron | Every, int]:
    at = _LAYOUT.size
    if not flags & _IS_CRON:
        return Every(*_EVERY.unpack_from(packed, at)), at + _EVERY.size
    *masks, years = _CRON.unpack_from(packed, at)
    seconds, minutes, hours, days, nearest, months, weekdays, nth = masks
    rule = Cron(
        seconds=seconds,
        minutes=minutes,
        hours=hours,
        days=days,
        nearest=nearest,
        months=months,
        weekdays=weekdays,
        nth=nth,
        years=int.from_bytes(years, "big"),
        both_days=bool(flags & _BOTH_DAYS),
        starred=bool(flags & _STARRED),
    )
    return rule, at + _CRON.size
