"""A new stack goes on with what a destroyed one of its name has left, and with nothing else."""

from __future__ import annotations

import pytest

from infra.kept_storage import BUCKETS, PARTS, UndecidedError, left
from infra.outputs import stack_name
from tests.infra import deployed

TABLES = [
    "OnTheDot-StorageTasksA1B2-X1",
    "OnTheDot-StorageRunsC3D4-X2",
    "OnTheDot-StorageAccessE5F6-X3",
    "OnTheDot-test-StorageTasksA1B2-X4",
    "other",
]
BUCKETS_THERE = ["onthedot-storageblobsa1b2-x5", "onthedot-test-storageblobsa1b2-x6"]
# A hyphen, and letters of CloudFormation's own.
OWN = 13
LONGEST_BUCKET = 63


def test_a_whole_set_is_found_by_the_name_of_the_stack() -> None:
    assert left("OnTheDot", TABLES, BUCKETS_THERE) == {
        "Tasks": "OnTheDot-StorageTasksA1B2-X1",
        "Runs": "OnTheDot-StorageRunsC3D4-X2",
        "Access": "OnTheDot-StorageAccessE5F6-X3",
        "Blobs": "onthedot-storageblobsa1b2-x5",
    }


def test_tables_of_a_stage_that_differs_in_case_are_not_taken() -> None:
    assert left("OnTheDot-Test", TABLES, BUCKETS_THERE) == {}


def test_a_bucket_alone_is_left_alone() -> None:
    assert left("OnTheDot", ["other"], BUCKETS_THERE) == {}


def test_where_a_part_is_missing_a_person_decides_instead_of_getting_empty_tables() -> None:
    with pytest.raises(UndecidedError, match=r"StorageTasksA1B2-X4.* no Runs and no Access"):
        left("OnTheDot-test", TABLES, BUCKETS_THERE)
    with pytest.raises(UndecidedError, match="but no Blobs"):
        left("OnTheDot", TABLES, [])


def test_where_there_are_two_sets_a_person_decides() -> None:
    several = ["OnTheDot-StorageRunsZZ-Y", *TABLES]
    with pytest.raises(UndecidedError, match="StorageRunsC3D4-X2, OnTheDot-StorageRunsZZ-Y"):
        left("OnTheDot", several, BUCKETS_THERE)


def test_the_names_that_cloudformation_makes_are_those_looked_for() -> None:
    """They begin with the logical ids, which the CDK makes from the constructs."""
    made = {**deployed.resources("AWS::DynamoDB::Table"), **deployed.resources("AWS::S3::Bucket")}

    assert sorted(made) == sorted(
        name for part in PARTS for name in made if name.startswith(f"Storage{part}")
    )
    assert stack_name("test").lower().startswith(BUCKETS)


def test_the_longest_stage_leaves_the_name_of_the_bucket_whole() -> None:
    longest = "x" * 20
    deployed.settings(stage=longest)
    (bucket,) = deployed.resources("AWS::S3::Bucket")

    assert len(f"{stack_name(longest)}-{bucket}") + OWN <= LONGEST_BUCKET
