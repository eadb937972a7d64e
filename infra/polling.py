"""Queues to functions: batches at once, each message answered for, and a share for each queue."""

from aws_cdk.aws_lambda_event_sources import SqsEventSource

from infra.functions import Functions
from infra.queues import Queues

# A larger batch would have to wait for its messages, and those would be late.
BATCH = 10
# Of a hundred. Each queue has its own: a flood in one cannot starve another.
SHARES = {"high": 40, "normal": 40, "low": 20}
_BURY_AT_ONCE = 2


def poll(queues: Queues, functions: Functions, *, at_once: int) -> None:
    """Let the worker eat the queues and bury what they gave up on."""
    for queue, name in ((queues.high, "high"), (queues.normal, "normal"), (queues.low, "low")):
        share = at_once * SHARES[name] // 100
        functions.work.add_event_source(
            SqsEventSource(
                queue, batch_size=BATCH, report_batch_item_failures=True, max_concurrency=share
            )
        )
    functions.bury.add_event_source(
        SqsEventSource(
            queues.dead,
            batch_size=BATCH,
            report_batch_item_failures=True,
            max_concurrency=_BURY_AT_ONCE,
        )
    )
