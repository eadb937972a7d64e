"""Names the metrics of alarms and the dashboard: ours, and a few of AWS's own."""

from collections.abc import Sequence

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from onthedot.store.invocation_metrics import NAMESPACE


def ours(scope: Construct, name: str, statistic: str, *, period_min: int = 1) -> cloudwatch.Metric:
    """Returns a metric of ours. Its dimension tells this stack from others in the account."""
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=name,
        dimensions_map={"service": Stack.of(scope).stack_name},
        statistic=statistic,
        period=Duration.minutes(period_min),
    )


def never_missing(metric: cloudwatch.Metric) -> cloudwatch.MathExpression:
    """Returns the metric with zero for each period without a value.

    CloudWatch would otherwise look further back, and ring some minutes later.
    """
    return cloudwatch.MathExpression(
        expression="FILL(m, 0)", using_metrics={"m": metric}, period=metric.period
    )


def total(metrics: Sequence[cloudwatch.IMetric], *, period: Duration) -> cloudwatch.MathExpression:
    """Returns the sum of metrics. One without a value counts as zero."""
    named = {f"m{number}": metric for number, metric in enumerate(metrics)}
    filled = " + ".join(f"FILL({name}, 0)" for name in named)
    return cloudwatch.MathExpression(expression=filled, using_metrics=named, period=period)


def of_api(api_id: str, name: str, statistic: str) -> cloudwatch.Metric:
    """Returns a metric of API Gateway."""
    return cloudwatch.Metric(
        namespace="AWS/ApiGateway",
        metric_name=name,
        dimensions_map={"ApiId": api_id},
        statistic=statistic,
        period=Duration.minutes(5),
    )
