"""What croniter reads in fields that are spelled in plain numbers, as bit masks."""

from __future__ import annotations

from collections.abc import Sequence

from croniter import croniter

from onthedot.core.fields import Field
from onthedot.core.kinds import DAY, HOUR, MINUTE, MONTH, SECOND, WEEKDAY, Kind

# The order in which croniter wants its fields.
_ORDER = (MINUTE, HOUR, DAY, MONTH, WEEKDAY, SECOND)
_KNOWN_MAX = 8192
_known: dict[tuple[Kind, str], int] = {}


def masks(fields: tuple[Field, ...]) -> tuple[int, ...]:
    """Read fields in croniter's order; those it has read before it is not asked again."""
    keys = [(kind, field.spelled) for kind, field in zip(_ORDER, fields, strict=False)]
    known = [_known[key] for key in keys if key in _known]
    if len(known) == len(keys):
        return tuple(known)
    expanded = croniter.expand(" ".join(text or "*" for _, text in keys))[0]
    read = [
        _mask(kind, values) if text else 0
        for (kind, text), values in zip(keys, expanded, strict=True)
    ]
    if len(_known) > _KNOWN_MAX:
        _known.clear()
    _known.update(zip(keys, read, strict=True))
    return tuple(read)


def _mask(kind: Kind, values: Sequence[int | str]) -> int:
    if values == ["*"]:
        return kind.full
    return sum(1 << int(value) for value in values)
