"""Marks everything that is deployed as its owner wants it: tags, and the boundary of roles."""

from aws_cdk import Stack, Tags
from aws_cdk import aws_iam as iam

from infra.settings import Settings


def mark(stack: Stack, settings: Settings) -> None:
    """Tags all resources of the stack, and bounds all its roles."""
    for name, value in settings.tags.items():
        Tags.of(stack).add(name, value)
    if settings.permissions_boundary:
        boundary = iam.ManagedPolicy.from_managed_policy_arn(
            stack, "Boundary", settings.permissions_boundary
        )
        iam.PermissionsBoundary.of(stack).apply(boundary)
