"""Laws of what keeps dying: it is paused, and paused again after a person resumed it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.machine.journal import Journal, Version
from tests.simulation.stage import Stage

# An audit looks two minutes after a death, and acts the minute after.
_PAUSED_SEC = 360
# A probe comes an hour after the pause; what a person has resumed by then is forgotten.
_PROBED_SEC = 3_600 + 120
# What has begun by then may still be called.
_EDGE_MS = 6_000


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that where every run dies, a pause follows the number of deaths
    that the task names.
    """
    for task in stage.tasks:
        most = task.shown.get("pause_after_deaths", 10)
        versions = journal.versions[task.task_id]
        for place, version in enumerate(versions):
            later = versions[place + 1 :]
            until = later[0].at_ms / 1000 if later else stage.world.epoch_us() / 1_000_000
            if version.task.status != "active":
                continue
            since = version.at_ms / 1000
            if any(_by_system(one) for one in versions[:place]):
                paused = max(one.at_ms for one in versions[:place] if _by_system(one)) / 1000
                since = max(since, paused + _PROBED_SEC)
            ends = _deaths(stage, task.task_id, since, until)
            if len(ends) >= most and until > ends[most - 1] + _PAUSED_SEC:
                yield f"unpaused: {task.name} died {len(ends)} times since {since:.0f}"
        yield from _probes(stage, task.task_id, versions)
        yield from _left_alone(stage, task.task_id)


def _by_system(version: Version) -> bool:
    return (version.task.shown.get("paused") or {}).get("by") == "system"


def _deaths(stage: Stage, task_id: str, since: float, until: float) -> list[float]:
    ends = [
        one.ended_ms / 1000
        for one in stage.deliveries
        if one.run_id.startswith(task_id) and since < one.at_ms / 1000 < until
    ]
    return sorted(ends)


def _probes(stage: Stage, task_id: str, versions: list[Version]) -> Iterator[str]:
    """Checks that nothing is tried but what the system has paused, an hour after it was."""
    for delivery in stage.deliveries:
        if not delivery.run_id.startswith(task_id) or "~m" not in delivery.run_id:
            continue
        before = [one for one in versions if one.at_ms <= delivery.at_ms]
        if not before or not _by_system(before[-1]):
            yield f"probed in vain: {delivery.run_id}"
        elif delivery.at_ms < before[-1].at_ms + 3_500_000:
            yield f"probed too soon: {delivery.run_id}"


def _left_alone(stage: Stage, task_id: str) -> Iterator[str]:
    """Checks that what a person has paused is not tried, even if the system had
    paused it before.
    """
    acts = sorted(
        (act for act in stage.acts if act.task_id == task_id), key=lambda act: act.began_ms
    )
    for delivery in stage.deliveries:
        if not delivery.run_id.startswith(task_id) or "~m" not in delivery.run_id:
            continue
        before = [act for act in acts if act.began_ms <= delivery.at_ms]
        last = before[-1] if before else None
        if last and last.name == "pause" and 0 < last.acked_ms < delivery.at_ms - _EDGE_MS:
            yield f"probed in vain: {delivery.run_id}, which a person had paused"
