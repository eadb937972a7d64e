"""The tables as the template has them: keys, indexes, and what keeps their items safe."""

from typing import Any

import pytest

from onthedot.records import schema
from tests.infra import deployed

NAMES_IN_AN_INDEX_MAX = 20
NAMES_IN_A_TABLE_MAX = 100


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    """Returns every table of the template, by the sort key that tells them apart."""
    found = deployed.resources("AWS::DynamoDB::Table")
    return {table["Properties"]["KeySchema"][1]["AttributeName"]: table for table in found.values()}


def test_the_three_tables_have_their_keys(tables: dict[str, Any]) -> None:
    keys = [_keys(table["Properties"]) for table in tables.values()]

    assert sorted(keys) == [
        ["pk S", "sk S"],
        ["task_id S", "part S"],
        ["task_id S", "scheduled_for S"],
    ]


@pytest.mark.parametrize(
    ("table", "declared"),
    [("part", schema.TASKS), ("scheduled_for", schema.RUNS), ("sk", schema.ACCESS)],
)
def test_a_table_and_its_indexes_are_as_the_schema_declares(
    tables: dict[str, Any], table: str, declared: schema.Table
) -> None:
    properties = tables[table]["Properties"]
    wanted = schema.creation(declared, "any")

    assert properties["KeySchema"] == wanted["KeySchema"]
    assert _types(properties) == _types(wanted)
    assert _indexes(properties) == _indexes(wanted)


def test_indexes_stay_within_the_names_dynamodb_lets_them_carry(tables: dict[str, Any]) -> None:
    for table in tables.values():
        carried = [
            len(index["Projection"].get("NonKeyAttributes", []))
            for index in _indexes(table["Properties"]).values()
        ]

        assert max(carried, default=0) <= NAMES_IN_AN_INDEX_MAX
        assert sum(carried) <= NAMES_IN_A_TABLE_MAX


@pytest.mark.parametrize("table", ["part", "scheduled_for", "sk"])
def test_a_table_outlives_mistakes(tables: dict[str, Any], table: str) -> None:
    properties = tables[table]["Properties"]

    # `make deploy` switches it on: see tests/infra/test_settings.py.
    assert "DeletionProtectionEnabled" not in properties
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert tables[table]["DeletionPolicy"] == "RetainExceptOnCreate"
    assert tables[table]["UpdateReplacePolicy"] == "Retain"


@pytest.mark.parametrize("table", ["part", "scheduled_for", "sk"])
def test_a_table_costs_by_use_and_forgets_in_time(tables: dict[str, Any], table: str) -> None:
    properties = tables[table]["Properties"]

    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert "TableName" not in properties


def test_what_is_put_aside_outlives_the_tables_recovery_and_nothing_else_expires() -> None:
    (bucket,) = deployed.resources("AWS::S3::Bucket").values()
    rules = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
    expiring = {
        each.get("Prefix"): each["ExpirationInDays"] for each in rules if "Expir" in str(each)
    }

    assert expiring == {"aside/": 40}
    assert bucket["DeletionPolicy"] == "RetainExceptOnCreate"


def _indexes(properties: dict[str, Any]) -> dict[str, Any]:
    return {index["IndexName"]: index for index in properties.get("GlobalSecondaryIndexes", [])}


def _types(properties: dict[str, Any]) -> dict[str, str]:
    return {
        each["AttributeName"]: each["AttributeType"] for each in properties["AttributeDefinitions"]
    }


def _keys(properties: dict[str, Any]) -> list[str]:
    types = _types(properties)
    return [
        f"{key['AttributeName']} {types[key['AttributeName']]}" for key in properties["KeySchema"]
    ]
