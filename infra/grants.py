"""Who may do what: one statement for each function and what it touches, and nothing else."""

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

# Batches of statements are allowed as the single statements they are made of.
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
# Without it S3 calls an object that is not there forbidden.
LIST = ("s3:ListBucket",)
STOW = ("s3:PutObject",)
REMOVE = ("s3:DeleteObject",)
SEND = ("sqs:SendMessage",)


def allow(function: lambda_.Function, actions: tuple[str, ...], *resources: str) -> None:
    """Let a function do this to those, named by their ARNs."""
    function.add_to_role_policy(
        iam.PolicyStatement(actions=list(actions), resources=list(resources))
    )


def allow_within(
    function: lambda_.Function, actions: tuple[str, ...], table: str, partitions: str
) -> None:
    """Let a function do this to items of some partitions only, named by how their keys begin."""
    key = "dynamodb:LeadingKeys"
    # "All of them" is true of none as well: a request that names no key is refused.
    within = {
        "ForAllValues:StringLike": {key: [f"{partitions}*"]},
        "Null": {key: "false"},
    }
    function.add_to_role_policy(
        iam.PolicyStatement(actions=list(actions), resources=[table], conditions=within)
    )


def allow_itself(function: lambda_.Function) -> None:
    """Let a function invoke itself; in the policy it depends on, that would be a circle."""
    statement = iam.PolicyStatement(
        actions=["lambda:InvokeFunction"], resources=[function.function_arn]
    )
    iam.Policy(function, "InvokesItself", statements=[statement], roles=[_role(function)])


def _role(function: lambda_.Function) -> iam.IRole:
    if function.role is None:
        raise LookupError(f"{function.node.id} has no role")
    return function.role
