"""A state machine of the user's: started, and if its end is awaited, looked at later."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from onthedot.records import small_json
from onthedot.store import aws
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Dead, Done, error_of
from onthedot.targets.aws import refusals
from onthedot.targets.call import Call

_NAME_MAX = 80
_EXPRESS = ":express:"
_FAILED = ("FAILED", "TIMED_OUT", "ABORTED")


def call(asked: Call) -> Answer:
    """Start an execution, under a name that finds it again: twice is once."""
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
        # Our own start, whose answer was lost.
        return Awaiting("execution", _arn(asked)) if waits else Done()
    arn = started["executionArn"]
    if not waits:
        return Done({"execution": arn})
    return Dead("permanent", _not_awaited(arn)) if _EXPRESS in arn else Awaiting("execution", arn)


def _left_behind(asked: Call) -> Answer | None:
    """An attempt whose worker died may have started one: it is waited for, not run beside.

    The newest attempt that has started one decides: those after it died before they could.
    """
    client = aws.patient_client("stepfunctions", 10)
    for attempt in range(asked.attempt - 1, 0, -1):
        arn = _arn(replace(asked, attempt=attempt))
        try:
            seen = look(arn)
        except client.exceptions.ExecutionDoesNotExist:
            continue
        if seen is None:
            return Awaiting("execution", arn)
        return seen if isinstance(seen, Done) else None
    return None


def look(arn: str) -> Answer | None:
    """Give the answer of an execution that has ended."""
    seen = aws.patient_client("stepfunctions", 10).describe_execution(executionArn=arn)
    if seen["status"] == "SUCCEEDED":
        return Done(small_json.said(seen.get("output", "null")))
    if seen["status"] in _FAILED:
        kind = seen.get("error") or f"Execution{seen['status'].title().replace('_', '')}"
        return Again("failed", error_of(kind, seen.get("cause", f"the execution is {arn}")))
    return None


def _not_awaited(arn: str) -> dict[str, Any]:
    """Nobody is told how an Express execution ends; waited for, it would time out and run again."""
    message = (
        f"{arn} was started, but the end of an Express execution cannot be seen: "
        "expected a Standard state machine, or wait=false"
    )
    return error_of("ExpressNotAwaited", message)


def stop(arn: str) -> bool:
    """Stop an execution; False asks for another try.

    One that has ended, or may not be stopped, needs none.
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
    """Letters, digits, '-' and '_' only; what was only to be started is started once a run."""
    task, _, key = asked.run_id.partition(".")
    attempt = f"-{asked.attempt}" if asked.target.get("wait") else ""
    return re.sub(r"[^A-Za-z0-9_-]", "-", f"{task[-30:]}-{key}{attempt}")[-_NAME_MAX:]


def _arn(asked: Call) -> str:
    """A machine's version or alias stands behind its name, and is no part of an execution's."""
    machine = ":".join(asked.target["state_machine_arn"].split(":")[:7])
    return f"{machine.replace(':stateMachine:', ':execution:')}:{_name(asked)}"
