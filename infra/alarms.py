"""What must wake somebody, and whom."""

from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct


class Alarms(Construct):
    """One topic; every alarm speaks to it."""

    def __init__(self, scope: Construct, construct_id: str, *, email: str) -> None:
        super().__init__(scope, construct_id)

        self.topic = sns.Topic(self, "Topic", display_name="On the Dot", enforce_ssl=True)
        if email:
            self.topic.add_subscription(subscriptions.EmailSubscription(email))
