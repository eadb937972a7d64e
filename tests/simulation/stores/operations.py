"""The names of the operations the simulated clients answer."""

from __future__ import annotations

DYNAMODB_BATCHES = frozenset({"batch_get_item", "batch_execute_statement"})
SQS_BATCHES = frozenset(
    {"send_message_batch", "delete_message_batch", "change_message_visibility_batch"}
)
BATCHES = DYNAMODB_BATCHES | SQS_BATCHES
DYNAMODB_OPERATIONS = DYNAMODB_BATCHES | {
    "put_item",
    "update_item",
    "delete_item",
    "get_item",
    "query",
    "scan",
    "execute_statement",
    "transact_write_items",
}
SQS_OPERATIONS = SQS_BATCHES | {
    "send_message",
    "receive_message",
    "delete_message",
    "change_message_visibility",
    "purge_queue",
    "get_queue_url",
    "get_queue_attributes",
}
OPERATIONS = DYNAMODB_OPERATIONS | SQS_OPERATIONS
# Of the bucket, by those who write or run something.
OBJECT_OPERATIONS = frozenset({"put_object", "get_object"})
# Of services that are only targets.
TARGET_OPERATIONS = frozenset(
    {
        "start_execution",
        "describe_execution",
        "stop_execution",
        "sqs.send_message",
        "sns.publish",
        "lambda.invoke",
        "events.put_events",
    }
)
