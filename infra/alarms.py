"""Makes the alarms and their topic: one for each rule, and those on AWS's own metrics."""

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from infra import aws_alarms
from infra.aws_alarms import AwsAlarm
from infra.front import Front
from infra.functions import Functions
from infra.metrics import never_missing, ours
from infra.queues import Queues
from infra.rules import RULES, Rule
from infra.settings import Settings
from infra.storage import Storage
from infra.ticks import Ticks

_ABOVE = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
_BELOW = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
_SILENCE_ALARMS = cloudwatch.TreatMissingData.BREACHING
_SILENCE_IS_FINE = cloudwatch.TreatMissingData.NOT_BREACHING


class Alarms(Construct):
    """One topic. Every alarm tells it when it begins and when it is over."""

    def __init__(  # what the alarms look at
        self,
        scope: Construct,
        construct_id: str,
        *,
        queues: Queues,
        front: Front,
        functions: Functions,
        storage: Storage,
        ticks: Ticks,
        settings: Settings,
        key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)

        self._math = settings.metric_math
        # The names of alarms that need metric math where there is none.
        self.left_out: list[str] = []
        self.all: list[cloudwatch.Alarm] = []
        self.topic = self._topic(settings.alarm_email, key)
        for rule in RULES:
            self._add_rule(rule)
        for each in aws_alarms.of(
            front=front, functions=functions, queues=queues, storage=storage, ticks=ticks
        ):
            self._add_aws(each)

    def _topic(self, email: str, key: kms.IKey | None) -> sns.Topic:
        topic = sns.Topic(
            self, "Topic", display_name="On the Dot", enforce_ssl=True, master_key=key
        )
        # A policy replaces the default one, which lets CloudWatch publish.
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmsPublish",
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
            )
        )
        if email:
            topic.add_subscription(subscriptions.EmailSubscription(email))
        return topic

    def _add_rule(self, rule: Rule) -> None:
        measured = ours(self, rule.metric, rule.statistic, period_min=rule.period_min)
        self._add(
            rule.name,
            metric=never_missing(measured) if rule.silence_is_zero else measured,
            alarm_description=_description(rule.name, rule.says, page=rule.name, pages=rule.pages),
            threshold=rule.limit,
            comparison_operator=_BELOW if rule.below else _ABOVE,
            datapoints_to_alarm=rule.periods,
            evaluation_periods=rule.out_of or rule.periods,
            treat_missing_data=_SILENCE_ALARMS if rule.silence_alarms else _SILENCE_IS_FINE,
        )

    def _add_aws(self, each: AwsAlarm) -> None:
        self._add(
            each.name,
            metric=each.metric,
            alarm_description=_description(each.name, each.says, page=each.page, pages=each.pages),
            threshold=each.limit,
            comparison_operator=_ABOVE,
            datapoints_to_alarm=each.periods,
            evaluation_periods=each.out_of or each.periods,
            treat_missing_data=_SILENCE_IS_FINE,
        )

    def _add(self, name: str, *, metric: cloudwatch.IMetric, **given: object) -> None:
        """Adds an alarm that tells the topic when it begins and when it is over."""
        if isinstance(metric, cloudwatch.MathExpression) and not self._math:
            self.left_out.append(name)
            return
        alarm = cloudwatch.Alarm(self, name, metric=metric, **given)  # type: ignore[arg-type]
        action = actions.SnsAction(self.topic)
        alarm.add_alarm_action(action)
        alarm.add_ok_action(action)
        self.all.append(alarm)


def _description(name: str, says: str, *, page: str, pages: bool) -> str:
    """Says whether somebody must come at once ("Page") or in working hours ("Ticket")."""
    severity = "Page" if pages else "Ticket"
    return f"{severity}: {name}. {says}. What to do: docs/runbook/{page}.md"
