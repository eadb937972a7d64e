"""Describes the wire form of a message: up to 25 runs of one due second, queue and tenant."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeGuard

from onthedot.records.keys import is_run_id
from onthedot.records.runs.run_row import Run

FORMAT = 1
# A part of the format: a pack with more runs is not ours.
RUNS_MAX = 25
# Handlers share one processor, and an invocation is as slow as its slowest run.
PYTHON_RUNS_MAX = 10
Address = tuple[str, str, int, int]
DELAY_MAX_SEC = 900
# Why a message is sent that starts nothing, but looks at what an attempt waits for.
POLL = "poll"
# No release of ours will ever exceed these: formats, attempts, versions, the year 2286.
_FORMAT_MAX = 1_000
_COUNT_MAX = 1_000_000_000
_DUE_MS_MAX = 10_000_000_000_000
_WHY_MAX = 32


class Newer(ValueError):  # noqa: N818 it says what the message is
    """The message has the format of a newer release, and is left for that release."""


class Foreign(ValueError):  # noqa: N818 it says what the message is
    """The text is no message of any release of the scheduler. The sentence says why."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One run in a message: the attempt to start, and the version it was claimed under."""

    run_id: str
    attempt: int
    tv: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A message, to be sent or as received. `why` says what kind of hint it is."""

    due_ms: int
    why: str
    tickets: tuple[Ticket, ...]
    tenant_id: str = ""
    queue: str = "normal"
    # Entries that cannot name a run. The other entries are still worked.
    strange: int = 0

    def of_tenant(self, tenant_id: str) -> Pack:
        """Returns the tenant's name, which SQS carries beside the body."""
        return replace(self, tenant_id=tenant_id)

    def body(self) -> str:
        """Writes the message."""
        runs = [{"run_id": t.run_id, "attempt": t.attempt, "tv": t.tv} for t in self.tickets]
        form = {"v": FORMAT, "due_ms": self.due_ms, "why": self.why, "runs": runs}
        return json.dumps(form, separators=(",", ":"))


def parse(body: object) -> Pack:
    """Reads a message. It checks the type and range of everything before use."""
    form = _form(body)
    due_ms, why, runs = form.get("due_ms"), form.get("why"), form.get("runs")
    if not _whole(due_ms, 0, _DUE_MS_MAX):
        raise Foreign("its due_ms is no time")
    if not isinstance(why, str) or len(why) > _WHY_MAX:
        raise Foreign("its why is no short text")
    if not isinstance(runs, list) or len(runs) > RUNS_MAX:
        raise Foreign(f"its runs are no list of up to {RUNS_MAX}")
    read = [_ticket(run) for run in runs]
    tickets = [ticket for ticket in read if ticket]
    if not tickets:
        raise Foreign("it names no run")
    # If a run is named twice, the newest attempt counts.
    newest = {t.run_id: t for t in sorted(tickets, key=lambda each: each.attempt)}
    return Pack(
        due_ms=due_ms,
        why=why,
        tickets=tuple(newest[run_id] for run_id in dict.fromkeys(t.run_id for t in tickets)),
        strange=len(read) - len(tickets),
    )


def _form(body: object) -> Mapping[str, Any]:
    """Reads the text as JSON of our format."""
    try:
        form = json.loads(body) if isinstance(body, str) else None
    except (RecursionError, ValueError):
        raise Foreign("it is no JSON") from None
    if not isinstance(form, dict):
        raise Foreign("it is no JSON object")
    version = form.get("v")
    if not _whole(version, FORMAT, _FORMAT_MAX):
        raise Foreign("its v is no format")
    if version > FORMAT:
        raise Newer(f"message of format {version}; this version reads {FORMAT}")
    return form


def _ticket(run: object) -> Ticket | None:
    """Reads one entry. None if it cannot name a run and an attempt to start."""
    if not isinstance(run, dict):
        return None
    run_id, attempt, tv = run.get("run_id"), run.get("attempt"), run.get("tv")
    if not isinstance(run_id, str) or not is_run_id(run_id):
        return None
    if not _whole(attempt, 1, _COUNT_MAX) or not _whole(tv, 0, _COUNT_MAX):
        return None
    return Ticket(run_id, attempt, tv)


def _whole(value: object, least: int, most: int) -> TypeGuard[int]:
    """Tells whether it is a whole number in a range. True is not a number here."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def of_run(run: Run, why: str) -> Pack:
    """Makes a message of one run: it starts the next attempt, or looks at the one that waits."""
    attempt = run.life.starts if why == POLL else run.life.starts + 1
    return Pack(
        due_ms=run.life.due_ms,
        why=why,
        tickets=(Ticket(run.run_id, attempt, run.life.tv),),
        tenant_id=run.tenant_id,
        queue=run.queue,
    )


def delay_sec(due_ms: int, now_ms: int) -> int:
    """Returns the delay with which a message appears one to two seconds early."""
    return min(DELAY_MAX_SEC, max(0, (due_ms - now_ms) // 1000 - 1))


def runs_max(target: Mapping[str, Any]) -> int:
    """Returns how many runs of such a target go into one message."""
    return PYTHON_RUNS_MAX if target.get("type") == "python" else RUNS_MAX


def packed(tickets: Iterable[tuple[Address, Ticket]]) -> Iterator[Pack]:
    """Packs first starts with the same queue, tenant, due second and pack size."""
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
