"""Makes the functions, one for each file in `lambdas/`, all in the same way."""

from collections.abc import Mapping
from pathlib import Path

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra import bundle
from infra.bundle import Packages
from infra.settings import Settings
from onthedot.records.timings import CLAIM_SEC

# Seconds, the longest that Lambda allows. A task's own timeout ends a minute earlier.
WORK_SEC = 900
# A dispatcher stops itself before its claims end. By then it must surely have ended.
DISPATCH_SEC = CLAIM_SEC
# Seconds. API Gateway gives up after 30 s: a later answer reaches nobody.
API_SEC = 29
# Seconds. After an outage there is much to check. It only sends, so overlapping is harmless.
AUDIT_SEC = 300
BURY_SEC = 60

# MB. From here on Lambda gives a whole processor: dispatch and audit compute, others wait.
_ONE_PROCESSOR_MB = 1769


class Functions(Construct):
    """Dispatch, work, bury, audit and api. The stack says what each may touch."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        packages: Packages,
        environment: Mapping[str, str],
        settings: Settings,
    ) -> None:
        super().__init__(scope, construct_id)

        self._environment = environment
        self._reserved = settings.reserved_concurrency
        self._code = bundle.code(settings.ca_bundle)
        common = self._layer("Packages", packages.common)
        api = self._layer("ApiPackages", packages.api)
        jobs = [self._layer("JobsPackages", packages.jobs)] if packages.jobs else []

        self.dispatch = self._function(
            "Dispatch", common, timeout_sec=DISPATCH_SEC, memory_mb=_ONE_PROCESSOR_MB
        )
        self.work = self._function(
            "Work",
            common,
            *jobs,
            timeout_sec=WORK_SEC,
            memory_mb=settings.worker_memory_mb,
            sends_to_itself=True,
        )
        self.bury = self._function(
            "Bury", common, timeout_sec=BURY_SEC, memory_mb=256, sends_to_itself=True
        )
        self.audit = self._function(
            "Audit", common, timeout_sec=AUDIT_SEC, memory_mb=_ONE_PROCESSOR_MB
        )
        self.api = self._function("Api", common, api, timeout_sec=API_SEC, memory_mb=1024)
        # The audit completes schedules, and only this API's edits make them active again.
        self.audit.node.add_dependency(self.api)
        self.all = (self.dispatch, self.work, self.bury, self.audit, self.api)

    def _layer(self, name: str, folder: Path) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(self, name, code=lambda_.Code.from_asset(str(folder)))

    def _function(
        self,
        name: str,
        *layers: lambda_.LayerVersion,
        timeout_sec: int,
        memory_mb: int,
        sends_to_itself: bool = False,
    ) -> lambda_.Function:
        """Makes one, and allows recursion: Lambda would stop a run's 16th message as a loop."""
        log_group = self._log_group(name)
        # Not AWS's own policy: that one opens every log group of the account.
        role = iam.Role(
            self, f"{name}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
        )
        log_group.grant_write(role)
        return lambda_.Function(
            self,
            name,
            role=role,
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            handler=f"lambdas.{name.lower()}.handler",
            code=self._code,
            layers=list(layers),
            environment=dict(self._environment),
            timeout=Duration.seconds(timeout_sec),
            memory_size=memory_mb,
            # A new SDK comes only with a deployment. Our hooks were tested with a former one.
            runtime_management_mode=lambda_.RuntimeManagementMode.FUNCTION_UPDATE,
            reserved_concurrent_executions=self._reserved.get(name.lower()),
            recursive_loop=lambda_.RecursiveLoop.ALLOW if sends_to_itself else None,
            log_group=log_group,
            # Metrics are lines of level INFO. Lambda's own line for each invocation costs more than
            # it tells: its figures are metrics anyway.
            logging_format=lambda_.LoggingFormat.JSON,
            application_log_level_v2=lambda_.ApplicationLogLevel.INFO,
            system_log_level_v2=lambda_.SystemLogLevel.WARN,
        )

    def _log_group(self, name: str) -> logs.LogGroup:
        return logs.LogGroup(
            self,
            f"{name}Logs",
            retention=logs.RetentionDays.ONE_MONTH,
            removal_policy=RemovalPolicy.DESTROY,
        )
