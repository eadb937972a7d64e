"""Connects queues to functions: in batches, with an answer for each message."""

from aws_cdk.aws_lambda_event_sources import SqsEventSource

from infra.functions import Functions
from infra.queues import Queues

# A larger batch would have to wait for its messages, and those would be late.
BATCH = 10
# Percent. Each queue has its own share: a flood in one cannot starve another.
SHARES = {"high": 40, "normal": 40, "low": 20}
_BURY_AT_ONCE = 2


def poll(queues: Queues, functions: Functions, *, at_once: int) -> None:
    """Lets the worker receive from the queues, and bury handle what SQS gave up on."""
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
