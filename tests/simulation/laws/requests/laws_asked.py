"""Laws of what was asked: what the API answered is true, and holds from its answer on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_fields import SCHEDULE
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.definition import fields_of
from onthedot.schedule.time.instants import nominal, parse_instant, parse_nominal
from tests.simulation.machine.journal import SKEW_MS, Journal, Version
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask, Told

# A key that was revoked opens nothing after so long: docs/api.md.
REVOKED_AFTER_MS = 60_000
_NULL = SCHEDULE | {"pause_after_deaths": None}  # what null says of a field
_SERVER_FAULT = 500
_REFUSED, _DOWN = 401, 503
_WORDS = ("task_id", "run_id", "backfill_id", "operation_id")
_WRITES = frozenset({"create", "put", "edit", "pause", "resume"})
# Routes that carry a repeated Idempotency-Key out once.
_NOT_ONCE = frozenset({"key"})
# So long a caller's key for a task is kept, unless it says how long.
KEPT_SEC = 86_400


def obeyed(stage: Stage, journal: Journal) -> Iterator[Iterable[str]]:
    """Checks all of them."""
    asks = [act for act in stage.acts if isinstance(act, Ask)]
    if not asks:
        return
    yield caused(stage, asks)
    yield once(journal, asks)
    yield alike(asks)
    yield finished(journal, asks)
    yield stands(journal, asks)
    yield asked_for(journal, asks)
    yield carried_out(stage, asks)
    yield caught_up(stage, asks)
    yield backfilled(stage, journal, asks)
    yield revoked(asks)
    yield alone(journal, asks)


def caused(stage: Stage, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that a server's fault, or no answer, has its cause in a store or in what befell its
    process.
    """
    hurt = befallen(stage)
    for ask in asks:
        for told in ask.told:
            if told.status == _DOWN and ask.name == "health":
                # It says of the scheduler what laws_read judges.
                continue
            failed = told.status >= _SERVER_FAULT or not told.status
            if failed and told.process not in hurt:
                yield f"uncaused: {ask.route} was told {told.status} {told.text[:200]}"
            if told.status == _SERVER_FAULT:
                yield f"internal: {ask.route} was told {told.text[:200]} by {told.process}"


def befallen(stage: Stage) -> set[str]:
    """Returns the processes that met a fault, or asked a store that refused."""
    outages = stage.world.profile.outages
    found = set()
    for at_us, process, what, _, _, fault in stage.world.trace:
        if process is None:
            continue
        refused = any(0 <= at_us / 1_000_000 - one.from_sec <= one.for_sec + 2 for one in outages)
        if fault or refused or what == "stalls":
            found.add(process.name)
    return found


def once(journal: Journal, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that one Idempotency-Key, and one plan, makes one thing, however often it is sent."""
    for what, processes in _requests(asks).items():
        made = [
            f"task {task_id}"
            for task_id, versions in journal.versions.items()
            if _by(versions[0].writer, processes) and task_id.startswith("sch_")
        ]
        made += [
            f"run {change.run_id}"
            for change in journal.changes
            if change.before is None
            and ("~m" in change.key or "~r" in change.key)
            and _by(change.writer, processes)
        ]
        made += [
            f"loop {name}" for name, begun in journal.loops.items() if _by(begun.writer, processes)
        ]
        if len(made) > 1:
            yield f"twice: {what} made {', '.join(made)}"


def _requests(asks: Sequence[Ask]) -> dict[str, set[str]]:
    """Returns the processes that tried each request, by its Idempotency-Key and by its plan."""
    found: dict[str, set[str]] = defaultdict(set)
    for ask in asks:
        if ask.once and ask.name not in _NOT_ONCE:
            found[f"{ask.key_id} {ask.once}"] |= ask.tries.keys()
        if ask.plan is not None:
            found[str(ask.plan["plan_token"])] |= ask.tries.keys()
    return found


def _by(writer: Any, processes: set[str]) -> bool:
    return writer is not None and writer.name in processes


def alike(asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that the same request is answered alike each time, and names the same."""
    told: dict[tuple[str, str], list[Told]] = defaultdict(list)
    for ask in asks:
        if ask.once and ask.answer is not None:
            told[ask.key_id, ask.once].append(ask.answer)
    for key, answers in told.items():
        if len({(one.status, _named(one)) for one in answers}) > 1:
            texts = [f"{one.status} {_named(one)}" for one in answers]
            yield f"unlike: {key} was answered {' and '.join(texts)}"


def finished(journal: Journal, asks: Sequence[Ask]) -> Iterator[str]:
    """What an earlier try of a request has begun is finished and answered, never refused.

    Without an Idempotency-Key nobody can tell such a try from another caller's; and what another
    caller has changed since is what it is.
    """
    for ask in asks:
        if ask.answer is None or ask.done or not ask.once or ask.answer.status == _REFUSED:
            continue
        processes = set(ask.tries)
        wrote = [
            task_id
            for task_id, versions in journal.versions.items()
            if any(_by(one.writer, processes) for one in versions)
            and _by(versions[-1].writer, processes)
        ]
        # A resume whose schedule another caller has changed since stays refused: decision 0161.
        anothers = {
            task_id
            for task_id, versions in journal.versions.items()
            if ask.name == "resume" and not _by(versions[-1].writer, processes)
        }
        ran = [
            one.run_id
            for one in journal.changes
            if one.before is None and "~" in one.key and _by(one.writer, processes)
            if one.task_id not in anothers
        ]
        if wrote or ran:
            yield f"half done: {ask.route} was told {ask.answer.code}, and wrote {[*wrote, *ran]}"


def _named(told: Told) -> str:
    body = told.body or {}
    return " ".join(str(body.get(word, "")) for word in _WORDS)


def stands(journal: Journal, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that what was acknowledged is what was asked for, and was written
    before the answer.
    """
    for ask in asks:
        if not ask.done or ask.plan == {}:
            continue
        versions = journal.versions.get(ask.task_id, [])
        if ask.name == "delete":
            ended = [one for one in versions if one.task.status == "deleted"]
            if not ended or ended[0].at_ms > ask.acked_ms:
                yield f"undone: {ask.task_id} was told to be deleted"
        elif ask.name in _WRITES and ask.said and "task_id" in ask.said:
            yield from _stands(ask, versions)


def _stands(ask: Ask, versions: Sequence[Version]) -> Iterator[str]:
    mine = next((one for one in versions if one.task.version == ask.version), None)
    if mine is None or mine.at_ms > ask.acked_ms:
        yield f"undone: {ask.name} of {ask.task_id} has no version {ask.version}"
        return
    if ask.name == "create":
        # Asked again it is answered with the schedule as it stands by then.
        mine = versions[0]
    for field, wanted in _wanted(ask).items():
        found = _found(mine.task, field)
        if ask.name != "create" and isinstance(found, dict) and isinstance(wanted, dict):
            # What an edit does not name of a payload stays.
            found = {name: value for name, value in found.items() if name in wanted}
        if found != wanted:
            yield f"undone: {ask.name} of {ask.task_id} left {field} at {found!r}, not {wanted!r}"


def _wanted(ask: Ask) -> dict[str, Any]:
    if ask.name == "resume":
        return {}
    if ask.name != "pause":
        return {name: _NULL[name] if one is None else one for name, one in ask.body.items()}
    until, reason = ask.body.get("until"), ask.body.get("reason")
    wanted = {"until": parse_instant(until, "until") if until else None}
    # A pause without a reason keeps the one that is there.
    return wanted | ({"reason": reason} if reason else {})


def _found(task: Task, field: str) -> Any:
    why = task.shown.get("paused") or {}
    if field == "reason":
        return why.get("reason")
    if field != "until":
        return fields_of(task)[field]
    return parse_instant(why["until"], "until") if why.get("until") else None


def asked_for(journal: Journal, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that nothing of a caller's comes to be that no caller has asked for."""
    asking = {name: ask for ask in asks for name in ask.tries}
    for task_id, versions in journal.versions.items():
        for version in versions:
            ask = asking.get(version.writer.name) if version.writer else None
            if ask is not None and ask.task_id not in ("", task_id):
                yield f"unasked: {task_id} was changed by {ask.name} of {ask.task_id}"
    wanted = {"~m": ("trigger",), "~r": ("replay",)}
    for change in journal.changes:
        if change.before is not None or change.writer is None or change.writer.kind != "api":
            continue
        ask = asking.get(change.writer.name)
        for mark, names in wanted.items():
            if mark in change.key and ask is not None and ask.name not in names:
                yield f"unasked: {change.run_id} was made by {ask.name}"


def carried_out(stage: Stage, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that each run that an answer named was begun, with what it was asked with, and not
    too soon.
    """
    rows, told = stage.rows(), defaultdict(list)
    for delivery in stage.deliveries:
        told[delivery.run_id].append(delivery)
    for ask in asks:
        if ask.name not in ("trigger", "replay") or not ask.done:
            continue
        run, given = rows.get(ask.run_id), ask.body or {}
        if run is None:
            yield f"lost: {ask.run_id} of {ask.name} has no row"
            continue
        for delivery in told[ask.run_id]:
            if "payload" in given and delivery.payload != given["payload"]:
                yield f"mistaken: {ask.run_id} was given {delivery.payload}"
            due_ms = parse_instant(given["due_at"], "due_at") * 1000 if "due_at" in given else 0
            if delivery.at_ms < due_ms - SKEW_MS:
                yield f"too soon: {ask.run_id} ran {due_ms - delivery.at_ms} ms before its time"
        if ask.name == "replay" and run.replay_of != ask.route.split("/")[3]:
            yield f"mistaken: {ask.run_id} runs {run.replay_of} again"


def caught_up(stage: Stage, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that a resume runs exactly the slots that its plan has shown, each beside the slot's
    own row.
    """
    planned: dict[str, set[str]] = defaultdict(set)
    rows = [run for run in stage.rows().values() if run.origin == "catchup"]
    for ask in asks:
        if ask.name != "resume" or ask.plan is None:
            continue
        slots = set(ask.plan["effects"]["will_run"])
        planned[ask.task_id] |= slots
        if ask.done:
            mine = {run.slot for run in stage.rows().values() if run.task_id == ask.task_id}
            for slot in sorted(slots - mine):
                yield f"not caught up: {ask.task_id} {slot}, though its plan was carried out"
    for run in rows:
        # A slot that was merely late is run in its own row, by the misfire policy.
        if not is_slot_key(run.key) and run.slot not in planned[run.task_id]:
            yield f"unplanned: {run.run_id} is caught up by no plan"


def backfilled(stage: Stage, journal: Journal, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that a backfill runs slots of its plan, each once; done, none of them is left
    without a run.
    """
    by_loop: dict[str, list[Run]] = defaultdict(list)
    for run in stage.rows().values():
        by_loop[run.backfill_id].append(run)
    stopped = {ask.route.split("/")[5] for ask in asks if ask.name == "stop" and ask.tries}
    for ask in asks:
        if ask.name != "backfill" or not ask.said or ask.plan is None:
            continue
        effects, name = ask.plan["effects"], ask.said["backfill_id"]
        for run in by_loop[name]:
            if not effects["from"] <= run.slot <= effects["to"]:
                yield f"beyond its plan: {run.run_id} of {name}"
        edited = _edited_after(journal, ask)
        if name in stopped or edited or name not in _done(stage):
            continue
        yield from _unfilled(stage, journal, ask)


def _done(stage: Stage) -> set[str]:
    """The loops that say so themselves: a history may be over before."""
    items = stage.world.store.table("runs").rows.items
    return {
        key[1]
        for key, item in items.items()
        if key[0].startswith("backfill#") and item["status"]["S"] == "done"
    }


def _edited_after(journal: Journal, ask: Ask) -> bool:
    """Tells whether the schedule was another one while it was backfilled."""
    versions = journal.versions[ask.task_id]
    last = [one for one in versions if one.at_ms <= ask.began_ms][-1]
    return versions[-1].task.schedule_version != last.task.schedule_version or any(
        one.task.status == "deleted" for one in versions
    )


def _unfilled(stage: Stage, journal: Journal, ask: Ask) -> Iterator[str]:
    assert ask.plan is not None
    effects = ask.plan["effects"]
    if not effects["runs"]:
        return
    first, last = parse_nominal(effects["first_slot"]), parse_nominal(effects["last_slot"])
    schedule = journal.versions[ask.task_id][-1].task.schedule
    begun = {
        run.slot or run.key
        for run in stage.rows().values()
        if run.task_id == ask.task_id and (run.life.attempt or run.backfill_id)
    }
    for slot in schedule.slots(first - 1):
        if slot > last:
            return
        if nominal(slot) not in begun:
            yield f"not backfilled: {ask.task_id} {nominal(slot)} of {ask.said['backfill_id']}"


def revoked(asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that a key opens from its answer on; revoked, it opens nothing
    once it is forgotten.
    """
    over: dict[str, Ask] = {}
    for ask in asks:
        if ask.name == "revoke" and ask.told:
            over.setdefault(ask.route.rpartition("/")[2], ask)
    for ask in asks:
        revoking = over.get(ask.key_id)
        for told in ask.told:
            began_ms = ask.tries[told.process]
            if revoking is None or told.at_ms < revoking.began_ms:
                if told.status == _REFUSED:
                    yield f"shut out: {ask.key_id} does not open {ask.route}"
            elif revoking.done and began_ms > revoking.acked_ms + REVOKED_AFTER_MS:
                let_in = told.status and told.status < _SERVER_FAULT and told.status != _REFUSED
                if let_in:
                    yield f"revoked in vain: {ask.key_id} was told {told.status}"


def alone(journal: Journal, asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that no two schedules have a name at the same time, and no two tasks a key that is
    kept.
    """
    asking = {name: ask for ask in asks for name in ask.tries}
    lives: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for task_id, versions in journal.versions.items():
        key = versions[0].task.shown.get("idempotency_key")
        if key:
            ask = asking.get(versions[0].writer.name) if versions[0].writer else None
            given = [ask.body, *ask.body.get("tasks", ())] if ask else []
            kept_sec = min(one.get("idempotency_ttl_sec", KEPT_SEC) for one in [*given, {}])
            until = versions[0].at_ms + kept_sec * 1000 - 3 * SKEW_MS
            lives[f"key {key}"].append((versions[0].at_ms, until, task_id))
        if not task_id.startswith("sch_"):
            continue
        for place, version in enumerate(versions):
            if version.task.status == "deleted":
                continue
            until = versions[place + 1].at_ms if place + 1 < len(versions) else float("inf")
            lives[version.task.name].append((version.at_ms, until, task_id))
    for name, spans in lives.items():
        spans.sort()
        for (_, until, one), (since, _, other) in pairwise(spans):
            if since < until and one != other:
                yield f"two of a name: {name} is {one} and {other}"
