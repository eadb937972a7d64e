"""Freezes, clocks that are set, and TTL: what befalls processes and rows at any moment."""

from __future__ import annotations

from onthedot.records.schema import TTL
from tests.simulation.faults.elements import let_loose
from tests.simulation.faults.faults import Profile
from tests.simulation.machine.world import World
from tests.simulation.play.small_world import NOTES, get, insert, make_world, note, stored


def _busy(world: World, seen: list[float], sec: float) -> None:
    for _ in range(int(sec)):
        world.clock.sleep(1)
        seen.append(world.now_us / 1_000_000)


def test_a_frozen_process_and_its_handlers_do_nothing_until_it_thaws() -> None:
    world, whole, part = make_world(), list[float](), list[float]()

    def work() -> None:
        world.submit(lambda: _busy(world, part, 8))
        _busy(world, whole, 9)

    frozen = world.spawn("work", work)
    world.call_at(3.5, lambda: world.freeze(frozen, 20))
    world.run(60)

    assert (len(whole), len(part)) == (9, 8)
    for seen in (whole, part):
        assert not any(3.5 < at < 23.5 for at in seen)
    assert "stalls" in world.story()


def test_what_goes_on_behind_an_answer_is_frozen_until_the_next_call_of_its_kind() -> None:
    world, part = make_world(), list[float]()
    world.spawn("work", lambda: world.submit(lambda: _busy(world, part, 5)))
    world.spawn("audit", lambda: world.clock.sleep(1), at_sec=20)
    world.spawn("work", lambda: world.clock.sleep(30), at_sec=40)

    world.run(60)

    assert len(part) == 5
    assert min(part) >= 40


def test_a_clock_that_is_set_is_off_by_another_amount_from_then_on() -> None:
    world = make_world(3, Profile(skew_ms=2_000, clock_steps=30, faults_until_sec=30))
    off = []

    def work() -> None:
        for _ in range(30):
            world.clock.sleep(1)
            off.append(world.clock.now_us() - world.epoch_us())

    process = world.spawn("work", work)
    let_loose(world, 30)
    world.run(60)

    assert len(set(off)) > 5
    assert max(abs(each) for each in off) <= 2_000_000
    assert process.skew_at(0) != process.skew_at(31_000_000)


def _put(world: World, sk: str, over_in_sec: int) -> None:
    end = world.epoch_us() // 1_000_000 + over_in_sec
    world.store.put_item(TableName=NOTES, Item=note(sk) | {TTL: {"N": str(end)}})


def test_ttl_takes_what_is_over_and_nothing_else() -> None:
    world = make_world(1, Profile(expires=True, faults_until_sec=1e6))
    for number in range(9):
        _put(world, f"over {number} ", 10 + number)
    _put(world, "to come", 400)
    world.spawn("api", lambda: world.dynamodb.batch_execute_statement(Statements=[insert("kept")]))

    let_loose(world, 300)
    world.run(30)

    assert world.expiry is not None
    assert 0 < len(world.expiry.vanished) < 9
    assert stored(world).startswith("kept")
    assert stored(world).endswith("to come")


def test_ttl_may_strike_between_a_read_and_the_write_that_rests_on_it() -> None:
    struck = []
    for seed in range(30):
        world = make_world(seed, Profile(expires=True, faults_until_sec=1e6))
        _put(world, "a", -5)

        def read_then_write(world: World = world) -> None:
            struck.append(get(world, "a") is not None and "a" not in stored(world))

        world.spawn("api", read_then_write, at_sec=0.5)
        let_loose(world, 300)
        world.run(5)

    assert any(struck)
    assert not all(struck)
