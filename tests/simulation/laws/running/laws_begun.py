"""Laws of what callers begin and stop: a task that is there runs when a caller asks for it.

What a loop has claimed is sent, and a stop is answered with a loop that has stopped.
"""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.runs.pull import pulled
from onthedot.records.tasks.task_spec import ENDED
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage
from tests.simulation.users.act import Act
from tests.simulation.users.caller import Ask

_TRIGGERS = frozenset({"trigger", "put off", "trigger laden"})
_NOT_FOUND, _GOES_ON = 404, "running"


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each call that began or stopped something."""
    for act in stage.acts:
        if act.name in _TRIGGERS and _refused(act) and _there(stage, journal, act):
            yield f"not begun: {act.task_id} was there, and did not run when it was asked to"
        if (
            isinstance(act, Ask)
            and act.name == "stop"
            and (act.said or {}).get("status") == _GOES_ON
        ):
            yield f"not stopped: {act.route} was told that it goes on"
    yield from _sent(stage, journal)


def _sent(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a minute that ended well has sent what it has claimed for a loop."""
    for change in journal.changes:
        born, writer = change.before is None and change.after, change.writer
        if not born or born.status != "claimed" or writer is None or writer.kind != "step":
            continue
        sound = writer.done and not (writer.dead or writer.error)
        run = stage.rows().get(change.run_id)
        if sound and run and not pulled(run.queue) and change.run_id not in journal.sent_ms:
            yield f"unsent: {change.run_id} was claimed by {writer.name}, which ended well"


def _refused(act: Act) -> bool:
    """Tells whether it was said that nothing of that name can run."""
    if isinstance(act, Ask):
        return act.answer is not None and act.answer.status == _NOT_FOUND
    return bool(act.acked_ms) and not act.run_id


def _there(stage: Stage, journal: Journal, act: Act) -> bool:
    """Tells whether it was the caller's all the time, and had not ended when the history did."""
    versions = journal.versions.get(act.task_id)
    if not versions or act.task_id in stage.illegible:
        return False
    if isinstance(act, Ask) and act.tenant_id != versions[0].task.tenant_id:
        return False
    return versions[0].at_ms < act.began_ms and all(
        one.task.status not in ENDED for one in versions
    )
