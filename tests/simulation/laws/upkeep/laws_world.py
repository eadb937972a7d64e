"""Laws of what a machine may do to processes and rows: freeze, go on, take too long, delete."""

from __future__ import annotations

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from onthedot.records.attributes import plain_item
from onthedot.records.keys import is_run_id, run_id
from onthedot.records.runs.run_status import FINAL
from onthedot.records.timings import ABANDON_SEC
from tests.simulation.faults.expiry import Vanished
from tests.simulation.laws.timing.laws_lateness import steady_sec
from tests.simulation.laws.timing.reigns import clocks_off_sec
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.profiles.running.kinds_world import EXPECTED
from tests.simulation.stage import Stage
from tests.simulation.stores.rows import Key
from tests.simulation.stores.values import Item

_RUN = re.compile(r'"run_id":"([^"]+)"')
_ON_THE_WAY = frozenset({"work", "bury"})
# So long from the start of a history its slots around the change are known.
_KNOWN_FOR = timedelta(minutes=5)
# A step of a handler, and a call or two behind it.
_SLACK_MS = 2_000


def strays(stage: Stage) -> Iterator[str]:
    """Checks that no handler goes on in an invocation that comes after its own."""
    ended_us = {each.name: each.ended_us for each in stage.world.processes if each.done}
    start_ms = stage.world.start.timestamp() * 1000
    for delivery in stage.deliveries:
        end_us = ended_us.get(delivery.process)
        if end_us is None or not delivery.ended_ms:
            continue
        after_ms = delivery.ended_ms - start_ms - end_us / 1000
        if after_ms > 1:
            sec = after_ms / 1000
            yield f"stray: {delivery.run_id} went on for {sec:.1f} s behind its worker's answer"


def left_running(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no invocation ends by an error while runs of its own are under way."""
    broke_off = {
        each.name: stage.world.start.timestamp() * 1000 + each.ended_us / 1000
        for each in stage.world.processes
        if each.error is not None and not each.dead
    }
    if not broke_off:
        return
    by_run: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        by_run[change.run_id].append(change)
    for delivery in stage.deliveries:
        end_ms = broke_off.get(delivery.process)
        if end_ms is None:
            continue
        before = [one.after for one in by_run[delivery.run_id] if one.at_ms <= end_ms]
        last = before[-1] if before else None
        if last and last.status == "running" and last.attempt == delivery.attempt:
            yield f"left running: {delivery.run_id} when its worker gave up on the whole batch"


def overstayed(journal: Journal) -> Iterator[str]:
    """Checks that an attempt is over when its time is, whatever its handler does; asked where all
    is calm.
    """
    begun: dict[str, float] = {}
    for change in journal.changes:
        after = change.after
        if after is None:
            continue
        if change.started:
            begun[change.run_id] = change.at_ms
        elif after.status != "running" and change.run_id in begun:
            task = journal.versions[change.task_id][-1].task
            took_ms = change.at_ms - begun.pop(change.run_id)
            most_ms = (task.timeout_sec + ABANDON_SEC) * 1000 + _SLACK_MS
            if took_ms > most_ms:
                over = (took_ms - most_ms) / 1000
                yield f"overstayed: {change.run_id} had {over:.1f} s more than its time"


def hurried(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a handler that has not ended is not given up sooner than some seconds behind
    its time.
    """
    ended = {(one.run_id, one.attempt): one.ended_ms for one in stage.deliveries if one.told}
    begun: dict[str, float] = {}
    off_ms = 2_000 * clocks_off_sec(stage) + 1_000 * steady_sec(stage)
    for change in journal.changes:
        before, after = change.before, change.after
        if change.started:
            begun[change.run_id] = change.at_ms
        elif before and after and before.status == "running" and change.run_id in begun:
            ended_ms = ended.get((change.run_id, before.attempt))
            given_up = after.reason == "timed_out" and before.attempt == after.attempt
            if not given_up or ended_ms is None or 0 < ended_ms <= change.at_ms:
                continue
            tasks = [one.task for one in journal.versions[change.task_id]]
            least_ms = (min(task.timeout_sec for task in tasks) + ABANDON_SEC) * 1000
            early_ms = least_ms - (change.at_ms - begun[change.run_id]) - off_ms
            if early_ms > 0:
                yield f"hurried: {change.run_id} was given up {early_ms / 1000:.1f} s too soon"


def addressed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that each message is in a queue that its task has had, and carries the name of its
    tenant.
    """
    for entry in stage.world.trace:
        process, operation, request, outcome = entry[1:5]
        if operation != "send_message_batch" or not isinstance(outcome, dict):
            continue
        if process is None or process.kind in _ON_THE_WAY:
            # What they send stays where their own message was, which may be a stranger's.
            continue
        for each in request["Entries"]:
            for named in _RUN.findall(each["MessageBody"]):
                versions = journal.versions.get(named.partition(".")[0])
                if not versions:
                    continue
                if each.get("MessageGroupId") != versions[0].task.tenant_id:
                    yield f"misaddressed: a message of {named} is another tenant's"
                queue = request["QueueUrl"].rpartition("/")[2]
                if queue not in {version.task.queue for version in versions}:
                    yield f"misaddressed: a message of {named} is in another queue"


def by_the_wall(stage: Stage) -> Iterator[str]:
    """Checks that around a change of the clocks runs what tables of the zones say, and nothing
    else does.
    """
    rows = stage.rows()
    start, until = stage.world.start, stage.world.start + _KNOWN_FOR
    for task in stage.tasks:
        expected = EXPECTED.get((start, task.name))
        if expected is None:
            continue
        of_task = [run for run in rows.values() if run.task_id == task.task_id]
        keys = sorted(run.key for run in of_task if run.life.attempt)
        ran = [key[11:16] for key in keys if start < datetime.fromisoformat(key) < until]
        if ran != list(expected):
            yield f"by another wall: {task.name} ran at {ran} and not at {list(expected)}"


def vanished(stage: Stage) -> Iterator[str]:
    """Checks that what TTL deletes nobody needs any more, and it does not come back in part."""
    expiry = stage.world.expiry
    if expiry is None:
        return
    for one in expiry.vanished:
        yield from _missed(one)
    for key, item in stage.world.store.table("runs").rows.items.items():
        whole = "life" in item and "tenant_id" in item
        if not whole and "^" not in key[1] and is_run_id(run_id(*key)):
            yield f"half a row: {run_id(*key)} has {sorted(item)}"


def _missed(one: Vanished) -> Iterator[str]:
    if one.table == "tasks":
        if plain_item(one.item).get("status") == "active" and "due_shard" in one.item:
            yield f"vanished: {one.key[0]} was active"
    elif "life" in one.item:
        if one.item["life"]["M"]["status"]["S"] not in FINAL:
            yield f"vanished: {run_id(*one.key)} was open"
    elif one.key[0].startswith("check#"):
        still = _listed(one.others)
        for named in sorted(_named(one.item) - still):
            if _is_open(named, one.others):
                yield f"vanished: the only list of {named}, which was open"


def _listed(rows: Mapping[Key, Item]) -> set[str]:
    lists = (item for key, item in rows.items() if key[0].startswith("check#"))
    return {named for item in lists for named in _named(item)}


def _named(item: Item) -> set[str]:
    packed = plain_item(item)["entries"]
    return {entry[0] for entry in json.loads(zlib.decompress(packed))}


def _is_open(named: str, rows: Mapping[Key, Item]) -> bool:
    for key, item in rows.items():
        if "life" in item and run_id(*key) == named:
            return item["life"]["M"]["status"]["S"] not in FINAL
    return False
