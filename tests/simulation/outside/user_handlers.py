"""Handlers in the workers' own process, as a user writes them: steps, checkpoints, other times."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any

from onthedot.records.runs.run_status import Reason
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped, Stopped
from onthedot.targets.python.context import Context
from onthedot.targets.python.handler import Handler
from onthedot.targets.python.signals import Fail, RetryLater, Skip, Stop
from tests.simulation.outside import target_notes
from tests.simulation.outside.call_facts import of_context
from tests.simulation.outside.outside import Before, Report, Step

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

HANDLER = "handled"
# What a handler that fails by itself leaves by.
RAISED = {"type": "RuntimeError", "message": "it did not work"}
_LOOKS_SEC = 0.7
# How many of the handlers that do not look work page by page.
_PAGING = 0.4


class Handled:
    """The handlers of one history."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self._stage = stage
        self._seed = seed

    def handlers(self) -> Mapping[str, Handler[..., Any]]:
        """Stands in the place of the package of jobs."""
        return {HANDLER: Handler(name=HANDLER, function=self._handle)}

    def _handle(self, ctx: Context) -> object:
        """Called as a user's function is; what it leaves by is its answer."""
        stage, world = self._stage, self._stage.world
        random = Random(f"handler {self._seed} {ctx.run_id} {ctx.attempt}")
        answer = _answer(random, ctx)

        def received(run: str, attempt: int) -> None:
            due_ms = round(ctx.due_at.timestamp() * 1000)
            target_notes.note(
                stage,
                run,
                attempt,
                due_ms,
                payload=ctx.payload,
                checkpoint=ctx.checkpoint,
                told=of_context(ctx),
            )

        try:
            world.act("deliver", received, run=ctx.run_id, attempt=ctx.attempt)
            self._ask_before(ctx)
            self._go_through_a_step(ctx)
            self._work(ctx, random)
        except Stop:
            stage.answered(ctx.run_id, ctx.attempt, Stopped())
            raise
        except Exception:
            stage.answered(ctx.run_id, ctx.attempt, Again(Reason.FAILED))
            raise
        stage.answered(ctx.run_id, ctx.attempt, answer)
        return _said(answer)

    def _ask_before(self, ctx: Context) -> None:
        now_ms = self._stage.world.epoch_us() / 1000
        found = ctx.previous_success
        told_ms = self._stage.world.epoch_us() / 1000
        slot = found.strftime("%Y-%m-%dT%H:%M:%SZ") if found else None
        self._stage.outside.befores.append(Before(ctx.run_id, now_ms, told_ms, slot))

    def _go_through_a_step(self, ctx: Context, name: str = "charge") -> None:
        """Asks for an effect that must happen once, whatever befalls the attempts."""
        world = self._stage.world
        step = Step(ctx.run_id, ctx.attempt, name=name, knowing=ctx.hands.lease_lost())

        def charge(**_: object) -> None:
            step.done_ms = world.epoch_us() / 1000
            self._stage.outside.steps.append(step)

        def effect() -> str:
            world.act("charge", charge, run=ctx.run_id, attempt=ctx.attempt)
            return f"paid by attempt {ctx.attempt}"

        step.value = ctx.once(name, effect)
        step.given_ms = world.epoch_us() / 1000
        if not step.done_ms:
            self._stage.outside.steps.append(step)

    def _work(self, ctx: Context, random: Random) -> None:
        """Works: some look whether they must stop, some never do, some take too long."""
        timeout_sec = self._stage.task_of(ctx.run_id).timeout_sec
        takes_sec = random.choices(
            [0.05, random.uniform(0, timeout_sec * 0.8), timeout_sec * random.uniform(1, 3)],
            weights=[5, 3, 2],
        )[0]
        looks = random.random() < 0.7
        # Who works page by page asks before each of them, and for nothing else.
        pages = Random(f"pages {self._seed} {ctx.run_id} {ctx.attempt}").random() < _PAGING
        left = takes_sec
        while left > 0:
            clock.sleep(min(_LOOKS_SEC, left))
            left -= _LOOKS_SEC
            if looks:
                self._report(ctx, {"left": round(left, 1)})
            elif pages:
                self._go_through_a_step(ctx, f"page at {round(left, 1)}")

    def _report(self, ctx: Context, progress: Mapping[str, float]) -> None:
        ctx.heartbeat(progress)
        at_ms = self._stage.world.epoch_us() / 1000
        report = Report(ctx.run_id, ctx.attempt, at_ms, progress)
        self._stage.outside.reports.append(report)


def _answer(random: Random, ctx: Context) -> Answer:
    answers: list[Answer] = [
        Done({"attempt": ctx.attempt}),
        Again(Reason.FAILED, RAISED),
        Dead(Reason.PERMANENT),
        Skipped("nothing to do"),
        Again(Reason.YIELDED, after_sec=random.choice([None, 0, 7]), checkpoint=None),
        Again(Reason.YIELDED, after_sec=3, checkpoint={"page": [ctx.attempt, ctx.run_id[-6:]]}),
    ]
    return random.choices(answers, weights=[10, 3, 1, 1, 1, 4])[0]


def _said(answer: Answer) -> object:
    """As a handler says it."""
    match answer:
        case Skipped(note):
            raise Skip(note)
        case Dead():
            raise Fail("it will never work")
        case Again() if answer.released:
            raise RetryLater(answer.after_sec, answer.checkpoint)
        case Again():
            raise RuntimeError(RAISED["message"])
        case Done(result):
            return result
    raise AssertionError(answer)
