"""Planted faults of the audit's minute: events, health, its acts, pauses, the look at the past."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import NOT_STARTED
from onthedot.records.tasks import pause_ends
from onthedot.registry import definition, edit
from onthedot.store import blobs, clock, table_reads
from onthedot.upkeep import (
    after_restore,
    bulk_operations,
    claims_audit,
    failing_task,
    failing_tasks,
    minute,
    new_tzdata,
    pauses_due,
    payload_sweep,
    separate_steps,
    tallies,
)
from onthedot.upkeep.events import cloud_event, destinations, digest, notifications
from onthedot.upkeep.events.cloud_event import Event
from onthedot.upkeep.ledger import Ledger
from onthedot.work import dead_messages, handler_pool
from onthedot.work.batch import Batch
from tests.simulation.mutants.mutant import Mutant, Patch
from tests.simulation.mutants.upkeep.mutants_upkeep import UPKEEP


def together() -> list[Patch]:
    """An act that fails ends the minute."""

    @contextmanager
    def each(_self: separate_steps.Apart, _name: str) -> Iterator[None]:
        yield

    return [(separate_steps.Apart, "each", each)]


def struck_off_first() -> list[Patch]:
    """An event is taken off the list, and then it is told."""
    original = notifications._told  # noqa: SLF001  # planted in the flow

    def told(place: str, some: Any, until: float) -> Any:
        notifications._strike_off(some)  # noqa: SLF001  # planted in the flow
        return original(place, some, until)

    return [(notifications, "_told", told)]


def missed_untold() -> list[Patch]:
    """A slot that was missed is nothing to tell of."""
    original = cloud_event.of_ended

    def of_ended(run: Run) -> Event | None:
        return None if run.life.status == "missed" else original(run)

    return [(claims_audit, "of_ended", of_ended)]


def all_late() -> list[Patch]:
    """Ten seconds are late."""
    return [(cloud_event, "LATE_MS", -1)]


def all_refused() -> list[Patch]:
    """One event that is refused keeps those behind it from being told."""

    def by_batch(arn: str, some: Any, _until: float) -> Iterator[Any]:
        for first in range(0, len(some), destinations.BATCH):
            portion = some[first : first + destinations.BATCH]
            if destinations.send(arn, [each.body for each in portion]):
                return
            yield from portion

    return [(notifications, "_by_batch", by_batch)]


def gathered_again() -> list[Patch]:
    """What belongs together is not written down before it is told; the first names it."""
    original = digest.gathered

    def of_first(members: Any, named: Any) -> Any:
        made = original(members, named)
        name = min(item["scheduled_for"] for item in members)
        return replace(made, name=name, body=made.body.replace(made.id, name.partition("#")[0]))

    def begun(groups: Any) -> list[Any]:
        return [of_first(group, {}) for group in groups]

    return [(notifications, "_begun", begun)]


def paused_early() -> list[Patch]:
    """One death is enough."""
    return [(definition, "limit", lambda _task: 1)]


def never_paused() -> list[Patch]:
    """Nobody pauses what keeps dying."""
    return [(failing_tasks, "_pause", lambda _health: None)]


def paused_silently() -> list[Patch]:
    """The system pauses, and tells nobody."""
    return [(failing_tasks, "tell", lambda *_: None)]


def working(name: str, sec: float) -> list[Patch]:
    """Let one act work for so long before it ends by itself."""
    acts = [act._replace(work_sec=sec) if act.name == name else act for act in minute.ACTS]
    return [(minute, "ACTS", tuple(acts))]


def pauses_last() -> list[Patch]:
    """Pauses end when all other acts are done."""
    alone = [act._replace(beside=False) for act in minute.ACTS]
    last = sorted(alone, key=lambda act: act.name == "pauses")
    return [(minute, "ACTS", tuple(last))]


def alive_anyway() -> list[Patch]:
    """An audit that has seen nothing gives its sign of life."""
    original = tallies.keep

    def keep(*given: Any, **named: Any) -> Any:
        return original(*given, **named | {"alive": True})

    return [(tallies, "keep", keep)]


def counted_twice() -> list[Patch]:
    """A run is counted at each look, also while it is open."""
    original = Ledger.note

    def note(self: Ledger, run: Run) -> None:
        original(self, run)
        if run.life.starts > 1:
            original(self, run)

    return [(Ledger, "note", note)]


def never_further() -> list[Patch]:
    """Nobody looks further back than half an hour."""
    return [(claims_audit, "audit_older", lambda *_: None)]


def never_left_behind() -> list[Patch]:
    """The list waits for an act until it ends."""

    def result(begun: minute.Begun) -> Any:
        while not begun.part.done():
            handler_pool.wait([begun.part], 10_000)
        return begun.part.result()

    return [(minute, "_result", result)]


def ended_early() -> list[Patch]:
    """A pause is over when somebody looks."""
    return [(pauses_due, "_wait_until", lambda _instant: clock.sleep(0))]


def open_stays() -> list[Patch]:
    """After a restore what was open goes on."""
    return [(after_restore, "end_what_was_open", lambda: iter(()))]


def awaited_stays() -> list[Patch]:
    """After a restore a run whose attempt is under way goes on."""
    return [(after_restore, "OPEN", NOT_STARTED)]


def overdue_stays() -> list[Patch]:
    """After a restore what is overdue catches up."""
    return [(after_restore, "start_from_now", lambda: iter(()))]


def pauses_stay() -> list[Patch]:
    """After a restore what was paused for a while is left alone."""
    return [(after_restore, "mend_pauses", lambda: iter(()))]


def young_swept() -> list[Patch]:
    """What was put an hour ago is old."""
    return [(payload_sweep, "_YOUNG_MS", 0)]


def named_swept() -> list[Patch]:
    """Nobody looks who names it."""
    return [(payload_sweep, "_named", dict.fromkeys)]


def never_brought_back() -> list[Patch]:
    """What is named again stays aside."""
    return [(blobs, "bring_back", lambda _key: None)]


def swept_each_minute() -> list[Patch]:
    """The bucket is looked at whenever an audit comes by, for as long as it takes."""

    class Always:
        def __ne__(self, other: object) -> bool:
            return False

    return [(payload_sweep, "_MINUTE", Always())]


def swept_from_the_start() -> list[Patch]:
    """Each sweep begins where the first one did."""
    original = table_reads.get

    def get(table: str, key: Any) -> Any:
        return None if key == payload_sweep._PLACE else original(table, key)  # noqa: SLF001  # its place

    return [(table_reads, "get", get)]


def swept_on_and_on() -> list[Patch]:
    """A sweep ends where the bucket does."""
    return working("sweep", 1_000)


def swept_once() -> list[Patch]:
    """Once the end of the bucket was reached, nobody looks again."""
    original = table_reads.put

    def put(table: str, item: Any) -> None:
        original(table, item | {"after": item["after"] or "~"} if "after" in item else item)

    return [(table_reads, "put", put)]


def always_the_first() -> list[Patch]:
    """Each minute begins with the same step."""
    return [(bulk_operations, "_in_turn", list)]


def never_put_off() -> list[Patch]:
    """All steps are made, however long that takes."""
    return working("loops", 1_000)


def left_in_its_queue() -> list[Patch]:
    """What is no message goes when its whole batch is done with."""

    def told(batch: Batch) -> None:
        original(replace(batch, foreign=[]))

    original = Batch.drop_foreign
    return [(Batch, "drop_foreign", told)]


def buried_soon() -> list[Patch]:
    """Two messages that SQS gives up on are enough."""
    return [(dead_messages, "BURIED_MAX", 2)]


def ghosts_uncounted() -> list[Patch]:
    """A run that has no row is nothing to count."""
    return [(Batch, "without_row", lambda _batch, _run_ids: None)]


def never_retimed() -> list[Patch]:
    """Cursors stay where the old data had them."""
    return [(new_tzdata, "_following", lambda _due, _edge: None)]


def buried_alive() -> list[Patch]:
    """What SQS gave up on is over for bury, and nobody writes that down."""
    return [(dead_messages, "_ended", lambda _job, _now_ms: True)]


def kept_quiet() -> list[Patch]:
    """What failed among many is logged, and nobody is told."""
    return [(separate_steps.Apart, "end", lambda _self: None)]


def never_forgotten() -> list[Patch]:
    """Of what a person has resumed it is remembered for ever that it was paused."""

    def delete(table: str, key: dict[str, str]) -> None:
        if key["task_id"] != failing_task.PARTITION:
            original(table, key)

    original = table_reads.delete
    return [(table_reads, "delete", delete)]


def unlisted_again() -> list[Patch]:
    """After a restore nobody asks which schedules fire no more."""
    return [(after_restore, "list_all", lambda: iter(()))]


def all_woken() -> list[Patch]:
    """After a restore each pause that has an end is over."""
    given = {**vars(pause_ends), "end_of": lambda _task: 0}
    return [(after_restore, "pause_ends", SimpleNamespace(**given))]


def never_given_back() -> list[Patch]:
    """What an edit drops of a bounded task is gone."""
    return [(edit, "_count_again", lambda *_: None)]


MUTANTS = (
    Mutant("all or none", "0167: an act fails alone", together, ("uncounted", "unlooked")),
    Mutant(
        "waited for", "0167: an act that hangs is left behind", never_left_behind, ("hung act",)
    ),
    Mutant(
        "struck off first",
        "told, then struck off",
        struck_off_first,
        ("told rough", "told refused"),
    ),
    Mutant("missed untold", "a slot that was missed is told of", missed_untold, ("told",)),
    Mutant("all late", "late is more than thirty seconds", all_late, ("told",)),
    Mutant(
        "all refused", "0167: an event is refused alone", all_refused, ("told refused",), seed=2
    ),
    Mutant(
        "gathered again", "0131: told again it is the same", gathered_again, ("told rough",), 38
    ),
    Mutant("paused early", "a schedule that keeps dying is paused", paused_early, ("told",)),
    Mutant(
        "never paused", "a schedule that keeps dying is paused", never_paused, ("told",), seed=11
    ),
    Mutant(
        "paused silently", "a pause by the system is told of", paused_silently, ("told",), seed=5
    ),
    Mutant("pauses last", "0167: pauses end beside the other acts", pauses_last, ("slow look",)),
    Mutant(
        "ended early", "0080: a pause is ended at its second", ended_early, ("slow look", "pauses")
    ),
    Mutant("alive anyway", "0167: who sees nothing is not alive", alive_anyway, ("unlooked",)),
    Mutant("figures doubled", "a run is counted once", counted_twice, ("told", "uncounted")),
    Mutant("never further", "an hour looks at a day", never_further, ("audit gone",)),
    Mutant("open stays", "a restore ends what was open", open_stays, ("restored",), seed=1),
    Mutant(
        "running stays", "a restore ends all that was open", awaited_stays, ("restored",), seed=1
    ),
    Mutant(
        "overdue stays", "a restore lets all go on from now", overdue_stays, ("restored",), seed=1
    ),
    Mutant("pauses stay", "a restore mends pauses", pauses_stay, ("restored",), seed=10),
    Mutant("young swept", "0033: what is young is left alone", young_swept, ("swept",)),
    Mutant("named swept", "0033: what is named stays", named_swept, ("swept",)),
    Mutant("left aside", "0033: what is named comes back", never_brought_back, ("swept",)),
    Mutant("swept each minute", "0033: once an hour", swept_each_minute, ("swept", "swept again")),
    Mutant("swept from the start", "0033: it goes on", swept_from_the_start, ("swept on",)),
    Mutant("swept on and on", "0033: for ten seconds", swept_on_and_on, ("swept on",)),
    Mutant("swept once", "0033: it begins again", swept_once, ("swept again",)),
    Mutant("always the first", "each comes to its turn", always_the_first, ("slow steps",)),
    Mutant("never put off", "steps have their time", never_put_off, ("slow steps",)),
    Mutant("left in its queue", "what was told is deleted", left_in_its_queue, ("ghosts killed",)),
    Mutant("buried soon", "bury is patient", buried_soon, ("never looked for",)),
    Mutant("ghosts uncounted", "what names no run is counted", ghosts_uncounted, ("ghosts",)),
    Mutant("never retimed", "a slot that comes earlier fires", never_retimed, ("retimed",)),
    Mutant("ended unwritten", "bury ends what may not run", buried_alive, ("given up bare",)),
    Mutant("kept quiet", "0167: what fails is told", kept_quiet, ("acts refused",)),
    Mutant("never forgotten", "a resume starts afresh", never_forgotten, ("probed in vain",)),
    Mutant("unlisted again", "a restore lists what ended", unlisted_again, ("restored ended",), 16),
    Mutant("all woken", "a restore wakes nobody", all_woken, ("restored asleep",)),
    Mutant("never given back", "0072: a place is given back", never_given_back, ("unspent many",)),
    *UPKEEP,
)
