"""Describes verdicts: what becomes of a run's message if the run does not start now.

A gate returns a verdict, or `None` if the run may go on. `no_start.py` carries verdicts out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onthedot.work.decision_table import Hold, Skip
from onthedot.work.job import Job


@dataclass(frozen=True, slots=True)
class Struck:
    """The run is struck off its message: another message will come, or none is needed."""


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
