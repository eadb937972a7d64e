"""Lists the alarms on AWS's own metrics: functions, tables, queues, the rule and the API."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

from infra.front import Front
from infra.functions import Functions
from infra.metrics import of_api, total
from infra.queues import Queues
from infra.storage import Storage
from infra.ticks import Ticks

_FIVE_MINUTES = Duration.minutes(5)
# Seconds. A message waits 15 minutes at most before it is replaced or worked.
_OLDEST_SEC = 3_600
_THROTTLES = ("ReadThrottleEvents", "WriteThrottleEvents")


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsAlarm:
    """An alarm that rings above a limit. What passes by itself wakes nobody."""

    name: str
    says: str
    metric: cloudwatch.IMetric
    # The page of the runbook. Functions share theirs.
    page: str
    limit: float = 0
    # Of periods of five minutes.
    periods: int = 3
    # Of this many periods. 0 means as many as `periods`.
    out_of: int = 0
    # True if somebody must come at once.
    pages: bool = False


def of(
    *, front: Front, functions: Functions, queues: Queues, storage: Storage, ticks: Ticks
) -> Iterator[AwsAlarm]:
    """Gives all of them."""
    yield _dead_queue(queues.dead)
    yield _oldest_message(queues)
    yield _api_errors(front.api.api_id)
    for function in functions.all:
        yield _failing(function, pages=function is not functions.bury)
        yield _throttled(function)
    yield _dropped_events(functions.dispatch, functions.audit)
    yield _failed_rule(ticks.rule.rule_name)
    yield _throttled_tables(storage)
    yield _throttled_indexes(storage)


def _dead_queue(dead: sqs.Queue) -> AwsAlarm:
    return AwsAlarm(
        name="dead-queue",
        says="Dead messages wait, and nobody buries them",
        metric=dead.metric_approximate_number_of_messages_visible(
            statistic="Maximum", period=_FIVE_MINUTES
        ),
        page="dead-queue",
    )


def _oldest_message(queues: Queues) -> AwsAlarm:
    ages = {
        f"m{number}": queue.metric_approximate_age_of_oldest_message(
            statistic="Maximum", period=_FIVE_MINUTES
        )
        for number, queue in enumerate(queues.working)
    }
    oldest = cloudwatch.MathExpression(
        expression=f"MAX([{', '.join(ages)}])", using_metrics=ages, period=_FIVE_MINUTES
    )
    return AwsAlarm(
        name="oldest-message",
        says="A message is in a queue for more than an hour",
        metric=oldest,
        page="oldest-message",
        limit=_OLDEST_SEC,
    )


def _api_errors(api_id: str) -> AwsAlarm:
    """Divides by itself: for HTTP APIs the average of `5xx` is not documented as a share."""
    asked = {"errors": of_api(api_id, "5xx", "Sum"), "asked": of_api(api_id, "Count", "Sum")}
    share = cloudwatch.MathExpression(
        expression="IF(asked > 0, 100 * FILL(errors, 0) / asked, 0)",
        using_metrics=asked,
        period=_FIVE_MINUTES,
    )
    return AwsAlarm(
        name="api-errors",
        says="More than 1 % of the API's answers are errors of its own",
        metric=share,
        page="api-errors",
        limit=1,
        pages=True,
    )


def _failing(function: lambda_.Function, *, pages: bool) -> AwsAlarm:
    name = function.node.id
    return AwsAlarm(
        name=f"{name.lower()}-fails",
        says=f"Invocations of {name} fail, in two of the last three periods of five minutes",
        metric=function.metric_errors(statistic="Sum", period=_FIVE_MINUTES),
        page="function-errors",
        periods=2,
        out_of=3,
        pages=pages,
    )


def _throttled(function: lambda_.Function) -> AwsAlarm:
    name = function.node.id
    return AwsAlarm(
        name=f"{name.lower()}-throttled",
        says=f"Lambda refuses invocations of {name}: the concurrency is used up",
        metric=function.metric_throttles(statistic="Sum", period=_FIVE_MINUTES),
        page="function-throttles",
        periods=2,
        out_of=3,
    )


def _dropped_events(*functions: lambda_.Function) -> AwsAlarm:
    dropped = [
        each.metric("AsyncEventsDropped", statistic="Sum", period=_FIVE_MINUTES)
        for each in functions
    ]
    return AwsAlarm(
        name="events-dropped",
        says="Lambda dropped ticks or audits: they failed, or could not start within a minute",
        metric=total(dropped, period=_FIVE_MINUTES),
        page="function-throttles",
        periods=2,
        out_of=3,
        pages=True,
    )


def _failed_rule(rule_name: str) -> AwsAlarm:
    failed = cloudwatch.Metric(
        namespace="AWS/Events",
        metric_name="FailedInvocations",
        dimensions_map={"RuleName": rule_name},
        statistic="Sum",
        period=_FIVE_MINUTES,
    )
    return AwsAlarm(
        name="rule-failed",
        says="EventBridge cannot invoke dispatch or audit",
        # Without a failure there is no value, and the alarm would not end.
        metric=total([failed], period=_FIVE_MINUTES),
        page="rule-failed",
        periods=1,
        pages=True,
    )


def _throttled_tables(storage: Storage) -> AwsAlarm:
    return _refusing("tables", [{"TableName": each.table_name} for each in storage.tables])


def _throttled_indexes(storage: Storage) -> AwsAlarm:
    return _refusing(
        "indexes",
        [
            {"TableName": table.table_name, "GlobalSecondaryIndexName": index}
            for table, index in storage.indexes
        ],
    )


def _refusing(what: str, places: Sequence[Mapping[str, str]]) -> AwsAlarm:
    metrics = [
        cloudwatch.Metric(
            namespace="AWS/DynamoDB",
            metric_name=name,
            dimensions_map=place,
            statistic="Sum",
            period=_FIVE_MINUTES,
        )
        for place in places
        for name in _THROTTLES
    ]
    return AwsAlarm(
        name=f"{what}-throttled",
        says=f"DynamoDB refuses reads or writes of {what}, for ten of the last fifteen minutes",
        metric=total(metrics, period=_FIVE_MINUTES),
        page="throttling",
        periods=2,
        out_of=3,
    )
