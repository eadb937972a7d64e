"""Runs that have come to something, as a worker would have left them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.adapters import claims, clock, tables
from onthedot.core import manifest, moves, tally
from onthedot.core import run as runs
from onthedot.core.keys import manifest_keys
from onthedot.core.policy import error_of
from onthedot.core.run import Run, ended
from onthedot.core.writes import Outcome
from onthedot.flows.known import read as known
from tests.api.kit import Api

LEASE_MS = 20_000


def read(run_id: str) -> Run:
    """The row as it is."""
    item = tables.get(runs.TABLE, runs.row_key(run_id))
    assert item is not None
    return runs.parse(item)


def triggered(api: Api, name: str = "report", **fields: Any) -> str:
    """A run by hand of a schedule of that name, which is made if it is not there."""
    if api.call(f"GET /v1/schedules/{name}").status == 404:
        api.schedule(name, **fields)
    made = api.call(f"POST /v1/schedules/{name}/trigger")
    assert made.status == 202, made.text
    return str(made.body["run_id"])


def started(run_id: str, *, log: str = "", noted: bool = True) -> Run:
    """Let a worker start its next attempt; one of a former release notes no version."""
    seen, now_ms = read(run_id), clock.now_ms()
    task = known(seen.task_id)
    begun = moves.started(
        seen,
        owner="W",
        msg="M",
        now_ms=now_ms,
        lease_ms=now_ms + LEASE_MS,
        version=task.task.version if task and noted else 0,
        log=log,
    )
    assert claims.write_one(moves.start(seen, begun, now_ms=now_ms)) is Outcome.DONE
    return begun


def settled(run_id: str, status: str, reason: str = "", **life: Any) -> Run:
    """Let the attempt under way end so."""
    seen, now_ms = read(run_id), clock.now_ms()
    after = replace(ended(seen.life, status, reason, now_ms=now_ms), **life)
    assert claims.write_one(moves.settle(seen, after, now_ms=now_ms)) is Outcome.DONE
    return read(run_id)


def dead(api: Api, name: str = "report", message: str = "no route to 10.0.0.7") -> str:
    """A run that died of an error."""
    run_id = triggered(api, name)
    started(run_id)
    settled(run_id, "dead", "attempts_exhausted", error=error_of("OSError", message))
    return run_id


def looked_at(back_min: int = 1) -> None:
    """Let the audit put all manifests among the recent ones, and be done with its minute."""
    items = [item for item in _all_manifests(back_min) if item["task_id"].startswith("check#")]
    for item in items:
        source = manifest.parse(item)
        for kept in manifest.recent(source, source.entries):
            tables.put(manifest.TABLE, kept)
        tables.delete(manifest.TABLE, {name: item[name] for name in ("task_id", "scheduled_for")})
    tables.put(tally.TABLE, tally.item(tally.Tally(), tally.MINUTES, clock.now_ms() // 60_000 * 60))


def _all_manifests(back_min: int) -> list[dict[str, Any]]:
    now = clock.now_ms() // 60_000 * 60
    keys = [key for minute in range(-back_min, 5) for key in manifest_keys(now + minute * 60)]
    found = [tables.rows(("task_id", key), "scheduled_for", ("0", "~")) for key in keys]
    return [item for of_key in found for item in of_key]
