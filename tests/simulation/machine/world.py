"""The simulated world: a virtual clock and processes, greenlets that run ordinary code.

Every call of a client is an effect: it waits its latency, then takes place at one instant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from heapq import heappop, heappush
from random import Random
from typing import Any, Self

from botocore.exceptions import BotoCoreError, ClientError
from greenlet import getcurrent

from onthedot.schedule.expression.errors import BusyError
from tests.simulation.faults.effects import Effects
from tests.simulation.faults.expiry import Expiry
from tests.simulation.faults.faults import CALM, Aim, Chooser, Postman, Profile
from tests.simulation.faults.meter import Metered
from tests.simulation.machine.clients import Client
from tests.simulation.machine.clock import Clock
from tests.simulation.machine.process import Crashed, Part, Process
from tests.simulation.machine.trace import Effect, Entry, effects, invalid, story
from tests.simulation.outside.bucket import Bucket
from tests.simulation.outside.bus import Bus
from tests.simulation.stores.dynamo import Dynamo
from tests.simulation.stores.sqs import Sqs

START = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
_SEC_US = 1_000_000
_SPIN_US = 3_000
_NEVER_US = 1 << 62
Action = Callable[[], None]


class World:
    def __init__(  # what makes a history reproducible
        self,
        seed: int,
        profile: Profile = CALM,
        aims: Iterable[Aim] = (),
        *,
        start: datetime = START,
        strict: bool = False,
        effects_max: int = 50_000,
    ) -> None:
        self.seed = seed
        self.effects_max = effects_max
        self.profile = profile
        self.start = start
        self.now_us = 0  # since the start
        self.running: Process | None = None
        self.random = Random(f"flows {seed}")  # the ids and the jitter the flows ask for
        self.chooser = Chooser(profile, Random(seed), tuple(aims))
        self.trace: list[Entry] = []
        self.processes: list[Process] = []
        self._epoch_us = int(start.timestamp()) * _SEC_US
        self.store = Dynamo(self.epoch_us, strict=strict)
        self.queues = Sqs(self.epoch_us)
        self.clock = Clock(self)
        doing = Effects(self)
        self.effect, self.act = doing.effect, doing.act
        self.dynamodb = Client(self, self.store)
        self.sqs = Client(self, self.queues)
        self.bucket, self.bus = Bucket(self.epoch_us), Bus(self.epoch_us, Random(f"bus {seed}"))
        self.services = {"dynamodb": self.dynamodb, "sqs": self.sqs}
        self.services |= {"s3": Client(self, self.bucket), "events": Client(self, self.bus)}
        self._heap: list[tuple[int, int, Process | Action, int]] = []
        self._sequence = 0
        self._ordinals: dict[str, int] = {}
        self._end_us = _NEVER_US
        self._hub = getcurrent()
        self.called: set[str] = set()  # what else than stores and queues
        self.expiry: Expiry | None = None  # what TTL does, where it does anything
        # Handlers that were left behind, by the kind of their process: frozen until the next one.
        self._strays: dict[str, list[Process]] = {}

    def epoch_us(self) -> int:
        return self._epoch_us + self.now_us

    def meter(self) -> None:
        """Lets each call of the store say what it consumed."""
        self.dynamodb = Client(self, Metered(self.store))
        self.services["dynamodb"] = self.dynamodb

    def client(self, service: str) -> Client:
        """For the one place that hands out clients."""
        return self.services[service]

    def spawn(
        self,
        kind: str,
        work: Callable[[], Any],
        *,
        at_sec: float | None = None,
        limit_sec: float | None = None,
        ended: Callable[[Process], None] | None = None,
    ) -> Process:
        """Returns a process that starts at `at_sec` (default: now) and is killed `limit_sec`
        later.
        """
        ordinal = self._ordinals.get(kind, 0)
        self._ordinals[kind] = ordinal + 1
        process = self._born(f"{kind}#{ordinal}", kind, work, self.chooser.skew_us(self.now_us))
        process.ended = ended
        at_us = self.now_us if at_sec is None else int(at_sec * _SEC_US)
        self.push(at_us, process, process.turn)
        if limit_sec is not None:
            self.push(at_us + int(limit_sec * _SEC_US), lambda: self.kill(process, "time limit"))
        return process

    def submit(self, work: Callable[[], Any]) -> Part:
        """Works beside the running process and within it: it dies with it."""
        whole = self.running
        assert whole is not None, "only a process has parts"
        name = f"{whole.name}/{len(whole.parts)}"
        process = self._born(name, whole.kind, work, whole.skew_us)
        whole.parts.append(process)
        self.push(self.now_us, process, process.turn)
        return Part(self, process)

    def _born(self, name: str, kind: str, work: Callable[[], Any], skew_us: int) -> Process:
        process = Process(
            name=name,
            kind=kind,
            work=work,
            hub=self._hub,
            skew_us=skew_us,
            on_end=self._on_end,
        )
        self.processes.append(process)
        return process

    def call_at(self, at_sec: float, action: Action) -> None:
        """Plans something that the world itself does: no process, no faults."""
        self.push(int(at_sec * _SEC_US), action)

    def every(  # a rule and what it starts
        self,
        period_sec: float,
        kind: str,
        work: Callable[[datetime], Any],
        *,
        first_sec: float = 0.0,
        until_sec: float,
        limit_sec: float | None = None,
    ) -> None:
        """Plans a rule's ticks: each may be late, dropped or doubled, as the profile says."""
        chooser, profile = self.chooser, self.profile
        at_sec = first_sec
        while at_sec < until_sec:
            moment = datetime.fromtimestamp(self.start.timestamp() + at_sec, UTC)
            copies = 1
            if chooser.happens(profile.drop_tick, int(at_sec * _SEC_US)):
                copies = 0
            elif chooser.happens(profile.double_tick, int(at_sec * _SEC_US)):
                copies = 2
            for _ in range(copies):
                late_sec = chooser.between_us(profile.late_tick_ms) / _SEC_US
                self.spawn(
                    kind,
                    lambda moment=moment: work(moment),  # type: ignore[misc]  # bound now
                    at_sec=at_sec + late_sec,
                    limit_sec=limit_sec,
                )
            at_sec += period_sec

    def run(self, until_sec: float) -> None:
        """Lets everything happen that is due until then."""
        end_us = self._end_us = int(until_sec * _SEC_US)
        self._unsettle_queues(end_us)
        heap = self._heap
        while heap and heap[0][0] <= end_us:
            at, _, target, turn = heappop(heap)
            if not isinstance(target, Process):
                self.now_us = max(self.now_us, at)
                target()
            elif target.turn == turn and not target.done:
                if target.frozen_us > at:
                    self.push(target.frozen_us, target, turn)
                    continue
                self.now_us = max(self.now_us, at)
                self._resume(target)
        self.now_us = max(self.now_us, end_us)

    def _unsettle_queues(self, end_us: int) -> None:
        chooser = self.chooser
        for queue in self.queues.queues.values():
            if isinstance(queue.mischief, Postman):
                continue
            queue.mischief = Postman(chooser, lambda: self.now_us)
            if chooser.happens(self.profile.purge, self.now_us):
                span_us = min(end_us, int(self.profile.faults_until_sec * _SEC_US))
                self.push(chooser.random.randint(self.now_us, span_us), self._purge(queue.name))

    def _purge(self, name: str) -> Action:
        def purge() -> None:
            queue = self.queues.queue(name)
            self.note("purge", f"{name}: {len(queue.messages)} messages gone")
            queue.purge()

        return purge

    def _resume(self, process: Process) -> None:
        if not process.turn and self._strays:
            self._thaw(process.kind)
        process.turn += 1
        self.running = process
        process.greenlet.switch()
        self.running = None

    def wait(self, us: int) -> None:
        """Lets others act until then. The running process' own time, so it may die in it."""
        process = self.running
        wake_us = self.now_us + us
        heap = self._heap
        if wake_us <= self._end_us and (not heap or wake_us < heap[0][0]):
            self.now_us = wake_us  # nobody acts before: the way without a switch
            return
        assert process is not None
        self.push(wake_us, process, process.turn)
        self.park(process)

    def park(self, process: Process) -> None:
        """Waits until somebody pushes the process with its present turn."""
        self._hub.switch()
        if process.dead:
            raise Crashed

    def push(self, at_us: int, target: Process | Action, turn: int = 0) -> None:
        self._sequence += 1
        heappush(self._heap, (at_us, self._sequence, target, turn))

    def sleep(self, us: int) -> None:
        process = self.running
        if process is None:
            self.run((self.now_us + us) / _SEC_US)
            return
        if process.dead:
            raise Crashed
        process.spins += us < _SPIN_US
        self.wait(max(0, us))

    def freeze(self, whole: Process, sec: float) -> None:
        """Stops a process with its parts, between two calls or within one."""
        before, self.running = self.running, whole
        self.note("stalls", f"for {sec:.1f} s as a whole")
        self.running = before
        for part in (whole, *whole.parts):
            part.frozen_us = self.now_us + int(sec * _SEC_US)

    def _thaw(self, kind: str) -> None:
        for stray in self._strays.pop(kind, ()):
            stray.frozen_us = 0
            self.push(self.now_us, stray, stray.turn)

    def kill(self, process: Process, why: str) -> None:
        """Ends it at once, from outside; from inside a process raises Crashed."""
        if process.done:
            return
        self.note("killed", f"{process.name}: {why}")
        before, self.running = self.running, process
        process.kill()
        self.running = before

    def _on_end(self, process: Process) -> None:
        process.ended_us = self.now_us
        for part in process.parts:
            if part.done:
                continue
            if process.dead:
                part.dead = True
                self.push(self.now_us, self._burial(part))
            else:
                # Lambda freezes what goes on behind an answer, and thaws it with the next call.
                part.frozen_us = _NEVER_US
                self._strays.setdefault(process.kind, []).append(part)
        if process.waiter is not None:
            self.push(self.now_us, process.waiter, process.waiter.turn)
        if process.ended is not None:
            ended = process.ended
            self.push(self.now_us, lambda: ended(process))

    def _burial(self, part: Process) -> Action:
        return lambda: self.kill(part, "its whole ended")

    def note(self, what: str, text: str) -> None:
        """Notes something for the story that is not an effect."""
        self.trace.append((self.now_us, self.running, what, {"note": text}, None, ""))

    def effects(self) -> list[Effect]:
        return effects(self.trace)

    def story(self) -> str:
        """Returns the readable history; with the seed it is what a failing test prints."""
        return f"seed {self.seed}\n{story(self.trace, self.start)}"

    def bugs(self) -> list[tuple[str, BaseException]]:
        """Returns processes that ended by an error no fault explains, and calls AWS calls
        invalid.
        """
        found: list[tuple[str, BaseException]] = [
            (process.name, process.error)
            for process in self.processes
            if process.error is not None
            and not isinstance(process.error, BotoCoreError | ClientError | BusyError)
        ]
        return found + [
            (entry[1].name if entry[1] else "", why) for entry, why in invalid(self.trace)
        ]

    def close(self) -> None:
        """Ends what still lives, without effects."""
        for process in self.processes:
            if not process.done:
                self.running = process
                process.kill()
        self.running = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
