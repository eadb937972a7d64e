"""The simulated SQS as a botocore client."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from hashlib import md5
from typing import Any

from botocore.exceptions import ClientError

from tests.simulation.stores.errors import NO_SUCH_QUEUE, make, modelled
from tests.simulation.stores.metadata import metadata
from tests.simulation.stores.queue import Message, Queue

Answer = dict[str, Any]
BATCH_MAX = 10
BYTES_MAX = 1_048_576
DELAY_MAX_SEC = 900
VISIBILITY_MAX_SEC = 43_200
_HANDLE = re.compile(r".+/\d+\Z")
_BATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,80}\Z")
_NAMESPACE = "AWS.SimpleQueueService."


class Problem(Exception):  # noqa: N818  # becomes an error or a Failed entry
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def error(self, operation: str) -> ClientError:
        return make(self.code, self.message, operation)


class Sqs:
    exceptions = modelled

    def __init__(self, now_us: Callable[[], int]) -> None:
        self.now_us = now_us
        self.queues: dict[str, Queue] = {}

    def create_queue(self, **request: Any) -> Answer:
        name, given = request["QueueName"], request.get("Attributes") or {}
        queue = Queue(
            name,
            self.now_us,
            visibility_sec=int(given.get("VisibilityTimeout", 30)),
            delay_sec=int(given.get("DelaySeconds", 0)),
            retention_sec=int(given.get("MessageRetentionPeriod", 345_600)),
        )
        if "RedrivePolicy" in given:
            policy = json.loads(given["RedrivePolicy"])
            queue.receives_max = int(policy["maxReceiveCount"])
            queue.dead_letters = self._by_arn(policy["deadLetterTargetArn"])
        self.queues[self.url(name)] = queue
        return self._answer(QueueUrl=self.url(name))

    @staticmethod
    def url(name: str) -> str:
        return f"https://sqs.us-east-1.amazonaws.com/000000000000/{name}"

    def get_queue_url(self, **request: Any) -> Answer:
        url = self.url(request["QueueName"])
        self._queue({"QueueUrl": url}, "GetQueueUrl")
        return self._answer(QueueUrl=url)

    def get_queue_attributes(self, **request: Any) -> Answer:
        queue = self._queue(request, "GetQueueAttributes")
        now = self.now_us()
        waiting = [one for one in queue.messages.values() if one.visible_us > now]
        in_flight = sum(1 for one in waiting if one.received)
        known = {
            "QueueArn": queue.arn,
            "VisibilityTimeout": str(queue.visibility_sec),
            "ApproximateNumberOfMessages": str(len(queue.messages) - len(waiting)),
            "ApproximateNumberOfMessagesNotVisible": str(in_flight),
            "ApproximateNumberOfMessagesDelayed": str(len(waiting) - in_flight),
        }
        shown = _wanted(known, request.get("AttributeNames") or [])
        return self._answer(**({"Attributes": shown} if shown else {}))

    def send_message(self, **request: Any) -> Answer:
        queue = self._queue(request, "SendMessage")
        return self._answer(**_single("SendMessage", _send, queue, request))

    def send_message_batch(self, **request: Any) -> Answer:
        queue, entries = self._batch(request, "SendMessageBatch")
        size = sum(map(_body_bytes, entries))
        if size > BYTES_MAX:
            raise Problem(
                _NAMESPACE + "BatchRequestTooLong",
                f"Batch requests cannot be longer than {BYTES_MAX} bytes. "
                f"You have sent {size} bytes.",
            ).error("SendMessageBatch")
        return self._each(queue, entries, _send)

    def receive_message(self, **request: Any) -> Answer:
        queue = self._queue(request, "ReceiveMessage")
        count = request.get("MaxNumberOfMessages", 1)
        if not 1 <= count <= BATCH_MAX:
            raise Problem(
                "InvalidParameterValue",
                f"Value {count} for parameter MaxNumberOfMessages is invalid. "
                "Reason: Must be between 1 and 10, if provided.",
            ).error("ReceiveMessage")
        names = [
            *request.get("AttributeNames", ()),
            *request.get("MessageSystemAttributeNames", ()),
        ]
        messages = queue.receive(count, request.get("VisibilityTimeout"))
        if not messages:
            return self._answer()
        return self._answer(Messages=[_shown(message, names) for message in messages])

    def delete_message(self, **request: Any) -> Answer:
        queue = self._queue(request, "DeleteMessage")
        return self._answer(**_single("DeleteMessage", _delete, queue, request))

    def delete_message_batch(self, **request: Any) -> Answer:
        queue, entries = self._batch(request, "DeleteMessageBatch")
        return self._each(queue, entries, _delete)

    def change_message_visibility(self, **request: Any) -> Answer:
        queue = self._queue(request, "ChangeMessageVisibility")
        return self._answer(**_single("ChangeMessageVisibility", _change, queue, request))

    def change_message_visibility_batch(self, **request: Any) -> Answer:
        queue, entries = self._batch(request, "ChangeMessageVisibilityBatch")
        return self._each(queue, entries, _change)

    def purge_queue(self, **request: Any) -> Answer:
        self._queue(request, "PurgeQueue").purge()
        return self._answer()

    def queue(self, name: str) -> Queue:
        return self.queues[self.url(name)]

    def _queue(self, request: Answer, operation: str) -> Queue:
        queue = self.queues.get(request["QueueUrl"])
        if queue is None:
            raise Problem(NO_SUCH_QUEUE, "The specified queue does not exist.").error(operation)
        return queue

    def _batch(self, request: Answer, operation: str) -> tuple[Queue, list[Answer]]:
        queue = self._queue(request, operation)
        _check_batch(request["Entries"], operation)
        return queue, request["Entries"]

    def _by_arn(self, arn: str) -> Queue:
        return next(queue for queue in self.queues.values() if queue.arn == arn)

    def _each(
        self, queue: Queue, entries: list[Answer], one: Callable[[Queue, Answer], Answer]
    ) -> Answer:
        done: list[Answer] = []
        failed: list[Answer] = []
        for entry in entries:
            try:
                done.append({"Id": entry["Id"], **one(queue, entry)})
            except Problem as problem:
                failed.append(failure(entry["Id"], problem.code, problem.message))
        return self._answer(Successful=done, **({"Failed": failed} if failed else {}))

    def _answer(self, **fields: Any) -> Answer:
        fields["ResponseMetadata"] = metadata(self.now_us())
        return fields


def failure(entry_id: str, code: str, message: str, *, sender: bool = True) -> Answer:
    return {"Id": entry_id, "SenderFault": sender, "Code": code, "Message": message}


def record(message: Message, queue: Queue) -> Answer:
    """Returns the message as Lambda's event source hands it to a function."""
    shown = _shown(message, ["All"])
    return {
        "messageId": shown["MessageId"],
        "receiptHandle": shown["ReceiptHandle"],
        "body": shown["Body"],
        "attributes": shown["Attributes"],
        "messageAttributes": {},
        "md5OfBody": shown["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue.arn,
        "awsRegion": "us-east-1",
    }


def _single(
    operation: str, one: Callable[[Queue, Answer], Answer], queue: Queue, request: Answer
) -> Answer:
    try:
        return one(queue, request)
    except Problem as problem:
        raise problem.error(operation) from None


def _send(queue: Queue, request: Answer) -> Answer:
    body = request.get("MessageBody", "")
    delay = request.get("DelaySeconds")
    if not body:
        raise Problem("MissingParameter", "The request must contain the parameter MessageBody.")
    if _body_bytes(request) > BYTES_MAX:
        raise Problem(
            "InvalidParameterValue",
            "One or more parameters are invalid. Reason: Message must be shorter than "
            f"{BYTES_MAX} bytes.",
        )
    if delay is not None and not (isinstance(delay, int) and 0 <= delay <= DELAY_MAX_SEC):
        raise Problem(
            "InvalidParameterValue",
            f"Value {delay} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be "
            f">= 0 and <= {DELAY_MAX_SEC}.",
        )
    if not request.get("MessageGroupId", "any"):
        raise Problem(
            "InvalidParameterValue", "Value for parameter MessageGroupId is invalid: it is empty."
        )
    message = queue.send(body, delay, request.get("MessageGroupId"))
    return {"MessageId": message.message_id, "MD5OfMessageBody": _md5(body)}


def _delete(queue: Queue, request: Answer) -> Answer:
    handle = _checked_handle(request)
    message = queue.by_handle(handle)
    if message is not None:
        queue.delete(message, handle)
    return {}


def _change(queue: Queue, request: Answer) -> Answer:
    handle = _checked_handle(request)
    wait = request["VisibilityTimeout"]
    if not (isinstance(wait, int) and 0 <= wait <= VISIBILITY_MAX_SEC):
        raise Problem(
            "InvalidParameterValue",
            f"Value {wait} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 "
            f"and {VISIBILITY_MAX_SEC}.",
        )
    message = queue.by_handle(handle)
    if message is None or message.visible_us <= queue.now_us():
        raise Problem(
            _NAMESPACE + "MessageNotInflight",
            f"Value {handle} for parameter ReceiptHandle is invalid. Reason: Message does not "
            "exist or is not available for visibility timeout change.",
        )
    if message.handle == handle:
        queue.set_visible(message, wait)
    return {}


def _checked_handle(request: Answer) -> str:
    handle = str(request["ReceiptHandle"])
    if not _HANDLE.match(handle):
        raise Problem("ReceiptHandleIsInvalid", "The input receipt handle is invalid.")
    return handle


def _check_batch(entries: list[Answer], operation: str) -> None:
    ids = [entry["Id"] for entry in entries]
    if not entries:
        problem = Problem(_NAMESPACE + "EmptyBatchRequest", "There should be at least one entry.")
    elif len(entries) > BATCH_MAX:
        problem = Problem(
            _NAMESPACE + "TooManyEntriesInBatchRequest",
            f"Too many messages in a batch request. A maximum of {BATCH_MAX} messages are allowed.",
        )
    elif len(set(ids)) < len(ids):
        repeated = Counter(ids).most_common(1)[0][0]
        problem = Problem(_NAMESPACE + "BatchEntryIdsNotDistinct", f"Id {repeated} repeated.")
    elif not all(_BATCH_ID.match(one) for one in ids):
        problem = Problem(
            _NAMESPACE + "InvalidBatchEntryId",
            "A batch entry id can only contain alphanumeric characters, hyphens and underscores. "
            "It can be at most 80 letters long.",
        )
    else:
        return
    raise problem.error(operation)


def _shown(message: Message, names: list[str]) -> Answer:
    known = {
        "SenderId": "simulated",
        "SentTimestamp": str(message.sent_us // 1000),
        "ApproximateReceiveCount": str(message.received),
        "ApproximateFirstReceiveTimestamp": str(message.first_received_us // 1000),
    }
    if message.group is not None:
        known["MessageGroupId"] = message.group
    if message.came_from:
        known["DeadLetterQueueSourceArn"] = message.came_from
    attributes = _wanted(known, names)
    return {
        "MessageId": message.message_id,
        "ReceiptHandle": message.handle,
        "MD5OfBody": _md5(message.body),
        "Body": message.body,
        **({"Attributes": attributes} if attributes else {}),
    }


def _wanted(known: dict[str, str], names: list[str]) -> dict[str, str]:
    return {name: known[name] for name in known if name in names or "All" in names}


def _body_bytes(request: Answer) -> int:
    body = request.get("MessageBody", "")
    return len(body) if body.isascii() else len(body.encode())


def _md5(body: str) -> str:
    return md5(body.encode(), usedforsecurity=False).hexdigest()
