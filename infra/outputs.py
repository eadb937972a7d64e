"""Sets the deployed stack's outputs as the environment in which our code finds its tables."""

import json
import os
import re
from pathlib import Path

from botocore.exceptions import ClientError

from onthedot.store import aws

_NAME = "OnTheDot"
CDK = Path(__file__).resolve().parent.parent / "cdk.json"
# Calls that a command run by hand makes at once.
_PARALLEL_CALLS = "16"


def stack_name(stage: str) -> str:
    """Returns the name of the stack of a stage. Without one it is the account's only stack."""
    return f"{_NAME}-{stage}" if stage else _NAME


def chosen_stage() -> str:
    """Returns the stage of this command: STAGE=, or else what cdk.json says."""
    context: dict[str, str] = json.loads(CDK.read_text())["context"]
    return os.environ.get("STAGE") or context["stage"]


def said_by(stack: str) -> tuple[str, dict[str, str]]:
    """Returns the state and the outputs of a stack. Nothing of both, if there is none."""
    _name_the_region()
    try:
        answer = aws.client("cloudformation").describe_stacks(StackName=stack)
    except ClientError as refusal:
        if "does not exist" in str(refusal):
            return "", {}
        raise
    found = answer["Stacks"][0]
    said = found.get("Outputs", [])
    return found["StackStatus"], {each["OutputKey"]: each["OutputValue"] for each in said}


def become() -> dict[str, str]:
    """Sets the functions' variables. The credentials stay the caller's."""
    stack = stack_name(chosen_stage())
    _, outputs = said_by(stack)
    if not outputs:
        raise LookupError(f"there is no stack {stack} in this account and region")
    for name, value in outputs.items():
        if name.endswith(("Table", "QueueUrl", "Bucket")):
            os.environ[_variable(name)] = value
    os.environ.setdefault("AWS_DEFAULT_REGION", aws.client("cloudformation").meta.region_name)
    os.environ["PARALLEL_CALLS"] = _PARALLEL_CALLS
    return outputs


def _name_the_region() -> None:
    """Sets both names of it: botocore knows only the second."""
    if "AWS_REGION" in os.environ:
        os.environ.setdefault("AWS_DEFAULT_REGION", os.environ["AWS_REGION"])


def _variable(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()
