"""Runs that have come to something, as a worker would have left them."""

from __future__ import annotations

from typing import Any

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import manifest_keys
from onthedot.records.runs import manifest, run_row, run_writes
from onthedot.records.runs.run_row import Run, ended
from onthedot.records.runs.run_status import Reason, Status
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.store.tasks import read as known
from onthedot.targets.attempt_outcome import error_of
from onthedot.upkeep import minute_tally
from tests.api.kit import Api

LEASE_MS = 20_000


def read(run_id: str) -> Run:
    """Returns the row as it is."""
    item = table_reads.get(run_row.TABLE, run_row.row_key(run_id))
    assert item is not None
    return run_row.parse(item)


def triggered(api: Api, name: str = "report", **fields: Any) -> str:
    """Returns a run by hand of a schedule of that name, which is made if it is not there."""
    if api.call(f"GET /v1/schedules/{name}").status == 404:
        api.schedule(name, **fields)
    made = api.call(f"POST /v1/schedules/{name}/trigger")
    assert made.status == 202, made.text
    return str(made.body["run_id"])


def started(run_id: str, *, log: str = "", noted: bool = True) -> Run:
    """Lets a worker start its next attempt; one of a former release notes no version."""
    seen, now_ms = read(run_id), clock.now_ms()
    task = known(seen.task_id)
    begun = run_writes.started(
        seen,
        owner="W",
        msg="M",
        now_ms=now_ms,
        lease_ms=now_ms + LEASE_MS,
        version=task.task.version if task and noted else 0,
        log=log,
    )
    assert (
        conditional_writer.write_one(run_writes.start(seen, begun, now_ms=now_ms)) is Outcome.DONE
    )
    return begun


def settled(run_id: str, status: str, reason: str = "", **life: Any) -> Run:
    """Lets the attempt under way end so."""
    seen, now_ms = read(run_id), clock.now_ms()
    after = ended(seen.life, Status(status), Reason(reason), now_ms=now_ms, **life)
    assert (
        conditional_writer.write_one(run_writes.settle(seen, after, now_ms=now_ms)) is Outcome.DONE
    )
    return read(run_id)


def dead(api: Api, name: str = "report", message: str = "no route to 10.0.0.7") -> str:
    """Returns a run that died of an error."""
    run_id = triggered(api, name)
    started(run_id)
    settled(run_id, "dead", "attempts_exhausted", error=error_of("OSError", message))
    return run_id


def looked_at(back_min: int = 1) -> None:
    """Lets the audit put all manifests among the recent ones, and be done with its minute."""
    items = [item for item in _all_manifests(back_min) if item["task_id"].startswith("check#")]
    for item in items:
        source = manifest.parse(item)
        for kept in manifest.recent(source, source.entries):
            table_reads.put(manifest.TABLE, kept)
        table_reads.delete(
            manifest.TABLE, {name: item[name] for name in ("task_id", "scheduled_for")}
        )
    table_reads.put(
        minute_tally.TABLE,
        minute_tally.item(
            minute_tally.Tally(), minute_tally.MINUTES, clock.now_ms() // 60_000 * 60
        ),
    )


def _all_manifests(back_min: int) -> list[dict[str, Any]]:
    now = clock.now_ms() // 60_000 * 60
    keys = [key for minute in range(-back_min, 5) for key in manifest_keys(now + minute * 60)]
    found = [table_reads.rows(("task_id", key), "scheduled_for", ("0", "~")) for key in keys]
    return [item for of_key in found for item in of_key]
