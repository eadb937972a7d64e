"""One line of metrics an invocation, in CloudWatch's embedded format; none a run.

These are all metrics there are: each has its place in an alarm or on the dashboard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

NAMESPACE = "onthedot"

TICK = (
    "ticks",
    "due",
    "claimed",
    "taken_over",
    "suppressed",
    "sent",
    "missed",
    "skipped",
    "backlog",
    "circuit_open",
    "not_fired",
    "shards_unqueried",
    "quarantined",
    "clock_offset_ms",
)
MINUTE = (
    "audits",
    "succeeded",
    "dead",
    "missed",
    "skipped",
    "cancelled",
    "unaccounted",
    "doubled",
    "retries",
    "resent",
    "not_fired",
    "waiting_messages",
    "failed_percent",
    "dead_percent",
    "leases_lost_percent",
    "burn_hour",
    "burn_day",
    "lag_p50_ms",
    "lag_p95_ms",
    "lag_p99_ms",
    "pickup_p95_ms",
    "duration_p95_ms",
    "timeout_used_percent",
    "unusually_long",
)
# Asked by the audit every fifth minute only: silence in between is not a zero.
_NOT_ALWAYS_ASKED = {"not_fired"}
_UNITS = {"ms": MetricUnit.Milliseconds, "percent": MetricUnit.Percent}


def emit(names: Sequence[str], figures: Mapping[str, float]) -> None:
    """Print the line: a count that nobody counted is zero, a measure of nothing is left out.

    The dimension is POWERTOOLS_SERVICE_NAME: two stacks in one account must not mix.
    """
    metrics = EphemeralMetrics(namespace=NAMESPACE)
    for name in names:
        unit = _UNITS.get(name.rsplit("_", 1)[-1], MetricUnit.Count)
        counted = unit is MetricUnit.Count and name not in _NOT_ALWAYS_ASKED
        if counted or name in figures:
            metrics.add_metric(name=name, unit=unit, value=figures.get(name, 0))
    metrics.flush_metrics()
