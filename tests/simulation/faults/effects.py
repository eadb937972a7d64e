"""One effect: when it takes place, what goes wrong with it, what its process is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Never

from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from tests.simulation.faults import outages, partial
from tests.simulation.faults.faults import Fault, Place
from tests.simulation.machine.process import Crashed, Process
from tests.simulation.stores.errors import conflict, throttled
from tests.simulation.stores.operations import OPERATIONS

if TYPE_CHECKING:
    from tests.simulation.machine.world import World

Answer = dict[str, Any]
Call = Callable[..., Any]
_ENDPOINT = "https://simulated.amazonaws.com/"
_SEC_US = 1_000_000
_NOT_DONE = frozenset({Fault.CRASH_BEFORE, Fault.REFUSED, Fault.THROTTLED, Fault.CONFLICT})
_UNHEARD = frozenset({Fault.CRASH_AFTER, Fault.LOST, Fault.TORN})
_MAYBE_STALE = frozenset({"get_item", "batch_get_item", "query", "scan"})


@dataclass(frozen=True, slots=True)
class Deed:
    process: Process
    operation: str
    call: Call
    request: Answer


class Effects:
    # If set, it is told of each call, and of the fault of that call.
    heard: ClassVar[Callable[[Place, int, Fault | None], None] | None] = None

    def __init__(self, world: World) -> None:
        self._world = world
        self._chooser = world.chooser
        self._trace = world.trace
        self._outages = {each: outages.Bucket(each.per_sec) for each in world.profile.outages}
        self._lags = world.profile.index_lag_ms[1] > 0
        self._unsteady_reads = bool(world.profile.stale or world.profile.short_page or self._lags)

    def effect(self, operation: str, call: Call, request: Answer) -> Any:
        world = self._world
        process = world.running
        if process is None:
            return call(**request)  # the test itself looks or prepares: nothing goes wrong
        if process.dead:
            raise Crashed
        if len(self._trace) >= world.effects_max:
            raise AssertionError(f"{process.name} goes on and on: {operation} {request}")
        nth = process.counts.get(operation, 0)
        process.counts[operation] = nth + 1
        aim = self._chooser.aimed(process.name, operation, nth)
        if aim is not None:
            fault: Fault | None = aim.fault
            stall_us = int(aim.stall_sec * _SEC_US)
        else:
            fault = self._chooser.by_chance((process.name, operation, nth), world.now_us)
            stall_us = 0
        if Effects.heard is not None:
            Effects.heard((process.name, operation, nth), world.now_us, fault)
        if self._unsteady_reads and operation in _MAYBE_STALE:
            call = self._unsteady(call)
        if fault is Fault.STALL_BEFORE:
            self._stall(operation, stall_us)
        world.wait(self._chooser.latency_us())
        if fault is None:
            return self._carry_out(process, operation, call, request)
        return self._faulty(Deed(process, operation, call, request), fault, stall_us)

    def act(self, operation: str, call: Call, **request: Any) -> Any:
        """An effect on something that is no AWS service, such as a target.

        It crashes, stalls and loses answers as others do; what only AWS does leaves it alone.
        """
        return self.effect(operation, call, request)

    def _carry_out(
        self, process: Process, operation: str, call: Call, request: Answer, *, fault: str = ""
    ) -> Any:
        world = self._world
        if self._outages and operation in OPERATIONS:
            call = self._through_outages(operation, call)
        try:
            answer = call(**request)
        except ClientError as error:
            self._trace.append((world.now_us, process, operation, request, error, fault))
            raise
        self._trace.append((world.now_us, process, operation, request, answer, fault))
        if world.expiry is not None and operation in _MAYBE_STALE:
            world.expiry.behind_a_read()
        return answer

    def _through_outages(self, operation: str, call: Call) -> Call:
        """Returns the call as the stores take it while a part of them refuses."""
        world = self._world

        def through(**request: Any) -> Any:
            places = outages.refused(
                self._outages,
                operation,
                request,
                now_us=world.now_us,
                random=self._chooser.random,
            )
            if places is None:
                return call(**request)
            give_up_us = int(outages.GIVES_UP_AFTER_SEC * _SEC_US)
            return outages.carried_out(
                operation,
                call,
                request,
                places=places,
                give_up=lambda: world.wait(give_up_us),
            )

        return through

    def _unsteady(self, call: Call) -> Call:
        def unsteady(**request: Any) -> Any:
            store, now_us = self._world.store, self._world.now_us
            store.behind_us = self._chooser.behind_us(now_us)
            if self._lags and "IndexName" in request:
                store.behind_us = self._chooser.index_behind_us()
            store.page_max = self._chooser.page_max(now_us)
            try:
                return call(**request)
            finally:
                store.behind_us, store.page_max = 0, None

        return unsteady

    def _faulty(self, deed: Deed, fault: Fault, stall_us: int) -> Any:
        if fault in _NOT_DONE:
            entry = (deed.process, deed.operation, deed.request, "not done", fault)
            self._trace.append((self._world.now_us, *entry))
            self._tell(deed, fault)
        deed = self._altered(deed, fault)
        try:
            answer = self._carry_out(
                deed.process, deed.operation, deed.call, deed.request, fault=fault
            )
        except ClientError:
            if fault not in _UNHEARD:
                raise
        if fault in _UNHEARD:
            self._tell(deed, fault)
        if fault is Fault.REPEATED:
            return self._again(deed)
        if fault is Fault.STALL_AFTER:
            self._stall(deed.operation, stall_us)
        return answer

    def _altered(self, deed: Deed, fault: Fault) -> Deed:
        """Returns what the fault makes of a batch, or the token botocore gives a transaction."""
        if deed.operation == "transact_write_items":
            token = f"{deed.process.name} {deed.process.counts}"
            return replace(deed, request={"ClientRequestToken": token, **deed.request})
        if fault is Fault.TORN:
            some = self._chooser.some_of(len(partial.members(deed.operation, deed.request)))
            return replace(deed, request=partial.only(deed.operation, deed.request, some))
        if fault is Fault.PARTIAL:
            return replace(deed, call=self._refusing(deed.operation, deed.call))
        if fault is Fault.SPLIT:
            return replace(deed, call=self._in_two_halves(deed.operation, deed.call))
        return deed

    def _stall(self, operation: str, stall_us: int) -> None:
        stall_us = stall_us or self._chooser.stall_us()
        self._world.note("stalls", f"for {stall_us / _SEC_US:.1f} s at {operation}")
        self._world.wait(stall_us)

    def _tell(self, deed: Deed, fault: Fault) -> Never:
        if fault in {Fault.CRASH_BEFORE, Fault.CRASH_AFTER}:
            deed.process.dead = True
            raise Crashed
        if fault is Fault.THROTTLED:
            raise throttled(deed.operation)
        if fault is Fault.CONFLICT:
            raise conflict(len(deed.request["TransactItems"]))
        if fault is Fault.REFUSED:
            raise EndpointConnectionError(endpoint_url=_ENDPOINT)
        raise ReadTimeoutError(endpoint_url=_ENDPOINT)

    def _again(self, deed: Deed) -> Any:
        """Plays the SDK's own retry after a lost answer: the caller is told of
        the second only.
        """
        world = self._world
        world.wait(self._chooser.latency_us())
        world.note("retry by the SDK", deed.operation)
        try:
            return deed.call(**deed.request)
        except ClientError as error:
            world.note("refused", str(error))
            raise

    def _refusing(self, operation: str, call: Call) -> Call:
        def refusing(**request: Any) -> Answer:
            count = len(partial.members(operation, request))
            return partial.refusing(operation, call, request, self._chooser.some_of(count))

        return refusing

    def _in_two_halves(self, operation: str, call: Call) -> Call:
        def halves(**request: Any) -> Answer:
            everything = set(range(len(partial.members(operation, request))))
            if len(everything) == 1:
                return call(**request)  # type: ignore[no-any-return]  # a client's answer
            first = self._chooser.some_of(len(everything))
            one = call(**partial.only(operation, request, first))
            # The judges know a writer by the moment of its entry, and this moment has no other.
            self._world.note("first half", operation)
            self._world.wait(self._chooser.latency_us())
            second = everything - first
            other = call(**partial.only(operation, request, second))
            return partial.joined(operation, request, (first, one), (second, other))

        return halves
