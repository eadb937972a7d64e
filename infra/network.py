"""Puts the worker into a network of the account, so that it reaches private targets."""

from aws_cdk import Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.grants import deny_code
from infra.settings import Settings

# AWS's own services that the worker needs: tables and bucket by the route tables, which costs
# nothing, the queues by addresses in the subnets.
_BY_ROUTES = ("dynamodb", "s3")
_BY_ADDRESSES = ("sqs",)
# And those of the targets that the context opens: the name in an ARN, and in an endpoint.
_OF_TARGETS = {
    "events": "events",
    "lambda": "lambda",
    "secretsmanager": "secretsmanager",
    "sns": "sns",
    "ssm": "ssm",
    "states": "states",
}
# Lambda makes the worker's network interfaces in its name. They have no names of their own.
_INTERFACES = (
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
)


class Network(Construct):
    """The worker's place in a VPC, and its ways to AWS from there."""

    def __init__(
        self, scope: Construct, construct_id: str, *, worker: lambda_.Function, settings: Settings
    ) -> None:
        super().__init__(scope, construct_id)

        self._settings = settings
        _let_it_in(worker, settings)
        if settings.vpc_exit == "endpoints":
            for service in _BY_ROUTES:
                self._by_routes(service)
            for service in sorted({*_BY_ADDRESSES, *_called(settings)}):
                self._by_addresses(service)

    def _by_routes(self, service: str) -> None:
        ec2.CfnVPCEndpoint(
            self,
            service,
            vpc_id=self._settings.vpc,
            service_name=self._address(service),
            vpc_endpoint_type="Gateway",
            route_table_ids=list(self._settings.route_tables),
        )

    def _by_addresses(self, service: str) -> None:
        ec2.CfnVPCEndpoint(
            self,
            service,
            vpc_id=self._settings.vpc,
            service_name=self._address(service),
            vpc_endpoint_type="Interface",
            private_dns_enabled=True,
            subnet_ids=list(self._settings.subnets),
            security_group_ids=list(self._settings.security_groups),
        )

    def _address(self, name: str) -> str:
        return f"com.amazonaws.{Stack.of(self).region}.{name}"


def _let_it_in(worker: lambda_.Function, settings: Settings) -> None:
    function = worker.node.default_child
    if not isinstance(function, lambda_.CfnFunction):
        raise TypeError(f"{worker.node.id} is no function of CloudFormation")
    function.vpc_config = lambda_.CfnFunction.VpcConfigProperty(
        subnet_ids=list(settings.subnets), security_group_ids=list(settings.security_groups)
    )
    # CloudFormation would otherwise make the function before it may have a network.
    rights = iam.Policy(
        worker,
        "EntersNetwork",
        statements=[iam.PolicyStatement(actions=list(_INTERFACES), resources=["*"])],
        roles=[worker.role] if worker.role else [],
    )
    function.node.add_dependency(rights)
    # Users' code runs as the same role. Lambda's own calls do not count as those of the code.
    deny_code(worker, _INTERFACES)


def _called(settings: Settings) -> set[str]:
    """Returns the services of the targets that runs may call."""
    kinds = {arn.split(":")[2] for arn in settings.targets if arn.count(":") > 1}
    return {_OF_TARGETS[kind] for kind in kinds if kind in _OF_TARGETS}
