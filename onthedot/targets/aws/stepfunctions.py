"""Starts a user's state machine. If the run waits for its end, it is looked at later."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.records import attributes
from onthedot.records.runs.run_status import Reason
from onthedot.store import aws
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Dead, Done, error_of
from onthedot.targets.aws import refusals
from onthedot.targets.call import Call

_NAME_MAX = 80
_EXPRESS = ":express:"
_FAILED = ("FAILED", "TIMED_OUT", "ABORTED")


def call(asked: Call) -> Answer:
    """Starts an execution under a name of the run, so that starting twice starts one."""
    client = aws.patient_client("stepfunctions", 10)
    waits = bool(asked.target.get("wait"))
    if waits and (left := _left_behind(asked)):
        return left
    try:
        started = client.start_execution(
            stateMachineArn=asked.target["state_machine_arn"],
            name=_name(asked),
            input=json.dumps(asked.payload),
        )
    except client.exceptions.ExecutionAlreadyExists:
        # The execution is our own: an earlier start lost its answer.
        return Awaiting(Reason.EXECUTION, _arn(asked)) if waits else Done()
    arn = started["executionArn"]
    if not waits:
        return Done({"execution": arn})
    return (
        Dead(Reason.PERMANENT, _not_awaited(arn))
        if _EXPRESS in arn
        else Awaiting(Reason.EXECUTION, arn)
    )


def _left_behind(asked: Call) -> Answer | None:
    """Finds an execution that an attempt left when its worker died, and waits for it instead.

    The newest attempt that started one decides: later attempts died before they started any.
    """
    client = aws.patient_client("stepfunctions", 10)
    for attempt in range(asked.attempt - 1, 0, -1):
        arn = _arn(replace(asked, attempt=attempt))
        try:
            seen = look(arn)
        except client.exceptions.ExecutionDoesNotExist:
            continue
        if seen is None:
            return Awaiting(Reason.EXECUTION, arn)
        return seen if isinstance(seen, Done) else None
    return None


def look(arn: str) -> Answer | None:
    """Returns the answer of an execution, or None if it has not ended."""
    seen = aws.patient_client("stepfunctions", 10).describe_execution(executionArn=arn)
    if seen["status"] == "SUCCEEDED":
        return Done(attributes.said(seen.get("output", "null")))
    if seen["status"] in _FAILED:
        kind = seen.get("error") or f"Execution{seen['status'].title().replace('_', '')}"
        return Again(Reason.FAILED, error_of(kind, seen.get("cause", f"the execution is {arn}")))
    return None


def _not_awaited(arn: str) -> dict[str, Any]:
    """Describes why an Express execution is not awaited: nobody is told of its end."""
    message = (
        f"{arn} was started, but the end of an Express execution cannot be seen: "
        "expected a Standard state machine, or wait=false"
    )
    return error_of("ExpressNotAwaited", message)


def stop(arn: str) -> bool:
    """Stops an execution. False asks for another try.

    An execution that has ended, or that we may not stop, needs no other try.
    """
    try:
        # A cause would have to be encrypted with the machine's key, which we may not use.
        aws.patient_client("stepfunctions", 10).stop_execution(executionArn=arn)
    except BotoCoreError:
        return False
    except ClientError as refusal:
        return isinstance(refusals.judged(refusal.response), Dead)
    return True


def _name(asked: Call) -> str:
    """Makes the execution's name. If the run waits, each attempt has its own."""
    task, _, key = asked.run_id.partition(".")
    attempt = f"-{asked.attempt}" if asked.target.get("wait") else ""
    return re.sub(r"[^A-Za-z0-9_-]", "-", f"{task[-30:]}-{key}{attempt}")[-_NAME_MAX:]


def _arn(asked: Call) -> str:
    """Returns the execution's ARN. It leaves out the version or alias behind the machine's name."""
    machine = ":".join(asked.target["state_machine_arn"].split(":")[:7])
    return f"{machine.replace(':stateMachine:', ':execution:')}:{_name(asked)}"
