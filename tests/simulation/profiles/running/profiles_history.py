"""Profiles of what was sent: targets and payloads are edited, and runs of before are run again."""

from __future__ import annotations

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.scene import Scene, quiet
from tests.simulation.stage import Course

_EDITED = ("aim", "aim and load", "payload")
_AGAIN = ("replay", "replay as sent", "replay as it is", "replay at the former")
_CRASHES = quiet(crash_before=0.02, crash_after=0.03, refused=0.02, lost=0.02, double_message=0.1)


def _edited(name: str, faults: Profile) -> Scene:
    return Scene(
        name=name,
        kinds=("minute", "twenty", "queue", "fragile"),
        faults=faults,
        calls=(*_EDITED, *_EDITED, *_AGAIN),
        calls_max=9,
        failing=0.3,
        raising=True,
        takes_sec=6,
    )


HISTORY = (
    _edited("versions", Profile()),
    _edited("versions crashes", _CRASHES),
    # A dispatcher stands still before it puts its range, and its calendar is lifted meanwhile.
    Scene(
        name="lifted beside",
        kinds=("closed minute", "closed twenty"),
        drawn=1,
        aims=tuple(
            Aim(f"dispatch#{number}", "put_item", place, Fault.STALL_BEFORE, stall_sec=9)
            for number in range(8)
            for place in (0, 1)
        ),
        calls=("open", "open", "pause", "resume", "close"),
        calls_max=6,
        calls_between=(58, 72),
    ),
    # By the API's own handlers, one by one and by the many.
    Scene(
        name="asked versions",
        kinds=(),
        users=("aim", "aim", "use", "use", "edit", "trigger", "some letters"),
        users_max=12,
        calls_between=(30, 300),
        course=Course(ticks_until=450, sec=1_600),
        failing=0.5,
        raising=True,
    ),
)
