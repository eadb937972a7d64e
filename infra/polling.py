"""Connects queues to functions: in batches, with an answer for each message."""

from collections.abc import Mapping

from aws_cdk import Annotations, Stack
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_lambda_event_sources import SqsEventSource

from infra.functions import Functions
from infra.queues import Queues
from infra.settings import Pollers, Settings

# A larger batch would have to wait for its messages, and those would be late.
BATCH = 10
# Percent. Each queue has its own share: a flood in one cannot starve another.
SHARES = {"high": 40, "normal": 40, "low": 20}
_BURY_AT_ONCE = 2
# A mapping takes no smaller maximum and no larger one.
_AT_ONCE = (2, 1_000)
# Dollars a month for a provisioned poller, by the list price of us-east-1 (0.00925 an hour).
POLLER_MONTH = 6.75


def poll(queues: Queues, functions: Functions, settings: Settings) -> None:
    """Lets the worker receive from the queues, and bury handle what SQS gave up on."""
    for queue, name in ((queues.high, "high"), (queues.normal, "normal"), (queues.low, "low")):
        pollers = settings.pollers.get(name)
        share = settings.worker_concurrency * SHARES[name] // 100
        least, most = _AT_ONCE
        functions.work.add_event_source(
            SqsEventSource(
                queue,
                batch_size=BATCH,
                report_batch_item_failures=True,
                # Lambda takes one or the other: provisioned pollers bound themselves.
                max_concurrency=None if pollers else min(most, max(least, share)),
                provisioned_poller_config=_provisioned(pollers) if pollers else None,
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
    if settings.pollers:
        # `make diff` and `make deploy` print it.
        Annotations.of(Stack.of(queues)).add_info_v2("onthedot:pollers", price(settings.pollers))


def price(pollers: Mapping[str, Pollers]) -> str:
    """Says what provisioned pollers cost: the least always, the most only while they work."""
    least = sum(each.least for each in pollers.values()) * POLLER_MONTH
    most = sum(each.most for each in pollers.values()) * POLLER_MONTH
    return (
        f"Provisioned pollers cost at least ${least:,.0f} a month, and up to ${most:,.0f} if all "
        "of them work all the time"
    )


def _provisioned(pollers: Pollers) -> lambda_.ProvisionedPollerConfig:
    return lambda_.ProvisionedPollerConfig(
        minimum_pollers=pollers.least, maximum_pollers=pollers.most
    )
