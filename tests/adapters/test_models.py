"""The models are the schema that the template and the engines' tables are made from."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from onthedot.core import schema

Shape = dict[str, Any]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    for table in ("tasks", "runs", "access"):
        monkeypatch.setenv(f"{table.upper()}_TABLE", table)
    return import_module("onthedot.adapters.models")


@pytest.mark.parametrize(
    ("model", "declared"),
    [("Part", schema.TASKS), ("Row", schema.RUNS), ("Grant", schema.ACCESS)],
)
def test_a_model_has_its_tables_keys_and_indexes(
    models: ModuleType, model: str, declared: schema.Table
) -> None:
    found = getattr(models, model)._get_schema()  # noqa: SLF001  # what create_table would send
    wanted = schema.creation(declared, "any")

    assert _shape(found) == _shape(
        {
            "attribute_definitions": wanted["AttributeDefinitions"],
            "key_schema": wanted["KeySchema"],
            "global_secondary_indexes": [
                {
                    "index_name": index["IndexName"],
                    "key_schema": index["KeySchema"],
                    "projection": index["Projection"],
                }
                for index in wanted.get("GlobalSecondaryIndexes", [])
            ],
        }
    )


@pytest.mark.parametrize("model", ["Part", "Row", "Grant"])
def test_a_model_forgets_when_its_table_does(models: ModuleType, model: str) -> None:
    assert getattr(models, model)._ttl_attribute().attr_name == schema.TTL  # noqa: SLF001


def _shape(found: Shape) -> Shape:
    """Without the order, which pynamodb takes from the alphabet."""
    return {
        "types": {
            each["AttributeName"]: each["AttributeType"] for each in found["attribute_definitions"]
        },
        "keys": _keys(found["key_schema"]),
        "indexes": {
            index["index_name"]: (_keys(index["key_schema"]), index["projection"])
            for index in found["global_secondary_indexes"]
        },
    }


def _keys(key_schema: list[dict[str, str]]) -> dict[str, str]:
    return {key["KeyType"]: key["AttributeName"] for key in key_schema}
