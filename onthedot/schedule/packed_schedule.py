"""Writes a schedule as bytes, stored with its task, so that no library upgrade changes it."""

from __future__ import annotations

import struct

from onthedot.schedule.dst_stretches import Policy
from onthedot.schedule.expression.cron import Cron, Every
from onthedot.schedule.schedule import Schedule

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
