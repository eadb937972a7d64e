"""Writes runs of numbers so that croniter reads them as cron does."""

from __future__ import annotations

from onthedot.schedule.expression.dialect import WEEKDAYS, Kind


def spelled(kind: Kind, runs: list[range]) -> str:
    """Writes the runs as a list. A field that has only marks gives an empty text."""
    if any(len(run) == kind.size for run in runs):
        return "*"
    return ",".join([_spell(kind, run) for run in runs])


def _spell(kind: Kind, run: range) -> str:
    first, last = run[0], run[-1]
    if kind.names is WEEKDAYS:
        return ",".join(str((day - kind.low) % kind.size) for day in run)
    if last > kind.high:
        wrapped = next(place for place, value in enumerate(run) if value > kind.high)
        folded = range(kind.folded(run[wrapped]), kind.folded(last) + 1, run.step)
        return ",".join(_spell(kind, part) for part in (run[:wrapped], folded))
    if first == last:
        return str(first)
    return f"{first}-{last}/{run.step}" if run.step > 1 else f"{first}-{last}"
