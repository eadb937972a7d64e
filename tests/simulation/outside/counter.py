"""The API as targets and outside workers have it: by its handlers, or by the flows behind them.

Both answer alike. A history by the handlers takes longer, so only some profiles ask them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from lambdas.api import handler
from onthedot.records.runs.run_row import Run
from onthedot.schedule.expression.errors import BusyError
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped
from onthedot.targets.python import step_effects
from onthedot.work.outside import lease, lease_answers
from onthedot.work.outside.lease_answers import Told
from tests.simulation.users.caller import Ask, Caller, Front, opened

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

TENANT = "acme"
QUEUE = "gpu"
# What a worker does once in a run.
STEP = "charge"
_CONTEXT: Any = None
_BUSY = (429, 500, 503)
_LEASED, _TAKEN, _LOST = 200, 204, 409


@dataclass(frozen=True, slots=True, kw_only=True)
class Leased:
    """A run as a worker is given it."""

    run_id: str
    attempt: int
    until_ms: int
    due_ms: int
    payload: object
    checkpoint: object


class Counter(Protocol):
    """What may be asked; each call is made by a process of the API."""

    def lease(
        self, worker: str, most: int, lease_sec: int, wait_sec: int
    ) -> tuple[list[Leased], bool]:
        """Gives `most` runs at most, and tell whether to ask again instead of waiting for one."""

    def settle(self, run_id: str, attempt: int, answer: Answer) -> bool:
        """Takes a word, or refuse it."""

    def keep(
        self, run_id: str, attempt: int, lease_sec: int, progress: object
    ) -> tuple[int, bool] | None:
        """Tells until when the attempt is its worker's, and whether it is to stop."""

    def step(self, run_id: str, attempt: int, value: object = None) -> tuple[object, ...] | None:
        """Looks a step's record up, or record it: its value, if any; None is a refusal."""


class Flows:
    """The flows, called by hand."""

    def lease(
        self, worker: str, most: int, lease_sec: int, wait_sec: int
    ) -> tuple[list[Leased], bool]:
        assert not wait_sec, "only the API's handler waits"
        found = lease.take(QUEUE, tenant_id=TENANT, most=most, worker=worker, lease_sec=lease_sec)
        return [
            Leased(
                run_id=each.run.run_id,
                attempt=each.call.attempt,
                until_ms=each.run.life.lease_ms,
                due_ms=each.call.due_ms,
                payload=each.call.payload,
                checkpoint=each.call.checkpoint,
            )
            for each in found
        ], False

    def settle(self, run_id: str, attempt: int, answer: Answer) -> bool:
        return lease_answers.settle(run_id, attempt, answer, tenant_id=TENANT) is Told.TAKEN

    def keep(
        self, run_id: str, attempt: int, lease_sec: int, progress: object
    ) -> tuple[int, bool] | None:
        kept = lease_answers.extend(
            run_id, attempt, tenant_id=TENANT, lease_sec=lease_sec, progress=progress
        )
        return (kept.life.lease_ms, bool(kept.cancel_ms)) if isinstance(kept, Run) else None

    def step(self, run_id: str, attempt: int, value: object = None) -> tuple[object, ...] | None:
        if lease_answers.standing(run_id, attempt, tenant_id=TENANT) is not Told.TAKEN:
            return None
        kept = (
            step_effects.record(run_id, STEP, value)
            if value
            else step_effects.recorded(run_id, STEP)
        )
        return (kept.value,) if kept else ()


class Handlers:
    """The API's own handlers, with a worker's key; an environment serves many requests."""

    def __init__(self, stage: Stage) -> None:
        self._front: Front = opened(stage)
        self._caller: Caller = self._front.caller(TENANT, role="worker")

    def lease(
        self, worker: str, most: int, lease_sec: int, wait_sec: int
    ) -> tuple[list[Leased], bool]:
        asked = {"queue": QUEUE, "max": most, "wait_sec": wait_sec, "lease_sec": lease_sec}
        status, body = self._asked("leases", asked | {"worker": worker})
        assert status == _LEASED, body
        return [_leased(each) for each in body["data"]], body["ask_again_in_sec"] is not None

    def settle(self, run_id: str, attempt: int, answer: Answer) -> bool:
        verb, body = _word(answer)
        status, said = self._asked(f"runs/{run_id}/{verb}", {"attempt": attempt, **body})
        assert status in (_TAKEN, _LOST), said
        return status == _TAKEN

    def keep(
        self, run_id: str, attempt: int, lease_sec: int, progress: object
    ) -> tuple[int, bool] | None:
        asked = {"attempt": attempt, "lease_sec": lease_sec, "progress": progress}
        status, said = self._asked(f"runs/{run_id}/heartbeat", asked)
        assert status in (_LEASED, _LOST), said
        if status == _LOST:
            return None
        return _ms(said["lease_until"]), bool(said["cancel_requested"])

    def step(self, run_id: str, attempt: int, value: object = None) -> tuple[object, ...] | None:
        asked = {"attempt": attempt, "key": STEP} | ({"value": value} if value else {})
        status, said = self._asked(f"runs/{run_id}/once", asked)
        assert status in (_LEASED, _LOST), said
        if status == _LOST:
            return None
        return (said["value"],) if said["recorded"] else ()

    def _asked(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Answers in the running process, by an environment that is free or a new one."""
        front, running = self._front, self._front.stage.world.running
        assert running is not None
        ask = Ask(
            name=path,
            task_id="",
            began_ms=0.0,
            route=f"POST /v1/{path}",
            body=body,
            tenant_id=TENANT,
            key_id=self._caller.key_id,
        )
        environment = front._environment()  # noqa: SLF001  # as a caller gets one
        if environment.skew_us is None:
            environment.skew_us = running.skew_us
        running.set_clock(environment.skew_us, front.stage.world.now_us)
        environment.enter()
        answered = handler(self._caller._event(ask), _CONTEXT)  # noqa: SLF001  # as a caller asks
        front.free.append(environment)
        if answered["statusCode"] in _BUSY:
            raise BusyError(str(answered.get("body")))
        text = answered.get("body")
        return answered["statusCode"], json.loads(text) if text else None


def _leased(shown: Mapping[str, Any]) -> Leased:
    run = shown["run"]
    return Leased(
        run_id=run["run_id"],
        attempt=shown["attempt"],
        until_ms=_ms(shown["lease_until"]),
        due_ms=_ms(run["due_at"]),
        payload=run["payload"],
        checkpoint=shown["checkpoint"],
    )


def _word(answer: Answer) -> tuple[str, dict[str, Any]]:
    match answer:
        case Done(result):
            return "complete", {"result": result}
        case Skipped(note):
            return "complete", {"skipped": note}
        case Dead():
            return "fail", {"error": "never", "permanent": True}
        case Again():
            body = {"retry_in_sec": answer.after_sec, "checkpoint": answer.checkpoint}
            return "fail", {"error": "no", "release": answer.released, **body}
    raise AssertionError(answer)


def _ms(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
