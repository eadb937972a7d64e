"""One line of metrics an invocation, in CloudWatch's embedded format; none a run."""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

NAMESPACE = "onthedot"


def emit(function: str, figures: Mapping[str, int]) -> None:
    """Print the line; names ending in _ms are times, all others counts."""
    metrics = EphemeralMetrics(namespace=NAMESPACE, service=function)
    for name, value in figures.items():
        unit = MetricUnit.Milliseconds if name.endswith("_ms") else MetricUnit.Count
        metrics.add_metric(name=name, unit=unit, value=value)
    if figures:
        metrics.flush_metrics()
