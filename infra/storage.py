"""Makes the three tables, and the bucket for what is too large for them."""

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from constructs import Construct

from onthedot.records import schema
from onthedot.records.schema import Attribute, Index, Table
from onthedot.records.tasks.payloads import ASIDE

# Days, the longest that the store keeps every change of a table.
RECOVERY_DAYS = 35
_TYPES = {"S": dynamodb.AttributeType.STRING, "N": dynamodb.AttributeType.NUMBER}


class Storage(Construct):
    """The tables and their indexes. The stack gives the functions their rights."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)

        self.tasks = self._table("Tasks", schema.TASKS)
        self.runs = self._table("Runs", schema.RUNS)
        self.access = self._table("Access", schema.ACCESS)
        self.tables = (self.tasks, self.runs, self.access)
        # Each index, with its table.
        self.indexes = [
            (table, index.name)
            for table, declared in ((self.tasks, schema.TASKS), (self.runs, schema.RUNS))
            for index in declared.indexes
        ]
        self.blobs = self._bucket("Blobs")

    def _table(self, name: str, declared: Table) -> dynamodb.Table:
        partition_key, sort_key = declared.keys
        table = dynamodb.Table(
            self,
            name,
            partition_key=_attribute(partition_key),
            sort_key=_attribute(sort_key),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            time_to_live_attribute=schema.TTL,
            deletion_protection=True,
            removal_policy=RemovalPolicy.RETAIN,
        )
        for index in declared.indexes:
            _add_index(table, index)
        return table

    def _bucket(self, name: str) -> s3.Bucket:
        return s3.Bucket(
            self,
            name,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            lifecycle_rules=[
                s3.LifecycleRule(abort_incomplete_multipart_upload_after=Duration.days(1)),
                # A table restored to any time within its recovery still finds its payloads.
                s3.LifecycleRule(prefix=ASIDE, expiration=Duration.days(RECOVERY_DAYS + 5)),
            ],
            removal_policy=RemovalPolicy.RETAIN,
        )


def _add_index(table: dynamodb.Table, index: Index) -> None:
    partition_key, sort_key = index.keys
    kinds = dynamodb.ProjectionType
    table.add_global_secondary_index(
        index_name=index.name,
        partition_key=_attribute(partition_key),
        sort_key=_attribute(sort_key),
        projection_type=kinds.INCLUDE if index.carries else kinds.KEYS_ONLY,
        non_key_attributes=list(index.carries) or None,
    )


def _attribute(declared: Attribute) -> dynamodb.Attribute:
    name, kind = declared
    return dynamodb.Attribute(name=name, type=_TYPES[kind])
