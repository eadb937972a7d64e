"""Prints one line of metrics for each invocation, in CloudWatch's embedded format.

Each metric is in an alarm or on the dashboard. Other counts are fields of the line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    "late",
    "slow_pickup",
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
# Written by functions that take messages, and only if there is something to count.
MESSAGES = ("put_aside",)
# The audit asks for these every fifth minute only. No value in between does not mean zero.
_NOT_ALWAYS_ASKED = {"not_fired"}
_UNITS = {"ms": "Milliseconds", "percent": "Percent"}
_COUNT = "Count"


def emit(names: Sequence[str], figures: Mapping[str, float]) -> None:
    """Prints the line. A count without a value is 0; a measure without a value is left out.

    The dimension is POWERTOOLS_SERVICE_NAME: two stacks in one account must not mix.
    """
    # A worker rarely prints metrics, and the import would delay its start.
    from aws_lambda_powertools.metrics import EphemeralMetrics  # noqa: PLC0415

    metrics = EphemeralMetrics(namespace=NAMESPACE)
    for name in names:
        unit = _UNITS.get(name.rsplit("_", 1)[-1], _COUNT)
        counted = unit == _COUNT and name not in _NOT_ALWAYS_ASKED
        if counted or name in figures:
            metrics.add_metric(name=name, unit=unit, value=figures.get(name, 0))
    for name in figures.keys() - names:
        metrics.add_metadata(name, figures[name])
    metrics.flush_metrics()
