"""Planted faults of names, one-off tasks, backfills, dead letters, admin keys and plans."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

from onthedot.dispatch import extra_runs
from onthedot.launch import backfill, backfill_flow, resume_catchup
from onthedot.records.access import audit_trail
from onthedot.records.access.business_key import BusinessKey
from onthedot.records.problems import Problem
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import bulk_operation
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import api_keys, code_schedules, edit, oneoff_flow, schedule_actions
from onthedot.store import schedule_names, table_reads
from onthedot.store.access import access_table
from onthedot.upkeep import bulk_operations, dead_letter, dead_letters
from onthedot.upkeep.dead_letter import Letter
from tests.simulation.mutants.mutant import Mutant, Patch


def never_given_back() -> list[Patch]:
    """What is ended keeps its place in the tenant's number of tasks."""
    original = schedule_actions.count

    def count(tenant_id: str, number: int) -> None:
        original(tenant_id, max(0, number))

    return [(schedule_actions, "count", count), (oneoff_flow, "count", count)]


def full_at_once() -> list[Patch]:
    """The counter says that there is no room."""
    return [(access_table, "count", lambda _tenant_id, number: number < 0)]


def taken_by_anyone() -> list[Patch]:
    """A name that is the schedule's own is taken, too."""

    def check_free(task: Task) -> None:
        raise schedule_names.taken(task.name, None)

    return [(edit, "check_free", check_free)]


def told_as_changed() -> list[Patch]:
    """The trail says that a new calendar was changed."""
    original = audit_trail.insert

    def insert(by: Any, what: str, about: str, **said: Any) -> Any:
        return original(by, what.replace("calendar.created", "calendar.changed"), about, **said)

    return [(audit_trail, "insert", insert)]


def untold() -> list[Patch]:
    """The trail is not told of what is no write of a task."""
    return [(module, "tell", lambda *_, **__: None) for module in (schedule_actions, oneoff_flow)]


def deployed_uncounted() -> list[Patch]:
    """A deployment says that it has left all as it was."""
    original = code_schedules.register

    def register(wanted: Any, tenant_id: str) -> dict[str, int]:
        done = original(wanted, tenant_id)
        return {"unchanged": sum(done.values()) - done.get("ended", 0)}

    return [(code_schedules, "register", register)]


def steps_uncounted() -> list[Patch]:
    """The minutes count nothing of what their steps launch."""
    return [(bulk_operation.Loop, "done_since", lambda _self, _before: 0)]


def begun_anyway() -> list[Patch]:
    """Each task that has a row has begun."""

    def refuse_started(run: Any) -> None:
        if run is not None:
            raise Problem("already_started", "planted")

    return [(oneoff_flow, "refuse_started", refuse_started)]


def taken_back_anyway() -> list[Patch]:
    """What has begun is taken back, too."""
    return [(oneoff_flow, "refuse_started", lambda _run: None)]


def anothers_task() -> list[Patch]:
    """A caller's key gives the task of whatever body it came with."""
    original = oneoff_flow._same  # noqa: SLF001  # planted in the flow

    def same(former: dict[str, object], key: BusinessKey) -> Task:
        return original(former, replace(key, body_hash=str(former["body_hash"])))

    return [(oneoff_flow, "_same", same)]


def remembered_for_ever() -> list[Patch]:
    """A caller's key is kept for a day, whatever it says."""
    original = BusinessKey.taking

    def taking(self: BusinessKey, task_id: str, now: int, former: Any) -> Any:
        return original(replace(self, ttl_sec=86_400), task_id, now, former)

    return [(BusinessKey, "taking", taking)]


def one_left_out() -> list[Patch]:
    """The oldest dead letter of a minute is passed over."""
    original = dead_letters.find

    def find(*given: Any, **named: Any) -> Any:
        return iter([*original(*given, **named)][:-1])

    return [(dead_letters, "find", find)]


def all_purged() -> list[Patch]:
    """Whatever is meant, all that died is purged or run again."""

    def holds(_self: dead_letter.Chosen, _letter: Letter) -> bool:
        return True

    return [(dead_letter.Chosen, "holds", holds)]


def no_pace() -> list[Patch]:
    """A minute has room for a thousand."""
    return [(bulk_operation.Loop, "allowance", lambda _self, _now_ms: 1_000)]


def never_counted() -> list[Patch]:
    """What a minute has taken on is not counted."""
    original = bulk_operation.Loop.counted

    def counted(self: bulk_operation.Loop, now_ms: int, **numbers: int) -> dict[str, Any]:
        return original(self, now_ms, **numbers) | {"counts": self.counts}

    return [(bulk_operation.Loop, "counted", counted)]


def only_what_is_missing() -> list[Patch]:
    """A backfill of all slots leaves out those that succeeded."""
    original = backfill.of
    return [(backfill, "of", lambda of: replace(original(of), only_missing=True))]


def always_free() -> list[Patch]:
    """A backfill asks nobody whether the task is at work."""
    return [(backfill_flow, "_free", lambda _task: True)]


def there_already() -> list[Patch]:
    """Who finds a letter run again by another minute breaks over it."""

    def relaunched(earlier: Run) -> Run:
        raise RuntimeError(f"{earlier.run_id} was there already")

    return [(extra_runs, "relaunched", relaunched)]


def counted_by_both() -> list[Patch]:
    """Each of two minutes at once counts what both have taken on."""
    original = bulk_operations._moved  # noqa: SLF001  # planted in the flow

    def moved(seen: bulk_operation.Loop, after: bulk_operation.Loop) -> bool:
        original(seen, after)
        return True

    return [(bulk_operations, "_moved", moved)]


def last_revoked() -> list[Patch]:
    """The operator's last admin key can be revoked."""
    return [(api_keys, "check_revocable", lambda _key: None)]


def turn_not_taken() -> list[Patch]:
    """Two revocations at once do not meet."""
    return [(api_keys, "_operates", lambda _key: False)]


def first_again() -> list[Patch]:
    """Each deployment makes an admin key."""
    return [(api_keys, "_admins", lambda _tenant_id: [])]


def from_its_beginning() -> list[Patch]:
    """A resume catches up on what passed since the schedule was made."""
    original = resume_catchup.slots

    def slots(task: Task, mode: str, now: int) -> list[int]:
        return original(replace(task, paused_at=task.paused_at - 60), mode, now)

    return [(resume_catchup, "slots", slots)]


def payload_kept() -> list[Patch]:
    """What a purged run was given stays."""
    original = table_reads.delete

    def delete(table: str, key: dict[str, str]) -> None:
        if not key["scheduled_for"].endswith("^payload"):
            original(table, key)

    return [(table_reads, "delete", delete)]


def error_kept() -> list[Patch]:
    """A purge keeps the error of its run."""
    return [(dead_letter, "_emptied", lambda life: life)]


def cut_short() -> list[Patch]:
    """If too many slots passed, a resume runs the first ones and says nothing of the others."""
    return [(resume_catchup, "islice", lambda slots, most: islice(slots, most - 1))]


_NAMES = ("asked names",)
_ORDERS = ("asked orders",)
_LETTERS = ("asked some letters",)
_TWICE = ("asked letters twice",)
MUTANTS = (
    Mutant("never made free", "0161: who ends gives its place back", never_given_back, _NAMES),
    Mutant("full at once", "0161: who is within the number is let in", full_at_once, _NAMES),
    Mutant("taken by anyone", "0161: a name is free or another's", taken_by_anyone, _NAMES),
    Mutant(
        "told as changed",
        "0161: the trail says who did what",
        told_as_changed,
        ("asked calendars", "foretold bare"),
    ),
    Mutant("trail untold", "0161: the trail says who did what", untold, ("asked fills", *_ORDERS)),
    Mutant(
        "deployed uncounted",
        "0161: a deployment says what it did",
        deployed_uncounted,
        ("asked deploys",),
    ),
    Mutant("steps uncounted", "a minute counts its steps", steps_uncounted, ("asked fills",)),
    Mutant("begun anyway", "0161: what has not begun is taken back", begun_anyway, _ORDERS),
    Mutant("taken back anyway", "0161: what has begun goes on", taken_back_anyway, _ORDERS),
    Mutant("another's task", "0161: a key is of one body", anothers_task, _ORDERS),
    Mutant(
        "remembered for ever", "0161: a key is kept as said", remembered_for_ever, _ORDERS, seed=4
    ),
    Mutant("one left out", "0161: an operation leaves none out", one_left_out, _LETTERS),
    Mutant("all purged", "0161: only what is meant", all_purged, _LETTERS),
    Mutant("payload kept", "what is purged is gone", payload_kept, ("asked letters again",), 4),
    Mutant("error kept", "what is purged is gone", error_kept, ("asked letters again",), 4),
    Mutant("no pace", "0161: a loop has its pace", no_pace, (*_LETTERS, "asked fills")),
    Mutant("never counted", "0161: it says how far it is", never_counted, _LETTERS),
    Mutant(
        "only what is missing", "0040: all, if asked for", only_what_is_missing, ("asked fills",)
    ),
    Mutant("always free", "0040: one after another", always_free, ("backfills", "extras"), seed=18),
    Mutant("there already", "two minutes at once", there_already, _TWICE, 6),
    Mutant("counted by both", "of two at once one counts", counted_by_both, _TWICE, 9),
    Mutant("last revoked", "0119: an admin key always opens", last_revoked, ("asked locks",)),
    Mutant("turn not taken", "0119: two at once meet", turn_not_taken, ("asked locks",)),
    Mutant("first again", "0119: a first key where none opens", first_again, ("asked locks",)),
    Mutant("from its beginning", "0161: of the pause alone", from_its_beginning, ("asked plans",)),
    Mutant("cut short", "all that passed, or nothing", cut_short, ("asked too much",)),
)
