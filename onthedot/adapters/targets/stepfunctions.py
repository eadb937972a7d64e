"""A state machine of the user's: started, and if its end is awaited, looked at later."""

from __future__ import annotations

import json
import re
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.adapters import aws
from onthedot.core import refusals
from onthedot.core.call import Call
from onthedot.core.policy import Again, Answer, Awaiting, Dead, Done, error_of

_NAME_MAX = 80
_FAILED = ("FAILED", "TIMED_OUT", "ABORTED")


def call(asked: Call) -> Answer:
    """Start an execution named after the attempt: starting it twice finds the one that runs."""
    client = aws.patient_client("stepfunctions", 10)
    try:
        started = client.start_execution(
            stateMachineArn=asked.target["state_machine_arn"],
            name=_name(asked),
            input=json.dumps(asked.payload),
        )
    except client.exceptions.ExecutionAlreadyExists:
        # Of the same attempt with the same input: our own start, whose answer was lost.
        return Awaiting("execution", _arn(asked)) if asked.target.get("wait") else Done()
    arn = started["executionArn"]
    return Awaiting("execution", arn) if asked.target.get("wait") else Done({"execution": arn})


def look(arn: str) -> Answer | None:
    """Give the answer of an execution that has ended."""
    seen = aws.patient_client("stepfunctions", 10).describe_execution(executionArn=arn)
    if seen["status"] == "SUCCEEDED":
        return Done(_said(seen.get("output", "null")))
    if seen["status"] in _FAILED:
        kind = seen.get("error") or f"Execution{seen['status'].title().replace('_', '')}"
        return Again("failed", error_of(kind, seen.get("cause", f"the execution is {arn}")))
    return None


def stop(arn: str) -> bool:
    """Stop an execution; False asks for another try.

    One that has ended, is of a kind that cannot be stopped, or may not be, needs none.
    """
    try:
        # A cause would have to be encrypted by the machine's key, which is none of ours.
        aws.patient_client("stepfunctions", 10).stop_execution(executionArn=arn)
    except BotoCoreError:
        return False
    except ClientError as refusal:
        return isinstance(refusals.judged(refusal.response), Dead)
    return True


def _name(asked: Call) -> str:
    """Letters, digits, '-' and '_' only; the slot and the attempt keep it apart from others."""
    task, _, key = asked.run_id.partition(".")
    return re.sub(r"[^A-Za-z0-9_-]", "-", f"{task[-30:]}-{key}-{asked.attempt}")[-_NAME_MAX:]


def _arn(asked: Call) -> str:
    machine = asked.target["state_machine_arn"]
    return f"{machine.replace(':stateMachine:', ':execution:')}:{_name(asked)}"


def _said(output: str) -> Any:
    try:
        return json.loads(output)
    except ValueError:
        return output
