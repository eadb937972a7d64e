"""After a restore, before ticks go on: see docs/restoring.md, of which this is one step."""

import sys

from infra.outputs import become
from onthedot.upkeep.after_restore import mended

_SAID = {
    "cancelled": "cancelled, for nobody knows what became of it: {}",
    "goes on": "goes on from now: {}",
}


def main() -> None:
    """Say each name as it is dealt with: it is the list of what a person should look at."""
    become()
    listed = 0
    for what, name in mended():
        listed += what == "listed"
        if what in _SAID:
            _say(_SAID[what].format(name))
    _say(f"looked at for the status completed: {listed} schedules that are not to fire now")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()
