"""An exchange wakes who waits in it once it is broken off, and nobody who has left it."""

from __future__ import annotations

import pytest

from onthedot.store.aws import BrokenOff, Exchange


def test_who_waits_is_woken_once() -> None:
    exchange, woken = Exchange(), []

    def wait() -> None:
        exchange.break_off()
        exchange.break_off()
        raise OSError("its socket was shut")

    with pytest.raises(BrokenOff), exchange.woken_by(lambda: woken.append(1)):
        wait()

    assert woken == [1]


def test_who_has_left_is_not_woken() -> None:
    exchange, woken = Exchange(), []
    with exchange.woken_by(lambda: woken.append(1)):
        pass
    exchange.break_off()

    assert woken == []


def test_nothing_begins_in_one_that_is_broken_off() -> None:
    exchange, begun = Exchange(), []
    exchange.break_off()
    with pytest.raises(BrokenOff), exchange.woken_by(lambda: None):
        begun.append(1)

    assert begun == []


def test_an_answer_that_came_as_it_was_broken_off_is_given() -> None:
    exchange = Exchange()
    with exchange.woken_by(lambda: None):
        exchange.break_off()
        answer = 7

    assert (answer, exchange.broken_off) == (7, True)


def test_a_failure_of_its_own_stays_one() -> None:
    with pytest.raises(OSError, match="refused"), Exchange().woken_by(lambda: None):
        raise OSError("refused")
