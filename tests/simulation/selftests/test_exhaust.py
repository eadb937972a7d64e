"""Crashes at every effect, and stories one can read."""

from __future__ import annotations

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.machine.world import World
from tests.simulation.play.exhaust import pairs, singles
from tests.simulation.play.small_world import insert, make_world, put, send, stored


def play(aims: tuple[Aim, ...]) -> World:
    """Returns two processes, two effects each: four places to crash at, before and after."""
    world = make_world(profile=Profile(latency_ms=(10, 10)), aims=aims)

    def write(one: str, other: str) -> None:
        put(world, one)
        put(world, other)

    world.spawn("p", lambda: write("a", "b"))
    world.spawn("q", lambda: write("c", "d"), at_sec=0.005)
    world.run(1)
    return world


def test_a_history_lists_its_effects_in_order() -> None:
    listed = [(effect.process, effect.operation, effect.nth) for effect in play(()).effects()]

    assert listed == [
        ("p#0", "put_item", 0),
        ("q#0", "put_item", 0),
        ("p#0", "put_item", 1),
        ("q#0", "put_item", 1),
    ]


def test_every_single_crash_is_planned_and_hits() -> None:
    left = [stored(play(plan)) for plan in singles(play)]

    assert left == ["cd", "acd", "ab", "abc", "acd", "abcd", "abc", "abcd"]


def test_every_pair_of_crashes_is_planned_in_order() -> None:
    plans = list(pairs(play))
    outcomes = {stored(play(plan)) for plan in plans}

    assert len(set(plans)) == len(plans) == 16
    assert all(sum(process.dead for process in play(plan).processes) == 2 for plan in plans)
    assert "" in outcomes


def test_a_story_says_who_did_what_when_and_how_it_ended() -> None:
    world = make_world(7, aims=[Aim("dispatch#0", "send_message_batch", 0, Fault.LOST)])

    def dispatch() -> None:
        put(world, "x", 5)
        world.dynamodb.batch_execute_statement(Statements=[insert("x"), insert("y")])
        world.note("plan", "one slot")
        send(world, "hello", delay_sec=3)

    world.spawn("dispatch", dispatch)
    world.run(1)
    lines = world.story().splitlines()

    assert lines[0] == "seed 7"
    assert "dispatch#0" in lines[1]
    assert "put_item" in lines[1]
    assert "notes(a, x, g, 5)" in lines[1]
    assert lines[2].endswith("1 DuplicateItem, 1 ok")
    assert "one slot" in lines[3]
    assert "MessageBody=hello DelaySeconds=3" in lines[4]
    assert lines[4].endswith("<<< answer lost")
