"""Law of warnings: an answer about a schedule says whether a few more deaths will pause it.

Judged by when its runs died and succeeded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.simulation.laws.running.laws_calls import untroubled
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

_CODE = "pause_near"
# An audit counts a death some minutes after it.
_COUNTED_MS = 360_000


class _End(NamedTuple):
    """When a run of a schedule ended, and how."""

    at_ms: float
    died: bool


def obeyed(stage: Stage, journal: Journal, *, audited: bool) -> Iterator[str]:
    """Checks each answer to a GET of one schedule; the answer to an edit counts no deaths."""
    shows = "GET /v1/schedules/"
    asks = [act for act in stage.acts if isinstance(act, Ask) and act.route.startswith(shows)]
    if not asks or not untroubled(stage):
        return
    ends = _ends(journal)
    for ask in asks:
        said = ask.said if isinstance(ask.said, dict) else {}
        if ask.answer is None or "warnings" not in said or "pause_after_deaths" not in said:
            continue
        task_id, most = said["task_id"], said["pause_after_deaths"]
        warned = any(one["code"] == _CODE for one in said["warnings"])
        mine, now_ms = ends[task_id], ask.answer.at_ms
        died = sum(one.died for one in mine if one.at_ms <= now_ms)
        if warned and (not most or 2 * died < most or said["status"] != "active"):
            yield f"warned in vain: {task_id}, of which {died} runs had died, {most} may"
        if not audited or warned or not most or said["status"] != "active":
            continue
        paused = any(
            one.task.status != "active" and one.at_ms <= now_ms for one in journal.versions[task_id]
        )
        if not paused and most <= 2 * _in_a_row(mine, now_ms):
            yield f"not warned: {task_id}, of which {died} runs had died, {most} may"


def _ends(journal: Journal) -> dict[str, list[_End]]:
    """Gives the ends that count: runs that died, and runs that succeeded."""
    found: dict[str, list[_End]] = defaultdict(list)
    for change in journal.changes:
        if change.after and change.after.status in ("dead", "succeeded"):
            found[change.task_id].append(_End(change.at_ms, change.after.status == "dead"))
    return found


def _in_a_row(ends: Sequence[_End], now_ms: float) -> int:
    """Returns how many deaths an audit has counted for sure: none has succeeded among them, or
    since.
    """
    known = [one for one in ends if one.at_ms <= now_ms]
    since = max((place for place, one in enumerate(known, 1) if not one.died), default=0)
    return max(0, bisect_right(known, (now_ms - _COUNTED_MS, True)) - since)
