"""Tries a busy store again until a limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from onthedot.records.conditional_writes import Outcome, Write
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import aws, clock, conditional_writer, ids
from onthedot.store.backoff import pause_ms

_Got = TypeVar("_Got")
Over = Callable[[], bool]
# Seconds, of the 29 that a caller of the API waits at most.
_SURELY_MAX_SEC = 8.0


def write(writes: Sequence[Write], over: Over) -> list[Outcome]:
    """Writes until each write is done or refused, or until `over` says so."""
    outcomes = conditional_writer.write_many(writes, over=over)
    tries = 0
    while (unsure := _unsure(outcomes)) and not over():
        _pause(tries)
        tries += 1
        again = conditional_writer.write_many([writes[place] for place in unsure], over=over)
        for place, outcome in zip(unsure, again, strict=True):
            outcomes[place] = outcome
    return outcomes


def surely(writes: Sequence[Write]) -> list[Outcome]:
    """Writes until each write is done or refused. If the store never says which, it raises."""
    until = clock.monotonic() + _SURELY_MAX_SEC
    outcomes = write(writes, lambda: clock.monotonic() > until)
    if unsure := _unsure(outcomes):
        seconds = round(_SURELY_MAX_SEC)
        raise BusyError(f"the store gave no answer to {len(unsure)} writes in {seconds} s")
    return outcomes


def call(make: Callable[[], _Got], over: Over) -> _Got:
    """Makes a call until it is answered. At the end it raises the error of the last try."""
    tries = 0
    while True:
        try:
            return make()
        except aws.FAILURES as failure:
            if over() or not aws.passes(failure):
                raise
        _pause(tries)
        tries += 1


class Forgiven:
    """Lets a step fail if the store or the queue is busy. The caller repeats the step."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, _: object
    ) -> bool:
        busy = isinstance(failure, BusyError)
        return busy or (failure is not None and aws.passes(failure))


def _unsure(outcomes: Sequence[Outcome]) -> list[int]:
    return [place for place, outcome in enumerate(outcomes) if outcome is Outcome.UNSURE]


def _pause(tries: int) -> None:
    clock.sleep(pause_ms(tries, ids.fraction()) / 1000)
