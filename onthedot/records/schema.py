"""Defines keys, indexes and projections of the three tables. Models, template and tests use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TTL = "expires_at"
# The name of a key, and DynamoDB's letter for its type.
Attribute = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A sparse index. If it carries nothing, it shows only the keys."""

    name: str
    keys: tuple[Attribute, Attribute]
    carries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table. The keys of its indexes need no other declaration."""

    keys: tuple[Attribute, Attribute]
    indexes: tuple[Index, ...] = ()


# Only what planning a fire needs: an entry of up to 1 kB costs one unit. Nothing writes `next_slot`
# and `tzdata`. They stay because deployed indexes have them, and CloudFormation refuses to change
# what an index carries (docs/upgrading.md). They cost nothing.
DUE = Index(
    name="due",
    keys=(("due_shard", "N"), ("next_run_at", "S")),
    carries=(
        "tenant_id",
        "next_slot",
        "version",
        "schedule_version",
        "compiled",
        "misfire",
        "grace_sec",
        "queue",
        "pack_max",
        "calendars",
        "runs_left",
        "tzdata",
    ),
)

# What a list shows and filters by. Only user edits change it, so firing never writes to this index.
# DynamoDB allows 20 names here; these are 19.
BY_TENANT = Index(
    name="by_tenant",
    keys=(("listed", "S"), ("created_at", "S")),
    carries=(
        "name",
        "status",
        "cron",
        "every_sec",
        "seconds",
        "timezone",
        "dst_mode",
        "dst_gap",
        "dst_overlap",
        "start_at",
        "end_at",
        "calendars",
        "jitter_sec",
        "target_type",
        "handler",
        "tags",
        "priority",
        "managed_by",
        "version",
    ),
)

ATTENTION = Index(
    name="attention",
    keys=(("attention", "S"), ("attention_at", "S")),
    carries=("status", "reason", "origin", "error_fp", "tenant_id"),
)

# A lease reads the run by its key before it starts it, so the keys are enough.
PULL = Index(name="pull", keys=(("pull", "S"), ("pull_at", "S")))

TASKS = Table(keys=(("task_id", "S"), ("part", "S")), indexes=(DUE, BY_TENANT))
RUNS = Table(keys=(("task_id", "S"), ("scheduled_for", "S")), indexes=(ATTENTION, PULL))
ACCESS = Table(keys=(("pk", "S"), ("sk", "S")))


def creation(table: Table, name: str) -> dict[str, Any]:
    """Returns the arguments of CreateTable, for engines without a template."""
    kinds = dict(table.keys)
    for index in table.indexes:
        kinds |= dict(index.keys)
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": kind} for attribute, kind in kinds.items()
        ],
        "KeySchema": _key_schema(table.keys),
    }
    # DynamoDB refuses an empty list of indexes.
    if table.indexes:
        request["GlobalSecondaryIndexes"] = [_index(index) for index in table.indexes]
    return request


def _index(index: Index) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": "KEYS_ONLY"}
    if index.carries:
        projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.carries)}
    return {
        "IndexName": index.name,
        "KeySchema": _key_schema(index.keys),
        "Projection": projection,
    }


def _key_schema(keys: tuple[Attribute, Attribute]) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": role}
        for (name, _), role in zip(keys, ("HASH", "RANGE"), strict=True)
    ]
