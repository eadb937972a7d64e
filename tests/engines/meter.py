"""What calls cost: units as ConsumedCapacity reports them, and how many calls there were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from onthedot.store import aws

READS = {"Query", "GetItem", "BatchGetItem"}


@dataclass(slots=True)
class Meter:
    """Sums by operation; only this test asks the store for what a call consumed."""

    units: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)

    @property
    def written(self) -> float:
        """Write units."""
        return sum(units for name, units in self.units.items() if name not in READS)

    @property
    def read(self) -> float:
        """Read units."""
        return sum(units for name, units in self.units.items() if name in READS)

    def ask(self, params: dict[str, Any], **_: object) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"

    def count(self, parsed: dict[str, Any], model: Any, **_: object) -> None:
        capacity = parsed.get("ConsumedCapacity", [])
        each = capacity if isinstance(capacity, list) else [capacity]
        self.units[model.name] += sum(one["CapacityUnits"] for one in each)
        self.calls[model.name] += 1


@contextmanager
def metered() -> Iterator[Meter]:
    """Meters the present client of DynamoDB."""
    meter, events = Meter(), aws.client("dynamodb").meta.events
    events.register("before-parameter-build.dynamodb.*", meter.ask)
    events.register("after-call.dynamodb.*", meter.count)
    try:
        yield meter
    finally:
        events.unregister("before-parameter-build.dynamodb.*", meter.ask)
        events.unregister("after-call.dynamodb.*", meter.count)
