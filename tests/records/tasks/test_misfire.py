"""What becomes of a late slot, as its task's policy says."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.records.tasks.misfire import Slot, ending, grace_of, is_late, newer_due, policy_ends
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.blackouts import blackout
from tests.schedule.samples import NOON, NOON_MS, compiled, task

COALESCED = ("skipped", "coalesced")
MISSED = ("missed", "outside_grace")


def minutely(**given: object) -> Task:
    """Returns a task whose slots are each minute."""
    whole: dict[str, Any] = {"compiled": compiled("* * * * *"), "effective_from": NOON - 3_600}
    return task(**whole | given)


def slot(late_sec: int, *, judged: bool = False, taken_up: bool = False) -> Slot:
    """Returns a slot that was due so long ago."""
    return Slot(due_ms=NOON_MS - late_sec * 1000, judged=judged, taken_up=taken_up)


def test_a_slot_is_late_after_ninety_seconds() -> None:
    assert not is_late(NOON_MS - 90_000, NOON_MS)
    assert is_late(NOON_MS - 90_001, NOON_MS)


def test_a_grace_below_ninety_seconds_acts_as_ninety() -> None:
    assert [grace_of(sec) for sec in (0, 89, 90, 91)] == [90, 90, 90, 91]


@pytest.mark.parametrize(
    ("misfire", "newer", "expected"),
    [
        ("all", True, None),
        ("all", False, None),
        ("latest", True, COALESCED),
        ("latest", False, None),
        ("none", True, ("missed", "policy_none")),
        ("none", False, ("missed", "policy_none")),
    ],
)
def test_the_policy_ends_a_late_slot(misfire: str, newer: object, expected: object) -> None:
    assert policy_ends(misfire, newer=bool(newer)) == expected


def test_the_grace_is_asked_before_the_policy() -> None:
    late = slot(301)

    assert ending(minutely(misfire="none", misfire_grace_sec=300), late, NOON_MS, bool) == MISSED
    assert ending(minutely(misfire="all", misfire_grace_sec=300), slot(300), NOON_MS, bool) is None


def test_the_grace_is_asked_once_and_the_policy_each_time() -> None:
    waited = slot(4_000, judged=True)

    assert ending(minutely(misfire="all", misfire_grace_sec=300), waited, NOON_MS, bool) is None
    latest = minutely(misfire="latest", misfire_grace_sec=300)
    assert ending(latest, waited, NOON_MS, lambda: True) == COALESCED
    assert ending(latest, waited, NOON_MS, lambda: False) is None


def test_what_stands_in_a_line_is_not_late() -> None:
    standing = slot(4_000, taken_up=True)

    assert ending(minutely(misfire="none"), standing, NOON_MS, lambda: True) is None


@pytest.mark.parametrize(
    ("given", "since", "expected"),
    [
        ({}, NOON - 61, True),
        ({}, NOON - 60, True),
        ({}, NOON, False),
        # What an edit has left behind is no slot of this schedule.
        ({"effective_from": NOON}, NOON - 60, False),
        ({"blackouts": (blackout("noon", cron="59,0 11,12 * * *"),)}, NOON - 60, False),
        ({"blackouts": (blackout("noon", cron="0 12 * * *"),)}, NOON - 120, True),
        ({"status": "paused"}, NOON - 60, False),
    ],
)
def test_newer_is_what_is_due_by_now_and_may_fire(
    given: dict[str, Any], since: int, expected: object
) -> None:
    assert newer_due(minutely(**given), since, NOON) is expected
