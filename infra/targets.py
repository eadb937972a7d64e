"""Opens what may be called for users, and who gets events: only what the context names."""

from aws_cdk import Stack
from aws_cdk import aws_lambda as lambda_

from infra.functions import Functions
from infra.grants import allow
from infra.settings import Settings

_ACTIONS = {
    "sqs": "sqs:SendMessage",
    "sns": "sns:Publish",
    "lambda": "lambda:InvokeFunction",
    "events": "events:PutEvents",
    "states": "states:StartExecution",
    "secretsmanager": "secretsmanager:GetSecretValue",
    "ssm": "ssm:GetParameter",
}
_LOOKED_AFTER = ("states:DescribeExecution", "states:StopExecution")


def open_targets(functions: Functions, settings: Settings) -> None:
    """Lets the worker call these. It may also read and stop executions of a state machine."""
    # The api refuses to register, and the audit to tell, what the worker would refuse to call.
    for function in (functions.work, functions.api, functions.audit):
        if settings.target_networks:
            function.add_environment("TARGET_NETWORKS", settings.target_networks)
        if settings.ca_bundle:
            # Lambda unpacks the code here.
            function.add_environment("TARGET_CA_BUNDLE", f"/var/task/{settings.ca_bundle}")
    for arn in settings.targets:
        kind = _kind(arn)
        allow(functions.work, (_ACTIONS[kind],), arn)
        if kind == "states":
            executions = arn.replace(":stateMachine:", ":execution:") + ":*"
            allow(functions.work, _LOOKED_AFTER, executions)


def open_events(function: lambda_.Function, settings: Settings) -> None:
    """Lets the audit tell topics and buses. An https address needs no right."""
    if settings.events_to:
        function.add_environment("EVENTS_TO", ",".join(settings.events_to))
    for place in settings.events_to:
        if not place.startswith("https://"):
            allow(function, (_ACTIONS[_kind(place)],), place)
    if settings.events_sign_ref:
        function.add_environment("EVENTS_SIGN_REF", settings.events_sign_ref)
        secret = _secret(function, settings.events_sign_ref)
        allow(function, (_ACTIONS[_kind(secret)],), secret)


def _secret(function: lambda_.Function, ref: str) -> str:
    """Returns the ARN of a secret. A parameter may be named by its path."""
    if not ref.startswith("ssm:"):
        return ref
    path = ref.removeprefix("ssm:").removeprefix("/")
    return Stack.of(function).format_arn(service="ssm", resource="parameter", resource_name=path)


def _kind(arn: str) -> str:
    parts = arn.split(":")
    if parts[0] == "arn" and len(parts) >= 6 and parts[2] in _ACTIONS:
        return parts[2]
    known = ", ".join(_ACTIONS)
    raise ValueError(f"the context has {arn!r}; give ARNs of {known}")
