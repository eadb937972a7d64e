"""Lists when somebody must look: every rule is an alarm, and has its page in docs/runbook.

A rule *pages* if customers are hurt while nobody acts. R-numbers are those of the requirements.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An alarm on a metric of ours: how many of the last periods are beyond the limit."""

    name: str
    says: str
    metric: str
    statistic: str = "Maximum"
    # The alarm rings above it, or with `below`, under it.
    limit: float = 0
    below: bool = False
    period_min: int = 1
    periods: int = 1
    # Of this many periods. 0 means as many as `periods`.
    out_of: int = 0
    # True if missing values must ring the alarm.
    silence_alarms: bool = False
    # True if a period without a value counts as zero, so that silence rings without delay.
    silence_is_zero: bool = False
    # True if somebody must come at once.
    pages: bool = False


# Periods of five minutes.
_HOUR = 12

RULES = (
    Rule(
        name="not-fired",  # R37
        says="Tasks are due for more than 30 s, and no run of theirs exists",
        metric="not_fired",
        out_of=3,
        silence_alarms=True,
        pages=True,
    ),
    Rule(
        name="no-ticks",  # R38
        says="No dispatcher has run for three minutes",
        metric="ticks",
        statistic="Sum",
        limit=1,
        below=True,
        periods=3,
        silence_alarms=True,
        silence_is_zero=True,
        pages=True,
    ),
    Rule(
        name="no-audits",  # R38: without audits most other alarms see nothing
        says="No audit was complete for three minutes",
        metric="audits",
        statistic="Sum",
        limit=1,
        below=True,
        periods=3,
        silence_alarms=True,
        silence_is_zero=True,
        pages=True,
    ),
    Rule(
        name="late",  # R31
        says="Runs started more than 30 s late in the last five minutes",
        metric="late",
        statistic="Sum",
        period_min=5,
        pages=True,
    ),
    Rule(
        name="missed",  # R32
        says="Slots of the last hour have passed without a run",
        metric="missed",
        statistic="Sum",
        period_min=5,
        out_of=_HOUR,
        pages=True,
    ),
    Rule(
        name="doubled",  # R32
        says="Targets were called twice for one run in the last hour",
        metric="doubled",
        statistic="Sum",
        period_min=5,
        out_of=_HOUR,
    ),
    Rule(
        name="unaccounted",  # R32
        says="A claim is listed, and neither its run nor a reason can be found",
        metric="unaccounted",
        statistic="Sum",
        period_min=5,
        out_of=_HOUR,
        pages=True,
    ),
    Rule(
        name="failing",  # R33
        says="More than 10 % of the runs of the last hour are dead",
        metric="failed_percent",
        statistic="Average",
        limit=10,
        periods=5,
    ),
    Rule(
        name="fast-burn",  # R33b
        says="Within an hour a tenant used up 2 % of what may fail in a month",
        metric="burn_hour",
        limit=14.4,
        periods=2,
        pages=True,
    ),
    Rule(
        name="slow-burn",  # R33b
        says="Within a day a tenant used up 10 % of what may fail in a month",
        metric="burn_day",
        limit=3,
        periods=2,
    ),
    Rule(
        name="near-timeout",  # R34
        says="A run took more than 90 % of its timeout",
        metric="timeout_used_percent",
        limit=90,
        period_min=5,
    ),
    Rule(
        name="unusually-long",  # R34
        says="A run took more than twice its task's usual time",
        metric="unusually_long",
        statistic="Sum",
        period_min=5,
    ),
    Rule(
        name="queue-depth",  # R35
        says="More than 500 messages are due and wait for a worker, for three minutes",
        metric="waiting_messages",
        limit=500,
        periods=3,
        pages=True,
    ),
    Rule(
        name="slow-pickup",  # R35
        says="Due runs waited more than 10 s for a worker in the last five minutes",
        metric="slow_pickup",
        statistic="Sum",
        period_min=5,
    ),
    Rule(
        name="leases-lost",  # R36
        says="More than 5 % of attempts lose their lease, for fifteen minutes",
        metric="leases_lost_percent",
        statistic="Average",
        limit=5,
        period_min=5,
        periods=3,
    ),
    Rule(
        name="dead-letters",  # R36
        says="More than 0.1 % of runs end dead, for fifteen minutes",
        metric="dead_percent",
        statistic="Average",
        limit=0.1,
        period_min=5,
        periods=3,
    ),
    Rule(
        name="shards-unqueried",  # R38
        says="Shards were handed over, but not taken, in two ticks in a row",
        metric="shards_unqueried",
        statistic="Sum",
        periods=2,
    ),
    Rule(
        name="clock-off",  # R38
        says="A dispatcher's clock differs from the store's by more than 1 s",
        metric="clock_offset_ms",
        limit=1_000,
        periods=2,
    ),
    Rule(
        name="circuit-open",  # R11
        says="The backlog grows although ticks use their whole budget: catch-up is cut to a tenth",
        metric="circuit_open",
    ),
    Rule(
        name="quarantined",
        says="A task cannot be planned and was set aside",
        metric="quarantined",
        statistic="Sum",
        period_min=5,
    ),
    Rule(
        name="put-aside",
        says="A queue held messages that no release wrote, or that name no run; they were removed",
        metric="put_aside",
        statistic="Sum",
        period_min=5,
    ),
)
