"""How long a worker tries to write an outcome, and when it gives the run up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.records.runs.message_pack import Pack, Ticket, of_run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.store import aws, queue
from onthedot.targets.attempt_outcome import Again, Done
from onthedot.work import settlement, starts, worker
from onthedot.work.batch import Batch, Received
from onthedot.work.decision_table import Hint
from onthedot.work.job import Job, put_off
from onthedot.work.settlement import given_up
from tests.schedule.samples import NOON_MS, run, task
from tests.simulation.calm import add, left_behind, runs, wait, waiting_messages
from tests.simulation.stage import Stage


def job(lease_ms: int = 0, *, ended: bool = True) -> Job:
    """Returns one whose attempt runs, or has come to its end, at noon."""
    made = Job(
        ticket=Ticket("run", 1, 1),
        hint=Hint(attempt=1, receives=1, message_id="m"),
        run=run(status="running", attempt=1, started_ms=NOON_MS, lease_ms=lease_ms),
        task=task(),
        loaded=True,
    )
    made.answer = Done() if ended else None
    return made


def test_of_a_retry_that_was_cancelled_before_its_write_was_read_back_the_places_go() -> None:
    """The answer to the settle was lost, and a user cancelled the run in between."""
    made = job()
    started = made.held
    made.ending = replace(started.life, status=Status.RETRYING)
    made.run = replace(started, life=replace(started.life, status=Status.CANCELLED))

    settlement._recognise(made, started)  # noqa: SLF001  # one step of the settle

    assert (made.ending.status, made.written) == ("cancelled", True)


@pytest.mark.parametrize(
    ("left_ms", "ended", "over"),
    [(1_001, True, False), (1_000, True, True), (-5_000, True, True), (0, False, False)],
)
def test_an_outcome_is_given_up_a_second_before_its_lease_ends(
    left_ms: int, stage: Stage, *, ended: bool, over: bool
) -> None:
    assert given_up(job(NOON_MS + left_ms, ended=ended)) is over
    assert stage.deliveries == []


def test_what_is_put_off_waits_a_little_longer_each_time_and_is_looked_at_again(
    stage: Stage,
) -> None:
    put = job()
    waits = []
    for _ in range(5):
        put.loaded = True
        put_off([put])
        waits.append(put.wake_ms - NOON_MS)

    assert all(
        most // 2 <= wait <= most
        for most, wait in zip((50, 100, 200, 400, 500), waits, strict=True)
    )
    assert (put.tries, put.loaded, put.doubt_ms) == (5, False, NOON_MS)
    stage.world.run(3)
    put_off([put])
    assert put.doubt_ms == NOON_MS


def test_a_start_in_doubt_is_asked_for_again_for_four_seconds(stage: Stage) -> None:
    doubtful = job()
    doubtful.doubt_ms = NOON_MS

    stage.world.run(3.999)
    assert starts.in_time(doubtful)
    stage.world.run(4)
    assert not starts.in_time(doubtful)


def test_ends_wait_for_starts_twice_as_long_again_as_those_took_up_to_a_second(
    stage: Stage,
) -> None:
    stage.world.run(10)

    assert worker._let_others_start(10.0) == 10.0  # noqa: SLF001  # of what a worker does by itself
    assert worker._let_others_start(9.8) == pytest.approx(10.4)  # noqa: SLF001
    assert worker._let_others_start(5.0) == 11.0  # noqa: SLF001


def test_a_row_that_keeps_changing_is_left_to_its_message_after_six_rounds() -> None:
    changing = job()

    rounds = [starts._another_round(changing) for _ in range(6)]  # noqa: SLF001

    assert rounds == [True] * 5 + [False]


def test_what_is_held_has_as_many_rounds_as_it_needs() -> None:
    held = job()
    held.wake_ms = NOON_MS + 3_000

    assert all(starts._another_round(held) for _ in range(9))  # noqa: SLF001
    assert held.rounds == 0


def test_a_clock_is_no_earlier_than_the_latest_receipt_of_a_batch(stage: Stage) -> None:
    received = [
        Received(
            pack=Pack(due_ms=0, why="start", tickets=()),
            message_id="m",
            receipt="r",
            receives=1,
            received_ms=NOON_MS + later_ms,
        )
        for later_ms in (700, 1_400)
    ]
    watch = aws.watching()

    worker._not_before_receipt(watch, Batch(queue="normal", messages=received))  # noqa: SLF001

    assert watch.skew.low_ms == 1_400
    assert stage.deliveries == []


def test_a_retry_goes_to_the_queue_by_which_its_run_came(stage: Stage) -> None:
    """An edit of the priority may send a run by another queue than its row names."""
    made = add(stage, "* * * * *")
    left_behind(stage, made)
    stage.answer = lambda _: Again(Reason.FAILED, None)
    (left,) = runs(stage, made)

    queue.send([(of_run(replace(left, queue="high"), "start"), 0)])
    wait(stage, 61)

    (message,) = waiting_messages(stage, "high")
    assert '"attempt":2' in message
    assert waiting_messages(stage) == []
