"""A table with its indexes: keys, projections, what a write does to them and what it costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.simulation.stores.errors import Invalid
from tests.simulation.stores.rows import Key, Rows
from tests.simulation.stores.values import (
    Item,
    NotANumber,
    Value,
    item_bytes,
    kind_of,
    normal,
    number,
)

ITEM_BYTES_MAX = 400 * 1024
_UNIT_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    kind: str

    def raw(self, content: Any) -> Any:
        return number(content) if self.kind == "N" else content


@dataclass(frozen=True)
class Schema:
    partition: Attribute
    sort: Attribute | None

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)


class Index:
    def __init__(
        self,
        description: Mapping[str, Any],
        kinds: Mapping[str, str],
        base: Schema,
        now_us: Callable[[], int],
    ) -> None:
        self.name = str(description["IndexName"])
        self.schema = _schema(description, kinds)
        projection = description["Projection"]
        keys = (*self.schema.names, *base.names)
        included = (*keys, *projection.get("NonKeyAttributes", ()))
        everything = projection["ProjectionType"] == "ALL"
        self.included = None if everything else frozenset(included)
        self.rows = Rows(now_us)
        self._read_key = _key_reader(self.schema)

    def entry(self, item: Item | None) -> Item | None:
        """Returns what the index holds of an item; None when the item lacks one of its keys."""
        if item is None or not self._covers(item):
            return None
        included = self.included
        if included is None:
            return item
        return {name: value for name, value in item.items() if name in included}

    def _covers(self, item: Item) -> bool:
        for name in self.schema.names:  # noqa: SIM110  # all() with a generator costs twice as much
            if name not in item:
                return False
        return True

    def key(self, entry: Item, base_key: Key) -> Key:
        """Entries of one index key sort by the table's key: the index key is not unique."""
        partition, sort = self._read_key(entry)
        return partition, (sort, *base_key)

    def check(self, item: Item) -> None:
        for attribute in self.schema.attributes:
            value = item.get(attribute.name)
            if value is not None and attribute.kind not in value:
                raise Invalid(
                    "One or more parameter values were invalid: Type mismatch for Index Key "
                    f"{attribute.name} Expected: {attribute.kind} Actual: {kind_of(value)} "
                    f"IndexName: {self.name}"
                )

    def follow(self, before: Item | None, after: Item | None, base_key: Key) -> None:
        covered = before is not None and self._covers(before)
        old_key = self.key(before, base_key) if before is not None and covered else None
        new = self.entry(after)
        new_key = None if new is None else self.key(new, base_key)
        if old_key is not None and old_key != new_key:
            self.rows.set(old_key, None)
        if new_key is not None and self.rows.items.get(new_key) != new:
            self.rows.set(new_key, new)

    def write_units(self, before: Item | None, after: Item | None, base_key: Key) -> int:
        old, new = self.entry(before), self.entry(after)
        if old is None or new is None:
            entry = old or new
            return 0 if entry is None else units(item_bytes(entry))
        if self.key(old, base_key) != self.key(new, base_key):
            return units(item_bytes(old)) + units(item_bytes(new))
        return 0 if old == new else units(max(item_bytes(old), item_bytes(new)))


class Table:
    def __init__(self, description: Mapping[str, Any], now_us: Callable[[], int]) -> None:
        kinds = {
            one["AttributeName"]: one["AttributeType"]
            for one in description["AttributeDefinitions"]
        }
        self.name = str(description["TableName"])
        self.description = description
        self.schema = _schema(description, kinds)
        self.key_names = self.schema.names
        self.rows = Rows(now_us)
        self._read_key = _key_reader(self.schema)
        self.indexes = {
            one["IndexName"]: Index(one, kinds, self.schema, now_us)
            for one in description.get("GlobalSecondaryIndexes") or ()
        }

    def key_of_item(self, item: Item) -> Key:
        try:
            key = self._read_key(item)
        except (KeyError, NotANumber):
            raise Invalid(self._what_is_wrong(item)) from None
        if "" in key or b"" in key:
            raise Invalid(self._what_is_wrong(item))
        return key

    def key_of(self, key: Item) -> Key:
        """Returns the key of a Key argument: the key attributes and nothing else."""
        try:
            read = self._read_key(key) if len(key) == len(self.key_names) else None
        except (KeyError, NotANumber):
            read = None
        if read is None:
            raise Invalid("The provided key element does not match the schema")
        if "" in read or b"" in read:
            raise Invalid(self._what_is_wrong(key))
        return read

    def _what_is_wrong(self, item: Item) -> str:
        for attribute in self.schema.attributes:
            value = item.get(attribute.name)
            if value is None:
                return (
                    "One or more parameter values were invalid: Missing the key "
                    f"{attribute.name} in the item"
                )
            if attribute.kind not in value:
                return (
                    "One or more parameter values were invalid: Type mismatch for key "
                    f"{attribute.name} expected: {attribute.kind} actual: {kind_of(value)}"
                )
            if not value[attribute.kind]:
                return (
                    "One or more parameter values are not valid. The AttributeValue for a key "
                    f"attribute cannot contain an empty string value. Key: {attribute.name}"
                )
        return "The parameter cannot be converted to a numeric value"

    def write(
        self, key: Key, before: Item | None, after: Item | None, changed: frozenset[str] | None
    ) -> None:
        """`changed`: the attributes an update names, None when the item is put or deleted."""
        touched = [
            index
            for index in self.indexes.values()
            if changed is None or index.included is None or not index.included.isdisjoint(changed)
        ]
        if after is not None:
            for index in touched:
                index.check(after)
        self.rows.set(key, after)
        for index in touched:
            index.follow(before, after, key)

    def write_units(self, key: Key, before: Item | None, after: Item | None) -> dict[str, int]:
        """By index name; the table's own under ""."""
        size = max(0 if item is None else item_bytes(item) for item in (before, after))
        costs = {"": units(size)}
        for index in self.indexes.values():
            cost = index.write_units(before, after, key)
            if cost:
                costs[index.name] = cost
        return costs


def _key_reader(schema: Schema) -> Callable[[Item], Key]:
    """Raises KeyError or NotANumber where the item has no such key."""
    first, second = schema.partition, schema.sort
    name, kind = first.name, first.kind
    if second is None:
        return lambda item: (first.raw(item[name][kind]), None)
    other, other_kind = second.name, second.kind
    if "N" in {kind, other_kind}:
        return lambda item: (first.raw(item[name][kind]), second.raw(item[other][other_kind]))
    return lambda item: (item[name][kind], item[other][other_kind])


def units(size: int) -> int:
    return max(1, math.ceil(size / _UNIT_BYTES))


def checked(item: Item) -> Item:
    """As DynamoDB would store it; Invalid where DynamoDB or botocore would refuse it."""
    return dict(zip(item, checked_values(item.values()), strict=True))


def checked_values(values: Iterable[Value]) -> list[Value]:
    try:
        return [normal(value) for value in values]
    except NotANumber as problem:
        raise Invalid(f"The parameter cannot be converted to a numeric value: {problem}") from None
    except ValueError as problem:
        raise Invalid(f"One or more parameter values were invalid: {problem}") from None


def check_size(item: Item, wording: str = "Item size") -> None:
    if item_bytes(item) > ITEM_BYTES_MAX:
        raise Invalid(f"{wording} has exceeded the maximum allowed size")


def _schema(description: Mapping[str, Any], kinds: Mapping[str, str]) -> Schema:
    by_role = {one["KeyType"]: one["AttributeName"] for one in description["KeySchema"]}
    partition = Attribute(by_role["HASH"], kinds[by_role["HASH"]])
    if "RANGE" not in by_role:
        return Schema(partition, None)
    return Schema(partition, Attribute(by_role["RANGE"], kinds[by_role["RANGE"]]))
