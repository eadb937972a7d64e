"""Writes who may do what: one statement for each function and what it touches."""

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

# A batch of statements needs the rights of its single statements.
READ = ("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query")
WRITE = (
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:PartiQLInsert",
    "dynamodb:PartiQLUpdate",
)
QUERY = ("dynamodb:Query",)
DELETE = ("dynamodb:DeleteItem",)
COUNT = ("sqs:GetQueueAttributes",)
FETCH = ("s3:GetObject",)
# Without this right S3 reports a missing object as forbidden.
LIST = ("s3:ListBucket",)
STOW = ("s3:PutObject",)
REMOVE = ("s3:DeleteObject",)
SEND = ("sqs:SendMessage",)
# What reading and writing under a key of one's own takes.
ENCRYPT = ("kms:Decrypt", "kms:GenerateDataKey*", "kms:Encrypt", "kms:DescribeKey")


def allow(function: lambda_.Function, actions: tuple[str, ...], *resources: str) -> None:
    """Lets a function do these actions on resources, named by their ARNs."""
    function.add_to_role_policy(
        iam.PolicyStatement(actions=list(actions), resources=list(resources))
    )


def allow_within(
    function: lambda_.Function, actions: tuple[str, ...], table: str, partitions: str
) -> None:
    """Lets a function do these actions on items of some partitions, named by their prefixes."""
    key = "dynamodb:LeadingKeys"
    # "All of them" is also true of none, so a request that names no key must be refused.
    within = {
        "ForAllValues:StringLike": {key: [f"{partitions}*"]},
        "Null": {key: "false"},
    }
    function.add_to_role_policy(
        iam.PolicyStatement(actions=list(actions), resources=[table], conditions=within)
    )


def allow_itself(function: lambda_.Function) -> None:
    """Lets a function invoke itself. In the policy that it depends on, this would be circular."""
    statement = iam.PolicyStatement(
        actions=["lambda:InvokeFunction"], resources=[function.function_arn]
    )
    iam.Policy(function, "InvokesItself", statements=[statement], roles=[_role(function)])


def deny_code(function: lambda_.Function, actions: tuple[str, ...]) -> None:
    """Denies the function's code what Lambda does in its name. The function comes first."""
    statement = iam.PolicyStatement(
        effect=iam.Effect.DENY,
        actions=list(actions),
        resources=["*"],
        conditions={"ArnEquals": {"lambda:SourceFunctionArn": function.function_arn}},
    )
    iam.Policy(function, "NotByItsCode", statements=[statement], roles=[_role(function)])


def _role(function: lambda_.Function) -> iam.IRole:
    if function.role is None:
        raise LookupError(f"{function.node.id} has no role")
    return function.role
