"""Names the metrics of alarms and the dashboard: ours, and a few of AWS's own."""

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


def of_api(api_id: str, name: str, statistic: str) -> cloudwatch.Metric:
    """Returns a metric of API Gateway."""
    return cloudwatch.Metric(
        namespace="AWS/ApiGateway",
        metric_name=name,
        dimensions_map={"ApiId": api_id},
        statistic=statistic,
        period=Duration.minutes(5),
    )
