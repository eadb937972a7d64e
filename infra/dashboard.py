"""Makes one screen: does it fire, on time, once, and is anything stuck. Details are below."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.alarms import Alarms
from infra.front import Front
from infra.functions import Functions
from infra.metrics import of_api, ours
from infra.storage import Storage

_WIDTH, _HEIGHT = 6, 6
_MINUTE = Duration.minutes(1)

# Titles in plain words, and the metrics that answer them, with how to sum up a minute of each.
SCREEN = (
    ("Is it firing? Runs a minute", "Sum", ("ticks", "due", "claimed", "sent")),
    ("On time? Lateness of starts", "Maximum", ("lag_p50_ms", "lag_p95_ms", "lag_p99_ms")),
    ("Once? All of these should be 0", "Sum", ("doubled", "missed", "unaccounted")),
    ("Stuck? Not fired, behind, waiting", "Maximum", ("not_fired", "backlog", "waiting_messages")),
)
DETAILS = (
    ("Refused as doubles, taken over, sent again", "Sum", ("suppressed", "taken_over", "resent")),
    (
        "Shares of late, %",
        "Maximum",
        ("failed_percent", "dead_percent", "leases_lost_percent"),
    ),
    ("How fast what may fail is used up", "Maximum", ("burn_hour", "burn_day")),
    (
        "From due to a worker, and how long it takes",
        "Maximum",
        ("pickup_p95_ms", "duration_p95_ms"),
    ),
    ("Longest runs", "Maximum", ("timeout_used_percent", "unusually_long")),
    (
        "Attempts again, set aside, late, picked up slowly",
        "Sum",
        ("retries", "quarantined", "late", "slow_pickup"),
    ),
    ("Shards, circuit, audits", "Sum", ("shards_unqueried", "circuit_open", "audits")),
    ("Clock against the store's", "Maximum", ("clock_offset_ms",)),
)
ENDS = ("succeeded", "dead", "missed", "skipped", "cancelled")


class Dashboard(Construct):
    """The first row answers the question; the others say why."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        alarms: Alarms,
        functions: Functions,
        storage: Storage,
        front: Front,
    ) -> None:
        super().__init__(scope, construct_id)

        self.board = cloudwatch.Dashboard(self, "Board", default_interval=Duration.hours(3))
        self.board.add_widgets(
            cloudwatch.AlarmStatusWidget(
                title="Red is what somebody must look at", alarms=alarms.all, width=24, height=4
            )
        )
        self.board.add_widgets(*(self._ours(*each) for each in SCREEN))
        self.board.add_widgets(self._ends(), *(self._ours(*each) for each in DETAILS[:3]))
        self.board.add_widgets(*(self._ours(*each) for each in DETAILS[3:7]))
        self.board.add_widgets(
            self._ours(*DETAILS[7]),
            self._of_functions(functions),
            self._of_tables(storage),
            self._of_the_api(front.api.api_id),
        )

    def _ours(self, title: str, statistic: str, names: tuple[str, ...]) -> cloudwatch.GraphWidget:
        return _graph(title, [ours(self, name, statistic) for name in names])

    def _ends(self) -> cloudwatch.GraphWidget:
        return _graph("How runs end", [ours(self, name, "Sum") for name in ENDS], stacked=True)

    def _of_functions(self, functions: Functions) -> cloudwatch.GraphWidget:
        failed = [
            function.metric_errors(period=_MINUTE, label=f"{function.node.id} fails")
            for function in functions.all
        ]
        throttled = functions.work.metric_throttles(period=_MINUTE, label="Work throttled")
        return _graph("Functions that fail, workers throttled", [*failed, throttled])

    def _of_tables(self, storage: Storage) -> cloudwatch.GraphWidget:
        written = [
            table.metric_consumed_write_capacity_units(
                period=_MINUTE, label=f"{table.node.id} written"
            )
            for table in storage.tables
        ]
        return _graph("Write units a minute", written)

    def _of_the_api(self, api_id: str) -> cloudwatch.GraphWidget:
        asked = [of_api(api_id, name, "Sum") for name in ("Count", "4xx", "5xx")]
        return _graph("What the API is asked", asked)


def _graph(
    title: str, metrics: Sequence[cloudwatch.IMetric], *, stacked: bool = False
) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(
        title=title,
        left=list(metrics),
        stacked=stacked,
        left_y_axis=cloudwatch.YAxisProps(min=0),
        width=_WIDTH,
        height=_HEIGHT,
    )
