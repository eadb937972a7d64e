"""Repairs the tables after a restore, before ticks go on: one step of docs/restoring.md."""

import sys

from infra.outputs import become
from onthedot.upkeep.after_restore import mended

_SAID = {
    "cancelled": "cancelled, because its outcome is unknown: {}",
    "goes on": "goes on from now: {}",
}


def main() -> None:
    """Prints each name as it is handled: a person should look at these."""
    become()
    listed = 0
    for what, name in mended():
        listed += what == "listed"
        if what in _SAID:
            _say(_SAID[what].format(name))
    _say(f"schedules that may be completed, for the audit to check: {listed}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()
