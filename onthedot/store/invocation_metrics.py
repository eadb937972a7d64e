"""One line of metrics an invocation, in CloudWatch's embedded format; none a run.

Each metric has its place in an alarm or on the dashboard; other counts are fields of the line.
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
# Written by who takes messages, only when there is something to count.
MESSAGES = ("put_aside",)
# Asked by the audit every fifth minute only: silence in between is not a zero.
_NOT_ALWAYS_ASKED = {"not_fired"}
_UNITS = {"ms": "Milliseconds", "percent": "Percent"}
_COUNT = "Count"


def emit(names: Sequence[str], figures: Mapping[str, float]) -> None:
    """Print the line: a count that nobody counted is zero, a measure of nothing is left out.

    The dimension is POWERTOOLS_SERVICE_NAME: two stacks in one account must not mix.
    """
    # A worker hardly ever writes one, and must not start later for it.
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
