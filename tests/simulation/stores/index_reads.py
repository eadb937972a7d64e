"""Query, Scan and projections over a table or one of its indexes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import crc32

from tests.simulation.stores import expressions
from tests.simulation.stores.conditions import Test, compile_condition, reach
from tests.simulation.stores.errors import Invalid
from tests.simulation.stores.expressions import Read, check_values
from tests.simulation.stores.nodes import (
    Between,
    Call,
    Compare,
    Condition,
    Every,
    Path,
    Slot,
    conjuncts,
)
from tests.simulation.stores.rows import Key
from tests.simulation.stores.table import Index, Table
from tests.simulation.stores.values import Item, Value, item_bytes

_READ_UNIT_BYTES = 4096
_RANGES = frozenset({"=", "<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class KeyPlan:
    partition: str | int
    sort: Test | None
    compared: tuple[str | int, ...]


class Source(NamedTuple):
    """What a Query or Scan reads from, and what it wants of it."""

    table: Table
    rows: Table | Index
    request: Mapping[str, Any]
    read: Read


@dataclass(frozen=True, slots=True)
class Page:
    items: list[Item]
    scanned: int
    last_key: Item | None
    units: float


def read_of(request: Mapping[str, Any]) -> Read:
    names = request.get("ExpressionAttributeNames")
    return expressions.read(
        tuple(names.items()) if names else (),
        request.get("KeyConditionExpression"),
        request.get("FilterExpression"),
        request.get("ProjectionExpression"),
    )


def query(table: Table, request: Mapping[str, Any], behind_us: int, page_max: int | None) -> Page:
    read = read_of(request)
    values = request.get("ExpressionAttributeValues") or {}
    check_values(read.slots, values, "KeyConditionExpression")
    source = _source(table, request)
    schema = source.schema
    if read.key is None:
        raise Invalid("Either the KeyConditions or KeyConditionExpression parameter must be given")
    plan = _plan(read.key, schema.partition.name, schema.sort.name if schema.sort else None)
    for name in schema.names:
        if name in read.filtered:
            raise Invalid(
                "Filter Expression can only contain non-primary key attributes: "
                f"Primary key attribute: {name}"
            )
    if any(not content for key in plan.compared for content in values[key].values()):
        raise Invalid(
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value"
        )
    value = values[plan.partition]
    if schema.partition.kind not in value:
        raise Invalid(
            "One or more parameter values were invalid: Condition parameter type does not match "
            "schema type"
        )
    partition = schema.partition.raw(value[schema.partition.kind])
    found: Iterable[tuple[Key, Item]] = source.rows.partition(partition, behind_us)
    if plan.sort is not None:
        sort = plan.sort
        found = [pair for pair in found if sort(pair[1], values)]
    return _page(Source(table, source, request, read), list(found), page_max)


def scan(table: Table, request: Mapping[str, Any], behind_us: int, page_max: int | None) -> Page:
    read = read_of(request)
    check_values(read.slots, request.get("ExpressionAttributeValues") or {}, "FilterExpression")
    source = _source(table, request)
    total, segment = request.get("TotalSegments", 1), request.get("Segment", 0)
    partitions = [p for p in source.rows.partitions() if _scattered(p) % total == segment]
    found = [
        pair
        for partition in sorted(partitions, key=_scattered)
        for pair in source.rows.partition(partition, behind_us)
    ]
    return _page(Source(table, source, request, read), found, page_max)


def _source(table: Table, request: Mapping[str, Any]) -> Table | Index:
    name = request.get("IndexName")
    if name is None:
        return table
    if name not in table.indexes:
        raise Invalid("The table does not have the specified index: " + str(name))
    if request.get("ConsistentRead"):
        raise Invalid("Consistent reads are not supported on global secondary indexes")
    return table.indexes[name]


def _scattered(partition: Any) -> int:
    return crc32(repr(partition).encode())


@lru_cache(maxsize=1024)
def _plan(condition: Condition, partition: str, sort: str | None) -> KeyPlan:
    slot: str | int | None = None
    ranges: list[Condition] = []
    compared: list[str | int] = []
    for part in conjuncts(condition):
        match part:
            case Compare("=", Path((name,)), Slot(key)) if name == partition:
                slot = key
                compared.append(key)
            case Compare(sign, Path((name,)), Slot(key)) if name == sort and sign in _RANGES:
                ranges.append(part)
                compared.append(key)
            case Between(Path((name,)), Slot(low), Slot(high)) if name == sort:
                ranges.append(part)
                compared += [low, high]
            case Call("begins_with", (Path((name,)), Slot(key))) if name == sort:
                ranges.append(part)
                compared.append(key)
            case _:
                raise Invalid(f"Query key condition not supported: {part}")
    if slot is None:
        raise Invalid(f"Query condition missed key schema element: {partition}")
    if len(ranges) > 1:
        raise Invalid("KeyConditionExpressions must only contain one condition per key")
    sorting = compile_condition(Every(tuple(ranges))) if ranges else None
    return KeyPlan(slot, sorting, tuple(compared))


def _page(source: Source, found: list[tuple[Key, Item]], page_max: int | None) -> Page:
    request, read = source.request, source.read
    if request.get("ScanIndexForward") is False:
        found.reverse()
    start = request.get("ExclusiveStartKey")
    if start is not None:
        found = _after(found, _position(source, start), request)
    limit = request.get("Limit")
    if page_max is not None and (limit is None or page_max < limit):
        limit = page_max
    seen = found if limit is None else found[:limit]
    reached = limit is not None and len(seen) == limit
    items = [item for _, item in seen]
    units = 0.0
    if request.get("ReturnConsumedCapacity", "NONE") != "NONE":
        units = read_units(map(item_bytes, items), consistent=bool(request.get("ConsistentRead")))
    last = _key_fields(source, seen[-1][1]) if reached and seen else None
    if read.filter is not None:
        test, values = read.filter, request.get("ExpressionAttributeValues") or {}
        items = [item for item in items if test(item, values)]
    return Page(project(items, read.projection), len(seen), last, units)


def _position(source: Source, start: Item) -> Key:
    table, rows = source.table, source.rows
    base_key = table.key_of({name: start[name] for name in table.key_names if name in start})
    return base_key if isinstance(rows, Table) else rows.key(start, base_key)


def _after(
    found: list[tuple[Key, Item]], position: Key, request: Mapping[str, Any]
) -> list[tuple[Key, Item]]:
    if "KeyConditionExpression" not in request:
        order = (_scattered(position[0]), position)
        return [pair for pair in found if (_scattered(pair[0][0]), pair[0]) > order]
    if request.get("ScanIndexForward") is False:
        return [pair for pair in found if pair[0] < position]
    return [pair for pair in found if pair[0] > position]


def _key_fields(source: Source, item: Item) -> Item:
    names = (*source.rows.schema.names, *source.table.key_names)
    return {name: item[name] for name in names}


def read_units(sizes: Iterable[int], *, consistent: bool) -> float:
    """Of one Query or Scan: the sum is rounded up, not each item."""
    whole = max(1, math.ceil(sum(sizes) / _READ_UNIT_BYTES))
    return whole * (1.0 if consistent else 0.5)


def project(items: list[Item], paths: tuple[Path, ...] | None) -> list[Item]:
    if paths is None:
        return [dict(item) for item in items]
    if all(len(path.steps) == 1 for path in paths):
        roots = [path.root for path in paths]
        return [{root: item[root] for root in roots if root in item} for item in items]
    return [_projected(item, paths) for item in items]


def _projected(item: Item, paths: tuple[Path, ...]) -> Item:
    shown: Item = {}
    for path in paths:
        value = reach(item.get(path.root), path.steps[1:])
        if value is not None:
            _hang(shown, path, value)
    return shown


def _hang(shown: Item, path: Path, value: Value) -> None:
    level = shown
    for step in path.steps[:-1]:
        level = level.setdefault(str(step), {"M": {}})["M"]
    if not all(isinstance(step, str) for step in path.steps):
        raise NotImplementedError("the simulated store projects no list elements")
    level[str(path.steps[-1])] = value
