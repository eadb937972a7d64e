"""Kept connections: the latest is used first, the old and the many are closed."""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.targets.http.connection_pool import Idle


@dataclass(slots=True)
class Thing:
    """Something to be closed."""

    name: str
    closed: bool = False

    def close(self) -> None:
        self.closed = True


def kept(*names: str) -> tuple[Idle[Thing], list[Thing]]:
    """Returns two at most, each for ten seconds, put aside a second apart from 0 on."""
    idle: Idle[Thing] = Idle(2, 10.0)
    things = [Thing(name) for name in names]
    for second, thing in enumerate(things):
        idle.keep("here", thing, float(second))
    return idle, things


def test_the_latest_is_taken_first_and_each_place_has_its_own() -> None:
    idle, (first, second) = kept("first", "second")

    assert idle.take("elsewhere", 2.0) is None
    assert idle.take("here", 2.0) is second
    assert idle.take("here", 2.0) is first
    assert idle.take("here", 2.0) is None


def test_what_is_too_many_is_closed_at_once() -> None:
    _, things = kept("first", "second", "third")

    assert [thing.closed for thing in things] == [False, False, True]


def test_what_is_too_old_is_closed_when_it_is_found() -> None:
    idle, things = kept("first", "second")

    assert idle.take("here", 10.5) is things[1]
    assert idle.take("here", 10.5) is None
    assert things[0].closed


def test_clearing_closes_all() -> None:
    idle, things = kept("first", "second")
    idle.clear()

    assert all(thing.closed for thing in things)
    assert idle.take("here", 2.0) is None
