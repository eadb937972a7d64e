"""Planted faults of what nobody sees while all is well: lost rows, looks, dead messages."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from onthedot.core import due as dues
from onthedot.flows import aside, audit, bury
from onthedot.flows.batch import Batch
from tests.simulation.mutant import Mutant, Patch


def lost_in_silence() -> list[Patch]:
    """A listed run without a row is nothing to look after."""
    return [(audit, "_still_missing", lambda *_: False)]


def recorded_ahead() -> list[Patch]:
    """Each cursor is taken for one that has moved on."""

    def parse(item: Any) -> Any:
        return replace(dues.parse(item), next_run_at=2**40)

    return [(audit, "dues", SimpleNamespace(parse=parse))]


def the_same_hour() -> list[Patch]:
    """The look at the day before always begins where its hour does."""
    return [(audit, "_PART_SEC", 60)]


def all_put_aside() -> list[Patch]:
    """What SQS has given up on is put aside, whether its runs are there or not."""
    original = aside.without_row

    def without_row(batch: Batch, _missing: Any) -> None:
        original(batch, [one.run_id for each in batch.messages for one in each.pack.tickets])

    told = SimpleNamespace(put_aside=aside.put_aside, without_row=without_row, count=aside.count)
    return [(bury, "aside", told)]


UPKEEP = (
    Mutant(
        "all put aside",
        "what names a run that is there is not put aside",
        all_put_aside,
        ("given up bare",),
    ),
    Mutant(
        "lost in silence",
        "a slot whose row is lost is recorded as missed",
        lost_in_silence,
        ("rows lost",),
    ),
    Mutant(
        "recorded ahead",
        "what a tick still comes to is not recorded as missed",
        recorded_ahead,
        ("listed in vain",),
    ),
    Mutant(
        "the same hour",
        "each hour looks at all of the day before",
        the_same_hour,
        ("looked further",),
    ),
)
