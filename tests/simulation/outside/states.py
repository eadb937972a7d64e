"""Step Functions as the user has it: executions that run for a while, found again by their name."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Done
from onthedot.targets.call import Call
from onthedot.work.target_table import TARGETS
from tests.simulation.outside import target_notes
from tests.simulation.outside.outside import Execution

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

MACHINE = "arn:aws:states:us-east-1:000000000000:stateMachine:nightly"
_KINDS: dict[str, Any] = {
    name: type(name, (ClientError,), {})
    for name in ("ExecutionAlreadyExists", "ExecutionDoesNotExist")
}


class States:
    """The service, behind a client; `target` is what calls it."""

    exceptions = SimpleNamespace(ClientError=ClientError, **_KINDS)

    def __init__(self, stage: Stage, seed: int) -> None:
        self._stage = stage
        self._seed = seed
        # Which call of a target a process is in.
        self._calls: dict[str, Call] = {}

    def target(self, call: Call) -> Answer:
        """Calls the real target, which calls us."""
        assert self._stage.world.running is not None
        name = self._stage.world.running.name
        self._calls[name] = call
        try:
            answer = TARGETS["stepfunctions"](call)
        finally:
            self._calls.pop(name, None)
        if isinstance(answer, Again) and self._stage.world.trace[-1][5]:
            # What we said was lost on its way.
            self._stage.answered(call.run_id, call.attempt, answer)
        return answer

    def start_execution(self, **request: Any) -> dict[str, Any]:
        call = self._call
        assert call is not None, "only a target starts an execution"
        machine = request["stateMachineArn"].replace(":stateMachine:", ":execution:")
        arn = f"{machine}:{request['name']}"
        found = self._stage.outside.executions.get(arn)
        if found is None:
            self._begin(arn, call)
        waits = bool(call.target.get("wait"))
        answer = Awaiting(Reason.EXECUTION, arn) if waits else Done({"execution": arn})
        self._note(call, answer, left_behind=found is not None)
        if found is not None and found.status_at(self._now_ms) != "RUNNING":
            raise self._refused("ExecutionAlreadyExists", "StartExecution")
        return {"executionArn": arn}

    def describe_execution(self, **request: Any) -> dict[str, Any]:
        execution = self._found(request["executionArn"], "DescribeExecution")
        execution.looks_ms.append(self._now_ms)
        status = execution.status_at(self._now_ms)
        call = self._call
        if call is not None and status in ("RUNNING", "SUCCEEDED"):
            # The attempt before started it: this one leaves it to go on.
            self._note(call, Awaiting(Reason.EXECUTION, execution.arn), left_behind=True)
        answer: dict[str, Any] = {"executionArn": execution.arn, "status": status}
        if status == "SUCCEEDED":
            answer["output"] = f'{{"execution": "{execution.arn[-20:]}"}}'
        elif status == "FAILED":
            answer |= {"error": "Broken", "cause": "one of its states failed"}
        return answer

    def stop_execution(self, **request: Any) -> dict[str, Any]:
        execution = self._found(request["executionArn"], "StopExecution")
        execution.stopped_ms = execution.stopped_ms or self._now_ms
        return {"stopDate": execution.stopped_ms / 1000}

    def _note(self, call: Call, answer: Answer, *, left_behind: bool) -> None:
        if not left_behind or not self._stage.delivery(call.run_id, call.attempt):
            target_notes.note(
                self._stage, call.run_id, call.attempt, call.due_ms, payload=call.payload
            )
        self._stage.answered(call.run_id, call.attempt, answer)

    @property
    def _call(self) -> Call | None:
        running = self._stage.world.running
        return self._calls.get(running.name) if running else None

    @property
    def _now_ms(self) -> float:
        return self._stage.world.epoch_us() / 1000

    def _begin(self, arn: str, call: Call) -> None:
        random = Random(f"execution {self._seed} {call.run_id} {call.attempt}")
        timeout_sec = self._stage.task_of(call.run_id).timeout_sec
        # Some are over at once, some outlive the time that their run has.
        takes_sec = random.choice([0.5, random.uniform(2, timeout_sec), timeout_sec * 3.0])
        status = random.choices(["SUCCEEDED", "FAILED", "TIMED_OUT"], weights=[7, 2, 1])[0]
        self._stage.outside.executions[arn] = Execution(
            arn, call.run_id, call.attempt, self._now_ms, self._now_ms + takes_sec * 1000, status
        )

    def _found(self, arn: str, operation: str) -> Execution:
        found = self._stage.outside.executions.get(arn)
        if found is None:
            raise self._refused("ExecutionDoesNotExist", operation)
        return found

    def _refused(self, code: str, operation: str) -> ClientError:
        answer = {
            "Error": {"Code": code, "Message": "the name is taken, or unknown"},
            "ResponseMetadata": {"HTTPStatusCode": 400, "HTTPHeaders": {}, "RetryAttempts": 0},
        }
        error: ClientError = _KINDS[code](answer, operation)
        return error


def came_of(stage: Stage, run_id: str, now_ms: float) -> Iterator[Answer]:
    """Gives what became by then of the executions that a run has started."""
    for execution in stage.outside.executions.values():
        if execution.run_id != run_id:
            continue
        status = execution.status_at(now_ms)
        if status != "RUNNING":
            yield Done() if status == "SUCCEEDED" else Again(Reason.FAILED)
