"""The system on one page: what is deployed, and who may touch what."""

from aws_cdk import Stack
from constructs import Construct

from infra.storage import Storage


class OnTheDot(Stack):
    """Everything in one stack, until deployment needs two."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)

        self.storage = Storage(self, "Storage")
