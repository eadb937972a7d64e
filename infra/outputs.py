"""Sets the deployed stack's outputs as the environment in which our code finds its tables."""

import os
import re

from onthedot.store import aws

STACK = "OnTheDot"
# Calls that a command run by hand makes at once.
_PARALLEL_CALLS = "8"


def become() -> dict[str, str]:
    """Sets the functions' variables. The credentials stay the caller's."""
    # The CDK and AWS's other tools know both names, botocore only the second.
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
