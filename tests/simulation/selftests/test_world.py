"""Processes, their time, their ends."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

import pytest

from tests.simulation.faults.faults import ROUGH, Profile
from tests.simulation.machine.process import Part
from tests.simulation.machine.world import World
from tests.simulation.play.small_world import get, make_world, put, stored

FIXED = Profile(latency_ms=(10, 10))


def fails() -> NoReturn:
    raise KeyError("missing")


def test_processes_take_turns_at_every_effect() -> None:
    world = make_world(profile=FIXED)

    def write(name: str) -> None:
        for number in range(3):
            put(world, f"{name}{number}")

    world.spawn("a", lambda: write("a"))
    world.spawn("b", lambda: write("b"), at_sec=0.005)
    world.run(1)

    order = [request["Item"]["sk"]["S"] for _, _, _, request, _, _ in world.trace]
    assert order == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert [at for at, *_ in world.trace] == [10_000, 15_000, 20_000, 25_000, 30_000, 35_000]


def test_the_test_itself_acts_at_once_and_unseen() -> None:
    world = make_world(profile=ROUGH)
    put(world, "x", 7)

    assert get(world, "x") is not None
    assert world.now_us == 0
    assert world.trace == []


def test_the_same_seed_makes_the_same_history() -> None:
    def play(seed: int) -> str:
        with make_world(seed, ROUGH) as world:
            for number in range(20):
                world.spawn("p", partial(put, world, str(number)), at_sec=number / 100)
            world.run(100)
            return world.story()

    assert play(3) == play(3)
    assert play(3).split("\n", 1)[1] != play(4).split("\n", 1)[1]


def test_sleeping_lets_others_act_and_takes_exactly_its_time() -> None:
    world = make_world(profile=FIXED)
    seen: list[Any] = []

    def sleeper() -> None:
        before = world.clock.monotonic()
        world.clock.sleep(2.5)
        seen.append(world.clock.monotonic() - before)
        seen.append(stored(world))

    world.spawn("sleeper", sleeper)
    world.spawn("writer", lambda: put(world, "x"), at_sec=1)
    world.run(10)

    assert seen == [2.5, "x"]


def test_each_process_has_a_clock_of_its_own_and_answers_show_the_true_time() -> None:
    world = make_world(profile=Profile(skew_ms=2_000))
    skews: list[int] = []
    dates: set[str] = set()

    def look() -> None:
        skews.append(world.clock.now_ms() - world.epoch_us() // 1_000)
        answer = world.sqs.get_queue_url(QueueName="work")
        dates.add(answer["ResponseMetadata"]["HTTPHeaders"]["date"])

    for _ in range(50):
        world.spawn("look", look, at_sec=0.5)
    world.run(1)

    assert min(skews) < -1_000
    assert max(skews) > 1_000
    assert max(map(abs, skews)) <= 2_000
    assert dates == {"Wed, 18 Nov 2026 12:00:00 GMT"}


def test_a_process_is_killed_at_its_limit() -> None:
    world = make_world(profile=FIXED)

    def endless() -> None:
        while True:
            put(world, "x")
            world.clock.sleep(1)

    process = world.spawn("endless", endless, limit_sec=3.5)
    world.run(100)

    assert process.done
    assert process.dead
    assert len([entry for entry in world.trace if entry[1] is process]) == 4


def test_the_finally_of_a_dead_process_has_no_effect() -> None:
    world = make_world(profile=FIXED)

    def stubborn() -> None:
        try:
            world.clock.sleep(10)
        finally:
            try:
                put(world, "x")
            except Exception:  # noqa: BLE001  # as broad as a flow's own could be
                put(world, "y")

    process = world.spawn("stubborn", stubborn, limit_sec=1)
    world.run(100)

    assert process.done
    assert stored(world) == ""


def test_what_never_ends_is_ended_with_its_world() -> None:
    ends: list[str] = []

    def waits(world: World) -> None:
        try:
            world.clock.sleep(1_000)
        finally:
            ends.append("ended")

    with make_world() as world:
        world.spawn("waits", lambda: waits(world))
        world.spawn("never started", lambda: waits(world), at_sec=50)
        world.run(10)

    assert ends == ["ended"]
    assert all(process.done for process in world.processes)


def test_an_error_that_no_fault_explains_is_a_bug() -> None:
    world = make_world()
    world.spawn("good", lambda: put(world, "x"))
    world.spawn("bad", fails)
    world.run(1)

    ((name, error),) = world.bugs()
    assert name == "bad#0"
    assert isinstance(error, KeyError)


def test_an_invalid_call_is_a_bug_even_if_its_answer_is_ignored() -> None:
    world = make_world()
    statement = {"Statement": "UPDATE notes SET state=1 WHERE pk='a' AND sk='b'"}
    world.spawn("bad", lambda: world.dynamodb.batch_execute_statement(Statements=[statement]))
    world.run(1)

    ((name, error),) = world.bugs()
    assert name == "bad#0"
    assert "reserved" in str(error)


def test_a_process_that_never_comes_to_an_end_is_a_bug() -> None:
    world = make_world(effects_max=100)

    def endless() -> None:
        while True:
            put(world, "x")

    world.spawn("endless", endless)
    world.run(1_000)

    ((_, error),) = world.bugs()
    assert "on and on" in str(error)


def test_ticks_come_as_the_profile_says() -> None:
    def moments(**chances: float) -> list[str]:
        world = make_world(profile=Profile(**chances))  # type: ignore[arg-type]  # floats only
        seen: list[str] = []
        world.every(
            60, "tick", lambda at: seen.append(at.strftime("%H:%M")), first_sec=60, until_sec=240
        )
        world.run(300)
        return seen

    assert moments() == ["12:01", "12:02", "12:03"]
    assert moments(drop_tick=1.0) == []
    assert moments(double_tick=1.0) == ["12:01", "12:01", "12:02", "12:02", "12:03", "12:03"]


def test_the_one_who_is_told_of_an_end_may_start_the_next() -> None:
    world = make_world(profile=FIXED)
    ends: list[tuple[str, Any]] = []

    def ended(process: Any) -> None:
        ends.append((process.name, process.result))
        if len(ends) < 3:
            world.spawn("again", lambda: len(ends), ended=ended)

    world.spawn("again", lambda: len(ends), ended=ended)
    world.run(1)

    assert ends == [("again#0", 0), ("again#1", 1), ("again#2", 2)]


class Heartbeats:
    """A process that beats every second while its part works."""

    def __init__(self, work_sec: float, beats_max: int = 100) -> None:
        self.world = make_world(profile=FIXED)
        self.beats = 0
        self.result: Any = None
        self.parts: list[Part] = []
        self.work_sec = work_sec
        self.beats_max = beats_max

    def handler(self) -> str:
        self.world.clock.sleep(self.work_sec)
        put(self.world, "handled")
        return "done"

    def run(self) -> None:
        part = self.world.submit(self.handler)
        self.parts.append(part)
        while not part.wait(1):
            self.beats += 1
            if self.beats == self.beats_max:
                part.kill()
        self.result = part.result()


def test_a_part_works_while_its_process_beats() -> None:
    hearts = Heartbeats(3.5)
    hearts.world.spawn("work", hearts.run)
    hearts.world.run(10)

    assert (hearts.beats, hearts.result) == (3, "done")
    assert stored(hearts.world) == "handled"


def test_a_part_can_be_killed_and_its_process_goes_on() -> None:
    hearts = Heartbeats(30, beats_max=2)
    process = hearts.world.spawn("work", hearts.run)
    hearts.world.run(100)

    assert process.done
    assert process.error is None
    assert hearts.beats == 2
    assert stored(hearts.world) == ""


def test_a_part_dies_with_its_process() -> None:
    hearts = Heartbeats(30)
    hearts.world.spawn("work", hearts.run, limit_sec=2.5)
    hearts.world.run(100)

    assert hearts.parts[0].done
    assert stored(hearts.world) == ""


def test_what_a_part_raises_its_process_gets() -> None:
    world = make_world()

    def run() -> str:
        part = world.submit(fails)
        part.wait(1)
        with pytest.raises(KeyError):
            part.result()
        return "caught"

    process = world.spawn("work", run)
    world.run(1)

    assert process.result == "caught"
