"""A queue and the function behind it."""

from __future__ import annotations

from typing import Any

from tests.simulation.faults.faults import Aim, Fault, Profile
from tests.simulation.machine.world import World
from tests.simulation.outside.consumer import Consumer
from tests.simulation.play.small_world import make_world, put, send

FIXED = Profile(latency_ms=(10, 10), pickup_ms=(0, 0))


def received(world: World, **settings: Any) -> list[tuple[float, list[str]]]:
    """Returns when the function behind the queue is called, and with which bodies."""
    calls: list[tuple[float, list[str]]] = []

    def work(event: dict[str, Any]) -> dict[str, Any]:
        calls.append((world.now_us / 1e6, [one["body"] for one in event["Records"]]))
        put(world, "x")
        failed = [one for one in event["Records"] if one["body"] == "bad"]
        return {"batchItemFailures": [{"itemIdentifier": one["messageId"]} for one in failed]}

    Consumer(world, "work", "work", work, **settings)
    return calls


def test_messages_arrive_in_batches_when_they_are_due() -> None:
    world = make_world(profile=FIXED)
    calls = received(world)
    send(world, *"abcdefghij", delay_sec=5)
    send(world, *"kl", delay_sec=5)
    world.run(100)

    assert calls == [(5.0, list("abcdefghij")), (5.0, list("kl"))]
    assert world.queues.queue("work").messages == {}


def test_no_more_functions_run_at_once_than_allowed() -> None:
    world = make_world(profile=FIXED)
    calls = received(world, batch=1, at_once_max=1)
    send(world, *"abc")
    world.run(100)

    assert [bodies for _, bodies in calls] == [["a"], ["b"], ["c"]]
    assert [at for at, _ in calls] == [0.0, 0.01, 0.02]


def test_what_failed_comes_again_and_then_lies_in_the_dead_letter_queue() -> None:
    world = make_world(profile=FIXED)
    calls = received(world)
    send(world, "good", "bad")
    world.run(100)

    assert calls == [(0.0, ["good", "bad"]), (30.0, ["bad"])]
    (dead,) = world.queues.queue("dead").messages.values()
    assert dead.body == "bad"


def test_what_a_dead_function_held_comes_again() -> None:
    world = make_world(profile=FIXED, aims=[Aim("work#0", "put_item", 0, Fault.CRASH_BEFORE)])
    calls = received(world)
    send(world, "a")
    world.run(100)

    assert [at for at, _ in calls] == [0.0, 30.0]
    assert world.queues.queue("dead").messages == {}


def test_a_function_is_killed_at_its_limit_and_its_messages_come_again() -> None:
    world = make_world(profile=FIXED)
    starts: list[float] = []

    def hang(_: dict[str, Any]) -> None:
        starts.append(world.now_us / 1e6)
        world.clock.sleep(1_000)

    Consumer(world, "work", "work", hang, limit_sec=10)
    send(world, "a")
    world.run(100)

    assert starts == [0.0, 30.0]


def test_a_message_may_come_twice_and_out_of_order_and_late() -> None:
    profile = Profile(
        double_message=0.3, late_message=0.3, late_message_ms=(1_000, 5_000), shuffle=True
    )
    world = make_world(profile=profile)
    calls = received(world, batch=3)
    bodies = [str(number) for number in range(10)]
    send(world, *bodies)
    world.run(100)
    order = [body for _, batch in calls for body in batch]

    assert set(order) == set(bodies)
    assert len(order) > len(bodies)
    assert order != sorted(order)
    assert max(at for at, _ in calls) > 1


def test_a_purge_loses_what_waits() -> None:
    world = make_world(profile=Profile(purge=1.0, faults_until_sec=10))
    calls = received(world)
    send(world, "a", delay_sec=60)
    world.run(100)

    assert calls == []
    assert "1 messages gone" in world.story()


def test_records_look_as_lambda_shows_them() -> None:
    world = make_world(profile=FIXED)
    events: list[dict[str, Any]] = []
    Consumer(world, "work", "work", events.append)
    send(world, "a", delay_sec=2)
    world.run(10)

    (record,) = events[0]["Records"]
    assert record["body"] == "a"
    assert record["eventSourceARN"].endswith(":work")
    attributes = record["attributes"]
    sent, first = int(attributes["SentTimestamp"]), attributes["ApproximateFirstReceiveTimestamp"]
    assert int(first) - sent == 2_000
    assert attributes["ApproximateReceiveCount"] == "1"
