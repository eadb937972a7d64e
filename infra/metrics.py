"""The metrics that alarms and the dashboard look at: ours by name, and a few of AWS's own."""

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from onthedot.store.invocation_metrics import NAMESPACE


def ours(scope: Construct, name: str, statistic: str, *, period_min: int = 1) -> cloudwatch.Metric:
    """Give one of ours; its dimension tells this stack from another in the account."""
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=name,
        dimensions_map={"service": Stack.of(scope).stack_name},
        statistic=statistic,
        period=Duration.minutes(period_min),
    )


def of_api(api_id: str, name: str, statistic: str) -> cloudwatch.Metric:
    """Give one of API Gateway's."""
    return cloudwatch.Metric(
        namespace="AWS/ApiGateway",
        metric_name=name,
        dimensions_map={"ApiId": api_id},
        statistic=statistic,
        period=Duration.minutes(5),
    )
