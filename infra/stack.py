"""Puts the system together on one page: what is deployed, and who may touch what."""

import json

from aws_cdk import CfnOutput, Stack
from aws_cdk import aws_kms as kms
from constructs import Construct

from infra.alarms import Alarms
from infra.bundle import Packages
from infra.dashboard import Dashboard
from infra.front import Front
from infra.functions import Functions
from infra.grants import (
    COUNT,
    DELETE,
    ENCRYPT,
    FETCH,
    LIST,
    QUERY,
    READ,
    REMOVE,
    SEND,
    STOW,
    WRITE,
    allow,
    allow_itself,
    allow_within,
)
from infra.network import Network
from infra.polling import poll
from infra.queues import Queues
from infra.settings import Settings
from infra.storage import Storage
from infra.targets import open_events, open_targets
from infra.ticks import Ticks

# Calls that a function makes at once. DynamoDB answers many in parallel.
PARALLEL_CALLS = "16"


class OnTheDot(Stack):
    """Everything in one stack, until a deployment needs two."""

    def __init__(
        self, scope: Construct, construct_id: str, *, settings: Settings, packages: Packages
    ) -> None:
        super().__init__(
            scope, construct_id, termination_protection=settings.termination_protection
        )

        key = kms.Key.from_key_arn(self, "Key", settings.key_arn) if settings.key_arn else None
        self.storage = Storage(self, "Storage", settings=settings, key=key)
        self.queues = Queues(self, "Queues", key=key)
        self.functions = Functions(
            self,
            "Functions",
            packages=packages,
            environment=self._environment(),
            settings=settings,
        )
        poll(self.queues, self.functions, settings)
        if settings.vpc:
            Network(self, "Network", worker=self.functions.work, settings=settings)
        ticking = [self.functions.dispatch, self.functions.audit]
        self.ticks = Ticks(self, "Ticks", functions=ticking)
        self.front = Front(self, "Front", function=self.functions.api, settings=settings)
        self._watch(settings, key)
        self._grant()
        if settings.key_arn:
            for function in self.functions.all:
                allow(function, ENCRYPT, settings.key_arn)
        self.functions.api.add_environment("LONG_POLLS", str(settings.long_polls))
        open_targets(self.functions, settings)
        open_events(self.functions.audit, settings)
        self._say(settings)

    def _watch(self, settings: Settings, key: kms.IKey | None) -> None:
        """Makes what tells people: the alarms and the dashboard."""
        self.alarms = Alarms(
            self,
            "Alarms",
            queues=self.queues,
            front=self.front,
            functions=self.functions,
            storage=self.storage,
            ticks=self.ticks,
            settings=settings,
            key=key,
        )
        self.dashboard = Dashboard(
            self,
            "Dashboard",
            alarms=self.alarms,
            functions=self.functions,
            storage=self.storage,
            front=self.front,
        )

    def _environment(self) -> dict[str, str]:
        """Returns the same names for every function. Grants decide what each may use."""
        return {
            "TASKS_TABLE": self.storage.tasks.table_name,
            "RUNS_TABLE": self.storage.runs.table_name,
            "BLOBS_BUCKET": self.storage.blobs.bucket_name,
            "HIGH_QUEUE_URL": self.queues.high.queue_url,
            "NORMAL_QUEUE_URL": self.queues.normal.queue_url,
            "LOW_QUEUE_URL": self.queues.low.queue_url,
            "DEAD_QUEUE_URL": self.queues.dead.queue_url,
            "PARALLEL_CALLS": PARALLEL_CALLS,
            "POWERTOOLS_SERVICE_NAME": self.stack_name,
        }

    def _grant(self) -> None:
        tasks, runs = self.storage.tasks.table_arn, self.storage.runs.table_arn
        access, blobs = self.storage.access.table_arn, self.storage.blobs.arn_for_objects("*")
        queues = [each.queue_arn for each in self.queues.working]
        functions = self.functions

        allow(functions.dispatch, QUERY, f"{tasks}/index/due")
        allow(functions.dispatch, READ + WRITE, tasks, runs)
        allow_itself(functions.dispatch)

        for function in (functions.work, functions.bury):
            allow(function, READ, tasks)
            allow(function, READ + WRITE, runs)
            # A called run leaves the line of its tenant. No run is ever deleted.
            allow_within(function, DELETE, runs, "permit#")

        allow(functions.audit, QUERY, f"{tasks}/index/due", f"{tasks}/index/by_tenant")
        allow(functions.audit, QUERY, f"{runs}/index/attention")
        allow(functions.audit, READ + WRITE, tasks)
        allow(functions.audit, READ + WRITE + DELETE, runs)
        allow(functions.audit, COUNT, *queues)

        allow(functions.api, QUERY, f"{tasks}/index/by_tenant")
        allow(functions.api, QUERY, f"{runs}/index/attention", f"{runs}/index/pull")
        allow(functions.api, READ + WRITE + DELETE, tasks, runs, access)
        logs_of_work = functions.work.log_group
        logs_of_work.grant(functions.api, "logs:GetLogEvents")
        functions.api.add_environment("ACCESS_TABLE", self.storage.access.table_name)
        functions.api.add_environment("WORK_LOG_GROUP", logs_of_work.log_group_name)

        for function in functions.all:
            allow(function, SEND, *queues)
        for function in (functions.work, functions.bury, functions.audit, functions.api):
            allow(function, FETCH, blobs)
            allow(function, LIST, self.storage.blobs.bucket_arn)
        for function in (functions.audit, functions.api):
            allow(function, STOW, blobs)
        allow(functions.audit, REMOVE, blobs)

    def _say(self, settings: Settings) -> None:
        """Writes the names that the first key, monitoring and tests need."""
        said = {
            "Url": self.front.api.api_endpoint,
            "ApiId": self.front.api.api_id,
            "AlarmTopic": self.alarms.topic.topic_arn,
            "DashboardName": self.dashboard.board.dashboard_name,
            "RuleName": self.ticks.rule.rule_name,
            "AccessLogGroup": self.front.logs.log_group_name,
            "BlobsBucket": self.storage.blobs.bucket_name,
            **{f"{each.node.id}Table": each.table_name for each in self.storage.tables},
            **{f"{each.node.id}QueueUrl": each.queue_url for each in self.queues.all},
            **{f"{each.node.id}Function": each.function_name for each in self.functions.all},
            **{
                f"{each.node.id}LogGroup": each.log_group.log_group_name
                for each in self.functions.all
            },
        }
        if settings.kept:
            said["KeptStorage"] = json.dumps(dict(settings.kept))
        if self.alarms.left_out:
            said["AlarmsLeftOut"] = ", ".join(self.alarms.left_out)
        for name, value in said.items():
            CfnOutput(self, name, value=value)
