"""Makes conditional writes. The store decides who wins, and every answer is read.

A busy store is asked again for as long as the caller has time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from botocore.exceptions import ClientError

from onthedot.records.attributes import plain_item, typed, typed_item
from onthedot.records.conditional_writes import (
    Delete,
    Insert,
    Outcome,
    Part,
    Update,
    Write,
    expression,
    removal,
    statement,
)
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import aws, clock, ids
from onthedot.store.backoff import pause_ms

# With 1, writes use PutItem and UpdateItem: not every engine obeys PartiQL's conditions.
BATCH = 25
# Another try can help with these. Any other error is a fault of ours and must be seen.
_PASSING = (
    "InternalServerError",
    "ProvisionedThroughputExceeded",
    "RequestLimitExceeded",
    "ThrottlingError",
    "TransactionConflict",
)
_REFUSALS = ("ConditionalCheckFailed", "DuplicateItem", "ConditionalCheckFailedException")


def write_many(writes: Sequence[Write], *, over: Callable[[], bool] | None = None) -> list[Outcome]:
    """Writes in batches of 25. The refusal of one write says nothing about the others.

    When `over` says so, it sends no more. The writes that are left are unsure.
    """

    def write(batch: Sequence[Write]) -> list[Outcome]:
        if over is not None and over():
            return [Outcome.UNSURE] * len(batch)
        alone = BATCH == 1 or _takes_much_away(batch[0])
        return [_write_alone(batch[0])] if alone else write_batch(batch)

    return [outcome for batch in aws.in_parallel(write, _batches(writes)) for outcome in batch]


def write_batch(writes: Sequence[Write]) -> list[Outcome]:
    """Writes up to 25 items. Two writes of one item would make the store reject all.

    A call without an answer may have done any of them.
    """
    statements = [_statement(write) for write in writes]
    try:
        answer = aws.dynamodb("batch_execute_statement", Statements=statements)
    except aws.FAILURES as failure:
        if aws.passes(failure):
            return [Outcome.UNSURE] * len(writes)
        raise
    return [
        # If PartiQL does not take our spelling, UpdateItem takes the same write.
        _write_alone(write) if _is_misspelt(response) else _outcome(response)
        for write, response in zip(writes, answer["Responses"], strict=True)
    ]


def _is_misspelt(response: dict[str, Any]) -> bool:
    return bool(response.get("Error", {}).get("Code") == "ValidationError")


def _write_alone(write: Write) -> Outcome:
    try:
        return write_one(write)
    except aws.FAILURES as failure:
        if aws.passes(failure):
            return Outcome.UNSURE
        raise


def write_one(write: Write) -> Outcome:
    """Makes the same conditional write by PutItem or UpdateItem."""
    if isinstance(write, Insert):
        return _outcome_of(lambda: aws.dynamodb("put_item", **_put(write)))
    return _outcome_of(lambda: aws.dynamodb("update_item", **_update(write)))


def delete_one(write: Delete) -> Outcome:
    """Deletes one item if it is as it was seen."""
    return _outcome_of(lambda: aws.dynamodb("delete_item", **_delete(write)))


def _outcome_of(make: Callable[[], Any]) -> Outcome:
    return Outcome.DONE if judged(make).done else Outcome.REFUSED


@dataclass(frozen=True, slots=True)
class Written:
    """Whether a write was done. If asked, also the item as it is now, or the item in the way."""

    done: bool
    item: dict[str, Any]


def judged(make: Callable[[], Any]) -> Written:
    """Makes a call with a condition. A refusal is an answer; any other failure is raised."""
    try:
        answer = make()
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] not in _REFUSALS:
            raise
        return Written(done=False, item=plain_item(refusal.response.get("Item") or {}))
    return Written(done=True, item=plain_item(answer.get("Attributes") or {}))


def update_item(
    table: str,
    key: Mapping[str, Any],
    update: str,
    *,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    condition: str = "",
) -> bool:
    """Makes an update that counts in the store itself. False: the condition does not hold."""
    conditions = {"ConditionExpression": condition} if condition else {}
    request = {
        "TableName": aws.table(table),
        "Key": typed_item(key),
        "UpdateExpression": update,
        "ExpressionAttributeNames": dict(names),
        "ExpressionAttributeValues": typed_item(values),
        **conditions,
    }
    return judged(lambda: aws.dynamodb("update_item", **request)).done


def write_together(writes: Sequence[Part]) -> Outcome:
    """Writes all or nothing. A conflict with another transaction, or a throttle, is unsure."""
    try:
        aws.dynamodb("transact_write_items", TransactItems=[_transacted(write) for write in writes])
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "TransactionCanceledException":
            raise
        reasons = {reason["Code"] for reason in refusal.response["CancellationReasons"]}
        return Outcome.REFUSED if reasons & set(_REFUSALS) else Outcome.UNSURE
    return Outcome.DONE


def _transacted(write: Part) -> dict[str, Any]:
    if isinstance(write, Insert):
        return {"Put": _put(write)}
    if isinstance(write, Delete):
        return {"Delete": _delete(write)}
    return {"Update": _update(write)}


def _put(write: Insert) -> dict[str, Any]:
    return {
        "TableName": aws.table(write.table),
        "Item": typed_item(write.item),
        "ConditionExpression": "attribute_not_exists(#p)",
        "ExpressionAttributeNames": {"#p": write.key[0]},
    }


def _update(write: Update) -> dict[str, Any]:
    spelled = expression(write)
    return {
        "TableName": aws.table(write.table),
        "Key": typed_item(dict(write.key)),
        "UpdateExpression": spelled.update,
        "ConditionExpression": spelled.condition,
        "ExpressionAttributeNames": spelled.names,
        "ExpressionAttributeValues": typed_item(spelled.values),
    }


def _delete(write: Delete) -> dict[str, Any]:
    spelled = removal(write)
    return {
        "TableName": aws.table(write.table),
        "Key": typed_item(dict(write.key)),
        "ConditionExpression": spelled.condition,
        "ExpressionAttributeNames": spelled.names,
        "ExpressionAttributeValues": typed_item(spelled.values),
    }


def _statement(write: Write) -> dict[str, Any]:
    text, values = statement(write, aws.table(write.table))
    return {"Statement": text, "Parameters": [typed(value) for value in values]}


def _outcome(response: dict[str, Any]) -> Outcome:
    error = response.get("Error")
    if not error:
        return Outcome.DONE
    if error["Code"] in _REFUSALS:
        return Outcome.REFUSED
    if error["Code"] in _PASSING:
        return Outcome.UNSURE
    raise RuntimeError(f"the store does not take our statement: {error}")


def _batches(writes: Sequence[Write]) -> Iterator[Sequence[Write]]:
    batch: list[Write] = []
    for write in writes:
        if _takes_much_away(write) and batch:
            yield batch
            batch = []
        batch.append(write)
        if len(batch) == BATCH or _takes_much_away(write):
            yield batch
            batch = []
    if batch:
        yield batch


def _takes_much_away(write: Write) -> bool:
    """Tells whether UpdateItem must write it: PartiQL engines differ in removing attributes."""
    return isinstance(write, Update) and len(write.removes) > 1


_Seen = TypeVar("_Seen")
_Got = TypeVar("_Got")


@dataclass(frozen=True, slots=True)
class Decision(Generic[_Got]):
    """What follows from what was read: a result, and the write that makes it true.

    Without a write it is true already. Several parts are written together.
    """

    result: _Got
    write: Write | Sequence[Part] | None = None


def compare_and_set(
    *, read: Callable[[], _Seen], decide: Callable[[_Seen], Decision[_Got]], tries: int, what: str
) -> _Got:
    """Reads, decides and writes; if the item has changed meanwhile, it begins again at once.

    The write names what was read, so no other write is lost. After so many tries it raises.
    """
    for _ in range(tries):
        decision = decide(read())
        if decision.write is None or _made(decision.write) is Outcome.DONE:
            return decision.result
    raise BusyError(f"{what} kept changing under {tries} tries")


def _made(write: Write | Sequence[Part]) -> Outcome:
    return write_together(write) if isinstance(write, Sequence) else write_one(write)


Over = Callable[[], bool]
# Seconds, of the 29 that a caller of the API waits at most.
_SURELY_MAX_SEC = 8.0


def write(writes: Sequence[Write], over: Over) -> list[Outcome]:
    """Writes until each write is done or refused, or until `over` says so."""
    outcomes = write_many(writes, over=over)
    tries = 0
    while (unsure := _unsure(outcomes)) and not over():
        _pause(tries)
        tries += 1
        again = write_many([writes[place] for place in unsure], over=over)
        for place, outcome in zip(unsure, again, strict=True):
            outcomes[place] = outcome
    return outcomes


def surely(writes: Sequence[Write]) -> list[Outcome]:
    """Writes until each write is done or refused. If the store never says which, it raises."""
    until = clock.monotonic() + _SURELY_MAX_SEC
    outcomes = write(writes, lambda: clock.monotonic() > until)
    if unsure := _unsure(outcomes):
        seconds = round(_SURELY_MAX_SEC)
        raise BusyError(f"the store gave no answer to {len(unsure)} writes in {seconds} s")
    return outcomes


def call(make: Callable[[], _Got], over: Over) -> _Got:
    """Makes a call until it is answered. At the end it raises the error of the last try."""
    tries = 0
    while True:
        try:
            return make()
        except aws.FAILURES as failure:
            if over() or not aws.passes(failure):
                raise
        _pause(tries)
        tries += 1


class Forgiven:
    """Lets a step fail if the store or the queue is busy. The caller repeats the step."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, _: object
    ) -> bool:
        busy = isinstance(failure, BusyError)
        return busy or (failure is not None and aws.passes(failure))


def _unsure(outcomes: Sequence[Outcome]) -> list[int]:
    return [place for place, outcome in enumerate(outcomes) if outcome is Outcome.UNSURE]


def _pause(tries: int) -> None:
    clock.sleep(pause_ms(tries, ids.fraction()) / 1000)
