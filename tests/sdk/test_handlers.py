"""What a handler returns, raises or asks its context, and what becomes of its attempt."""

from __future__ import annotations

import json
from asyncio import CancelledError, TaskGroup, to_thread
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import pytest

from jobs import examples
from onthedot import Cancelled, Context, Fail, LeaseLost, OnTheDot, RetryLater, Skip, TimedOut
from onthedot.records.attributes import typed_item
from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped, Stopped, after
from onthedot.targets.call import Call
from onthedot.targets.python import handler_target
from onthedot.work.target_call import deliver
from onthedot.work.target_table import TARGETS
from tests.schedule.samples import run, task
from tests.sdk.contexts import NOON, NOON_MS, RUN_ID, Hands, context
from tests.targets.receiver import call_fields

app = OnTheDot()


def _raising(what: BaseException) -> Answer:
    @app.job()
    def job() -> None:
        raise what

    return handler_target.call(job, context())


def test_what_a_handler_returns_is_the_result() -> None:
    answer = handler_target.call(examples.hello, context(payload={"who": "Ada"}))

    assert answer == Done({"greeting": "Hello, Ada!"})


def test_an_asynchronous_handler_is_awaited() -> None:
    assert handler_target.call(examples.wait, context(payload={"seconds": 0.01})) == Done(0.01)


def test_a_payload_that_does_not_fit_is_not_tried_again() -> None:
    answer = handler_target.call(examples.hello, context(payload={"whom": "Ada"}))

    assert isinstance(answer, Dead)
    assert answer.reason == "payload_unreadable"


def test_each_exception_says_what_becomes_of_the_run() -> None:
    later = _raising(RetryLater(after=60, checkpoint={"page": 7}))
    dead = _raising(Fail("customer closed"))

    assert _raising(Skip("a holiday")) == Skipped("a holiday")
    assert later == Again(Reason.YIELDED, after_sec=60, checkpoint={"page": 7})
    assert isinstance(dead, Dead)
    assert dead.reason == "permanent"
    assert dead.error is not None
    assert dead.error["message"] == "customer closed"
    assert _raising(Cancelled()) == Stopped()
    assert _outcome(_raising(TimedOut())) == "timed_out"
    assert _outcome(_raising(LeaseLost())) == "lost"


def test_a_task_of_an_asynchronous_handler_speaks_for_it() -> None:
    def ran(*tasks: Callable[[Context], Coroutine[None, None, None]]) -> Answer:
        @app.job()
        async def job(ctx: Context) -> None:
            async with TaskGroup() as group:
                for each in tasks:
                    group.create_task(each(ctx))

        return handler_target.call(job, context(Hands(cancel=True)))

    async def asks(ctx: Context) -> None:
        ctx.heartbeat()

    async def gives_up(_: Context) -> None:
        raise Fail("customer closed")

    async def breaks(_: Context) -> None:
        raise ZeroDivisionError

    assert ran(asks) == Stopped()
    assert isinstance(ran(gives_up), Dead)
    with pytest.raises(ExceptionGroup):
        ran(gives_up, breaks)


@pytest.mark.parametrize("leaves", [SystemExit(0), KeyboardInterrupt(), CancelledError()])
def test_a_handler_that_leaves_the_program_fails_its_own_attempt_only(
    leaves: BaseException,
) -> None:
    answer = _raising(leaves)

    assert isinstance(answer, Again)
    assert answer.error is not None
    assert (answer.outcome, answer.error["type"]) == ("failed", type(leaves).__name__)


def _outcome(answer: Answer) -> str:
    assert isinstance(answer, Again)
    return answer.outcome


@pytest.mark.parametrize("after", [-1, 31_622_401, float("nan"), float("inf")])
def test_a_retry_in_the_past_or_after_years_is_refused(after: int) -> None:
    with pytest.raises(ValueError, match=f"after is {after}"):
        RetryLater(after=after)


def test_a_part_of_a_second_is_waited_for_as_a_whole_one() -> None:
    assert RetryLater(after=0.2).after == 1


@pytest.mark.parametrize("left", [{1, 2}, "x" * 5_000, object()])
def test_what_a_row_has_no_room_for_is_the_handlers_own_error(left: object) -> None:
    with pytest.raises(ValueError, match="the checkpoint"):
        RetryLater(checkpoint=left)
    with pytest.raises(ValueError, match="the progress"):
        context().heartbeat(progress=left)


def test_a_result_that_cannot_even_be_shown_is_named_and_the_run_has_succeeded() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError("not me")

    @app.job()
    def shy() -> object:
        return Shy()

    answer = handler_target.call(shy, context())

    assert isinstance(answer, Done)
    assert answer.result["unreadable"] is True
    assert "Shy" in answer.result["note"]


class Mute(Exception):  # noqa: N818 it cannot say what it is
    def __str__(self) -> str:
        raise RuntimeError("not even that")


@pytest.mark.parametrize(
    ("what", "status"),
    [
        (Mute(), "retrying"),
        (Skip("\ud800" + "x" * 1_000_000), "skipped"),
        (Fail("\ud800"), "dead"),
        (SystemExit("\ud800"), "retrying"),
        (RetryLater(after=1.5), "retrying"),
        (ExceptionGroup("many", [ValueError("\ud800")]), "retrying"),
    ],
)
def test_whatever_a_handler_raises_its_row_can_be_written(
    monkeypatch: pytest.MonkeyPatch, what: BaseException, status: str
) -> None:
    """One row that cannot would hold up all runs that were fetched with it."""
    monkeypatch.setitem(TARGETS, "python", lambda _: _raising(what))
    answer = deliver(Call(**call_fields(target={"type": "python"})))

    life = after(run(status="running", attempt=1).life, task(), answer, now_ms=NOON_MS, fraction=1)

    assert life.status == status
    assert isinstance(life.due_ms, int)
    row = json.dumps(typed_item(life.stored()), ensure_ascii=False)
    assert len(row.encode()) < 20_000


def test_an_error_of_the_handlers_own_is_left_to_the_worker() -> None:
    with pytest.raises(ZeroDivisionError):
        _raising(ZeroDivisionError("a bug"))


def test_the_context_tells_of_slot_deadline_and_what_is_left() -> None:
    hands = Hands(at_ms=NOON_MS + 60_000, last_success=NOON - timedelta(days=1))
    ctx = context(hands)

    assert ctx.scheduled_for == NOON
    assert ctx.deadline == NOON + timedelta(seconds=300)
    assert ctx.remaining() == 240
    assert ctx.previous_success == NOON - timedelta(days=1)
    assert ctx.idempotency_key("invoice") == f"{RUN_ID}#invoice"


@pytest.mark.parametrize(
    ("hands", "stop"),
    [
        (Hands(cancel=True), Cancelled),
        (Hands(lost=True), LeaseLost),
        (Hands(at_ms=NOON_MS + 300_000), TimedOut),
    ],
)
def test_a_heartbeat_leaves_a_handler_that_is_to_stop(
    hands: Hands, stop: type[BaseException]
) -> None:
    ctx = context(hands)

    assert ctx.cancelled
    with pytest.raises(stop):
        ctx.heartbeat(progress=0.5)
    assert hands.reports == []


def test_no_except_of_the_handlers_own_swallows_a_stop() -> None:
    @app.job()
    def stubborn(ctx: Context) -> str:
        try:
            ctx.heartbeat()
        except Exception:  # noqa: BLE001 as a careless handler does
            return "went on"
        return "was not stopped"

    assert handler_target.call(stubborn, context(Hands(cancel=True))) == Stopped()


def test_a_heartbeat_shows_progress() -> None:
    hands = Hands()
    handler_target.call(examples.count, context(hands, payload={"to": 4}))

    assert hands.reports == [0, 0.25, 0.5, 0.75]


def test_a_long_job_goes_on_where_it_was_stopped() -> None:
    nearly_over = Hands(at_ms=NOON_MS + 295_000)
    stopped = handler_target.call(
        examples.count, context(nearly_over, payload={"to": 9}, checkpoint=3)
    )
    finished = handler_target.call(examples.count, context(payload={"to": 9}, checkpoint=3))

    assert stopped == Again(Reason.YIELDED, after_sec=0, checkpoint=3)
    assert finished == Done(9)


def test_a_step_has_its_effect_once_whatever_the_attempt() -> None:
    hands = Hands()
    answers = [handler_target.call(examples.weekday_report, context(hands)) for _ in range(2)]

    assert answers == [Done({"day": "2026-11-17", "invoice": "invoice of 2026-11-17"})] * 2
    assert list(hands.steps) == ["invoice"]


def test_a_step_of_an_asynchronous_handler_is_had_beside_its_loop() -> None:
    hands = Hands()

    async def effect() -> str:
        return "had"

    @app.job()
    async def job(ctx: Context) -> str:
        with pytest.raises(TypeError, match=r"expected a plain one.*asyncio\.to_thread"):
            await ctx.once("wrong", effect)
        return await to_thread(ctx.once, "right", lambda: "had")

    assert handler_target.call(job, context(hands)) == Done("had")
    assert hands.steps == {"right": "had"}


def test_every_line_of_the_log_names_its_run(capsys: pytest.CaptureFixture[str]) -> None:
    context().log.info("building", region="eu")

    line: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert line == {"level": "INFO", "message": "building", "region": "eu", "run_id": RUN_ID}


def test_a_line_of_the_log_takes_any_field_and_stays_what_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    context().log.warning("paid", level=3, names=["a"], run_id="mine", by={(1, 2): 1, "x": {1}})

    line: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (line["level"], line["message"], line["run_id"]) == ("WARNING", "paid", RUN_ID)
    assert (line["names"], line["by"]) == (["a"], {"x": "{1}"})
