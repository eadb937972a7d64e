"""Finds what a run waits for. Its row is still as claimed; gates, line and booking show it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from onthedot.records.runs import overlap_gate, tenant_permits
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import BEHIND, LANE, Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.work.gates import concurrency_key

Items = Mapping[tuple[Any, ...], Mapping[str, Any]]


def asks(run: Run, now_ms: int) -> list[dict[str, str]]:
    """Returns the keys of the items that show it: none if the run has started or is not due."""
    if run.life.status != Status.CLAIMED or run.life.due_ms > now_ms:
        return []
    # A fetched run is in no line: it waits as long as its tenant's permits are taken.
    tenants = (
        tenant_permits.limit_key(run.tenant_id)
        if pulled(run.queue)
        else tenant_permits.entry_key(run)
    )
    keys = [concurrency_key.gate_key(run.task_id), tenants]
    return [*keys, concurrency_key.gate_key(run.life.key_gate)] if run.life.key_gate else keys


def lines(run: Run) -> list[dict[str, str]]:
    """Returns the keys of the items that show whether a run has waited in a line."""
    keys = [concurrency_key.gate_key(run.task_id), tenant_permits.entry_key(run)]
    return [*keys, concurrency_key.gate_key(run.life.key_gate)] if run.life.key_gate else keys


def stands(run: Run, found: Items) -> bool:
    """Tells whether it waits in a line, or has a place or a booking that it waited for."""
    own = overlap_gate.parse(run.task_id, _of(found, concurrency_key.gate_key(run.task_id)))
    place = run.life.key_gate
    of_key = _of(found, concurrency_key.gate_key(place)) if place else None
    waited = own.waited(run.key) or overlap_gate.parse(place, of_key).waited(run.run_id)
    put_off = run.life.booking is not None or run.life.waited == LANE
    return waited or put_off or bool(_of(found, tenant_permits.entry_key(run)))


def holds(run: Run, found: Items) -> bool:
    """Tells whether it has a place at its task's own gate."""
    own = overlap_gate.parse(run.task_id, _of(found, concurrency_key.gate_key(run.task_id)))
    return run.key in own.holders


def bounded(found: Items) -> list[str]:
    """Returns the tenants that have a quota and whose runs are fetched."""
    limits = [partition for partition, part in found if part == tenant_permits.LIMIT]
    return [partition.removeprefix(tenant_permits.partition("")) for partition in limits]


def shown(run: Run, found: Items, full: Collection[str], now_ms: int) -> Run:
    """Returns the run as users see it: a waiting run shows what it waits for.

    `full` are the limited tenants that have no permit left.
    """
    asked = asks(run, now_ms)
    reason = _reason(run, found, full, now_ms) if asked else Reason.NONE
    if not reason:
        return run
    return replace(run, life=replace(run.life, status=Status.WAITING, reason=reason))


def _reason(run: Run, found: Items, full: Collection[str], now_ms: int) -> Reason:
    """Returns the reason, checked in the order in which a start takes places."""
    own = overlap_gate.parse(run.task_id, _of(found, concurrency_key.gate_key(run.task_id)))
    if run.key in own.waiting or _catches_up(run, own):
        return Reason.OVERLAP
    place = run.life.key_gate
    if (
        place
        and run.run_id
        not in overlap_gate.parse(place, _of(found, concurrency_key.gate_key(place))).holders
    ):
        return Reason.CONCURRENCY_KEY
    if pulled(run.queue) and run.tenant_id in full:
        return Reason.TENANT
    if _of(found, tenant_permits.entry_key(run)):
        return Reason.TENANT
    if run.life.booking and run.life.booking.at_ms > now_ms:
        return Reason.RATE
    return Reason.LANE if run.life.waited == LANE else Reason.NONE


def _catches_up(run: Run, own: overlap_gate.Gate) -> bool:
    """Tells whether it waits in the line of late slots, which go one at a time."""
    lined = run.origin == "catchup" or run.life.waited == BEHIND
    return lined and bool(own.since) and own.since <= run.key and not own.names(run.key)


def _of(found: Items, key: Mapping[str, str]) -> Mapping[str, Any] | None:
    return found.get((key["task_id"], key["scheduled_for"]))
