"""The simulated DynamoDB as a botocore client: items in, plain dicts out, AWS's errors raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from tests.simulation.stores import batches, expressions, index_reads
from tests.simulation.stores.capacity import Meter
from tests.simulation.stores.errors import (
    ConditionFailed,
    Invalid,
    NoSuchTable,
    Refused,
    make,
    modelled,
    raise_refusal,
)
from tests.simulation.stores.expressions import check_values
from tests.simulation.stores.metadata import metadata
from tests.simulation.stores.rows import Key
from tests.simulation.stores.table import Table, check_size, checked
from tests.simulation.stores.updates import Change
from tests.simulation.stores.values import Item, number

Answer = dict[str, Any]
Given = ParamSpec("Given")
Result = TypeVar("Result")
BATCH_GET_MAX = 100


class Dynamo:
    """`strict` also checks what costs time: value types, sizes.

    `behind_us` makes eventually consistent reads stale, `page_max` cuts pages, until set back.
    """

    exceptions = modelled

    def __init__(self, now_us: Callable[[], int], *, strict: bool = True) -> None:
        self.now_us = now_us
        self.strict = strict
        self.behind_us = 0
        self.page_max: int | None = None
        self.tables: dict[str, Table] = {}
        self.tokens: dict[str, object] = {}

    def create_table(self, **request: Any) -> Answer:
        name = request["TableName"]
        if name in self.tables:
            message = f"Table already exists: {name}"
            raise make("ResourceInUseException", message, "CreateTable")
        self.tables[name] = Table(request, self.now_us)
        return self.answer(TableDescription={**request, "TableStatus": "ACTIVE"})

    def describe_table(self, **request: Any) -> Answer:
        table = _guarded("DescribeTable", self.table, request["TableName"])
        return self.answer(Table={**table.description, "TableStatus": "ACTIVE"})

    def delete_table(self, **request: Any) -> Answer:
        table = _guarded("DeleteTable", self.table, request["TableName"])
        del self.tables[table.name]
        return self.answer(TableDescription={**table.description, "TableStatus": "DELETING"})

    def table(self, name: str) -> Table:
        table = self.tables.get(name)
        if table is None:
            raise NoSuchTable
        return table

    def put_item(self, **request: Any) -> Answer:
        return _guarded("PutItem", self._put, request)

    def update_item(self, **request: Any) -> Answer:
        return _guarded("UpdateItem", self._update, request)

    def delete_item(self, **request: Any) -> Answer:
        return _guarded("DeleteItem", self._delete, request)

    def get_item(self, **request: Any) -> Answer:
        return _guarded("GetItem", self._get, request)

    def _put(self, request: Answer) -> Answer:
        table = self.table(request["TableName"])
        key, before, after = self.put(table, request)
        return self._written(request, table, key, before=before, after=after)

    def _update(self, request: Answer) -> Answer:
        table = self.table(request["TableName"])
        key, before, after, change = self.update(table, request)
        return self._written(request, table, key, before=before, after=after, change=change)

    def _delete(self, request: Answer) -> Answer:
        table = self.table(request["TableName"])
        key, before = self.remove(table, request)
        return self._written(request, table, key, before=before, after=None)

    def put(self, table: Table, request: Answer) -> tuple[Key, Item | None, Item]:
        """Returns what a Put would do, condition and checks passed: key, before, after."""
        item = checked(request["Item"]) if self.strict else dict(request["Item"])
        key = table.key_of_item(item)
        before = table.rows.items.get(key)
        self._condition(request, before)
        if self.strict:
            check_size(item)
        return key, before, item

    def update(self, table: Table, request: Answer) -> tuple[Key, Item | None, Item, Change | None]:
        key = table.key_of(request["Key"])
        before = table.rows.items.get(key)
        change = self._condition(request, before)
        base = before if before is not None else request["Key"]
        if change is None:
            return key, before, dict(base), None
        for name in table.key_names:
            if name in change.roots:
                raise Invalid(
                    "One or more parameter values were invalid: Cannot update attribute "
                    f"{name}. This attribute is part of the key"
                )
        values = request.get("ExpressionAttributeValues") or {}
        after = change.apply(base, checked(values) if self.strict else values)
        if self.strict:
            check_size(after, "Item size to update")
        return key, before, after, change

    def remove(self, table: Table, request: Answer) -> tuple[Key, Item | None]:
        key = table.key_of(request["Key"])
        before = table.rows.items.get(key)
        self._condition(request, before)
        return key, before

    def _condition(self, request: Answer, before: Item | None) -> Change | None:
        names = request.get("ExpressionAttributeNames")
        values = request.get("ExpressionAttributeValues") or {}
        write = expressions.write(
            tuple(names.items()) if names else (),
            request.get("ConditionExpression"),
            request.get("UpdateExpression"),
        )
        check_values(write.slots, values, "UpdateExpression")
        if write.test is not None and not write.test(before or {}, values):
            wanted = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            raise ConditionFailed(dict(before) if wanted and before is not None else None)
        return write.change

    def _written(
        self,
        request: Answer,
        table: Table,
        key: Key,
        *,
        before: Item | None,
        after: Item | None,
        change: Change | None = None,
    ) -> Answer:
        table.write(key, before, after, None if change is None else change.roots)
        answer = self.answer()
        wanted = request.get("ReturnValues", "NONE")
        if wanted != "NONE":
            shown = _returned(wanted, before, after, change)
            if shown:
                answer["Attributes"] = shown
        meter = Meter.of(request)
        if meter is not None:
            meter.write(table, key, before, after)
            answer["ConsumedCapacity"] = meter.single()
        return answer

    def _get(self, request: Answer) -> Answer:
        table = self.table(request["TableName"])
        read = index_reads.read_of(request)
        consistent = bool(request.get("ConsistentRead"))
        item = self.look(table, table.key_of(request["Key"]), consistent=consistent)
        answer = self.answer()
        if item is not None:
            answer["Item"] = index_reads.project([item], read.projection)[0]
        meter = Meter.of(request)
        if meter is not None:
            meter.read(table, item, consistent=consistent)
            answer["ConsumedCapacity"] = meter.single()
        return answer

    def look(self, table: Table, key: Key, *, consistent: bool) -> Item | None:
        return table.rows.get(key, 0 if consistent else self.behind_us)

    def batch_get_item(self, **request: Any) -> Answer:
        return _guarded("BatchGetItem", self._batch_get, request)

    def _batch_get(self, request: Answer) -> Answer:
        responses: dict[str, list[Item]] = {}
        meter = Meter.of(request)
        asked = sum(len(wanted["Keys"]) for wanted in request["RequestItems"].values())
        for name, wanted in request["RequestItems"].items():
            table = self.table(name)
            if not 1 <= asked <= BATCH_GET_MAX:
                raise Invalid(
                    f"1 validation error detected: Value at 'RequestItems.{name}.member.Keys' "
                    "failed to satisfy constraint: Member must have length less than or equal to "
                    f"{BATCH_GET_MAX}"
                )
            responses[name] = self._batch_get_table(table, wanted, meter)
        answer = self.answer(Responses=responses, UnprocessedKeys={})
        if meter is not None:
            answer["ConsumedCapacity"] = meter.listed()
        return answer

    def _batch_get_table(
        self, table: Table, wanted: Mapping[str, Any], meter: Meter | None
    ) -> list[Item]:
        read = index_reads.read_of(wanted)
        consistent = bool(wanted.get("ConsistentRead"))
        keys = [table.key_of(key) for key in wanted["Keys"]]
        if len(set(keys)) < len(keys):
            raise Invalid("Provided list of item keys contains duplicates")
        items = [self.look(table, key, consistent=consistent) for key in keys]
        if meter is not None:
            for item in items:
                meter.read(table, item, consistent=consistent)
        return index_reads.project([item for item in items if item is not None], read.projection)

    def query(self, **request: Any) -> Answer:
        return _guarded("Query", self._pages, request, index_reads.query)

    def scan(self, **request: Any) -> Answer:
        return _guarded("Scan", self._pages, request, index_reads.scan)

    def _pages(self, request: Answer, read: Callable[..., index_reads.Page]) -> Answer:
        table = self.table(request["TableName"])
        behind_us = 0 if request.get("ConsistentRead") else self.behind_us
        page = read(table, request, behind_us, self.page_max)
        answer = self.answer(Items=page.items, Count=len(page.items), ScannedCount=page.scanned)
        if request.get("Select") == "COUNT":
            del answer["Items"]
        if page.last_key is not None:
            answer["LastEvaluatedKey"] = page.last_key
        meter = Meter.of(request)
        if meter is not None:
            meter.add(table, request.get("IndexName", ""), page.units)
            answer["ConsumedCapacity"] = meter.single()
        return answer

    def execute_statement(self, **request: Any) -> Answer:
        return _guarded("ExecuteStatement", batches.execute_statement, self, request)

    def batch_execute_statement(self, **request: Any) -> Answer:
        return _guarded("BatchExecuteStatement", batches.batch_execute_statement, self, request)

    def transact_write_items(self, **request: Any) -> Answer:
        return _guarded("TransactWriteItems", batches.transact_write_items, self, request)

    def expire(self, table_name: str, attribute: str) -> int:
        """Deletes what its TTL attribute says is over, as DynamoDB does some time or other."""
        table, now = self.tables[table_name], self.now_us() // 1_000_000
        over = [
            (key, item)
            for key, item in table.rows.items.items()
            if "N" in item.get(attribute, {}) and number(item[attribute]["N"]) < now
        ]
        for key, item in over:
            table.write(key, item, None, None)
        return len(over)

    def answer(self, **fields: Any) -> Answer:
        fields["ResponseMetadata"] = metadata(self.now_us())
        return fields


def _guarded(
    operation: str, carry_out: Callable[Given, Result], *given: Given.args, **named: Given.kwargs
) -> Result:
    try:
        return carry_out(*given, **named)
    except Refused as refusal:
        raise_refusal(refusal, operation)


def _returned(
    wanted: str, before: Item | None, after: Item | None, change: Change | None
) -> Item | None:
    source = before if wanted.endswith("OLD") else after
    if source is None or wanted.startswith("ALL"):
        return None if source is None else dict(source)
    return index_reads.project([source], change.paths if change else ())[0]
