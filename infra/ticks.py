"""Makes the minute: one rule that starts a dispatcher and an audit."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from onthedot.records.timings import TICK_SEC

# A tick that failed or comes late is useless: the next one sees more.
_STALE = Duration.seconds(TICK_SEC)


class Ticks(Construct):
    """The next tick corrects a late, lost or doubled one, so nothing is tried again."""

    def __init__(
        self, scope: Construct, construct_id: str, *, functions: list[lambda_.Function]
    ) -> None:
        super().__init__(scope, construct_id)

        self.rule = events.Rule(
            self, "EveryMinute", schedule=events.Schedule.rate(Duration.seconds(TICK_SEC))
        )
        for function in functions:
            function.configure_async_invoke(retry_attempts=0, max_event_age=_STALE)
            target = targets.LambdaFunction(function, retry_attempts=0, max_event_age=_STALE)
            self.rule.add_target(target)
