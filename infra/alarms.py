"""Makes the alarms and their topic: one for each rule, and two on AWS's own metrics."""

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from infra.front import Front
from infra.metrics import of_api, ours
from infra.queues import Queues
from infra.rules import RULES, Rule

_FIVE_MINUTES = Duration.minutes(5)
_ABOVE = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
_BELOW = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
_SILENCE_ALARMS = cloudwatch.TreatMissingData.BREACHING
_SILENCE_IS_FINE = cloudwatch.TreatMissingData.NOT_BREACHING


class Alarms(Construct):
    """One topic. Every alarm tells it when it begins and when it is over."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        queues: Queues,
        front: Front,
        email: str,
    ) -> None:
        super().__init__(scope, construct_id)

        self.topic = sns.Topic(self, "Topic", display_name="On the Dot", enforce_ssl=True)
        if email:
            self.topic.add_subscription(subscriptions.EmailSubscription(email))
        dead = queues.dead.metric_approximate_number_of_messages_visible(
            statistic="Maximum", period=_FIVE_MINUTES
        )
        self.all = [
            *(self._of_rule(rule) for rule in RULES),
            self._of_aws("dead-queue", "Dead messages wait, and nobody buries them", dead, 0),
            self._of_aws(
                "api-errors",
                "More than 1 % of the API's answers are errors of its own",
                of_api(front.api.api_id, "5xx", "Average"),
                0.01,
            ),
        ]

    def _of_rule(self, rule: Rule) -> cloudwatch.Alarm:
        return self._speaking(
            cloudwatch.Alarm(
                self,
                rule.name,
                metric=ours(self, rule.metric, rule.statistic, period_min=rule.period_min),
                alarm_description=_description(rule.name, rule.says),
                threshold=rule.limit,
                comparison_operator=_BELOW if rule.below else _ABOVE,
                datapoints_to_alarm=rule.periods,
                evaluation_periods=rule.out_of or rule.periods,
                treat_missing_data=_SILENCE_ALARMS if rule.silence_alarms else _SILENCE_IS_FINE,
            )
        )

    def _of_aws(
        self, name: str, says: str, metric: cloudwatch.Metric, limit: float
    ) -> cloudwatch.Alarm:
        """Makes an alarm on three periods of five minutes: what passes by itself wakes nobody."""
        return self._speaking(
            cloudwatch.Alarm(
                self,
                name,
                metric=metric,
                alarm_description=_description(name, says),
                threshold=limit,
                comparison_operator=_ABOVE,
                evaluation_periods=3,
                treat_missing_data=_SILENCE_IS_FINE,
            )
        )

    def _speaking(self, alarm: cloudwatch.Alarm) -> cloudwatch.Alarm:
        action = actions.SnsAction(self.topic)
        alarm.add_alarm_action(action)
        alarm.add_ok_action(action)
        return alarm


def _description(name: str, says: str) -> str:
    return f"{says}. What to do: docs/runbook/{name}.md"
