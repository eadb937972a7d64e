"""The wire form of a message: up to 25 runs of one due second, queue and tenant."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from onthedot.core.run import Run

FORMAT = 1
RUNS_MAX = 25
# Handlers share one processor, and an invocation is as slow as the slowest of its runs.
PYTHON_RUNS_MAX = 10
Address = tuple[str, str, int, int]
DELAY_MAX_SEC = 900


@dataclass(frozen=True, slots=True)
class Ticket:
    """One run in a message: which attempt it is to start, and the version it was claimed under."""

    run_id: str
    attempt: int
    tv: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A message to be sent or as received; `why` says what it is a hint of."""

    due_ms: int
    why: str
    tickets: tuple[Ticket, ...]
    tenant_id: str = ""
    queue: str = "normal"

    def of_tenant(self, tenant_id: str) -> Pack:
        """Name the tenant, which SQS carries beside the body."""
        return replace(self, tenant_id=tenant_id)

    def body(self) -> str:
        """Write the message."""
        runs = [{"run_id": t.run_id, "attempt": t.attempt, "tv": t.tv} for t in self.tickets]
        form = {"v": FORMAT, "due_ms": self.due_ms, "why": self.why, "runs": runs}
        return json.dumps(form, separators=(",", ":"))


def parse(body: str) -> Pack:
    """Read a message; one of another format is a newer version's and is left to it."""
    form = json.loads(body)
    if form["v"] != FORMAT:
        raise ValueError(f"message of format {form['v']}; this version reads {FORMAT}")
    tickets = tuple(Ticket(run["run_id"], run["attempt"], run["tv"]) for run in form["runs"])
    return Pack(due_ms=form["due_ms"], why=form["why"], tickets=tickets)


def of_run(run: Run, why: str) -> Pack:
    """Make a message of a run alone, that is to start its next attempt."""
    return _alone(run, run.life.attempt + 1, why)


def poll_of(run: Run) -> Pack:
    """Make a message of a run alone, that is to look at what its attempt waits for."""
    return _alone(run, run.life.attempt, "poll")


def _alone(run: Run, attempt: int, why: str) -> Pack:
    return Pack(
        due_ms=run.life.due_ms,
        why=why,
        tickets=(Ticket(run.run_id, attempt, run.life.tv),),
        tenant_id=run.tenant_id,
        queue=run.queue,
    )


def delay_sec(due_ms: int, now_ms: int) -> int:
    """Let a message turn up one to two seconds early; the worker holds the rest."""
    return min(DELAY_MAX_SEC, max(0, (due_ms - now_ms) // 1000 - 1))


def runs_max(target: Mapping[str, Any]) -> int:
    """How many runs of such a target go into one message."""
    return PYTHON_RUNS_MAX if target.get("type") == "python" else RUNS_MAX


def packed(tickets: Iterable[tuple[Address, Ticket]]) -> Iterator[Pack]:
    """Pack first starts that share queue, tenant, due second and how many go together."""
    ordered = sorted(tickets, key=lambda pair: pair[0])
    for (queue, tenant, due_ms, most), group in groupby(ordered, key=lambda pair: pair[0]):
        alike: Sequence[Ticket] = [ticket for _, ticket in group]
        for first in range(0, len(alike), most):
            yield Pack(
                due_ms=due_ms,
                why="start",
                tickets=tuple(alike[first : first + most]),
                tenant_id=tenant,
                queue=queue,
            )
