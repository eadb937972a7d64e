"""Checks the parts of a list's position: their form, and how late they can be.

Cursors are sealed, so only our own come here. The checks hold even if the secret leaked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from onthedot.records.keys import row_of
from onthedot.schedule.time.instants import FIRST, HORIZON

_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{3})?Z)?")
_SUFFIX = re.compile(r"~[0-9A-Za-z]{1,64}")
_LOOP = re.compile(r"[a-z]{1,8}_[0-9A-Z]{26}")
_BESIDE_MAX = 300
_MS_LENGTH = 13
_NUMBER = re.compile(r"[1-9][0-9]{0,6}")
_TOKEN = re.compile(r"[!-~]{1,1500}")

Form = Callable[[str, int], bool]


def fits(position: object, kinds: Sequence[str], latest: int) -> bool:
    """Tells whether a position has these parts, and is no later than possible."""
    if not isinstance(position, list) or len(position) != len(kinds):
        return False
    return all(
        isinstance(part, str) and _FORMS[kind](part, latest)
        for part, kind in zip(position, kinds, strict=True)
    )


def _second(text: str) -> int | None:
    """Reads a minute, a slot or a moment."""
    if not _MOMENT.fullmatch(text):
        return None
    try:
        found = int(datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None
    return found if FIRST <= found < HORIZON else None


def _is_time(text: str, latest: int) -> bool:
    second = _second(text)
    return second is not None and second <= latest


def _is_id(text: str, _: int) -> bool:
    return _ID.fullmatch(text) is not None


def _is_run(text: str, _: int) -> bool:
    try:
        row_of(text)
    except ValueError:
        return False
    return True


def _is_key(text: str, latest: int) -> bool:
    """Tells whether it is a row's key, by slot or moment, or that of an item beside it."""
    row, _, beside = text.partition("^")
    slot, mark, rest = row.partition("~")
    named = not mark or _SUFFIX.fullmatch(mark + rest) is not None
    return named and len(beside) <= _BESIDE_MAX and _is_time(slot, latest)


def _wanted_attention(text: str, latest: int) -> bool:
    at, _, key = text.partition("#")
    whole = len(at) == _MS_LENGTH and at.isascii() and at.isdigit()
    return whole and int(at) // 1000 <= latest and _is_key(key, latest)


def _is_line(text: str, latest: int) -> bool:
    """Tells whether it is the key of a line of the trail: when, and about what."""
    at, _, about = text.partition("#")
    return _is_time(at, latest) and _is_id(about, latest)


_FORMS: Mapping[str, Form] = {
    "at": _is_time,
    "attempt": lambda text, _: _NUMBER.fullmatch(text) is not None,
    "attention_at": _wanted_attention,
    "created_at": _is_time,
    "died": _wanted_attention,
    "due_at": _is_time,
    "loop_id": lambda text, _: _LOOP.fullmatch(text) is not None,
    "newest_at": lambda text, latest: _is_time(text.removesuffix("~"), latest),
    "run_id": _is_run,
    "scheduled_for": _is_key,
    "slot": _is_time,
    "sort": _is_line,
    "task_id": _is_id,
    "token": lambda text, _: _TOKEN.fullmatch(text) is not None,
}
