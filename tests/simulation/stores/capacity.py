"""ConsumedCapacity: what a call cost, in the form the call asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tests.simulation.stores.rows import Key
from tests.simulation.stores.table import Table
from tests.simulation.stores.values import Item, item_bytes

_READ_UNIT_BYTES = 4096


class Meter:
    def __init__(self, detail: str) -> None:
        self._detail = detail
        self._spent: dict[str, dict[str, float]] = {}  # by table, then by index ("": the table)

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Meter | None:
        detail = request.get("ReturnConsumedCapacity", "NONE")
        return None if detail == "NONE" else cls(detail)

    def add(self, table: Table, index: str, amount: float) -> None:
        spent = self._spent.setdefault(table.name, {})
        spent[index] = spent.get(index, 0.0) + amount

    def read(self, table: Table, item: Item | None, *, consistent: bool) -> None:
        size = 0 if item is None else item_bytes(item)
        whole = max(1, math.ceil(size / _READ_UNIT_BYTES))
        self.add(table, "", whole * (1.0 if consistent else 0.5))

    def write(
        self, table: Table, key: Key, before: Item | None, after: Item | None, *, factor: int = 1
    ) -> None:
        """`factor` 2 in a transaction: on the table's own units, not on its indexes'."""
        for index, amount in table.write_units(key, before, after).items():
            self.add(table, index, amount if index else amount * factor)

    def refused(self, table: Table, before: Item | None, factor: int = 1) -> None:
        """Charges a failed condition by the item that it was checked against."""
        size = 0 if before is None else item_bytes(before)
        self.add(table, "", float(max(1, math.ceil(size / 1024)) * factor))

    def single(self) -> dict[str, Any]:
        return self.listed()[0]

    def listed(self) -> list[dict[str, Any]]:
        return [self._one(table, spent) for table, spent in self._spent.items()]

    def _one(self, table: str, spent: Mapping[str, float]) -> dict[str, Any]:
        shown: dict[str, Any] = {"TableName": table, "CapacityUnits": float(sum(spent.values()))}
        if self._detail == "INDEXES":
            shown["Table"] = {"CapacityUnits": float(spent.get("", 0.0))}
            indexes = {
                name: {"CapacityUnits": float(amount)} for name, amount in spent.items() if name
            }
            if indexes:
                shown["GlobalSecondaryIndexes"] = indexes
        return shown
