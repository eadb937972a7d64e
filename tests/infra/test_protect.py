"""The end of a deployment protects the tables from deletion, also those that are being changed."""

from __future__ import annotations

from typing import Any

import pytest

from infra import welcome
from infra.kept_storage import TABLES
from onthedot.store import aws

OUTPUTS = {f"{part}Table": part.lower() for part in TABLES}


class Tables:
    """Notes what is asked of DynamoDB. A changed table takes no other change."""

    def __init__(self, *protected: str) -> None:
        self.protected = set(protected)
        self.active: set[str] = set()

    def describe_table(self, TableName: str) -> dict[str, Any]:  # noqa: N803 the API's name
        return {"Table": {"DeletionProtectionEnabled": TableName in self.protected}}

    def get_waiter(self, _until: str) -> Tables:
        return self

    def wait(self, TableName: str) -> None:  # noqa: N803 the API's name
        self.active.add(TableName)

    def update_table(self, TableName: str, **changes: bool) -> None:  # noqa: N803 the API's name
        assert TableName in self.active
        assert changes == {"DeletionProtectionEnabled": True}
        self.protected.add(TableName)


def test_each_table_is_protected_once_it_takes_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Tables("runs")
    monkeypatch.setattr(aws, "client", lambda _service: tables)

    welcome.protect(OUTPUTS)

    assert tables.protected == set(OUTPUTS.values())
    assert "runs" not in tables.active
