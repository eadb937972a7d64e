"""The three tables: what users registered, what became of it, and who may ask."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

# Only what planning a fire needs: an entry of up to 1 kB costs one unit, whatever is in it.
DUE = [
    "tenant_id",
    "next_slot",
    "version",
    "schedule_version",
    "compiled",
    "misfire",
    "grace_sec",
    "queue",
    "calendars",
    "runs_left",
    "tzdata",
]

# What a list shows and filters by. All of it changes on user edits only, so firing never
# writes to this index. DynamoDB allows 20 names here; these are 19.
BY_TENANT = [
    "name",
    "status",
    "cron",
    "every_sec",
    "seconds",
    "timezone",
    "dst_mode",
    "dst_gap",
    "dst_overlap",
    "start_at",
    "end_at",
    "calendars",
    "jitter_sec",
    "target_type",
    "handler",
    "tags",
    "priority",
    "managed_by",
    "version",
]

ATTENTION = ["status", "reason", "origin", "error_fp", "tenant_id"]


class Storage(Construct):
    """The tables and their indexes; the functions' grants are the stack's."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)

        self.tasks = self._table("Tasks", partition_key="task_id", sort_key="part")
        self.tasks.add_global_secondary_index(
            index_name="due",
            partition_key=_number("due_shard"),
            sort_key=_string("next_run_at"),
            projection_type=dynamodb.ProjectionType.INCLUDE,
            non_key_attributes=DUE,
        )
        self.tasks.add_global_secondary_index(
            index_name="by_tenant",
            partition_key=_string("listed"),
            sort_key=_string("created_at"),
            projection_type=dynamodb.ProjectionType.INCLUDE,
            non_key_attributes=BY_TENANT,
        )

        self.runs = self._table("Runs", partition_key="task_id", sort_key="scheduled_for")
        self.runs.add_global_secondary_index(
            index_name="attention",
            partition_key=_string("attention"),
            sort_key=_string("attention_at"),
            projection_type=dynamodb.ProjectionType.INCLUDE,
            non_key_attributes=ATTENTION,
        )
        # A lease reads the run by its key before it starts it, so the keys are enough.
        self.runs.add_global_secondary_index(
            index_name="pull",
            partition_key=_string("pull"),
            sort_key=_string("pull_at"),
            projection_type=dynamodb.ProjectionType.KEYS_ONLY,
        )

        self.access = self._table("Access", partition_key="pk", sort_key="sk")

    def _table(self, name: str, *, partition_key: str, sort_key: str) -> dynamodb.Table:
        return dynamodb.Table(
            self,
            name,
            partition_key=_string(partition_key),
            sort_key=_string(sort_key),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            time_to_live_attribute="expires_at",
            deletion_protection=True,
            removal_policy=RemovalPolicy.RETAIN,
        )


def _string(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)


def _number(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.NUMBER)
