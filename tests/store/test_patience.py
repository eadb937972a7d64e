"""What a busy store does not take is asked for again, with pauses, until the caller's limit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from botocore.exceptions import ClientError

from onthedot.records.conditional_writes import Insert, Outcome
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged

# What a call takes at most where nothing is slow.
_CALL_MS = 13


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": ""}}, "GetItem")


class Store:
    """A call that is refused so often, each time for that reason, and then answered."""

    def __init__(self, refusals: int, code: str = "ThrottlingException") -> None:
        self.refusals, self.code, self.asked = refusals, code, list[float]()

    def __call__(self) -> str:
        self.asked.append(clock.monotonic())
        if len(self.asked) <= self.refusals:
            raise refusal(self.code)
        return "answered"

    def waits_ms(self) -> list[int]:
        return [round((after - before) * 1000) for before, after in pairwise(self.asked)]


def never() -> bool:
    return False


def test_a_call_is_made_until_it_is_answered_with_pauses_that_grow(stage: Stage) -> None:
    store = Store(5)

    assert conditional_writer.call(store, never) == "answered"

    waits = zip(store.waits_ms(), (50, 100, 200, 400, 500), strict=True)
    assert all(most / 2 - 1 <= wait <= most for wait, most in waits)
    assert stage.deliveries == []


def test_the_last_refusal_before_the_end_is_raised(stage: Stage) -> None:
    store = Store(99)
    until = clock.monotonic() + 1

    with pytest.raises(ClientError, match="Throttling"):
        conditional_writer.call(store, lambda: clock.monotonic() > until)

    assert 1.0 < store.asked[-1] <= 1.5
    assert stage.deliveries == []


def test_what_is_no_matter_of_time_is_raised_at_once(stage: Stage) -> None:
    store = Store(1, "ValidationException")

    with pytest.raises(ClientError, match="Validation"):
        conditional_writer.call(store, never)

    assert len(store.asked) == 1
    assert stage.deliveries == []


@pytest.mark.parametrize(
    ("failure", "forgiven"),
    [
        (BusyError("busy"), True),
        (refusal("ThrottlingException"), True),
        (refusal("ValidationException"), False),
        (ValueError("a fault of ours"), False),
    ],
)
def test_only_a_busy_store_is_forgiven(failure: Exception, *, forgiven: bool) -> None:
    def step() -> None:
        with conditional_writer.Forgiven():
            raise failure

    if forgiven:
        step()
        return
    with pytest.raises(type(failure)):
        step()


def _inserted(
    write: Callable[[list[Insert]], list[Outcome]], for_sec: float
) -> tuple[list[float], object]:
    """Writes two items; the store takes one of them only after some seconds.

    Gives the milliseconds between the calls, and what came of it.
    """
    outage = Outage(from_sec=0, for_sec=for_sec, table="runs", partition="late")
    stage = make_stage(1, Profile(outages=(outage,)))
    items = [{"task_id": name, "scheduled_for": "-"} for name in ("late", "soon")]
    writes = [Insert("runs", item, ("task_id", "scheduled_for")) for item in items]
    with staged(stage):
        process = stage.world.spawn("api", lambda: write(writes))
        stage.world.run(30)
        stage.world.close()
    at_us = [entry[0] for entry in stage.world.trace if entry[2] == "batch_execute_statement"]
    waits = [(after - before) / 1000 for before, after in pairwise(at_us)]
    return waits, process.result if process.error is None else process.error


def test_only_what_is_in_doubt_is_written_again() -> None:
    waits, outcomes = _inserted(lambda writes: conditional_writer.write(writes, never), 1.0)

    # What was taken at once would be refused by now.
    assert outcomes == [Outcome.DONE, Outcome.DONE]
    assert 3 < len(waits) < 8
    growing = zip(waits, (50, 100, 200, 400, 500, 500, 500), strict=False)
    assert all(most / 2 <= wait <= most + _CALL_MS for wait, most in growing)


def test_what_is_in_doubt_at_the_end_stays_so() -> None:
    def write(writes: list[Insert]) -> list[Outcome]:
        until = clock.monotonic() + 2
        return conditional_writer.write(writes, lambda: clock.monotonic() > until)

    waits, outcomes = _inserted(write, 20.0)

    assert outcomes == [Outcome.UNSURE, Outcome.DONE]
    assert 4 < len(waits) < 11


def test_what_is_written_alone_is_in_doubt_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditional_writer, "BATCH", 1)

    _, outcomes = _inserted(conditional_writer.write_many, 20.0)

    assert outcomes == [Outcome.UNSURE, Outcome.DONE]


def test_a_store_that_never_says_whether_is_an_error_after_eight_seconds() -> None:
    _, done = _inserted(conditional_writer.surely, 7.0)
    _, failure = _inserted(conditional_writer.surely, 9.5)

    assert done == [Outcome.DONE, Outcome.DONE]
    assert isinstance(failure, BusyError)
    assert str(failure) == "the store gave no answer to 1 writes in 8 s"
    assert conditional_writer.BATCH == 25
