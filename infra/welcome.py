"""What `make deploy` ends with: the first admin key, the code's schedules, the zones' new data.

The key is made with the deployer's own credentials: nobody can ask the API for one before.
"""

import sys

from infra.outputs import become
from onthedot.flows import declared, keys
from onthedot.flows.exhausted import list_those_before
from onthedot.flows.retime import retime
from onthedot.sdk.manifest import manifest


def main() -> None:
    """Where there is a key already, make none."""
    outputs = become()
    key = keys.make_first()
    _say(f"\nThe API: {outputs['Url']}")
    if key is None:
        _say("There is an admin key already: with it, more are made.")
    else:
        _say(f"The first admin key, shown this once: {key}")
    _say(_declared())
    for task_id in retime():
        _say(f"Comes earlier by the zones' data of this version: {task_id}")
    listed = sum(1 for _ in list_those_before())
    if listed:
        _say(f"Looked at for the status completed: {listed} schedules that are not to fire now")
    _say("What to do next: docs/deploying.md")


def _declared() -> str:
    """The schedules of `jobs/` are made what the code says; what operators paused stays paused."""
    wanted = [each["schedule"] for each in manifest()["handlers"] if each["schedule"]]
    done = declared.register(wanted, keys.FIRST_TENANT)
    said = ", ".join(f"{number} {what}" for what, number in done.items()) or "none"
    return f"Schedules that jobs/ declares: {said}"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()
