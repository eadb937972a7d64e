"""Outages: a part of a store that refuses for a while, whole calls and members of batches alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.simulation.faults import partial
from tests.simulation.stores.errors import throttled
from tests.simulation.stores.operations import BATCHES, SQS_OPERATIONS

Request = dict[str, Any]
READS = frozenset({"get_item", "batch_get_item", "query", "scan"})
# What botocore's own retries take before a caller hears of the refusal.
GIVES_UP_AFTER_SEC = 1.5
_SEC_US = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """What is refused, from when on and for how long; an empty name means any."""

    from_sec: float
    for_sec: float
    table: str = ""
    # Of writes, those of the items that the index holds.
    index: str = ""
    # A part of the partition key, such as a task's name.
    partition: str = ""
    queue: str = ""
    reads: bool = False
    writes: bool = True
    # How many of the members that it names it refuses; or how many a second it takes.
    share: float = 1.0
    per_sec: int = 0

    def lasts(self, now_us: int) -> bool:
        return self.from_sec * _SEC_US <= now_us < (self.from_sec + self.for_sec) * _SEC_US

    def names(self, operation: str, member: object, of: str) -> bool:
        """Tells whether it stands against one call, or one member of a batch of that table or
        queue.
        """
        if (operation in SQS_OPERATIONS) != bool(self.queue):
            return False
        if self.queue:
            return self.queue in of
        if not (self.reads if operation in READS else self.writes):
            return False
        text = f"{of} {member}"
        return all(word in text for word in (self.table, self.partition)) and self._indexed(text)

    def _indexed(self, text: str) -> bool:
        return not self.index or f"'{self.index}'" in text or "next_run_at" in text


@dataclass(slots=True)
class Bucket:
    """What a store that takes so many writes a second has left to take."""

    per_sec: int
    left: float = 0.0
    filled_us: int = 0

    def takes(self, now_us: int) -> bool:
        """Tells whether it takes one more; a second's worth is what it saves up at most."""
        gained = (now_us - self.filled_us) / _SEC_US * self.per_sec
        self.left = min(self.per_sec, self.left + gained)
        self.filled_us = now_us
        if self.left < 1:
            return False
        self.left -= 1
        return True


def refused(
    outages: Mapping[Outage, Bucket],
    operation: str,
    request: Request,
    *,
    now_us: int,
    random: Random,
) -> set[int] | None:
    """Returns the places of the members that are refused; None where nothing of the call is."""
    lasting = [each for each in outages if each.lasts(now_us)]
    if not lasting:
        return None
    if operation in BATCHES:
        of = str(request.get("QueueUrl", ""))
        members = partial.members(operation, request)
    else:
        of, members = str(request.get("QueueUrl", "")), [("", request)]
    places = {
        place
        for place, (table, member) in enumerate(members)
        if any(
            each.names(operation, member, of or table)
            and (not outages[each].takes(now_us) if each.per_sec else _is_drawn(each.share, random))
            for each in lasting
        )
    }
    return places or None


def _is_drawn(share: float, random: Random) -> bool:
    return share >= 1 or random.random() < share


def carried_out(
    operation: str,
    call: Callable[..., Any],
    request: Request,
    *,
    places: set[int],
    give_up: Callable[[], None],
) -> Any:
    """Returns a batch of statements or entries says whom it refused; any other call is refused
    whole.
    """
    if operation in BATCHES:
        whole = len(places) == len(partial.members(operation, request))
        if not (operation == "batch_get_item" and whole):
            return partial.refusing(operation, call, request, places)
    give_up()
    raise throttled(operation)
