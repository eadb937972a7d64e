"""Makes the front door: an HTTP API that passes every request to the api function."""

import json

from aws_cdk import RemovalPolicy
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from infra.settings import Settings

# Who asked for what, and the result. Never a header, because one of them is the key.
_LOGGED = {
    "at": "$context.requestTime",
    "request_id": "$context.requestId",
    "ip": "$context.identity.sourceIp",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "status": "$context.status",
    "latency_ms": "$context.responseLatency",
    "error": "$context.integrationErrorMessage",
}


class Front(Construct):
    """One route for all. The function knows what a path means, and answers a wrong one."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        function: lambda_.Function,
        settings: Settings,
    ) -> None:
        super().__init__(scope, construct_id)

        self.api = apigatewayv2.HttpApi(
            self,
            "Api",
            create_default_stage=False,
            default_integration=HttpLambdaIntegration("Function", function),
        )
        self.logs = logs.LogGroup(
            self,
            "AccessLogs",
            retention=logs.RetentionDays.ONE_MONTH,
            removal_policy=RemovalPolicy.DESTROY,
        )
        apigatewayv2.CfnStage(
            self,
            "Stage",
            api_id=self.api.api_id,
            stage_name="$default",
            auto_deploy=True,
            access_log_settings=apigatewayv2.CfnStage.AccessLogSettingsProperty(
                destination_arn=self.logs.log_group_arn, format=json.dumps(_LOGGED)
            ),
            default_route_settings=apigatewayv2.CfnStage.RouteSettingsProperty(
                throttling_rate_limit=settings.requests_per_sec,
                throttling_burst_limit=settings.requests_burst,
            ),
        )
