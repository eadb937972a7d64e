"""The tables as the template has them: keys, indexes, and what keeps their items safe."""

import json
from typing import Any

import pytest
from aws_cdk import App
from aws_cdk.assertions import Template

from infra.stack import OnTheDot
from tests.tidy.tree import ROOT

DUE = (
    "tenant_id next_slot schedule_version compiled misfire grace_sec queue calendars runs_left "
    "tzdata"
)
BY_TENANT = (
    "name status cron every_sec seconds timezone dst_mode dst_gap dst_overlap start_at end_at "
    "calendars jitter_sec target_type handler tags priority managed_by version"
)
ATTENTION = "status reason origin error_fp tenant_id"

NAMES_IN_AN_INDEX_MAX = 20
NAMES_IN_A_TABLE_MAX = 100


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    """Every table of the template, by the sort key that tells them apart."""
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    template = Template.from_stack(OnTheDot(App(context=context), "OnTheDot"))
    found = template.find_resources("AWS::DynamoDB::Table")
    return {table["Properties"]["KeySchema"][1]["AttributeName"]: table for table in found.values()}


def test_the_three_tables_have_their_keys(tables: dict[str, Any]) -> None:
    keys = [_keys(table["Properties"]) for table in tables.values()]

    assert sorted(keys) == [
        ["pk S", "sk S"],
        ["task_id S", "part S"],
        ["task_id S", "scheduled_for S"],
    ]


@pytest.mark.parametrize(
    ("table", "index", "keys", "names"),
    [
        ("part", "due", ["due_shard N", "next_run_at S"], DUE),
        ("part", "by_tenant", ["listed S", "created_at S"], BY_TENANT),
        ("scheduled_for", "attention", ["attention S", "attention_at S"], ATTENTION),
        ("scheduled_for", "pull", ["pull S", "pull_at S"], ""),
    ],
)
def test_an_index_has_its_keys_and_carries_what_its_readers_need(
    tables: dict[str, Any], table: str, index: str, *, keys: list[str], names: str
) -> None:
    properties = tables[table]["Properties"]
    found = _indexes(properties)[index]

    assert _keys(found, types_from=properties) == keys
    assert found["Projection"].get("NonKeyAttributes", []) == names.split()


def test_there_is_no_other_index(tables: dict[str, Any]) -> None:
    found = {name: list(_indexes(table["Properties"])) for name, table in tables.items()}

    assert found == {"part": ["due", "by_tenant"], "scheduled_for": ["attention", "pull"], "sk": []}


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

    assert properties["DeletionProtectionEnabled"] is True
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert tables[table]["DeletionPolicy"] == "Retain"
    assert tables[table]["UpdateReplacePolicy"] == "Retain"


@pytest.mark.parametrize("table", ["part", "scheduled_for", "sk"])
def test_a_table_costs_by_use_and_forgets_in_time(tables: dict[str, Any], table: str) -> None:
    properties = tables[table]["Properties"]

    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert "TableName" not in properties


def _indexes(properties: dict[str, Any]) -> dict[str, Any]:
    return {index["IndexName"]: index for index in properties.get("GlobalSecondaryIndexes", [])}


def _keys(holder: dict[str, Any], types_from: dict[str, Any] | None = None) -> list[str]:
    attributes = (types_from or holder)["AttributeDefinitions"]
    types = {each["AttributeName"]: each["AttributeType"] for each in attributes}
    return [f"{key['AttributeName']} {types[key['AttributeName']]}" for key in holder["KeySchema"]]
