"""Laws of tasks that run once: what was refused had begun, what was taken back never does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.laws.requests.laws_asked import KEPT_SEC
from tests.simulation.machine.journal import SKEW_MS, Change, Journal
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Ask

_NAMES = frozenset({"task", "take back", "move"})
_BEGUN, _OVER, _REUSED = "already_started", "already_finished", "idempotency_key_reused"
# A clock of the API, and the rest of a second.
_EDGE_SEC = SKEW_MS / 1000 + 1.5
_CREATED = 201


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them."""
    asks = [act for act in stage.acts if isinstance(act, Ask) and act.name in _NAMES]
    if not asks:
        return
    changes: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        if change.task_id.startswith("tsk_"):
            changes[change.task_id].append(change)
    yield from _refused(asks, changes)
    yield from _taken_back(stage, journal, asks)
    yield from _too_late(journal, asks, changes)
    yield from _at_its_time(asks)
    yield from _by_its_key(asks)
    yield from _forgotten(journal, asks)


def _refused(asks: Iterable[Ask], changes: dict[str, list[Change]]) -> Iterator[str]:
    """Checks that nothing that has not begun is refused as begun, and nothing that goes on as
    over.
    """
    for ask in asks:
        if ask.answer is None or ask.answer.code not in (_BEGUN, _OVER):
            continue
        seen = [
            one.after
            for one in changes[ask.task_id]
            if one.at_ms <= ask.answer.at_ms and one.after is not None
        ]
        if ask.answer.code == _BEGUN and not any(one.attempt for one in seen):
            yield f"refused in vain: {ask.name} of {ask.task_id}, which has not begun"
        if ask.answer.code == _OVER and not any(one.final for one in seen):
            yield f"refused in vain: {ask.name} of {ask.task_id}, which is not over"


def _taken_back(stage: Stage, journal: Journal, asks: Iterable[Ask]) -> Iterator[str]:
    """Checks that what was taken back is on record as that, and begins no more."""
    for ask in asks:
        if ask.name != "take back" or not ask.done:
            continue
        written = [one for one in journal.versions[ask.task_id] if one.task.status == "cancelled"]
        if not written or written[0].at_ms > ask.acked_ms:
            yield f"undone: {ask.task_id} was told to be taken back"
        for told in stage.deliveries:
            begins = told.attempt == 1 and told.at_ms > ask.acked_ms
            if begins and told.run_id.startswith(ask.task_id):
                yield f"begun: {told.run_id} after it was taken back"
        if ask.said and ask.said["status"] != "cancelled":
            yield f"mistaken: {ask.task_id} was told to be {ask.said['status']}"


def _too_late(
    journal: Journal, asks: Iterable[Ask], changes: dict[str, list[Change]]
) -> Iterator[str]:
    """Checks that nothing is taken back or moved that had begun when it was asked for."""
    trying = {name: ask for ask in asks for name in ask.tries if ask.name != "task"}
    for task_id, own in changes.items():
        for version in journal.versions[task_id][1:]:
            name = version.writer.name if version.writer else ""
            if name not in trying:
                continue
            since_ms = trying[name].tries[name]
            if any(one.started and one.at_ms < since_ms for one in own):
                yield f"too late: {task_id} had begun before {trying[name].name}"


def _at_its_time(asks: Iterable[Ask]) -> Iterator[str]:
    """Checks that a delay counts from when it was asked for, by whichever try."""
    for ask in asks:
        body = ask.body or {}
        anothers = ask.answer is not None and ask.name == "task" and ask.answer.status != _CREATED
        if not ask.said or "delay_sec" not in body or anothers:
            continue
        wanted = ask.began_ms / 1000 + body["delay_sec"]
        until = wanted + (ask.answer.at_ms - ask.began_ms) / 1000 if ask.answer else wanted
        found = parse_nominal(ask.said["run_at"])
        if not wanted - _EDGE_SEC <= found <= until + _EDGE_SEC:
            yield f"misplaced: {ask.name} of {ask.task_id} is due {found - wanted:.1f} s late"


def _by_its_key(asks: Sequence[Ask]) -> Iterator[str]:
    """Checks that a caller's key stands for one body while it is kept: the same one has the same
    task.
    """
    by_key: dict[tuple[str, str], list[Ask]] = defaultdict(list)
    for ask in asks:
        if ask.name == "task" and "idempotency_key" in ask.body:
            by_key[ask.tenant_id, ask.body["idempotency_key"]].append(ask)
    for (_, key), alike in by_key.items():
        for ask in alike:
            others = [one for one in alike if one is not ask]
            if ask.answer is not None and ask.answer.code == _REUSED:
                if not any(_is_other(one, ask) for one in others):
                    yield f"refused in vain: nobody has used {key} for another task"
            elif ask.said is not None:
                yield from _is_its_own(ask, others, key)


def _forgotten(journal: Journal, asks: Iterable[Ask]) -> Iterator[str]:
    """Checks that once a key is kept no more, it has another task made."""
    for ask in asks:
        if ask.name != "task" or not ask.said or "idempotency_key" not in ask.body:
            continue
        made_ms = journal.versions[ask.said["task_id"]][0].at_ms
        kept_sec = ask.body.get("idempotency_ttl_sec", KEPT_SEC) + _EDGE_SEC
        if made_ms + kept_sec * 1000 < ask.began_ms:
            yield f"kept too long: {ask.said['task_id']} by {ask.body['idempotency_key']}"


def _is_other(one: Ask, than: Ask) -> bool:
    """Tells whether it came before with another body, and may have been carried out."""
    return than.answer is not None and one.began_ms < than.answer.at_ms and one.body != than.body


def _is_its_own(ask: Ask, others: Iterable[Ask], key: str) -> Iterator[str]:
    for one in others:
        if one.said is None or one.said["task_id"] != ask.said["task_id"]:
            continue
        if one.body != ask.body:
            yield f"one for two: {ask.task_id} by {key} is of another body"
