"""Planted faults of history: which version an attempt notes, what an edit keeps, what is resent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.launch import replay
from onthedot.records.runs import attempts, run_writes, side_item
from onthedot.records.runs.run_row import Attempt
from onthedot.records.runs.side_item import Own
from onthedot.records.tasks import kept_versions
from onthedot.records.tasks.kept_versions import Use
from onthedot.store import run_inputs
from onthedot.targets import attempt_outcome
from onthedot.upkeep import dead_letter, dead_letters, payload_sweep
from onthedot.work import starts
from tests.simulation.mutants.mutant import Mutant, Patch


def not_kept() -> list[Patch]:
    """An edit keeps nothing of what it changes."""
    return [(kept_versions, "differ", lambda _before, _after: False)]


def payloads_only() -> list[Patch]:
    """An edit of the target alone keeps nothing."""
    original = kept_versions.differ

    def differ(before: Any, after: Any) -> bool:
        return original(before, replace(after, target=before.target))

    return [(kept_versions, "differ", differ)]


def obeyed_only() -> list[Patch]:
    """A start notes the version that its row obeys, though its task came with a newer one."""
    original = run_writes.started

    def started(run: Any, **given: Any) -> Any:
        return original(run, **given | {"version": run.life.schedule_version})

    return [(run_writes, "started", started), (starts, "agreed", lambda jobs: jobs)]


def not_agreed() -> list[Patch]:
    """Who looks at the task once more calls it so, and its row says the former version."""
    return [(starts, "agreed", lambda jobs: jobs)]


def record_without() -> list[Patch]:
    """A retry forgets by which version the attempt before it ran."""
    original = attempts.attempt_record

    def record(attempt: Attempt, *told: Any) -> dict[str, Any]:
        return original(replace(attempt, version=0), *told)

    return [
        (module, "attempt_record", record) for module in (attempts, run_writes, attempt_outcome)
    ]


def payload_of_now() -> list[Patch]:
    """A replay sends the payload as it is now, whatever was sent."""
    original = replay.chosen

    def chosen(old: Any, task: Any, wish: Any) -> Own | None:
        return original(old, task, replace(wish, use=Use(payload="current", target="current")))

    return [(replay, "chosen", chosen)]


def target_of_now() -> list[Patch]:
    """A replay calls its task's target, though what was called was asked for."""
    original = side_item.parse

    def parse(found: Any) -> Own:
        return replace(original(found), target=None)

    return [(side_item, "parse", parse), (run_inputs, "aimed", lambda _run, task: task)]


def letters_of_now() -> list[Patch]:
    """An operation forgets what its replays are to use."""
    return [(dead_letters, "Use", lambda **_: Use(payload="current", target="current"))]


def swept_away() -> list[Patch]:
    """The sweep does not ask what former versions name."""
    return [(payload_sweep, "_kept", lambda _task_ids: set())]


def outcome_dropped() -> list[Patch]:
    """A purge drops by which error its newest attempt is known to have failed."""
    return [(dead_letter, "all_of", lambda life: life.attempts)]


_EDITED = ("versions", "versions crashes")
MUTANTS = (
    Mutant("version not kept", "0188: an edit keeps what runs were given", not_kept, _EDITED),
    Mutant("payloads only", "0188: an edit keeps the target, too", payloads_only, _EDITED),
    Mutant("obeyed only", "0188: a start notes its version", obeyed_only, _EDITED),
    Mutant(
        "not agreed", "0188: the call's own version", not_agreed, ("put off barely", "put off late")
    ),
    Mutant("record without", "0188: each attempt has its version", record_without, _EDITED),
    Mutant("payload of now", "0188: a replay sends what was sent", payload_of_now, _EDITED),
    Mutant("target of now", "0188: the target that was called", target_of_now, _EDITED, seed=9),
    Mutant("letters of now", "0188: also by the many", letters_of_now, ("asked versions",), seed=6),
    Mutant("swept away", "0188: former versions name payloads", swept_away, ("swept",)),
    Mutant(
        "outcome dropped",
        "0188: a purge drops what it says",
        outcome_dropped,
        ("asked letters again", "asked some letters"),
    ),
)
