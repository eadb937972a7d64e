"""Verdicts: what becomes of a run's message when the run does not start now.

Gates and looks return them; `no_start.py` carries them out. `None` in their place is a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onthedot.work.decision_table import Hold, Skip
from onthedot.work.job import Job


@dataclass(frozen=True, slots=True)
class Struck:
    """Nothing is left to do with the message: another will come, or none is needed."""


@dataclass(frozen=True, slots=True)
class Back:
    """The message comes back by itself, and is decided on again."""


@dataclass(frozen=True, slots=True)
class Later:
    """A fresh message, so many seconds from now, takes the place of this one."""

    seconds: int
    why: str = "hop"


Verdict = Skip | Hold | Struck | Back | Later
Answers = Sequence[tuple[Job, Verdict | None]]
