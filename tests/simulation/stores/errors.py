"""The exceptions a DynamoDB or SQS client raises, under the codes and shapes AWS gives them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Never

from botocore.exceptions import ClientError

from tests.simulation.stores.operations import OBJECT_OPERATIONS, SQS_OPERATIONS, TARGET_OPERATIONS
from tests.simulation.stores.values import Item

_MODELLED = (
    "ConditionalCheckFailedException",
    "TransactionCanceledException",
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "ResourceNotFoundException",
    "ResourceInUseException",
    "DuplicateItemException",
    "IdempotentParameterMismatchException",
    "QueueDoesNotExist",
)
_KINDS: dict[str, Any] = {name: type(name, (ClientError,), {}) for name in _MODELLED}
NO_SUCH_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"

modelled = SimpleNamespace(ClientError=ClientError, **_KINDS)  # what `client.exceptions` holds


class Refused(Exception):  # noqa: N818  # an answer, not a fault
    """A request or statement that cannot be carried out; raised inside, translated at the door."""

    def __init__(self, message: str, *, item: Item | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.item = item


class Invalid(Refused):
    """ValidationException."""


class ConditionFailed(Refused):
    def __init__(self, item: Item | None = None) -> None:
        super().__init__("The conditional request failed", item=item)


class Duplicate(Refused):
    def __init__(self) -> None:
        super().__init__("Duplicate primary key exists in table")


class NoSuchTable(Refused):
    def __init__(self, table: str = "") -> None:
        tail = f": Table: {table} not found" if table else ""
        super().__init__(f"Requested resource not found{tail}")


_CODES: dict[type[Refused], tuple[str, str]] = {
    Invalid: ("ValidationException", "ValidationError"),
    ConditionFailed: ("ConditionalCheckFailedException", "ConditionalCheckFailed"),
    Duplicate: ("DuplicateItemException", "DuplicateItem"),
    NoSuchTable: ("ResourceNotFoundException", "ResourceNotFound"),
}


def statement_code(refusal: Refused) -> str:
    """Returns the code of a refusal inside a batch or a cancelled transaction."""
    return _CODES[type(refusal)][1]


def raise_refusal(refusal: Refused, operation: str) -> Never:
    code, _ = _CODES[type(refusal)]
    extra: dict[str, Any] = {} if refusal.item is None else {"Item": refusal.item}
    raise make(code, refusal.message, operation, **extra) from None


def make(code: str, message: str, operation: str, **extra: Any) -> ClientError:
    """Of the class botocore would give it: its own where the model names one."""
    kind = _KINDS.get("QueueDoesNotExist" if code == NO_SUCH_QUEUE else code, ClientError)
    answer = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": 400, "HTTPHeaders": {}, "RetryAttempts": 0},
        **extra,
    }
    error: ClientError = kind(answer, operation)
    return error


def throttled(operation: str) -> ClientError:
    name = "".join(word.title() for word in operation.split("_"))
    if operation in SQS_OPERATIONS:
        return make("RequestThrottled", "Rate exceeded.", name)
    if operation in OBJECT_OPERATIONS:
        return make("SlowDown", "Please reduce your request rate.", name)
    if operation in TARGET_OPERATIONS:
        return make("ThrottlingException", "Rate exceeded", name)
    return make(
        "ProvisionedThroughputExceededException",
        "The level of configured provisioned throughput for the table was exceeded.",
        name,
    )


def conflict(count: int) -> ClientError:
    reasons = [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}]
    reasons += [{"Code": "None"}] * (count - 1)
    codes = ", ".join(reason["Code"] for reason in reasons)
    return make(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        "TransactWriteItems",
        CancellationReasons=reasons,
    )
