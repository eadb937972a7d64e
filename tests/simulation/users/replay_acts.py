"""Replays in a history: of the oldest run that is over, with what was sent, or with what is now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from onthedot.launch.replay import Wish, replay
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.kept_versions import Use

if TYPE_CHECKING:
    from tests.simulation.stage import Stage
    from tests.simulation.users.act import Act

# What each call says of payload and target.
USES = {
    "replay": Use(),
    "replay as sent": Use(target="sent"),
    "replay as it is": Use(payload="current"),
    "replay at the former": Use(payload="current", target="sent"),
}
Call = Callable[["Stage", "Act"], Run | None]


def _calling(use: Use) -> Call:
    def replayed(stage: Stage, act: Act) -> Run | None:
        """Returns the oldest run that is over is run again."""
        of_task = (run for run in stage.rows().values() if run.task_id == act.task_id)
        over = [run for run in sorted(of_task, key=lambda run: run.key) if run.final]
        return replay(over[0].run_id, Wish(use=use)) if over else None

    return replayed


CALLS: dict[str, Call] = {name: _calling(use) for name, use in USES.items()}
