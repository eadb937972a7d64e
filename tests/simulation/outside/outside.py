"""What targets and machines outside our code did in one history, in true time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from onthedot.targets.attempt_outcome import Answer
from onthedot.targets.call import Call


@dataclass(slots=True)
class Word:
    """One call of the API about an attempt, by the target that has it; zero is not yet."""

    who: str
    # The process of the API that carried it out.
    by: str
    run_id: str
    attempt: int
    # None is a heartbeat.
    answer: Answer | None
    began_ms: float
    # When the API had its answer, whether that was yes, and when the caller heard it.
    answered_ms: float = 0.0
    taken: bool = False
    heard_ms: float = 0.0
    # Until when it was told that the run is its own, in true time.
    until_ms: float = 0.0


@dataclass(slots=True)
class Grant:
    """A run that the API gave to a worker, in answer to a request for a lease."""

    who: str
    run_id: str
    attempt: int
    asked_ms: float
    answered_ms: float
    # Until when it was told that the run is its own.
    until_ms: float
    heard_ms: float = 0.0


@dataclass(slots=True)
class Poll:
    """One request for leases that was answered."""

    who: str
    asked_ms: float
    answered_ms: float
    most: int
    given: int
    # How long it was to wait for a run, and whether it was told to ask again instead.
    wait_sec: int = 0
    turned_away: bool = False


@dataclass(slots=True)
class Step:
    """A step that a handler went through by `ctx.once`."""

    run_id: str
    attempt: int
    # When the effect took place in this attempt; zero is not at all.
    done_ms: float = 0.0
    # What `once` gave, and when.
    value: Any = None
    given_ms: float = 0.0
    name: str = "charge"
    # Whether the handler knew that its lease was lost before it asked for the effect.
    knowing: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """What a handler was told of the last success before its run, and when it asked."""

    run_id: str
    asked_ms: float
    told_ms: float
    slot: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """How far a handler said that it was, and when."""

    run_id: str
    attempt: int
    at_ms: float
    progress: Any


@dataclass(slots=True)
class Execution:
    """An execution of a user's state machine."""

    arn: str
    run_id: str
    attempt: int
    began_ms: float
    ends_ms: float
    # How it ends if nobody stops it.
    status: str
    stopped_ms: float = 0.0
    # When somebody looked at it.
    looks_ms: list[float] = field(default_factory=list)

    def status_at(self, now_ms: float) -> str:
        """Returns what a look shows."""
        if self.stopped_ms and self.stopped_ms <= min(now_ms, self.ends_ms):
            return "ABORTED"
        return self.status if now_ms >= self.ends_ms else "RUNNING"

    def over_ms(self) -> float:
        """Returns when it is over."""
        return min(self.ends_ms, self.stopped_ms or self.ends_ms)


@dataclass(slots=True)
class Receipt:
    """A call that reached a service of the user's: by which attempt, and what became of it."""

    service: str
    address: str
    run_id: str
    attempt: int
    at_ms: float
    request: Mapping[str, Any]
    # The code by which it was refused; empty is not at all.
    refused: str = ""
    # The name of what is kept of it; empty for what a FIFO one knows already.
    kept: str = ""
    # Until when a function is at work on it.
    until_ms: float = 0.0


@dataclass(slots=True)
class Outside:
    """Everything that was said and done outside."""

    words: list[Word] = field(default_factory=list)
    grants: list[Grant] = field(default_factory=list)
    polls: list[Poll] = field(default_factory=list)
    # How many of a tenant's may wait at once.
    polls_max: int = 50
    steps: list[Step] = field(default_factory=list)
    befores: list[Before] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    # Whether strangers write into the queues, and how often which text that is no message.
    strangers: bool = False
    texts: Counter[str] = field(default_factory=Counter)
    executions: dict[str, Execution] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    # The payloads that callers have given to runs of their own.
    payloads: dict[str, Any] = field(default_factory=dict)
    # How the API answers those who are outside.
    api: Any = None

    def report(self, call: Call, progress: Any, at_ms: float) -> None:
        """Lets a handler say how far it is."""
        call.report(progress)
        self.reports.append(Report(call.run_id, call.attempt, at_ms, progress))

    def said(self, run_id: str, attempt: int) -> Iterator[Answer]:
        """Gives what the target of that attempt said of it later, unless that was refused."""
        for word in self.words:
            refused = word.answered_ms and not word.taken
            if (word.run_id, word.attempt) == (run_id, attempt) and word.answer and not refused:
                yield word.answer

    def told(self, run_id: str, attempt: int) -> bool:
        """Tells whether what came of that attempt has been said and taken."""
        key = (run_id, attempt)
        return any(
            one.taken and one.answer and (one.run_id, one.attempt) == key for one in self.words
        )

    def lapses(self) -> Iterator[float]:
        """Gives when leases ended of which their workers had said nothing by then."""
        until: dict[tuple[str, int], float] = {}
        said = [(one.run_id, one.attempt, one.until_ms) for one in self.words]
        granted = [(one.run_id, one.attempt, one.until_ms) for one in self.grants]
        for run_id, attempt, until_ms in (*granted, *said):
            until[run_id, attempt] = max(until.get((run_id, attempt), 0.0), until_ms)
        ended = {
            (word.run_id, word.attempt)
            for word in self.words
            if word.taken and word.answer and word.answered_ms < until[word.run_id, word.attempt]
        }
        yield from (until_ms for key, until_ms in until.items() if until_ms and key not in ended)
