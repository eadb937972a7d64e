"""Makes a queue for each priority, and the dead-letter queue behind them."""

from aws_cdk import Duration
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.functions import BURY_SEC, WORK_SEC
from onthedot.records.timings import RECEIVES_MAX

# Seconds. A message must not appear again while an invocation may still have it. Workers shorten
# this to a lease at their beginning. One that dies before that costs a minute more.
VISIBILITY_SEC = WORK_SEC + 60
RETENTION = Duration.days(14)


class Queues(Construct):
    """Messages wait here until their second, or until a worker has time."""

    def __init__(self, scope: Construct, construct_id: str, *, key: kms.IKey | None = None) -> None:
        super().__init__(scope, construct_id)

        self._key = key
        self.dead = self._queue("Dead", visible_after=Duration.seconds(6 * BURY_SEC))
        self.high = self._working("High")
        self.normal = self._working("Normal")
        self.low = self._working("Low")
        self.working = (self.high, self.normal, self.low)
        self.all = (*self.working, self.dead)

    def _working(self, name: str) -> sqs.Queue:
        return self._queue(
            name,
            visible_after=Duration.seconds(VISIBILITY_SEC),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead, max_receive_count=RECEIVES_MAX),
        )

    def _queue(
        self,
        name: str,
        *,
        visible_after: Duration,
        dead_letter_queue: sqs.DeadLetterQueue | None = None,
    ) -> sqs.Queue:
        kinds = sqs.QueueEncryption
        return sqs.Queue(
            self,
            name,
            visibility_timeout=visible_after,
            retention_period=RETENTION,
            dead_letter_queue=dead_letter_queue,
            encryption=kinds.KMS if self._key else kinds.SQS_MANAGED,
            encryption_master_key=self._key,
            enforce_ssl=True,
        )
