"""What the worker may call for its users: only what the context names, and only as it must."""

from aws_cdk import aws_lambda as lambda_

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


def open_targets(function: lambda_.Function, settings: Settings) -> None:
    """Let the worker call these; a state machine's executions it may look at, too."""
    if settings.target_networks:
        function.add_environment("TARGET_NETWORKS", settings.target_networks)
    for arn in settings.targets:
        kind = _kind(arn)
        allow(function, (_ACTIONS[kind],), arn)
        if kind == "states":
            executions = arn.replace(":stateMachine:", ":execution:") + ":*"
            allow(function, ("states:DescribeExecution",), executions)


def _kind(arn: str) -> str:
    parts = arn.split(":")
    if parts[0] == "arn" and len(parts) >= 6 and parts[2] in _ACTIONS:
        return parts[2]
    known = ", ".join(_ACTIONS)
    raise ValueError(f"context targets has {arn!r}; give ARNs of {known}")
