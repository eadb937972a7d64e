"""Writes sets of numbers in English. Different sets get different phrases."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onthedot.schedule.expression.kinds import Kind

ORDINALS = ("first", "second", "third", "fourth", "fifth", "last")
_RUN_MIN = 3


def members(mask: int) -> list[int]:
    """Returns the bits that are set."""
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def joined(words: Sequence[str], last: str = "and") -> str:
    """Joins words as "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def step_of(kind: Kind, values: Sequence[int]) -> int | None:
    """Returns n if the values are every n-th of the whole field, with the wrap-around."""
    if len(values) < _RUN_MIN or values[0] != kind.low:
        return None
    step = values[1] - values[0]
    if kind.size % step:
        return None
    return step if list(range(kind.low, kind.high + 1, step)) == list(values) else None


def every_nth(values: Sequence[int], noun: str, name: Callable[[int], str] = str) -> str | None:
    """Writes a stepped run that covers part of the field: every 2nd hour from 08 through 18."""
    if len(values) < _RUN_MIN or (step := values[1] - values[0]) == 1:
        return None
    if list(range(values[0], values[-1] + 1, step)) != list(values):
        return None
    suffix = {2: "nd", 3: "rd", 22: "nd", 23: "rd", 21: "st"}.get(step, "th")
    return f"every {step}{suffix} {noun} from {name(values[0])} through {name(values[-1])}"


def listed(values: Sequence[int], name: Callable[[int], str] = str) -> str:
    """Writes runs as `a through b`, and the rest one by one."""
    words, rest = [], list(values)
    while rest:
        length = _leading_run(rest)
        run, rest = rest[:length], rest[length:]
        words.append(f"{name(run[0])} through {name(run[-1])}" if length > 1 else name(run[0]))
    return joined(words)


def _leading_run(values: Sequence[int]) -> int:
    length = 1
    while length < len(values) and values[length] == values[0] + length:
        length += 1
    return length if length >= _RUN_MIN else 1
