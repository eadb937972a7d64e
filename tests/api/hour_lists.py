"""An hour of runs as dispatchers list them and the audit sorts them, on a real store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from onthedot.dispatch import plan_effects
from onthedot.records.keys import moment_key
from onthedot.records.runs import manifest, run_writes
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import Status
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer
from onthedot.upkeep import tallies
from onthedot.upkeep.claims_audit import audit
from tests.api.kit import NOON, Api
from tests.schedule.samples import lived

MINUTES = 57
_LOOK_BACK_MIN = 6
_TASKS = 40
_MINUTE_MS = 60_000


def hour(api: Api, rows: int) -> dict[str, int]:
    """Lets so many runs of forty schedules come due in the hour before noon: each one's due time.

    Most are listed 90 to 150 seconds ahead; some are listed twice, some are late by up to half
    an hour, some have jitter, some are by hand, and each list holds another tenant's runs, too.
    """
    random = Random(7)
    tasks = [api.schedule(f"s{number}")["task_id"] for number in range(_TASKS)]
    due: dict[str, int] = {}
    again: list[Run] = []
    for minute in range(MINUTES):
        now_ms = (NOON - (MINUTES - minute) * 60) * 1000
        api.now_ms = now_ms + 2_000
        found = list(_of_minute(random, tasks, now_ms, rows * 9 // 8 // MINUTES + 1))
        new = list({each.run_id: each for each in found if each.run_id not in due}.values())
        due |= {each.run_id: each.life.due_ms for each in new}
        _dispatch(f"D{minute}", [*again, *new, *_of_another(now_ms)], new, now_ms)
        again = random.sample(new, len(new) // 10)
        audited()
    api.now_ms = NOON * 1000
    return due


def audited() -> None:
    """Lets a minute's audit pass."""
    tallies.keep(audit(look_back_min=_LOOK_BACK_MIN).tally)


def _dispatch(name: str, wanted: Sequence[Run], new: Sequence[Run], now_ms: int) -> None:
    entries = [manifest.entry(each) for each in wanted]
    plan_effects.write_lists(manifest.listing(name, entries, now_ms=now_ms))
    conditional_writer.surely([run_writes.insert(each, now_ms=now_ms) for each in new])


def _of_minute(random: Random, tasks: Sequence[str], now_ms: int, count: int) -> Iterator[Run]:
    """Gives runs that come due within the hour before noon."""
    oldest_ms = (NOON - 3_600) * 1000 + 10_000
    for kind in random.choices(("ahead", "late", "jitter", "manual"), (80, 8, 6, 6), k=count):
        slot = now_ms // 1000 + random.randrange(30, 90)
        if kind == "late":
            slot -= random.randrange(120, 1_800)
        key, due_ms = nominal(slot), slot * 1000
        if kind == "jitter":
            due_ms += random.randrange(40_000)
        if kind == "manual":
            due_ms = now_ms + random.randrange(_MINUTE_MS)
            key = moment_key(due_ms, "m", f"T{random.randrange(10**6):06}")
        if oldest_ms <= due_ms < NOON * 1000:
            yield run(random.choice(tasks), "acme", key, due_ms)


def _of_another(now_ms: int) -> list[Run]:
    return [run("sch_other", "other", nominal(now_ms // 1000 + 120), now_ms + 120_000)]


def run(task_id: str, tenant_id: str, key: str, due_ms: int) -> Run:
    """Returns a run that is over."""
    life = lived(
        status="succeeded",
        due_ms=due_ms,
        claim_id="C",
        attempt=1,
        started_ms=due_ms,
        ended_ms=due_ms + 50,
    )
    return Run(
        task_id=task_id,
        key=key,
        tenant_id=tenant_id,
        origin="schedule",
        queue="normal",
        life=life,
    )


def made(
    task_id: str, slot_ms: int, *, listed_ms: int, due_ms: int = 0, again: bool = False
) -> str:
    """Returns a run that was listed then and is over; or one that is only listed again."""
    row = run(task_id, "acme", nominal(slot_ms // 1000), due_ms or slot_ms)
    _dispatch(f"D{listed_ms}{again}", [row], [] if again else [row], listed_ms)
    return row.run_id


def claimed(task_id: str, slot_ms: int) -> Run:
    """Returns a run that was claimed, and that no list has."""
    row = run(task_id, "acme", nominal(slot_ms // 1000), slot_ms)
    return replace(row, life=Life(status=Status.CLAIMED, tv=1, schedule_version=1, due_ms=slot_ms))


def passed(api: Api, seconds: int) -> None:
    """Lets time pass, with an audit at each full minute."""
    for _ in range(seconds):
        api.now_ms += 1_000
        if clock.now_ms() % _MINUTE_MS < 1_000:
            audited()
