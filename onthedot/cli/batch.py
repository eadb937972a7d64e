"""Runs `onthedot next --batch`: one question for each line, one answer for each line, in order."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from io import BufferedReader
from itertools import islice

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import Schedule, compile_schedule
from onthedot.schedule.time.instants import nominal, parse_instant
from onthedot.schedule.words.schedule_preview import COUNT_MAX

LINE_MAX = 65_536
_CHUNK = 1 << 16
_TEXTS = ("cron", "timezone", "seconds", "dst_mode", "dst_gap", "dst_overlap")
_FIELDS = (*_TEXTS, "after", "count")


def run() -> int:
    """Answers stdin on stdout. It answers all that has come before it waits for more."""
    now = int(time.time())
    with open(sys.stdin.fileno(), "rb", closefd=False) as questions:
        for lines in _arrivals(questions):
            sys.stdout.write("".join([f"{answer(line, now)}\n" for line in lines]))
            sys.stdout.flush()
    return 0


def _arrivals(stream: BufferedReader) -> Iterator[list[bytes]]:
    rest = b""
    while chunk := stream.read1(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > LINE_MAX:
            # Long enough to be refused as too long. The rest of the line is not stored.
            rest = rest[: LINE_MAX + 1]
        if lines:
            yield lines
    if rest:
        yield [rest]


def answer(line: bytes, now: int) -> str:
    """Answers one question. A bad one gets an error and stops nothing."""
    try:
        asked = _read(line)
        schedule = _schedule(*[_text(asked, name) for name in _TEXTS])
        after = _text(asked, "after")
        slots = schedule.slots(now if after is None else parse_instant(after, "after"))
        fires = '","'.join([nominal(slot) for slot in islice(slots, _count(asked))])
    except ScheduleError as error:
        return json.dumps({"error": error.as_json()})
    return f'{{"fires":["{fires}"]}}' if fires else '{"fires":[]}'


@lru_cache(4096)
def _schedule(cron: str | None, *meaning: str | None) -> Schedule:
    given = zip(_TEXTS[1:], meaning, strict=True)
    words = {name: word for name, word in given if word is not None}
    return compile_schedule(
        cron or "",
        timezone=words.get("timezone", "UTC"),
        seconds=words.get("seconds", "first"),
        dst_mode=words.get("dst_mode", "auto"),
        dst_gap=words.get("dst_gap", "fire"),
        dst_overlap=words.get("dst_overlap", "first"),
    )


def _read(line: bytes) -> dict[str, object]:
    if len(line) > LINE_MAX:
        raise ScheduleError("too_long", f"The line is longer than {LINE_MAX} bytes.")
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        message = 'The line is not JSON: expected {"cron":"0 9 * * 1-5"}.'
        raise ScheduleError("invalid_request", message) from None
    if not isinstance(asked, dict) or "cron" not in asked:
        message = 'The line has no cron: expected {"cron":"0 9 * * 1-5"}.'
        raise ScheduleError("invalid_request", message)
    for name in asked:
        if name not in _FIELDS:
            message = f"'{name[:64]}' is not a field here: expected {', '.join(_FIELDS)}."
            raise ScheduleError("unknown_field", message, field=name[:64])
    return asked


def _text(asked: dict[str, object], name: str) -> str | None:
    value = asked.get(name)
    if value is not None and not isinstance(value, str):
        raise ScheduleError("bad_value", f"{name} is not text: expected a string.", field=name)
    return value


def _count(asked: dict[str, object]) -> int:
    count = asked.get("count")
    if count is None:
        return 1
    if isinstance(count, int) and not isinstance(count, bool) and 1 <= count <= COUNT_MAX:
        return count
    message = f"count is out of range: expected a whole number from 1 to {COUNT_MAX}."
    raise ScheduleError("out_of_range", message, field="count")
