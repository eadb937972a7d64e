"""Rows that histories write are read and stored again as they were, whatever their status."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from onthedot.records.attributes import plain_item
from onthedot.records.runs import run_row
from onthedot.records.runs.run_status import FINAL, OPEN, Status
from tests.simulation.histories import history
from tests.simulation.machine.journal import pairs
from tests.simulation.profiles.all_profiles import ALL
from tests.simulation.stage import Stage

# In "mixed" yesterday's release writes rows beside this one.
PROFILES = (
    "mixed",
    "executions crashes",
    "buses",
    "handled",
    "yields",
    "rates",
    "quotas",
    "misfires",
    "given back",
    "buried refused",
)
STATUSES = FINAL | OPEN - {Status.WAITING}
FIELDS = frozenset(
    "status reason attempt tv schedule_version version due_ms claim_id claim_until claimed_ms "
    "owner msg lease_ms started_ms first_started_ms first_due_ms called_ms ended_ms dropped waited "
    "delivered buried released note key_gate gate_ms gate_behind_ms permit waits_on checkpoint "
    "progress result error attempts".split()
)


@cache
def written(profile: str) -> list[dict[str, Any]]:
    """Each state of each run's row that this version can read."""
    stage = history(ALL[profile], 0)
    items = [plain_item(after) for *_, after in pairs(stage.world, "runs") if after]
    return [item for item in items if "life" in item and run_row.readable(item)]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_row_is_stored_again_as_it_was_read(profile: str) -> None:
    items = written(profile)

    assert items
    for item in items:
        run = run_row.parse(item)
        kept = {name: getattr(run, name) for name in run_row.OPTIONAL if name in item}
        assert run.life.stored() == item["life"]
        assert kept | {"stale": list(run.stale)} == {
            "stale": [],
            **{name: item[name] for name in kept},
        }


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_stored_is_plain(profile: str) -> None:
    """A status or a reason is written as its text, never as the word of an enumeration."""
    stage = history(ALL[profile], 0)

    kinds = {type(value) for item in kept(stage) for value in leaves(item)}
    assert kinds <= {str, bool, bytes}


def kept(stage: Stage) -> list[Any]:
    """Every item that a history leaves, as the store keeps it."""
    tables = ("runs", "tasks", "access")
    return [item for name in tables for item in stage.world.store.scan(TableName=name)["Items"]]


def leaves(value: Any) -> Iterator[Any]:
    """The names and the values of an item."""
    match value:
        case dict():
            for name, inner in value.items():
                yield name
                yield from leaves(inner)
        case list() | set():
            for inner in value:
                yield from leaves(inner)
        case _:
            yield value


def test_these_histories_have_every_status_and_every_field() -> None:
    lives = [item["life"] for profile in PROFILES for item in written(profile)]

    assert {life["status"] for life in lives} == STATUSES
    assert frozenset(name for life in lives for name in life) == FIELDS
