"""Makes the three tables, and the bucket for what is too large for them."""

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.settings import Settings
from onthedot.records import schema
from onthedot.records.schema import Attribute, Index, Table
from onthedot.records.tasks.payloads import ASIDE

# Days, the longest that the store keeps every change of a table.
RECOVERY_DAYS = 35
# A herd writes and advances here.
_BUSY = (schema.TASKS, schema.RUNS)
_TYPES = {"S": dynamodb.AttributeType.STRING, "N": dynamodb.AttributeType.NUMBER}


class Storage(Construct):
    """The tables and their indexes. The stack gives the functions their rights."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        settings: Settings,
        key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)

        self._key = key
        # As AWS gives them, unless a deployment expects many runs at one second.
        self._warm = _warm(settings)
        self._kept = settings.kept
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

    def _table(self, name: str, declared: Table) -> dynamodb.ITable:
        if self._kept:
            return dynamodb.Table.from_table_attributes(
                self,
                name,
                table_name=self._kept[name],
                global_indexes=[index.name for index in declared.indexes],
            )
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
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED if self._key else None,
            encryption_key=self._key,
            warm_throughput=self._warm if declared in _BUSY else None,
            # A table that a failed first deployment leaves behind is deleted. What has data stays:
            # `make deploy` protects it as soon as the stack stands.
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        )
        for index in declared.indexes:
            _add_index(table, index, self._warm if index is schema.DUE else None)
        return table

    def _bucket(self, name: str) -> s3.IBucket:
        if self._kept:
            return s3.Bucket.from_bucket_name(self, name, self._kept[name])
        kinds = s3.BucketEncryption
        return s3.Bucket(
            self,
            name,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=kinds.KMS if self._key else kinds.S3_MANAGED,
            encryption_key=self._key,
            bucket_key_enabled=True if self._key else None,
            enforce_ssl=True,
            lifecycle_rules=[
                s3.LifecycleRule(abort_incomplete_multipart_upload_after=Duration.days(1)),
                # A table restored to any time within its recovery still finds its payloads.
                s3.LifecycleRule(prefix=ASIDE, expiration=Duration.days(RECOVERY_DAYS + 5)),
            ],
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        )


def _warm(settings: Settings) -> dynamodb.WarmThroughput | None:
    if not settings.warm_reads and not settings.warm_writes:
        return None
    return dynamodb.WarmThroughput(
        read_units_per_second=settings.warm_reads or None,
        write_units_per_second=settings.warm_writes or None,
    )


def _add_index(table: dynamodb.Table, index: Index, warm: dynamodb.WarmThroughput | None) -> None:
    partition_key, sort_key = index.keys
    kinds = dynamodb.ProjectionType
    table.add_global_secondary_index(
        index_name=index.name,
        partition_key=_attribute(partition_key),
        sort_key=_attribute(sort_key),
        projection_type=kinds.INCLUDE if index.carries else kinds.KEYS_ONLY,
        non_key_attributes=list(index.carries) or None,
        warm_throughput=warm,
    )


def _attribute(declared: Attribute) -> dynamodb.Attribute:
    name, kind = declared
    return dynamodb.Attribute(name=name, type=_TYPES[kind])
