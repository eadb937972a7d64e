"""After a restore, before ticks go on: see docs/restoring.md, of which this is one step."""

import sys

from infra.outputs import become
from onthedot.flows.exhausted import list_all
from onthedot.flows.restored import end_what_was_open, mend_pauses, start_from_now


def main() -> None:
    """Say each name as it is dealt with: it is the list of what a person should look at."""
    become()
    for run_id in end_what_was_open():
        _say(f"cancelled, for nobody knows what became of it: {run_id}")
    for task_id in (*start_from_now(), *mend_pauses()):
        _say(f"goes on from now: {task_id}")
    # Which schedules fire no more, the restored list may not know.
    listed = sum(1 for _ in list_all())
    _say(f"looked at for the status completed: {listed} schedules that are not to fire now")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()
