"""Outside workers: machines of the user's that fetch runs, keep them, and say what came of them.

Some do as they are told. Others die, stand still, repeat themselves, or go on with what they lost.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from onthedot.records.runs.run_status import Reason
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped
from tests.simulation.machine.process import Process
from tests.simulation.outside import api_process
from tests.simulation.outside.api_process import Unavailable
from tests.simulation.outside.outside import Grant, Step

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

# It asks again sooner where it was given something, and more and more rarely where not.
_POLLS_SEC = (1.0, 16.0)
_AGAIN_SEC = 6.0
_TRIES = 12
_AT_ONCE = 3
_WAITS_UNTIL_SEC = 360
# How many runs have a step.
_STEPPING = 0.25


@dataclass(slots=True, eq=False)
class _Held:
    """A run in a worker's hands, and what it will do with it; times are its own."""

    grant: Grant
    lease_sec: int
    answer: Answer
    ends: float
    beats: float
    # What it says besides, so long after its word.
    once_more: tuple[float, Answer] | None = None
    # It asks for no more time, though it takes longer than its lease.
    careless: bool = False
    # It goes on whatever it is told, and says its word all the same.
    stubborn: bool = False


class Workers:
    """So many machines; one that died is started again."""

    def __init__(
        self,
        stage: Stage,
        seed: int,
        *,
        count: int,
        until_sec: float,
        lagging: bool,
        wait_sec: int = 0,
    ) -> None:
        self._stage = stage
        # Their heartbeats have a thread of their own, which hears last that a run is over.
        self._lagging = lagging
        # So long at most the API may wait for a run on their behalf.
        self._wait_sec = wait_sec
        self._seed = seed
        self._until_us = int(until_sec * 1_000_000)
        for number in range(count):
            self._start(1.0 + number * 0.4)

    def _start(self, at_sec: float) -> None:
        self._stage.world.spawn("worker", self._live, at_sec=at_sec, ended=self._ended)

    def _ended(self, _: Process) -> None:
        now_us = self._stage.world.now_us
        if now_us < self._until_us:
            self._start(now_us / 1_000_000 + _AGAIN_SEC)

    def _live(self) -> None:
        world, held = self._stage.world, list[_Held]()
        assert world.running is not None
        random = Random(f"worker {self._seed} {world.running.name}")
        polls, idle = clock.monotonic(), _POLLS_SEC[0]
        while world.now_us < self._until_us or held:
            now = clock.monotonic()
            if now >= polls and len(held) < _AT_ONCE:
                fetched = self._fetched(random, _AT_ONCE - len(held))
                held += fetched
                idle = _POLLS_SEC[0] if fetched else min(2 * idle, _POLLS_SEC[1])
                polls = clock.monotonic() + idle
                continue
            if due := [each for each in held if min(each.ends, each.beats) <= now]:
                held = [each for each in held if each not in due or self._goes_on(each, now)]
                continue
            moments = [min(each.ends, each.beats) for each in held]
            moments += [polls] if len(held) < _AT_ONCE else []
            clock.sleep(max(0.001, min(moments) - now))

    def _fetched(self, random: Random, room: int) -> list[_Held]:
        lease_sec = random.choice([10, 15, 30])
        try:
            grants = api_process.take(
                self._stage,
                most=random.randint(1, room),
                lease_sec=lease_sec,
                wait_sec=self._patience_sec(room),
            )
        except Unavailable:
            return []
        return [self._planned(grant, lease_sec) for grant in grants]

    def _patience_sec(self, room: int) -> int:
        """Returns a worker with a run in hand does not wait for another one, nor after the last
        one.
        """
        early = self._stage.world.now_us < _WAITS_UNTIL_SEC * 1_000_000
        return self._wait_sec if early and room == _AT_ONCE else 0

    def _planned(self, grant: Grant, lease_sec: int) -> _Held:
        random = Random(f"word {self._seed} {grant.run_id} {grant.attempt}")
        timeout_sec = self._stage.task_of(grant.run_id).timeout_sec
        takes_sec = random.choices(
            [0.1, random.uniform(1, 25), random.uniform(20, 60), timeout_sec * 1.3],
            weights=[4, 4, 2, 1],
        )[0]
        if random.random() < 0.08:
            # The whole machine stands still, and goes on as if nothing had been.
            clock.sleep(random.uniform(5, 70))
        self._go_through_a_step(grant)
        now = clock.monotonic()
        held = _Held(grant, lease_sec, _answer(random), now + takes_sec, now + lease_sec / 3)
        drawn = random.random()
        if drawn < 0.12:
            held.careless = True
        elif drawn < 0.2:
            held.stubborn = True
        elif drawn < 0.3:
            held.once_more = (random.choice([0.0, 0.5, 20.0]), held.answer)
        elif drawn < 0.36:
            held.once_more = (random.choice([0.0, 0.5, 20.0]), _answer(random))
        return held

    def _go_through_a_step(self, grant: Grant) -> None:
        """Asks, for some runs, for an effect that must happen once, whatever befalls them."""
        if Random(f"step {self._seed} {grant.run_id}").random() >= _STEPPING:
            return
        world = self._stage.world
        step = Step(grant.run_id, grant.attempt)
        with suppress(Unavailable):
            stands, step.value = api_process.step(self._stage, grant.run_id, grant.attempt)
            if stands and step.value is None:
                step.done_ms = world.epoch_us() / 1000
                self._stage.outside.steps.append(step)
                wanted = f"paid by attempt {grant.attempt}"
                _, step.value = api_process.step(self._stage, grant.run_id, grant.attempt, wanted)
            if step.value is not None:
                step.given_ms = world.epoch_us() / 1000
                self._stage.outside.steps += [] if step.done_ms else [step]

    def _goes_on(self, held: _Held, now: float) -> bool:
        """Tells whether it still has the run after what is to be done with it now."""
        if now >= held.ends:
            return self._told(held)
        held.beats = now + held.lease_sec / 3
        if held.careless:
            return True
        try:
            kept, stops = api_process.beat(
                self._stage, held.grant.run_id, held.grant.attempt, held.lease_sec
            )
        except Unavailable:
            held.beats = now + 2.0
            return True
        if held.stubborn or (kept and not stops):
            return True
        if kept:
            self._say(held, Again(Reason.FAILED))
        return False

    def _told(self, held: _Held) -> bool:
        """Says what came of it; some say it twice, or two things."""
        self._say(held, held.answer)
        if held.once_more is None:
            if self._lagging:
                with suppress(Unavailable):
                    grant = held.grant
                    api_process.beat(self._stage, grant.run_id, grant.attempt, held.lease_sec)
            return False
        held.ends = clock.monotonic() + held.once_more[0]
        held.answer, held.once_more = held.once_more[1], None
        held.beats = held.ends
        return True

    def _say(self, held: _Held, answer: Answer) -> None:
        """Says it until it is answered: the API may be away for a while."""
        for _ in range(_TRIES):
            try:
                api_process.say(self._stage, held.grant.run_id, held.grant.attempt, answer)
            except Unavailable:
                clock.sleep(1.0)
            else:
                return


def _answer(random: Random) -> Answer:
    answers: list[Answer] = [
        Done({"by": random.getrandbits(32)}),
        Again(Reason.FAILED),
        Again(Reason.FAILED, after_sec=random.choice([0, 5, 20])),
        Again(Reason.RELEASED, after_sec=random.choice([0, 4])),
        Again(Reason.RELEASED, checkpoint={"page": random.getrandbits(16)}),
        Dead(Reason.PERMANENT),
        Skipped("nothing to do"),
    ]
    return random.choices(answers, weights=[10, 2, 2, 2, 1, 1, 1])[0]
