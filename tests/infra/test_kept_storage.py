"""A new stack goes on with what a destroyed one of its name has left, and with nothing else."""

from __future__ import annotations

import pytest

from infra.kept_storage import SeveralError, left

TABLES = [
    "OnTheDot-StorageTasksA1B2-X1",
    "OnTheDot-StorageRunsC3D4-X2",
    "OnTheDot-StorageAccessE5F6-X3",
    "OnTheDot-test-StorageTasksA1B2-X4",
    "other",
]
BUCKETS = ["onthedot-storageblobsa1b2-x5", "onthedot-test-storageblobsa1b2-x6"]


def test_a_whole_set_is_found_by_the_name_of_the_stack() -> None:
    assert left("OnTheDot", TABLES, BUCKETS) == {
        "Tasks": "OnTheDot-StorageTasksA1B2-X1",
        "Runs": "OnTheDot-StorageRunsC3D4-X2",
        "Access": "OnTheDot-StorageAccessE5F6-X3",
        "Blobs": "onthedot-storageblobsa1b2-x5",
    }


def test_a_part_of_a_set_is_left_alone() -> None:
    assert left("OnTheDot-test", TABLES, BUCKETS) == {}
    assert left("OnTheDot", TABLES, []) == {}


def test_where_there_are_two_sets_a_person_decides() -> None:
    with pytest.raises(SeveralError, match="OnTheDot-StorageRunsC3D4-X2, OnTheDot-StorageRunsZZ-Y"):
        left("OnTheDot", ["OnTheDot-StorageRunsZZ-Y", *TABLES], BUCKETS)
