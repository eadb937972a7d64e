"""What the deployed stack says of itself, as the environment in which our code finds its tables."""

import os
import re

from onthedot.store import aws

STACK = "OnTheDot"
# How many calls a hand makes at once.
_PARALLEL_CALLS = "8"


def become() -> dict[str, str]:
    """Set the variables that the functions have; the credentials stay the caller's."""
    # The CDK and AWS's other tools know either name, botocore the second only.
    if "AWS_REGION" in os.environ:
        os.environ.setdefault("AWS_DEFAULT_REGION", os.environ["AWS_REGION"])
    answer = aws.client("cloudformation").describe_stacks(StackName=STACK)
    said = answer["Stacks"][0]["Outputs"]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in said}
    for name, value in outputs.items():
        if name.endswith(("Table", "QueueUrl", "Bucket")):
            os.environ[_variable(name)] = value
    os.environ.setdefault("AWS_DEFAULT_REGION", aws.client("cloudformation").meta.region_name)
    os.environ["PARALLEL_CALLS"] = _PARALLEL_CALLS
    return outputs


def _variable(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()
