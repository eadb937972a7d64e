"""Receivers of http calls: they answer at once, or take a run on and say later what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError

from onthedot.records.runs.run_status import Reason
from onthedot.store import clock
from onthedot.store.aws import BrokenOff, Exchange
from onthedot.targets.attempt_outcome import CLOSED, Again, Answer, Awaiting, Dead, Done, Stopped
from onthedot.targets.http.web_exchange import NoResponse, Request, Response
from tests.simulation.outside import api_process, target_notes
from tests.simulation.outside.api_process import Unavailable
from tests.simulation.outside.call_breaks import waited

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

CALLBACK_PATH, SLOW_PATH = "/callback", "/slow"
# What a receiver answers instead of taking a run on, how often, and what that means.
_REFUSALS: tuple[tuple[float, int, dict[str, str], Answer], ...] = (
    (0.03, 500, {}, Again(Reason.FAILED)),
    (0.03, 429, {"retry-after": "20"}, Again(Reason.FAILED, after_sec=20)),
    (0.01, 400, {}, Dead(Reason.PERMANENT)),
)
_TIMES_OUT, _FAILS_SLOWLY = 0.03, 0.4
_TRIES = 15
# A step of a caller: so many seconds later it says that; None keeps the attempt.
Step = tuple[float, Answer | None]


class Receiver:
    """Stands in the place of the network for all http targets of a history."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self._stage = stage
        self._seed = seed

    def send(self, wanted: Request, exchange: Exchange | None = None) -> Response | NoResponse:
        """Receives one request; its answer may be slow, or lost."""
        stage, world = self._stage, self._stage.world
        run_id = wanted.headers["idempotency-key"]
        attempt = int(wanted.headers["onthedot-attempt"].partition("/")[0])
        random = Random(f"receiver {self._seed} {run_id} {attempt}")
        status, headers, answer = _response(random, calls_back=CALLBACK_PATH in wanted.url)
        waits_sec = random.choice([0.0, 0.05, 0.3, 2.5])
        if SLOW_PATH in wanted.url:
            waits_sec = random.uniform(1.0, 30.0)
            if random.random() < _FAILS_SLOWLY:
                status, headers, answer = _REFUSALS[0][1:]

        def received(run: str, attempt: int) -> None:
            due = datetime.fromisoformat(wanted.headers["onthedot-due-at"])
            payload = json.loads(wanted.body or b"null")
            target_notes.note(stage, run, attempt, round(due.timestamp() * 1000), payload=payload)
            stage.answered(run, attempt, answer)
            if isinstance(answer, Awaiting):
                task = stage.task_of(run)
                for number, steps in enumerate(_plans(random, float(task.timeout_sec))):
                    self._call_back_later(run, attempt, steps, number)

        try:
            world.act("post", received, run=run_id, attempt=attempt)
            waits_sec = waits_sec if status else wanted.patience_sec
            waited(world, exchange, min(waits_sec, wanted.patience_sec))
        except BrokenOff:
            stage.answered(run_id, attempt, Stopped(note=CLOSED))
            return NoResponse("broken_off", CLOSED)
        except BotoCoreError:
            target_notes.lost(stage, run_id, attempt, answer)
            return NoResponse("timed_out", "no answer")
        if waits_sec > wanted.patience_sec or not status:
            target_notes.lost(stage, run_id, attempt, answer)
            return NoResponse("timed_out", "no answer")
        return Response(status=status, headers=headers, body=b"{}")

    def _call_back_later(self, run_id: str, attempt: int, steps: list[Step], number: int) -> None:
        """Begins a process that outlives the answer: it may die, stand still, or say nothing."""
        world = self._stage.world

        def calls_back() -> None:
            for sec, answer in steps:
                clock.sleep(sec)
                self._until_heard(run_id, attempt, answer)

        # A receiver asks the API at once at the earliest: its answer is on its way meanwhile.
        at_sec = world.now_us / 1_000_000 + 0.001 * (number + 1)
        world.spawn("caller", calls_back, at_sec=at_sec)

    def _until_heard(self, run_id: str, attempt: int, answer: Answer | None) -> None:
        for _ in range(_TRIES):
            try:
                if answer is None:
                    api_process.beat(self._stage, run_id, attempt, 60)
                else:
                    api_process.say(self._stage, run_id, attempt, answer)
            except Unavailable:
                clock.sleep(1.0)
            else:
                return


def _response(random: Random, *, calls_back: bool) -> tuple[int, dict[str, str], Answer]:
    drawn = random.random()
    for chance, status, headers, answer in _REFUSALS:
        if drawn < chance:
            return status, headers, answer
        drawn -= chance
    if drawn < _TIMES_OUT:
        return 0, {}, Again(Reason.TIMED_OUT)
    return (202, {}, Awaiting(Reason.CALLBACK)) if calls_back else (200, {}, Done({"status": 200}))


def _plans(random: Random, timeout_sec: float) -> Iterator[list[Step]]:
    """Yields what a receiver's callers do about one attempt; mostly one of them says one word."""
    work_sec = random.choice([0.0, 0.2, random.uniform(1, timeout_sec * 0.8)])
    late_sec = timeout_sec + random.uniform(0.5, 60)
    done: Answer = Done({"by": random.getrandbits(32)})
    failed: Answer = Again(Reason.FAILED, after_sec=3)
    back = Again(Reason.RELEASED, after_sec=2, checkpoint={"page": random.getrandbits(8)})
    plans: list[list[Step]] = [
        [(work_sec, done)],
        [(work_sec, failed)],
        [(work_sec, Dead(Reason.PERMANENT))],
        [(work_sec, back)],
        # It never comes, or when nobody waits for it any more.
        [],
        [(late_sec, done)],
        [(late_sec, failed)],
        # Twice, and two words that differ.
        [(work_sec, done), (random.uniform(0.1, 60), done)],
        [(work_sec, done), (random.uniform(0.1, 5), failed)],
        [(work_sec, failed), (random.uniform(0.1, 20), done)],
        # It shows that it is at work, which keeps nothing.
        [(work_sec / 2, None), (work_sec / 2, None), (1.0, done)],
    ]
    yield random.choices(plans, weights=[8, 2, 1, 1, 2, 2, 1, 2, 1, 1, 2])[0]
    if random.random() < 0.1:
        # Two processes of the receiver have it, and both say something.
        word: Answer = random.choice([done, failed])
        yield [(work_sec + random.choice([0.0, 0.01, 3.0]), word)]
