"""Lets croniter read fields of plain numbers, and returns them as bit masks."""

from __future__ import annotations

from collections.abc import Sequence

from croniter import croniter

from onthedot.schedule.expression.fields import Field
from onthedot.schedule.expression.kinds import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, Kind

# The order in which croniter expects its fields.
_ORDER = (MINUTE, HOUR, DAY, MONTH, WEEKDAY, SECOND)
_KNOWN_MAX = 8192
memo: dict[tuple[Kind, str], int] = {}


def masks(fields: tuple[Field, ...]) -> tuple[int, ...]:
    """Reads fields in croniter's order. Fields that were read before come from a cache."""
    keys = [(kind, field.spelled) for kind, field in zip(_ORDER, fields, strict=False)]
    known = [memo[key] for key in keys if key in memo]
    if len(known) == len(keys):
        return tuple(known)
    expanded = croniter.expand(" ".join(text or "*" for _, text in keys))[0]
    read = [
        _mask(kind, values) if text else 0
        for (kind, text), values in zip(keys, expanded, strict=True)
    ]
    if len(memo) > _KNOWN_MAX:
        memo.clear()
    memo.update(zip(keys, read, strict=True))
    return tuple(read)


def _mask(kind: Kind, values: Sequence[int | str]) -> int:
    if values == ["*"]:
        return kind.full
    return sum(1 << int(value) for value in values)
