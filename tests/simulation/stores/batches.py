"""PartiQL statements, alone and in batches, and transactions, over a Dynamo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulation.stores import partiql
from tests.simulation.stores.capacity import Meter
from tests.simulation.stores.errors import (
    ConditionFailed,
    Duplicate,
    Invalid,
    NoSuchTable,
    Refused,
    make,
    statement_code,
)
from tests.simulation.stores.index_reads import project
from tests.simulation.stores.partiql import Bound
from tests.simulation.stores.rows import Key
from tests.simulation.stores.table import Table, check_size, checked_values
from tests.simulation.stores.updates import Change
from tests.simulation.stores.values import Item

if TYPE_CHECKING:
    from tests.simulation.stores.dynamo import Dynamo

Answer = dict[str, Any]
STATEMENTS_MAX = 25
TRANSACTION_MAX = 100


class Prepared:
    """One statement with its parameters: which item it means, and what it would make of it."""

    __slots__ = ("before", "bound", "key", "parameters", "request", "table")

    def __init__(self, dynamo: Dynamo, request: Answer) -> None:
        text = request["Statement"]
        parameters = request.get("Parameters") or []
        name = partiql.parse(text).table
        table = dynamo.tables.get(name)
        if table is None:
            raise NoSuchTable(name)
        bound = partiql.bind(text, table.key_names)
        if len(parameters) != bound.slots:
            raise Invalid("Number of parameters in request and statement don't match.")
        self.request = request
        self.table: Table = table
        self.bound: Bound = bound
        self.parameters: list[Any] = parameters
        self.key: Key = table.key_of_item(bound.key(parameters))
        self.before: Item | None = None

    def carry_out(self, *, strict: bool, meter: Meter | None) -> Item | None:
        """Writes, and returns what RETURNING asks for."""
        table, bound = self.table, self.bound
        before = self.before = table.rows.items.get(self.key)
        after: Item | None = None
        changed: frozenset[str] | None = None
        if bound.make is not None:
            if before is not None:
                raise Duplicate
            after = bound.make(self.parameters)
        elif bound.change is None and before is None:
            if meter is not None:
                meter.write(table, self.key, None, None)
            return None  # a DELETE of nothing succeeds, whatever its condition says
        else:
            if before is None or not (bound.test is None or bound.test(before, self.parameters)):
                raise ConditionFailed(self._shown_on_failure())
            if bound.change is not None:
                after, changed = bound.change.apply(before, self.parameters), bound.change.roots
        if strict and after is not None:
            check_size(after, "Item size to update" if changed else "Item size")
        table.write(self.key, before, after, changed)
        if meter is not None:
            meter.write(table, self.key, before, after)
        return _returned(bound.returning, before, after, bound.change)

    def _shown_on_failure(self) -> Item | None:
        wanted = self.request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        return dict(self.before) if wanted and self.before is not None else None


def _returned(
    returning: str, before: Item | None, after: Item | None, change: Change | None
) -> Item | None:
    if not returning:
        return None
    source = before if returning.endswith("OLD") else after
    if source is None:
        return None
    if returning.startswith("ALL"):
        return dict(source)
    return project([source], change.paths if change else ())[0] or None


def execute_statement(dynamo: Dynamo, request: Answer) -> Answer:
    if dynamo.strict:
        request = _with_checked_parameters(request)
    meter = Meter.of(request)
    item = Prepared(dynamo, request).carry_out(strict=dynamo.strict, meter=meter)
    answer = dynamo.answer(Items=[] if item is None else [item])
    if meter is not None:
        answer["ConsumedCapacity"] = meter.single()
    return answer


def batch_execute_statement(dynamo: Dynamo, request: Answer) -> Answer:
    statements = request["Statements"]
    if not 1 <= len(statements) <= STATEMENTS_MAX:
        raise Invalid(f"Member must have length less than or equal to {STATEMENTS_MAX}")
    if dynamo.strict:
        statements = [_with_checked_parameters(one) for one in statements]
    meter = Meter.of(request)
    prepared = [_prepared_or_refused(dynamo, one) for one in statements]
    keys = [(one.table.name, one.key) for one in prepared if isinstance(one, Prepared)]
    if len(set(keys)) < len(keys):
        raise Invalid("Provided list of item keys contains duplicates")
    strict = dynamo.strict
    answer = dynamo.answer(Responses=[_response(one, meter, strict=strict) for one in prepared])
    if meter is not None:
        answer["ConsumedCapacity"] = meter.listed()
    return answer


def _with_checked_parameters(request: Answer) -> Answer:
    """A value that cannot be read refuses the whole request."""
    return {**request, "Parameters": checked_values(request.get("Parameters") or ())}


def _prepared_or_refused(dynamo: Dynamo, request: Answer) -> Prepared | Refused:
    try:
        return Prepared(dynamo, request)
    except Refused as refusal:
        return refusal


def _response(one: Prepared | Refused, meter: Meter | None, *, strict: bool) -> Answer:
    if isinstance(one, Refused):
        return {"Error": {"Code": statement_code(one), "Message": one.message}}
    try:
        item = one.carry_out(strict=strict, meter=meter)
    except Refused as refusal:
        error: Answer = {"Code": statement_code(refusal), "Message": refusal.message}
        if refusal.item is not None:
            error["Item"] = refusal.item
        if meter is not None and not isinstance(refusal, Invalid):
            meter.refused(one.table, one.before)
        return {"Error": error, "TableName": one.table.name}
    if item is None:
        return {"TableName": one.table.name}
    return {"TableName": one.table.name, "Item": item}


class Intent:
    """One member of a transaction, its condition already passed."""

    __slots__ = ("after", "before", "changed", "key", "table", "writes")

    def __init__(self, dynamo: Dynamo, action: str, request: Answer) -> None:
        self.table = dynamo.table(request["TableName"])
        self.after: Item | None = None
        self.changed: frozenset[str] | None = None
        self.writes = action != "ConditionCheck"
        if action == "Put":
            self.key, self.before, self.after = dynamo.put(self.table, request)
        elif action == "Update":
            self.key, self.before, self.after, change = dynamo.update(self.table, request)
            self.changed = None if change is None else change.roots
        else:
            self.key, self.before = dynamo.remove(self.table, request)
        if self.after is not None:
            for index in self.table.indexes.values():
                index.check(self.after)


def transact_write_items(dynamo: Dynamo, request: Answer) -> Answer:
    members = [next(iter(one.items())) for one in request["TransactItems"]]
    if not 1 <= len(members) <= TRANSACTION_MAX:
        raise Invalid(f"Member must have length less than or equal to {TRANSACTION_MAX}")
    _check_one_action_an_item(dynamo, members)
    token = request.get("ClientRequestToken")
    if token is not None and token in dynamo.tokens:
        return _repeated(dynamo, token, request)
    intents = _intents(dynamo, members)
    meter = Meter.of(request)
    for intent in intents:
        if intent.writes:
            intent.table.write(intent.key, intent.before, intent.after, intent.changed)
        if meter is not None:
            after = intent.after if intent.writes else intent.before
            meter.write(intent.table, intent.key, intent.before, after, factor=2)
    if token is not None:
        dynamo.tokens[token] = request["TransactItems"]
    answer = dynamo.answer()
    if meter is not None:
        answer["ConsumedCapacity"] = meter.listed()
    return answer


def _check_one_action_an_item(dynamo: Dynamo, members: list[tuple[str, Answer]]) -> None:
    keys = []
    for _, member in members:
        table = dynamo.table(member["TableName"])
        key = table.key_of(member["Key"]) if "Key" in member else table.key_of_item(member["Item"])
        keys.append((table.name, key))
    if len(set(keys)) < len(keys):
        raise Invalid("Transaction request cannot include multiple operations on one item")


def _repeated(dynamo: Dynamo, token: str, request: Answer) -> Answer:
    if dynamo.tokens[token] == request["TransactItems"]:
        return dynamo.answer()
    code = "IdempotentParameterMismatchException"
    message = "Request token already in use for another request with a different payload"
    raise make(code, message, "TransactWriteItems")


def _intents(dynamo: Dynamo, members: list[tuple[str, Answer]]) -> list[Intent]:
    intents: list[Intent] = []
    reasons: list[Answer] = []
    for action, member in members:
        try:
            intents.append(Intent(dynamo, action, member))
            reasons.append({"Code": "None"})
        except Refused as refusal:
            reason: Answer = {"Code": statement_code(refusal), "Message": refusal.message}
            if refusal.item is not None:
                reason["Item"] = refusal.item
            reasons.append(reason)
    if len(intents) < len(members):
        codes = ", ".join(reason["Code"] for reason in reasons)
        raise make(
            "TransactionCanceledException",
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{codes}]",
            "TransactWriteItems",
            CancellationReasons=reasons,
        )
    return intents
